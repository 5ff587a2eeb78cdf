/**
 * Finishes the declarations that tsc wrote into `dist`: removes those that no entry of the package leads to, two fifths of
 * them, and copies those of CommonJS, where a type of msw or fast-check is another one.
 */

import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const dist = join(import.meta.dirname, "../dist");
/** Another of our files, in an import, an export, or a type such as `import("./file.js").Name`. */
const link = /((?:from |import\()"\.[^"]+)\.[jt]s"/g;
const used = new Set<string>();

/** Copies a declaration file and all that it needs; a path has no extension. */
function copy(path: string): void {
  if (used.has(path)) return;
  used.add(path);
  const text = readFileSync(join(dist, `${path}.d.ts`), "utf8");
  for (const [, linked = ""] of text.matchAll(link))
    copy(join(dirname(path), linked.slice(linked.indexOf('"') + 1)));
  const target = join(dist, "cjs", `${path}.d.cts`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text.replaceAll(link, '$1.cjs"'));
}

const isEntry = (file: string): boolean => /^[^/\\]+\.d\.ts$/.test(file);
const files = globSync("**/*.d.ts", { cwd: dist });
for (const file of files.filter(isEntry)) copy(file.slice(0, -".d.ts".length));
for (const file of files) if (!used.has(file.slice(0, -".d.ts".length))) rmSync(join(dist, file));
// vitest and Playwright have no CommonJS form.
for (const file of globSync("cjs/*.d.cts", { cwd: dist }))
  if (!existsSync(join(dist, file.replace(".d.cts", ".cjs")))) rmSync(join(dist, file));
