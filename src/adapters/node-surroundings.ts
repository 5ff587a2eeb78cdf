/** What the server takes from the installed package: names and contacts, on first need. */

import { createRequire } from "node:module";
import type { People } from "../publishers/people.ts";
import type { Surroundings } from "../running-world.ts";

const require = createRequire(import.meta.url);
/** `.ts` in the repository, `.js` in the package. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));

/** Loads the names on first need: importing them takes longer than starting the server. */
export const nodeSurroundings: Surroundings = {
  people: () =>
    (require(`../publishers/people${extension}`) as { fakerPeople: People }).fakerPeople,
};
