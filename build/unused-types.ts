/** Removes the declaration files that no entry of the package leads to: two fifths of all types. Runs last. */

import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dirname, "..");

/** Another of our files, in an import, an export or a type such as `import("./file.js").Name`. */
const linking = /(?:from|import) ?\(?"(\.[^"]+)\.([cm]?)[jt]s"/g;

function declarationsIn(value: unknown): string[] {
  if (typeof value === "string") return /\.d\.[cm]?ts$/.test(value) ? [normalize(value)] : [];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(declarationsIn)
    : [];
}

const used = new Set<string>();

function use(file: string): void {
  if (used.has(file) || !existsSync(join(root, file))) return;
  used.add(file);
  for (const [, path = "", kind] of readFileSync(join(root, file), "utf8").matchAll(linking))
    use(join(dirname(file), `${path.replace(/\.d$/, "")}.d.${kind}ts`));
}

for (const file of declarationsIn(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))))
  use(file);
for (const file of globSync("dist/**/*.d.{ts,cts}", { cwd: root }))
  if (!used.has(file)) rmSync(join(root, file));
