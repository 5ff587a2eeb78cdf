/**
 * Follows docs/test-your-client.md and docs/own-tests.md in an empty project, word for word: the commands in their order,
 * the files with the contents that the pages give them. Green first, then red with the defect that the first page plants.
 */

import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const pages = ["test-your-client.md", "own-tests.md"].map((name) =>
  join(import.meta.dirname, "../../docs", name),
);

interface Block {
  readonly language: string;
  readonly text: string;
  /** The last file that is named before it. */
  readonly file: string | undefined;
}

/** @param binary The Node that everything runs under. @throws Error that says what isn't as the page has it. */
export async function followTestYourClient(
  folder: string,
  tarball: string,
  binary: string,
): Promise<void> {
  const project = await mkdtemp(join(folder, "client-"));
  await copyFile(tarball, join(project, basename(tarball)));
  const shell = async (text: string): Promise<{ failed: boolean; output: string }> => {
    const settings = { CI: "1", NO_COLOR: "1", npm_config_prefer_offline: "true" };
    const PATH = `${dirname(binary)}:${process.env.PATH}`;
    const env = { ...process.env, ...settings, PATH };
    const options = { cwd: project, env, maxBuffer: 64 * 1024 * 1024 };
    try {
      const { stdout, stderr } = await run("sh", ["-e", "-c", text], options);
      return { failed: false, output: stdout + stderr };
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      return { failed: true, output: stdout + stderr };
    }
  };
  const expect = async (text: string, failed: boolean, ...shown: RegExp[]): Promise<string> => {
    const done = await shell(text);
    const missing = shown.find((one) => !one.test(done.output));
    if (done.failed === failed && missing === undefined) return done.output;
    const ought = missing === undefined ? (failed ? "red" : "green") : `showing ${missing}`;
    throw new Error(`Expected to be ${ought}: ${text}\n${done.output}`);
  };

  const texts = await Promise.all(pages.map((page) => readFile(page, "utf8")));
  const blocks = texts.flatMap(blocksOf);
  const [install = "", test = "", plant = ""] = blocks
    .filter(({ language }) => language === "sh")
    .map(({ text }) => text);
  await expect(install, false);
  for (const file of ["ads.js", "driver.js", "ads.test.js"]) await write(project, blocks, file);
  await expect(test, false, /44 passed/);
  await expect("test ! -e adsim-failures", false);

  await write(project, blocks, "own.test.js");
  await write(project, blocks, "own.node.js");
  await write(project, blocks, "property.test.js");
  await expect("npx vitest run own.test.js property.test.js", false, /2 passed/);
  await expect("node --test own.node.js", false, /pass 1\b/);
  await write(project, blocks, "rule.test.js");
  await expect("npx vitest run rule.test.js", true, /broke clicks-come-late/, /1 failed/);
  await expect("rm -r rule.test.js adsim-failures", false);
  await write(project, blocks, "choices.test.js");
  await expect("npx vitest run choices.test.js", false, /\d{4} passed/);
  await expect("rm choices.test.js", false);

  const output = await expect(plant, true, /no-event-doubled/, /1\. /);
  const [, failure = ""] = output.split("The client broke no-event-doubled");
  const [, replay = ""] = /See it again: +(.+)$/m.exec(failure) ?? [];
  await expect(replay, true, /no-event-doubled/);
  const [, play = ""] = /As a scenario: +(.+)$/m.exec(failure) ?? [];
  await expect(play, true, /broken/);
}

async function write(project: string, blocks: readonly Block[], file: string): Promise<void> {
  const found = blocks.filter((block) => block.file === file && block.language === "js");
  const [block] = found;
  if (block === undefined || found.length > 1) {
    throw new Error(`The page has ${found.length} blocks for ${file}, not one.`);
  }
  await writeFile(join(project, file), block.text);
}

/** Each block's language, its content, and the last file that the text before it names. */
function blocksOf(text: string): Block[] {
  // Text and blocks take turns.
  const parts = text.split(/^```/m);
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return [];
    const [language = ""] = part.split("\n", 1);
    const names = (parts[index - 1] ?? "").matchAll(/`([\w.]+\.js)`/g);
    const file = Array.from(names, ([, name]) => name).at(-1);
    return [{ language, text: part.slice(language.length + 1), file }];
  });
}
