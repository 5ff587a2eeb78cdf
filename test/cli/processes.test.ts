/**
 * Each command once as users start it, in a process of its own: what it writes, and its exit code. `adsim fixtures` is in
 * fixtures.test.ts. Most other tests run commands in their own process.
 */

import { readdirSync, statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { linesOf } from "../play/replay/recorded.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { runProcess, spawnAdsim } from "./run-adsim.ts";

test("adsim serve gets ready, and SIGTERM ends it with 0", async () => {
  const adsim = spawnAdsim(["serve", "--port", "0"]);
  await adsim.waitFor("Paste any of these");
  adsim.signal("SIGTERM");
  expect(await adsim.ended).toEqual({ code: 0, signal: null });
  expect(adsim.stderr()).toBe("adsim: SIGTERM, closing\n");
});

test("adsim exec passes its standard streams and a signal on to CMD", async () => {
  const script = `process.on("SIGHUP", () => process.exit(5)); console.log("up"); console.error("err"); setInterval(() => {}, 1000);`;
  const adsim = spawnAdsim(["exec", "--", process.execPath, "-e", script]);
  await adsim.waitFor("up\n");
  adsim.signal("SIGHUP");
  expect(await adsim.ended).toEqual({ code: 5, signal: null });
  expect(adsim.stderr()).toMatch(/^err\n[\s\S]*adsim: 0 requests/);
});

test("adsim matrix runs CMD, and reports that it sent no request", async () => {
  const args = ["matrix", "--only", "errors.invalid", "--", process.execPath, "-e", "1"];
  const { code, stdout } = await runProcess(args);
  expect(stdout).toContain("sent no request to adsim");
  expect(code).toBe(1);
});

test("adsim replay compares answers with a recording", async () => {
  const sim = createSimulator();
  sim.handle({ method: "GET", path: "/v1/publisher/stats" });
  const file = fileOf(`${linesOf(sim, {}).join("\n")}\n`, "journal.ndjson");
  const said = "adsim: 1 request sent again in process: 1 answer is the same, 0 are different\n";
  expect(await runProcess(["replay", file])).toEqual({ code: 0, stdout: said, stderr: "" });
});

test("adsim play reads a scenario from standard input", async () => {
  const scenario = { name: "mine", about: "One impression.", steps: [{ impression: {} }] };
  const adsim = spawnAdsim(["play", "-"], {}, JSON.stringify(scenario));
  expect(await adsim.ended).toEqual({ code: 0, signal: null });
  expect(adsim.stdout()).toContain("npx adsim play - < FILE");
});

test("adsim scenarios and adsim export write to standard output", async () => {
  const listed = await runProcess(["scenarios"]);
  expect([listed.code, listed.stderr]).toEqual([0, ""]);
  expect(listed.stdout).toMatch(/^busy-day {2}/m);
  const exported = await runProcess(["export", "busy-day", "--to", "artillery"]);
  expect(exported.code).toBe(0);
  expect(JSON.parse(exported.stdout)).toMatchObject({ config: expect.any(Object) });
});

test("adsim export stops when its reader has seen enough", async () => {
  const adsim = spawnAdsim(["export", "busy-day", "--to", "vegeta"]);
  await adsim.waitFor("\n");
  adsim.child.stdout.destroy();
  expect(await adsim.ended).toEqual({ code: 0, signal: null });
  expect(adsim.stderr()).toBe("");
});

test("adsim export leaves no half of a file when a signal ends it", async () => {
  const folder = temporaryFolder();
  const out = join(folder, "day.ndjson");
  const adsim = spawnAdsim(["export", "busy-day", "--to", "vegeta", "--out", out]);
  const hasBegun = (): boolean =>
    readdirSync(folder).some(
      (name) => (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) > 0,
    );
  while (!hasBegun()) await new Promise((resolve) => setTimeout(resolve, 5));
  adsim.signal("SIGTERM");
  expect((await adsim.ended).code).toBe(128 + constants.signals.SIGTERM);
  expect(readdirSync(folder)).toEqual([]);
});

test.each(["openapi", "assumptions"])("adsim %s writes JSON", async (command) => {
  const { code, stdout, stderr } = await runProcess([command, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toBeInstanceOf(Object);
});
