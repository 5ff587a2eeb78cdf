/** The pages of the documentation, their blocks of code, and what their tables list. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Paths, such as `docs/reference/client.md`. */
export const pages: readonly string[] = globSync(
  ["README.md", "llms.txt", "docs/*.md", "docs/reference/*.md"],
  { cwd: root },
).sort();

export function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

export interface Block {
  /** As the page gives it after the fence, such as `sh`. */
  readonly language: string;
  readonly text: string;
  /** The file of the sentence "This is `file`" before it. */
  readonly file: string | undefined;
}

/** The blocks of a page's text, in its order. */
export function blocksOf(text: string): Block[] {
  // Text and blocks take turns.
  const parts = text.split(/^```/m);
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return [];
    const [language = ""] = part.split("\n", 1);
    const names = (parts[index - 1] ?? "").matchAll(/\bThis\s+is\s+`([\w./[\]-]+)`/g);
    const file = Array.from(names, ([, name]) => name).at(-1);
    return [{ language, text: part.slice(language.length + 1), file }];
  });
}

/** The blocks of a page's text that are written in this language. */
export function snippetsIn(text: string, language: string): string[] {
  return blocksOf(text).flatMap((block) => (block.language === language ? [block.text] : []));
}

/** The content that a page gives this file. */
export function contentOf(page: string, file: string): string {
  const block = blocksOf(textOf(page)).find((one) => one.file === file);
  if (block === undefined) throw new Error(`${page} has no block for ${file}.`);
  return block.text;
}

/** What stands below a heading of a page, up to the next one of `##`. */
export function sectionOf(page: string, heading: string): string {
  const [, section = ""] = textOf(page).split(`\n## ${heading}\n`);
  return section.split("\n## ")[0] ?? "";
}

/** What the first column of the tables in a text has as code, but for what a name is used with. */
export function listedIn(text: string): string[] {
  return [...text.matchAll(/^\| (.+?) \| .* \|$/gm)].flatMap(([, cell = ""]) =>
    Array.from(cell.replace(/ with .*/, "").matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  );
}
