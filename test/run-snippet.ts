/** Runs a TypeScript snippet of the documentation. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { vi } from "vitest";
import { blocksOf } from "./page-blocks.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The blocks of a page that are written in this language. */
export function snippetsIn(page: string, language: string): string[] {
  const found = blocksOf(page).filter((block) => block.language === language);
  return found.map(({ text }) => text);
}

/** What the comments behind a snippet's calls of `console.log` say that it prints. */
export function printedBy(text: string): string[] {
  return Array.from(text.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm), ([, value = ""]) => value);
}

/** Runs it in this process. @returns what it prints. Rejects where it fails. */
export async function runSnippet(text: string): Promise<string> {
  const file = join(temporaryFolder(), "snippet.ts");
  await writeFile(file, fromSource(text));
  let printed = "";
  const log = vi.spyOn(console, "log").mockImplementation((...values) => {
    printed += `${format(...values)}\n`;
  });
  try {
    await import(pathToFileURL(file).href);
  } finally {
    log.mockRestore();
  }
  return printed;
}

/** The snippet with the package's exports, and its peers, found in this repository. */
export function fromSource(text: string): string {
  return text.replaceAll(/ from "([^.].*)";$/gm, (_, name: string) => {
    const own = /^adsim(?:\/(.+))?$/.exec(name);
    const url =
      own === null
        ? import.meta.resolve(name)
        : new URL(`../src/${own[1] ?? "index"}.ts`, import.meta.url).href;
    return ` from ${JSON.stringify(url)};`;
  });
}
