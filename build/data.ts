/**
 * Writes what is data into the package: the shipped scenarios, `dist/scenarios/NAME.json` and the listing of all beside
 * them; their JSON schema and the inspector's page, each as a module that bundlers can take along; and the names of people.
 */

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shippedNames, shippedScenario } from "../src/adapters/shipped-scenarios.ts";
import { inspectorAssets } from "../src/inspector/assets.ts";
import { scenarioJsonSchema } from "../src/play/scenario/json-schema.ts";
import { licencesOf } from "./licences.ts";
import { bundleNames } from "./names.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const scenariosFolder = join(dist, "scenarios");
const listing = shippedNames();

mkdirSync(scenariosFolder, { recursive: true });
for (const { name } of listing) {
  const scenario = shippedScenario(name);
  if (scenario === undefined) throw new Error(`scenarios/${name}.ts is of another name.`);
  writeFileSync(
    join(scenariosFolder, `${name}.json`),
    `${JSON.stringify(scenario, undefined, 2)}\n`,
  );
}
writeFileSync(join(scenariosFolder, "index.json"), `${JSON.stringify(listing)}\n`);
writeFileSync(
  join(dist, "play/scenario/json-schema.js"),
  `export const scenarioJsonSchema = ${JSON.stringify(scenarioJsonSchema)};\n`,
);
writeFileSync(join(dist, "world/publishers/people.js"), await bundleNames());
writeFileSync(join(dist, "world/publishers/LICENSES.txt"), licencesOf(["@faker-js/faker"]));
const inspectorFolder = join(dist, "inspector");
writeFileSync(
  join(inspectorFolder, "assets.js"),
  `const assets = ${JSON.stringify(await inspectorAssets())};\nexport const inspectorAssets = () => Promise.resolve(assets);\n`,
);
// The page holds this package; preact's licence, which is short, stands in the page itself.
copyFileSync(join(root, "node_modules/htm/LICENSE"), join(inspectorFolder, "LICENSE-htm.txt"));
