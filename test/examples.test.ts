/** The client in `examples/python`, and that of docs/any-language.md in a shell: their tests pass, and notice a wrong client. */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runAdsimIn } from "./cli/run-adsim.ts";
import { blocksOf, textOf } from "./page-blocks.ts";
import { hasCurl, hasPython } from "./programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Runs a command of the page, in its words. */
async function exec(
  cwd: string,
  line: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  expect(textOf("docs/any-language.md")).toContain(line);
  const words = line.replace(/^npx adsim /, "").split(" ");
  const { code, stdout, stderr } = await runAdsimIn(cwd, words, { PYTHONDONTWRITEBYTECODE: "1" });
  return { code, output: stdout + stderr };
}

/** Each defect in Python has failures of its own, so that one run tells of all. */
const inPython: readonly (readonly [
  what: string,
  right: string,
  wrong: string,
  failing: RegExp,
])[] = [
  [
    "ignores Retry-After",
    "refused.retry_after if refused.retry_after is not None else pause",
    "pause",
    /FAIL: test_it_waits_as_long_as_it_is_told/,
  ],
  [
    "doesn't look at ok",
    'answer.get("ok") is not True or ',
    "",
    /FAIL: test_an_answer_that_confirms_nothing_is_no_success .*'?ok-false/,
  ],
  [
    "takes any 2xx",
    "response.status != 200 or ",
    "",
    /FAIL: test_an_unconfirmed_impression_counts_once .*'status-202'/,
  ],
];

test.skipIf(!hasPython)("the Python example passes, and notices each wrong client", async () => {
  const cwd = temporaryFolder();
  cpSync(join(import.meta.dirname, "../examples/python"), cwd, { recursive: true });
  const line = "npx adsim exec --clock frozen -- python3 -m unittest -v";
  const right = await exec(cwd, line);
  expect(right.output).toMatch(/^Ran 6 tests in .*\n\nOK$/m);
  expect(right.code).toBe(0);

  const file = join(cwd, "ads.py");
  let text = readFileSync(file, "utf8");
  for (const [, from, to] of inPython) {
    expect(text.split(from)).toHaveLength(2);
    text = text.replace(from, () => to);
  }
  writeFileSync(file, text);
  const wrong = await exec(cwd, line);
  for (const [what, , , failing] of inPython) expect(wrong.output, what).toMatch(failing);
  expect(wrong.code).toBe(1);
});

test.skipIf(!hasCurl)(
  "the page's shell script passes, and notices a client without sessions",
  async () => {
    const blocks = blocksOf(textOf("docs/any-language.md"));
    const [script] = blocks.filter(({ file }) => file === "test.sh");
    const cwd = temporaryFolder();
    const codeOf = async (text: string): Promise<number | null> => {
      writeFileSync(join(cwd, "test.sh"), text);
      return (await exec(cwd, "npx adsim exec --clock frozen -- sh test.sh")).code;
    };
    const right = script?.text ?? "";
    const wrong = right.replace("&session_id=$2", "");
    expect(wrong).not.toBe(right);
    expect(await codeOf(right)).toBe(0);
    expect(await codeOf(wrong)).toBe(1);
  },
);
