/** The page about other languages shows the files in `examples`. They run, and notice a wrong client. */

import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runAdsim, runAdsimIn } from "./cli/run-adsim.ts";
import { hasCurl, hasPython } from "./programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/any-language.md"), "utf8");

/** Runs a command of the page in a copy of a folder, in which a defect may be planted. */
async function runIn(
  folder: string,
  line: string,
  defect?: { readonly file: string; readonly right: string; readonly wrong: string },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const copy = temporaryFolder();
  cpSync(join(root, "examples", folder), copy, { recursive: true });
  if (defect !== undefined) {
    const file = join(copy, defect.file);
    const text = readFileSync(file, "utf8");
    expect(text.split(defect.right).length).toBe(2);
    writeFileSync(
      file,
      text.replace(defect.right, () => defect.wrong),
    );
  }
  expect(page).toContain(`\`\`\`sh\n${line}\n\`\`\`\n`);
  const words = line.replace(/^npx adsim /, "").split(" ");
  const { code, stdout, stderr } = await runAdsimIn(copy, words, { PYTHONDONTWRITEBYTECODE: "1" });
  return { code, output: stdout + stderr };
}

const python = "npx adsim exec --clock frozen -- python3 -m unittest -v";
const shell = "npx adsim exec --clock frozen -- sh test.sh";

test.each(["python/ads.py", "python/test_ads.py", "shell/impression.sh", "shell/test.sh"])(
  "the page shows %s as it is",
  (file) => {
    const text = readFileSync(join(root, "examples", file), "utf8");
    const [, shown] = page.split(`\n\`examples/${file}\`:\n\n`);
    expect(shown?.replace(/^```\w+\n/, "").startsWith(`${text}\`\`\`\n`)).toBe(true);
  },
);

test.skipIf(!hasPython)("the Python example is green", async () => {
  const { code, output } = await runIn("python", python);
  expect(output).toMatch(/^Ran 6 tests in .*\n\nOK$/m);
  expect(code).toBe(0);
});

test.skipIf(!hasCurl)("the shell example is green", async () => {
  const { code, output } = await runIn("shell", shell);
  expect(output).toMatch(/^ok$/m);
  expect(code).toBe(0);
});

test.skipIf(!hasPython).each([
  [
    "ignores Retry-After",
    "refused.retry_after if refused.retry_after is not None else pause",
    "pause",
    ["test_it_waits_as_long_as_it_is_told"],
  ],
  [
    "doesn't look at ok",
    'answer.get("ok") is not True or ',
    "",
    [
      "test_an_unconfirmed_impression_counts_once",
      "test_an_answer_that_confirms_nothing_is_no_success",
    ],
  ],
  [
    "takes any 2xx",
    "response.status != 200 or ",
    "",
    ["test_an_answer_that_confirms_nothing_is_no_success"],
  ],
])("the Python example is red for a client that %s", async (_, right, wrong, failing) => {
  const { code, output } = await runIn("python", python, { file: "ads.py", right, wrong });
  for (const name of failing) expect(output).toContain(`FAIL: ${name}`);
  expect(code).toBe(1);
});

test.skipIf(!hasCurl).each([
  [
    "takes another session for each attempt",
    '\\"session_id\\":\\"$2\\"',
    '\\"session_id\\":\\"$2-$$\\"',
    "the same impression has two ids",
  ],
  ["doesn't look at ok", '/"ok": *true.*200$/', "", "not exactly one impression is recorded"],
])("the shell example is red for a client that %s", async (_, right, wrong, failure) => {
  const { code, output } = await runIn("shell", shell, { file: "impression.sh", right, wrong });
  expect(output).toContain(`FAILED: ${failure}`);
  expect(code).toBe(1);
});

test.skipIf(!hasPython)(
  "the page's program reads the fixtures that adsim writes, and the page names every member of a file",
  async () => {
    const folder = temporaryFolder();
    expect((await runAdsim(["fixtures", "--out", join(folder, "fixtures")])).code).toBe(0);
    const [, program = ""] =
      page.split("## Files with")[1]?.match(/```python\n([\s\S]*?)```/) ?? [];
    const { stdout, stderr } = spawnSync("python3", ["-c", program], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(stdout).toBe("stats 60\nimpression 60\nclick 60\nsurfaces 60\npayouts 60\n");

    const file = join(folder, "fixtures/impression/repeated.json");
    const members = Object.keys(JSON.parse(readFileSync(file, "utf8")));
    const [, table = ""] = page.split("| in a file | |\n");
    const cells = [...(table.split("\n\n")[0] ?? "").matchAll(/^\| (`.+?) \|/gm)];
    const named = cells.flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)]);
    expect(named.map(([, name]) => name).sort()).toEqual(members.sort());
  },
);
