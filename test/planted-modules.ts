/**
 * Clients of `test/testing/defects` with a defect planted into their text, side by side in one process. Nothing is copied or
 * changed on disk: a copy of that folder's modules is loaded anew, and all others are shared.
 */

import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface Change {
  /** Relative to `src/`. */
  readonly file: string;
  /** Occurs there once. */
  readonly find: string;
  readonly replace: string;
}

const root = pathToFileURL(join(import.meta.dirname, "..")).href;
const folder = `${root}/test/testing/defects/`;
/** What tells the modules of the copies apart. */
const mark = /\?copy=\d+$/;
const changed = new Map<string, string>();

registerHooks({
  resolve(specifier, context, next) {
    const [copy] = mark.exec(context.parentURL ?? "") ?? [];
    if (copy === undefined || !specifier.startsWith(".")) return next(specifier, context);
    const { href } = new URL(specifier, context.parentURL);
    if (!href.startsWith(folder)) return next(href, context);
    return { url: href + copy, format: "module", shortCircuit: true };
  },
  load(url, context, next) {
    if (!mark.test(url)) return next(url, context);
    const source = changed.get(url) ?? readFileSync(fileURLToPath(url.replace(mark, "")), "utf8");
    return { source: stripTypeScriptTypes(source), format: "module", shortCircuit: true };
  },
});

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
  const texts = new Map<string, string>();
  for (const { file, find, replace } of changes) {
    const { href } = new URL(file, `${root}/src/`);
    const parts = (texts.get(href) ?? readFileSync(fileURLToPath(href), "utf8")).split(find);
    if (parts.length !== 2 || !href.startsWith(folder))
      throw new Error(`${href} has ${parts.length - 1} times, not once: ${find}`);
    texts.set(href, parts.join(replace));
  }
  for (const [href, text] of texts) changed.set(`${href}?copy=${copy}`, text);
  return await import(`${root}/${path}?copy=${copy}`);
}
