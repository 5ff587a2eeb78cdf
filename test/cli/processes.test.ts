/**
 * What depends on the process: signals, standard streams, pipes that close. All other tests run commands in their own process,
 * since each start from sources takes a second.
 */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { entry, spawnAdsim } from "./run-adsim.ts";

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

test("adsim play reads a scenario from standard input, and writes more than a pipe holds", async () => {
  const steps = Array.from({ length: 200 }, () => ({ impression: {} }));
  const scenario = { name: "mine", about: "Some impressions.", steps };
  const adsim = spawnAdsim(["play", "-", "--json"], {}, JSON.stringify(scenario));
  expect(await adsim.ended).toEqual({ code: 0, signal: null });
  expect(adsim.stdout().length).toBeGreaterThan(65_536);
  expect(JSON.parse(adsim.stdout())).toMatchObject({ result: "passed" });
  expect(adsim.stderr()).toContain("npx adsim play - < FILE");
});

test("adsim serve that can't write, as on a full disk, ends with 3 and one line", async () => {
  // A descriptor that is open for reading only.
  const command = 'exec "$0" "$1" serve --port 0 1< "$1"';
  const ran = promisify(execFile)("sh", ["-c", command, process.execPath, entry]);
  await expect(ran).rejects.toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^adsim: can't write to standard output: E[A-Z]+[^\n]*\n$/),
  });
});
