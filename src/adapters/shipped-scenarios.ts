/**
 * The scenarios that come with adsim: JSON files in the package, TypeScript in the repository. Reads synchronously, as the
 * control API needs it. Loaded only on demand.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Scenario } from "../play/scenario/types.ts";

export interface ShippedScenario {
  readonly name: string;
  readonly about: string;
}

const require = createRequire(import.meta.url);
/** In the package this module is JavaScript, in its own file or in one of the command line's. */
const inRepository = import.meta.url.endsWith(".ts");
const folder = fileURLToPath(
  new URL(inRepository ? "../../scenarios/" : "../scenarios/", import.meta.url),
);
/** In the repository, those of the specification have a folder of their own. */
const folders: readonly string[] = inRepository ? [folder, join(folder, "spec")] : [folder];
/** The list that the build writes next to the scenarios, so that listing them reads only one file. */
const INDEX = "index.json";

/** In the repository it stands beside the scenarios that are told with its functions. */
const WORDS = "words.ts";

/** All shipped scenarios, sorted by name. */
export function shippedNames(): readonly ShippedScenario[] {
  if (!inRepository) return JSON.parse(readFileSync(join(folder, INDEX), "utf8"));
  return folders
    .flatMap((each) => readdirSync(each).map((file) => join(each, file)))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(WORDS))
    .map(moduleAt)
    .map(({ name, about }) => ({ name, about }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The scenario with this name; undefined if there is none. */
export function shippedScenario(name: string): Scenario | undefined {
  // Only a valid name may become part of a path.
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || `${name}.json` === INDEX) return undefined;
  const file = folders
    .map((each) => join(each, `${name}${inRepository ? ".ts" : ".json"}`))
    .find((path) => existsSync(path));
  if (file === undefined) return undefined;
  return inRepository ? moduleAt(file) : JSON.parse(readFileSync(file, "utf8"));
}

function moduleAt(file: string): Scenario {
  const { scenario } = require(file) as { readonly scenario: Scenario };
  return scenario;
}
