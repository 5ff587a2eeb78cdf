/**
 * Modules with a defect planted into them, side by side in one process. Nothing is copied or changed on disk: a copy is the
 * changed module and all that import it, directly or not, loaded anew. What has nothing to do with the change is shared.
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
/** What tells the modules of the copies apart. */
const mark = /\?copy=(\d+)$/;
const sources = new Map<string, string>();
const changed = new Map<string, string>();
/** The URLs of the modules of which a copy has its own, by its mark. */
const copied = new Map<string, ReadonlySet<string>>();

registerHooks({
  resolve(specifier, context, next) {
    const [copy] = mark.exec(context.parentURL ?? "") ?? [];
    if (copy === undefined || !specifier.startsWith(".")) return next(specifier, context);
    const { href } = new URL(specifier, context.parentURL);
    if (!copied.get(copy)?.has(href)) return next(href, context);
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

const imported = new Map<string, readonly string[]>();

/** The URLs of the modules that one imports. */
function importsOf(url: string): readonly string[] {
  const known = imported.get(url);
  if (known !== undefined) return known;
  const specifiers = readFileSync(fileURLToPath(url), "utf8").matchAll(
    /^(?!import type|export type).*?\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/gm,
  );
  const urls = Array.from(specifiers, ([, specifier = ""]) => new URL(specifier, url).href);
  imported.set(url, urls);
  return urls;
}

/** Those modules that `entry` leads to, itself included, which lead to one of `targets`. */
function leadingTo(targets: ReadonlySet<string>, entry: string): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  const open = [entry];
  const seen = new Set(open);
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    for (const to of importsOf(url)) {
      importers.set(to, [...(importers.get(to) ?? []), url]);
      if (!seen.has(to)) open.push(to);
      seen.add(to);
    }
  }
  const leading = new Set([entry, ...targets]);
  for (const url of leading) for (const importer of importers.get(url) ?? []) leading.add(importer);
  return leading;
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
  const entry = `${root}/${path}`;
  const leading = leadingTo(plant(changes, copy), entry);
  copied.set(`?copy=${copy}`, new Set([...leading, ...(copied.get(`?copy=${copy}`) ?? [])]));
  return await import(`${root}/${path}?copy=${copy}`);
}

/** @returns the URLs of what is changed. */
function plant(changes: readonly Change[], copy: number): ReadonlySet<string> {
  const texts = new Map<string, string>();
  for (const { file, find, replace } of changes) {
    const { href: url } = new URL(file, `${root}/src/`);
    const parts = (texts.get(url) ?? readFileSync(fileURLToPath(url), "utf8")).split(find);
    if (parts.length !== 2) {
      throw new Error(`src/${file} has ${parts.length - 1} times, not once: ${find}`);
    }
    texts.set(url, parts.join(replace));
  }
  for (const [url, text] of texts) changed.set(`${url}?copy=${copy}`, stripTypeScriptTypes(text));
  return new Set(texts.keys());
}
