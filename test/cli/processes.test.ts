/**
 * Each command once as users start it, in a process of its own (`adsim fixtures`, which takes long,
 * in fixtures.test.ts). All other tests run commands in their own process.
 */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { fileOf } from "../temporary-folder.ts";
import { entry, runProcess, spawnAdsim } from "./run-adsim.ts";

test("adsim serve gets ready, answers although nobody reads what it writes, and SIGTERM ends it with 0", async () => {
  const adsim = spawnAdsim(["serve", "--port", "0", "--json", "--log", "json"]);
  await adsim.waitFor("\n");
  const { url } = JSON.parse(adsim.stdout());
  expect((await fetch(`${url}/_sim/health`)).status).toBe(200);
  adsim.child.stdout.destroy();
  adsim.child.stderr.destroy();
  expect((await fetch(`${url}/v1/nothing`)).status).toBe(404);
  adsim.signal("SIGTERM");
  // It writes to the closed pipes here.
  expect(await adsim.ended).toEqual({ code: 0, signal: null });
});

test("adsim exec passes its standard streams and a signal on to CMD", async () => {
  const adsim = spawnAdsim([
    ...["exec", "--", "sh", "-c"],
    'trap "exit 5" HUP; echo err >&2; echo up; while :; do sleep 0.01; done',
  ]);
  await adsim.waitFor("up\n");
  adsim.signal("SIGHUP");
  expect(await adsim.ended).toEqual({ code: 5, signal: null });
  expect(adsim.stderr()).toMatch(/^err\n[\s\S]*adsim: 0 requests/);
});

test("adsim matrix says how to repeat the failure of CMD, and that line does so", async () => {
  const client = `case "$ADSIM_ASSUMPTIONS" in *'"errors.invalid":"422"'*) exit 4;; esac; ${process.execPath} -e "fetch(process.env.ADSIM_URL)"`;
  const args = ["matrix", "--only", "errors.invalid", "--", "sh", "-c", client];
  const { code, stdout } = await runProcess(args);
  expect(code).toBe(1);
  const [line = ""] = /npx adsim exec .*errors\.invalid=422 .*/.exec(stdout) ?? [];
  const here = line.replace("npx adsim", `"${process.execPath}" "${entry}"`);
  await expect(promisify(execFile)("sh", ["-c", here])).rejects.toMatchObject({ code: 4 });
});

const journal = (): string => {
  const sim = createSimulator();
  sim.handle({ method: "GET", path: "/v1/publisher/stats" });
  return fileOf(sim.journal.toNdjson(), "journal.ndjson");
};

test.each<[string, () => readonly string[], RegExp]>([
  ["record", () => [journal()], /^\{\n {2}"name": "journal",\n/],
  ["replay", () => [journal()], /: 1 answer the same, 0 different\n$/],
  ["scenarios", () => [], /^busy-day {2}/m],
  ["export", () => ["busy-day", "--to", "artillery"], /^\{\n {2}"config": /],
  ["openapi", () => [], /^\{\n {2}"openapi": "3\.1/],
  ["assumptions", () => ["--json"], /"dedup\.repeat"/],
])("adsim %s writes to standard output", async (command, args, expected) => {
  const { code, stdout, stderr } = await runProcess([command, ...args()]);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(expected);
});

test("adsim play reads a scenario from standard input", async () => {
  const scenario = { name: "mine", about: "One impression.", steps: [{ impression: {} }] };
  const adsim = spawnAdsim(["play", "-"], {}, JSON.stringify(scenario));
  expect(await adsim.ended).toEqual({ code: 0, signal: null });
  expect(adsim.stdout()).toContain("npx adsim play - < FILE");
});

test.each(["assumptions", "serve --port 0"])(
  "adsim %s that can't write, as on a full disk, ends with 3 and one line",
  async (words) => {
    // A descriptor that is open for reading only.
    const command = `exec "$0" "$1" ${words} 1< "$1"`;
    const ran = promisify(execFile)("sh", ["-c", command, process.execPath, entry]);
    await expect(ran).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^adsim: can't write to standard output: E[A-Z]+[^\n]*\n$/),
    });
  },
);
