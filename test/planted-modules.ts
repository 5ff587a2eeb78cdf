/**
 * Modules with a defect planted into them, side by side in one process. Nothing is copied or changed on disk: a copy is
 * all the modules that one module leads to, loaded anew, and changed on their way into memory where that is asked for.
 */

import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface Change {
  /** Below `src/`. */
  readonly file: string;
  /** Occurs there once. */
  readonly find: string;
  readonly replace: string;
}

const root = pathToFileURL(join(import.meta.dirname, "..")).href;
/** What tells the modules of the copies apart. */
const mark = /\?copy=(\d+)$/;
const sources = new Map<string, string>();
const changed = new Map<string, string>();

registerHooks({
  resolve(specifier, context, next) {
    const [copy] = mark.exec(context.parentURL ?? "") ?? [];
    if (copy === undefined || !specifier.startsWith(".")) return next(specifier, context);
    const { href } = new URL(specifier, context.parentURL);
    return { url: href + copy, format: "module", shortCircuit: true };
  },
  load(url, context, next) {
    if (!mark.test(url)) return next(url, context);
    return { source: changed.get(url) ?? javaScriptOf(url), format: "module", shortCircuit: true };
  },
});

/** Every copy has the same, but for what is changed. */
function javaScriptOf(url: string): string {
  const path = fileURLToPath(url.replace(mark, ""));
  const made = sources.get(path) ?? stripTypeScriptTypes(readFileSync(path, "utf8"));
  sources.set(path, made);
  return made;
}

/**
 * The module at this path from the root, in this copy.
 *
 * @param copy Its number. Every import of one copy has the same changes.
 * @throws Error where what is to be changed isn't there, or more than once.
 */
export async function importCopy(
  path: string,
  copy: number,
  changes: readonly Change[],
): Promise<unknown> {
  plant(changes, copy);
  return await import(`${root}/${path}?copy=${copy}`);
}

function plant(changes: readonly Change[], copy: number): void {
  const texts = new Map<string, string>();
  for (const { file, find, replace } of changes) {
    const url = `${root}/src/${file}`;
    const parts = (texts.get(url) ?? readFileSync(fileURLToPath(url), "utf8")).split(find);
    if (parts.length !== 2) {
      throw new Error(`src/${file} has ${parts.length - 1} times, not once: ${find}`);
    }
    texts.set(url, parts.join(replace));
  }
  for (const [url, text] of texts) changed.set(`${url}?copy=${copy}`, stripTypeScriptTypes(text));
}
