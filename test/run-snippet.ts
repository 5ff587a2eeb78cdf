/** Runs a TypeScript snippet of the documentation as a program of its own. */

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
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

/** @returns what it prints. Rejects where it fails. */
export async function runSnippet(text: string): Promise<string> {
  const folder = temporaryFolder();
  const file = join(folder, "snippet.ts");
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(file, fromSource(text));
  const env = { ...process.env, TMPDIR: folder };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  return stdout;
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
