/**
 * Follows docs/test-your-client.md, docs/javascript-tests.md and docs/reference/contract.md in an empty project, word for word: the
 * commands in their order, the files with the contents that the pages give them. Green first, then red with the defect that the first page plants.
 */

import { blocksOf, contentOf, snippetsIn, textOf } from "../page-blocks.ts";
import { emptyProject } from "./page-project.ts";

const guide = "docs/test-your-client.md";
const pages = [guide, "docs/javascript-tests.md", "docs/reference/contract.md"];

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

  const writeFrom = async (file: string): Promise<void> => {
    const [page = guide] = pages.filter((one) =>
      blocksOf(textOf(one)).some((b) => b.file === file),
    );
    await write(file, contentOf(page, file));
  };
  const [install = "", test = "", plant = ""] = snippetsIn(textOf(guide), "sh");
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
