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

/** Without these the client ignores Retry-After, doesn't look at `ok`, takes any 2xx. Each has a failure of its own. */
const defects = [
  ["refused.retry_after if refused.retry_after is not None else ", /FAIL: test_it_waits_as_long/],
  ['answer.get("ok") is not True or ', /FAIL: .*'?ok-false/],
  ["response.status != 200 or ", /FAIL: test_an_unconfirmed_impression.*status-202/],
] as const;

test.skipIf(!hasPython)("the Python example passes, and notices each wrong client", async () => {
  const cwd = temporaryFolder();
  cpSync(join(import.meta.dirname, "../examples/python"), cwd, { recursive: true });
  const cmd = "python3 -m unittest -v";
  expect(await exec(cwd, cmd)).toMatchObject({ code: 0 });
  const file = join(cwd, "ads.py");
  let text = readFileSync(file, "utf8");
  for (const [without] of defects) text = text.replace(without, "");
  writeFileSync(file, text);
  const { code, stdout, stderr } = await exec(cwd, cmd);
  expect(code).toBe(1);
  for (const [, failure] of defects) expect(stdout + stderr).toMatch(failure);
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
