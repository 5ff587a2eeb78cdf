/** The client in `examples/python`, and the one in docs/any-language.md for a shell: their tests notice a wrong client. */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Ran, runAdsimIn } from "./cli/run-adsim.ts";
import { contentOf, textOf } from "./page-blocks.ts";
import { hasCurl, hasPython } from "./programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const page = "docs/any-language.md";

/** Runs CMD as the page says. */
function exec(cwd: string, cmd: string): Promise<Ran> {
  expect(textOf(page)).toContain(`npx adsim exec --clock frozen -- ${cmd}`);
  const words = ["exec", "--clock", "frozen", "--", ...cmd.split(" ")];
  return runAdsimIn(cwd, words, { PYTHONDONTWRITEBYTECODE: "1" });
}

/** A client that ignores Retry-After, doesn't look at `ok`, and takes any 2xx. Each has a failure of its own. */
const defects = [
  ["refused.retry_after if refused.retry_after is not None else pause", "pause"],
  ['answer.get("ok") is not True or ', ""],
  ["response.status != 200 or ", ""],
] as const;
const failures = [
  /FAIL: test_it_waits_as_long_as_it_is_told/,
  /FAIL: test_an_answer_that_confirms_nothing_is_no_success .*'?ok-false/,
  /FAIL: test_an_unconfirmed_impression_counts_once .*'status-202'/,
];

test.skipIf(!hasPython)("the Python example passes, and notices each wrong client", async () => {
  const cwd = temporaryFolder();
  cpSync(join(import.meta.dirname, "../examples/python"), cwd, { recursive: true });
  const cmd = "python3 -m unittest -v";
  expect(await exec(cwd, cmd)).toMatchObject({ code: 0 });
  const file = join(cwd, "ads.py");
  const right = readFileSync(file, "utf8");
  for (const [from] of defects) expect(right.split(from)).toHaveLength(2);
  writeFileSync(
    file,
    defects.reduce((text, [from, to]) => text.replace(from, to), right),
  );
  const { code, stdout, stderr } = await exec(cwd, cmd);
  expect(code).toBe(1);
  for (const failure of failures) expect(stdout + stderr).toMatch(failure);
});

test.skipIf(!hasCurl)(
  "the shell script passes, and notices a client without sessions",
  async () => {
    const cwd = temporaryFolder();
    const right = contentOf(page, "test.sh");
    const wrong = right.replace("&session_id=$2", "");
    expect(wrong).not.toBe(right);
    for (const [code, text] of [right, wrong].entries()) {
      writeFileSync(join(cwd, "test.sh"), text);
      expect(await exec(cwd, "sh test.sh")).toMatchObject({ code });
    }
  },
);
