/** Writes the shipped scenarios into the package, as data: `dist/scenarios/NAME.json`, and the listing of all beside them. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shippedNames, shippedScenario } from "./src/adapters/shipped-scenarios.ts";

const folder = join(import.meta.dirname, "dist", "scenarios");
const listing = shippedNames();

mkdirSync(folder, { recursive: true });
for (const { name } of listing) {
  const scenario = shippedScenario(name);
  if (scenario === undefined) throw new Error(`scenarios/${name}.ts is of another name.`);
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(scenario, undefined, 2)}\n`);
}
writeFileSync(join(folder, "index.json"), `${JSON.stringify(listing)}\n`);
