/** What the server takes from the installed package: names and contacts, on first need. */

import { createRequire } from "node:module";
import type { People } from "../publishers/people.ts";
import type { Surroundings } from "../running-world.ts";

/** `.ts` in the repository, `.js` in the package. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
let loaded: People | undefined;

/** Loads the names on first need: importing them takes longer than starting the server. */
export const nodeSurroundings: Surroundings = {
  people() {
    loaded ??= load();
    return loaded;
  },
};

function load(): People {
  const require = createRequire(import.meta.url);
  return (require(`../publishers/people${extension}`) as { fakerPeople: People }).fakerPeople;
}
