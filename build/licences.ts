/** The licences of packages that are bundled into a folder of the package. What is copied comes with its licence. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function licencesOf(packages: readonly string[]): string {
  return packages.map(licenceOf).join("\n");
}

function licenceOf(name: string): string {
  const folder = join(import.meta.dirname, "../node_modules", name);
  const file = readdirSync(folder).find((each) => /^LICENSE/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence.`);
  return `This folder holds parts of the package ${name}:\n\n${readFileSync(join(folder, file), "utf8")}`;
}
