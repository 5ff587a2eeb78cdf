/** The contract in real runners, each in a process of its own. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../temporary-folder.ts";

const root = join(import.meta.dirname, "../../..");

async function outputOf(file: string, args: readonly string[], env: object = {}): Promise<string> {
  const { NODE_TEST_CONTEXT: _, VITEST: __, ...inherited } = process.env;
  const options = { cwd: root, env: { ...inherited, NO_COLOR: "1", ...env } };
  const { stdout, stderr } = await promisify(execFile)(file, args, options).catch((error) => error);
  return stripVTControlCharacters(`${stdout}${stderr}`);
}

const inNode = ["test/testing/contract/runners/contract.ts"];

test("node:test: what a failure's lines say shows the failure again, with the same bytes, though the client draws session ids and pauses", async () => {
  const env = { EXAMPLE_FAILURES: join(temporaryFolder(), "made", "anew"), EXAMPLE_RANDOM: "1" };
  const output = await outputOf("node", inNode, env);
  expect(output).toMatch(/✖ once: No impression/);
  expect(output).toMatch(/✔ spec-shape/);
  expect(output).toMatch(/﹣ closed: .*, skipped: it can't .*# SKIP/);
  expect(output).toMatch(/﹣ at-once: .*# the driver has no maxAtOnce/);
  expect(output).not.toContain("key_");
  const failureIn = (text: string): string =>
    /The client broke [\s\S]*?See it again: {2}ADSIM_REPLAY=".*" npm test/.exec(text)?.[0] ?? "";
  const failure = failureIn(output);
  expect(failure).toMatch(/session_id=\w+-\w+-\w+-\w+-[\da-f-]{36}/);
  const [, ADSIM_REPLAY = ""] = /ADSIM_REPLAY="(.*)"/.exec(failure) ?? [];
  const [, file = ""] = /npx adsim (play .*)/.exec(output) ?? [];
  const [again, played] = await Promise.all([
    outputOf("node", inNode, { ...env, ADSIM_REPLAY }),
    outputOf("sh", ["-c", `node src/cli/main.ts ${file}`]),
  ]);
  expect(again).toMatch(/✖ once: No impression/);
  expect(failureIn(again)).toBe(failure);
  expect(again).toMatch(/﹣ spec-shape: .*, skipped: only once is replayed/);
  expect(played).toMatch(/failed {2}once-[0-9a-f]{8}: .*expected 1, found \d+ \(expectations\.0/);
});

test("vitest: tests that skip themselves have a reason", async () => {
  const config = "test/testing/contract/runners/vitest.config.ts";
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", config];
  const output = await outputOf("node", args);
  expect(output).toMatch(/× once: No impression/);
  expect(output).toMatch(/↓ at-once: .*\[the driver has no maxAtOnce\]/);
  expect(output).toMatch(/1 failed \| 1 passed \| 20 skipped/);
  expect(output).not.toContain("key_");
});
