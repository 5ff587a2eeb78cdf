/** `@types/seedrandom` describes the package's main module only; this is the one generator of it that we load. */
declare module "seedrandom/lib/alea.js" {
  interface Generator {
    /** A float in [0, 1) with 32 bits of randomness. */
    (): number;
    /** A signed 32-bit integer. */
    int32(): number;
  }
  export default function alea(seed: string): Generator;
}
