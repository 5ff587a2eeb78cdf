/** `@types/seedrandom` covers only the package's main module. We load this one generator instead. */
declare module "seedrandom/lib/alea.js" {
  export default function alea(seed: string): { (): number; int32(): number };
}
