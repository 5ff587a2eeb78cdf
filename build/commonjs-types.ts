/**
 * Declares for CommonJS what an ES module of the package declares: the same types, not copies of them. Only declarations that
 * name fast-check or msw are copied, since their types for CommonJS don't fit those for ES modules.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { pathToFileURL } from "node:url";

const dist = join(import.meta.dirname, "../dist");
const asModule = '{ "resolution-mode": "import" }';

/** An import or export of another of our files: what comes before its path, and the path without its extension. */
const linking = /^((?:import|export) [^;"]*? ?from )"(\.[^"]+)\.[jt]s";$/gm;

/** Whether a declaration file was copied, by its path in `dist` without extension. */
const isCopied = new Map<string, boolean>();

export async function writeTypes(entry: string): Promise<void> {
  const reExported = Array.from(declarationsOf(entry).matchAll(linking))
    .filter(([, , from = ""]) => copyIfNeeded(posix.join(".", from)))
    .map(([, names = "", from = ""]) => ({ names, line: `${names}"${from}.cjs";` }));
  const module: object = await import(pathToFileURL(join(dist, `${entry}.js`)).href);
  const values = Object.entries(module)
    .filter(([name]) => !reExported.some(({ names }) => names.match(/\w+/g)?.includes(name)))
    .flatMap(([name, value]) => {
      const same = `import("../${entry}.js", { with: ${asModule} }).${name};`;
      const declared = `export declare const ${name}: typeof ${same}`;
      const isClass = typeof value === "function" && /^class\b/.test(String(value));
      return isClass ? [declared, `export type ${name} = ${same}`] : [declared];
    });
  const types = `export type * from "../${entry}.js" with ${asModule};`;
  const lines = [types, ...reExported.map(({ line }) => line), ...values, ""];
  writeDeclarations(entry, lines.join("\n"));
}

/**
 * Copies a declaration file that names such a package, or imports one that does. It ends because no files import each other in a
 * circle (test/tidy.test.ts).
 *
 * @returns whether it was copied.
 */
function copyIfNeeded(file: string): boolean {
  const known = isCopied.get(file);
  if (known !== undefined) return known;
  const text = declarationsOf(file);
  let found = /"(?:fast-check|msw)"/.test(text);
  const copy = text.replaceAll(linking, (_, names: string, from: string) => {
    const target = posix.join(dirname(file), from);
    if (copyIfNeeded(target)) {
      found = true;
      return `${names}"${from}.cjs";`;
    }
    const onlyTypes = names.replaceAll(/\btype /g, "").replace(" ", " type ");
    const path = posix.relative(posix.join("cjs", dirname(file)), target);
    return `${onlyTypes}"${path}.js" with ${asModule};`;
  });
  isCopied.set(file, found);
  if (found && /\bimport\("\./.test(copy)) throw new Error(`${file}: a type by import("…").`);
  if (found) writeDeclarations(file, copy);
  return found;
}

function declarationsOf(file: string): string {
  return readFileSync(join(dist, `${file}.d.ts`), "utf8");
}

function writeDeclarations(file: string, text: string): void {
  const path = join(dist, "cjs", `${file}.d.cts`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
