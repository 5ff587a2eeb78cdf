/** Gives the server names and contacts from the installed package. */

import { createRequire } from "node:module";
import type { Host } from "../simulator/running-world.ts";
import type { PersonGenerator } from "../world/publishers/people.ts";

/** `.ts` in the repository, `.js` in the package. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
let loaded: PersonGenerator | undefined;

/** Loads the names on first use, because importing them takes longer than starting the server. */
export const nodeHost: Host = {
  people() {
    loaded ??= load();
    return loaded;
  },
};

function load(): PersonGenerator {
  const require = createRequire(import.meta.url);
  return (require(`../world/publishers/people${extension}`) as { fakerPerson: PersonGenerator })
    .fakerPerson;
}
