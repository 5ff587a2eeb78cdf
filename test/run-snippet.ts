/** Runs a TypeScript snippet of the documentation. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { vi } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

/** What the comments behind a snippet's calls of `console.log` say that it prints. */
export function printedBy(text: string): string[] {
  return Array.from(text.matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm), ([, said = ""]) => said);
}

/** Runs TypeScript in this process. @returns the lines that it prints. Rejects where it fails. */
export async function runSnippet(text: string): Promise<string[]> {
  const file = join(temporaryFolder(), "snippet.ts");
  writeFileSync(file, fromSource(text));
  const printed: string[] = [];
  const log = vi
    .spyOn(console, "log")
    .mockImplementation((...values) => void printed.push(...format(...values).split("\n")));
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
    const [own, entry = "index"] = /^adsim(?:\/(.+))?$/.exec(name) ?? [];
    return ` from "${import.meta.resolve(own === undefined ? name : `../src/${entry}.ts`)}";`;
  });
}
