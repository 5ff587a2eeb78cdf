/**
 * The scenarios that come with adsim: JSON files in the package, TypeScript in the repository. Reads synchronously, as the
 * control API needs it. Loaded only on demand.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Scenario } from "../play/language/scenario.ts";

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
/** The list that the build writes next to the scenarios, so that listing them reads only one file. */
const INDEX = "index.json";

/** All shipped scenarios, sorted by name. */
export function shippedNames(): readonly ShippedScenario[] {
  if (!inRepository) return JSON.parse(readFileSync(join(folder, INDEX), "utf8"));
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => moduleOf(basename(file, ".ts")))
    .map(({ name, about }) => ({ name, about }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The scenario with this name; undefined if there is none. */
export function shippedScenario(name: string): Scenario | undefined {
  // Only a valid name may become part of a path.
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || `${name}.json` === INDEX) return undefined;
  const file = join(folder, `${name}${inRepository ? ".ts" : ".json"}`);
  if (!existsSync(file)) return undefined;
  return inRepository ? moduleOf(name) : JSON.parse(readFileSync(file, "utf8"));
}

function moduleOf(name: string): Scenario {
  const { scenario } = require(join(folder, `${name}.ts`)) as { readonly scenario: Scenario };
  return scenario;
}
