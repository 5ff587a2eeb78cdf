/**
 * Follows docs/test-your-client.md, docs/javascript-tests.md and docs/reference/contract.md in an empty project, word for word:
 * the files with the contents that the pages give them, first green, then red with the defects that the pages plant, by the
 * lines that they give to see it again. (That the contract finds such defects is for other tests: it takes minutes.)
 */

import { match } from "node:assert/strict";
import { blocksOf, snippetsIn, textOf } from "../page-blocks.ts";
import { pageProject } from "./project.ts";

const guide = "docs/test-your-client.md";
const contract = "docs/reference/contract.md";

/** @throws Error that says what isn't as the page has it. */
export async function followTestsPages(folder: string, tarball: string): Promise<void> {
  const project = await pageProject(folder, tarball);
  const run = (command: string): Promise<string> => project.run("sh", "-e", "-c", command);
  const failing = (command: string): Promise<string> =>
    run(command).then(
      (output) => Promise.reject(new Error(`Expected to fail: ${command}\n${output}`)),
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );

  const [install = "", test = "", plant = ""] = snippetsIn(textOf(guide), "sh");
  const [replayOnce = "", replayOwn = ""] = [guide, contract].map(
    (page) => /See it again: +(.+) npm test$/m.exec(textOf(page))?.[1],
  );
  await run(install);
  const pages = [guide, "docs/javascript-tests.md", contract];
  for (const { file, text } of pages.flatMap((page) => blocksOf(textOf(page))))
    if (file !== undefined) await project.write({ [file]: text });

  match(await run(`${test.trim()} -- ads.test.js`), /17 passed/);
  match(await run("npx vitest run own.test.js property.test.js --testTimeout=60000"), /2 passed/);
  match(await run("node --test own.node.js"), /pass 1\b/);
  match(await failing(`${replayOwn} npx vitest run rule.test.js`), /broke clicks-come-late/);

  const [change = ""] = plant.split("\n");
  await run(change);
  const output = await failing(`${replayOnce} npx vitest run ads.test.js`);
  match(output, /broke once/);
  const [, play = ""] = /As a scenario: +(.+)$/m.exec(output) ?? [];
  match(await failing(play), /failed/);
}
