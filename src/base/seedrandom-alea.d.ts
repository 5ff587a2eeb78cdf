/** `@types/seedrandom` covers only the package's main module. We load this one generator instead. */
declare module "seedrandom/lib/alea.js" {
  interface Generator {
    /** A float in [0, 1) with 32 bits of randomness. */
    (): number;
    /** A signed 32-bit integer. */
    int32(): number;
  }
  export default function alea(seed: string): Generator;
}
