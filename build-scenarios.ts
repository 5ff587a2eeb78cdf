/**
 * Writes what is data into the package: the shipped scenarios, `dist/scenarios/NAME.json` and the listing of all beside
 * them, and their JSON schema, as a module that bundlers can take along.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shippedNames, shippedScenario } from "./src/adapters/shipped-scenarios.ts";
import { scenarioJsonSchema } from "./src/play/language/json-schema.ts";

const folder = join(import.meta.dirname, "dist", "scenarios");
const listing = shippedNames();

mkdirSync(folder, { recursive: true });
for (const { name } of listing) {
  const scenario = shippedScenario(name);
  if (scenario === undefined) throw new Error(`scenarios/${name}.ts is of another name.`);
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(scenario, undefined, 2)}\n`);
}
writeFileSync(join(folder, "index.json"), `${JSON.stringify(listing)}\n`);
writeFileSync(
  join(import.meta.dirname, "dist/play/language/json-schema.js"),
  `export const scenarioJsonSchema = ${JSON.stringify(scenarioJsonSchema)};\n`,
);
