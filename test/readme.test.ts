/** The README's five minutes run, and it names every command. `docs.test.ts` runs its other lines with those of all pages. */

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { commands } from "../src/cli/commands.ts";
import { blocksOf, snippetsIn, textOf } from "./page-blocks.ts";
import { fromSource } from "./run-snippet.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const readme = textOf("README.md");

/** Runs the test of the five minutes as `node --test` does. */
async function testClient(inProcess: (text: string) => string) {
  const cwd = temporaryFolder();
  for (const { language, file = "ads.mjs", text } of blocksOf(readme)) {
    if (language === "js") writeFileSync(join(cwd, file), fromSource(inProcess(text)));
  }
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  return await promisify(execFile)(process.execPath, ["--test"], { cwd, env });
}

test("the client of the five minutes passes, and without a session_id it fails", async () => {
  expect(readme).toContain("Run it with `node --test`.");
  expect((await testClient((text) => text)).stdout).toMatch(/pass 1\b/);
  await expect(
    testClient((text) => text.replace(', session_id: "s-1" }', " }")),
  ).rejects.toMatchObject({ stdout: expect.stringContaining("client: 1, ledger: 2") });
});

test("it begins with the commands that start a server with the default seed", () => {
  expect(snippetsIn(readme, "sh")[0]).toBe("npm ci\nnpm start\n");
  expect(manifest.scripts.start).toMatch(/ src\/cli\/main\.ts serve$/);
});

test("it names every command, and no other", () => {
  const named = Array.from(readme.matchAll(/`adsim ([a-z]+)/g), ([, name]) => name);
  expect([...new Set(named)].sort()).toEqual(commands.map(({ name }) => name).sort());
});
