/** The one generator of seedrandom that we use. `@types/seedrandom` covers only the main module. */
declare module "seedrandom/lib/alea.js" {
  export default function alea(seed: string): { (): number; int32(): number };
}
