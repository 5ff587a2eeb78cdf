/**
 * Follows docs/test-your-client.md and docs/javascript-tests.md in an empty project, word for word: the commands in their order,
 * the files with the contents that the pages give them. Green first, then red with the defect that the first page plants.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Block, blocksOf } from "../page-blocks.ts";
import { emptyProject } from "./page-project.ts";

const pages = ["test-your-client.md", "javascript-tests.md"].map((name) =>
  join(import.meta.dirname, "../../docs", name),
);

/** @throws Error that says what isn't as the page has it. */
export async function followTestsPages(folder: string, tarball: string): Promise<void> {
  const { shell, write } = await emptyProject(folder, tarball);
  const expect = async (text: string, failed: boolean, ...shown: RegExp[]): Promise<string> => {
    const done = await shell(text);
    const missing = shown.find((one) => !one.test(done.output));
    if (done.failed === failed && missing === undefined) return done.output;
    const ought = missing === undefined ? (failed ? "red" : "green") : `showing ${missing}`;
    throw new Error(`Expected to be ${ought}: ${text}\n${done.output}`);
  };

  const texts = await Promise.all(pages.map((page) => readFile(page, "utf8")));
  const blocks = texts.flatMap(blocksOf);
  const writeFrom = (file: string): Promise<void> => write(file, contentOf(blocks, file));
  const [install = "", test = "", plant = ""] = blocks
    .filter(({ language }) => language === "sh")
    .map(({ text }) => text);
  await expect(install, false);
  for (const file of ["ads.js", "driver.js", "ads.test.js"]) await writeFrom(file);
  await expect(test, false, /17 passed/);
  await expect("test ! -e adsim-failures", false);

  await writeFrom("own.test.js");
  await writeFrom("own.node.js");
  await writeFrom("property.test.js");
  await expect("npx vitest run own.test.js property.test.js", false, /2 passed/);
  await expect("node --test own.node.js", false, /pass 1\b/);
  await writeFrom("rule.test.js");
  await expect("npx vitest run rule.test.js", true, /broke clicks-come-late/, /1 failed/);
  await expect("rm -r rule.test.js adsim-failures", false);

  const output = await expect(plant, true, /broke once/, /1\. /);
  const [, failure = ""] = output.split("The client broke once:");
  const [, replay = ""] = /See it again: +(.+)$/m.exec(failure) ?? [];
  await expect(replay, true, /broke once/);
  const [, play = ""] = /As a scenario: +(.+)$/m.exec(failure) ?? [];
  await expect(play, true, /failed/);
}

/** The content that the pages give a file. */
function contentOf(blocks: readonly Block[], file: string): string {
  const found = blocks.filter((block) => block.file === file && block.language === "js");
  const [block] = found;
  if (block === undefined || found.length > 1) {
    throw new Error(`The pages have ${found.length} blocks for ${file}, not one.`);
  }
  return block.text;
}
