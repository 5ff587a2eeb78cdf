/**
 * Writes what is data into the package, each as a module that bundlers can take along: the shipped scenarios, their JSON
 * schema, the inspector's page, and the names of people.
 */

import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shippedScenarios } from "../src/adapters/shipped-scenarios.ts";
import { inspectorAssets } from "../src/inspector/assets.ts";
import { scenarioJsonSchema } from "../src/play/scenario/json-schema.ts";
import { licencesOf } from "./licences.ts";
import { bundleNames } from "./names.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

writeFileSync(
  join(dist, "adapters/shipped-scenarios.js"),
  `export const shippedScenarios = ${JSON.stringify(shippedScenarios)};\n`,
);
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
