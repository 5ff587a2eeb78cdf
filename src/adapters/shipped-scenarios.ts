/**
 * The scenarios that come with adsim: JSON files in the package, TypeScript in the repository. Reads at once, so that the
 * control API can; only what asks for a scenario loads this.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Scenario } from "../play/language/scenario.ts";

/** A scenario as a listing shows it. */
export interface ShippedScenario {
  readonly name: string;
  readonly about: string;
}

const require = createRequire(import.meta.url);
/** `.ts` in the repository. In the package this is JavaScript, in a file of its own or in one of the command line's. */
const inRepository = import.meta.url.endsWith(".ts");
const folder = fileURLToPath(
  new URL(inRepository ? "../../scenarios/" : "../scenarios/", import.meta.url),
);
/** What the build writes beside the scenarios: the listing, so that it takes one file and not all. */
const INDEX = "index.json";

/** All of them, in the order of their names. */
export function shippedNames(): readonly ShippedScenario[] {
  if (!inRepository) return JSON.parse(readFileSync(join(folder, INDEX), "utf8"));
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => moduleOf(basename(file, ".ts")))
    .map(({ name, about }) => ({ name, about }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The scenario of this name, as data; undefined where none has it. */
export function shippedScenario(name: string): Scenario | undefined {
  // Nothing that is no name gets to be a path.
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || `${name}.json` === INDEX) return undefined;
  const file = join(folder, `${name}${inRepository ? ".ts" : ".json"}`);
  if (!existsSync(file)) return undefined;
  return inRepository ? moduleOf(name) : JSON.parse(readFileSync(file, "utf8"));
}

function moduleOf(name: string): Scenario {
  const { scenario } = require(join(folder, `${name}.ts`)) as { readonly scenario: Scenario };
  return scenario;
}
