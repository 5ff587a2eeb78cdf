/** `adsim play --worker` and `adsim merge`: output, files and exit codes, and what both refuse. */

import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLatencies } from "../../src/play/measure/latencies.ts";
import { encodeLatencies } from "../../src/play/measure/latency-encoding.ts";
import type { PlayResult } from "../../src/play/player/result.ts";
import { foreign, serverFor } from "../play/targets/remote-world.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

const load = {
  name: "load",
  about: "A burst.",
  steps: [{ traffic: { for: "1ms", arrivals: { kind: "burst", count: 30 } }, expect: { ok: 30 } }],
  thresholds: ["errors = 0"],
};

/** The reports of all workers. */
async function playBy(
  of: number,
  url: string,
  scenario: object = load,
  options: readonly string[] = [],
): Promise<string[]> {
  const folder = temporaryFolder();
  const file = fileOf(scenario);
  const reports = Array.from({ length: of }, (_, index) =>
    join(folder, `worker-${index + 1}.json`),
  );
  for (const [index, report] of reports.entries()) {
    const { code, stderr } = await runAdsim([
      ...["play", file, "--target", url, "--worker", `${index + 1}/${of}`],
      ...["--report", `json=${report}`, ...options],
    ]);
    expect([code, stderr.replace(/^adsim: no request got.*\n/, "")]).toEqual([0, ""]);
  }
  return reports;
}

test("the reports of all workers are judged together, and compared with the target's audit", async () => {
  const { url } = await serverFor();
  const reports = await playBy(4, url);
  const folder = temporaryFolder();
  const [json, html, junit] = ["json", "html", "junit"].map((kind) => join(folder, kind)) as [
    string,
    string,
    string,
  ];
  const { code, stdout, stderr } = await runAdsim([
    ...["merge", ...reports, "--target", url],
    ...["--report", `json=${json},html=${html},junit=${junit}`],
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("✓ held  load: everything came out as expected");
  expect(stdout).toContain("30 requests: 30 ok");
  expect(stdout).toContain("✓ audit  audit of 1 target");
  expect(stdout).toContain("✓ errors = 0");
  expect(stdout).toContain(`Reproduce: npx adsim merge ${reports[0]}`);
  const result: PlayResult = JSON.parse(readFileSync(json, "utf8"));
  expect([result.verdict, result.tally.sent, result.share]).toEqual(["held", 30, undefined]);
  expect([existsSync(html), existsSync(junit)]).toEqual([true, true]);
});

test("a second run at the same server needs another run id, and the audit counts both", async () => {
  const { url, worlds } = await serverFor();
  await playBy(1, url);
  const again = await playBy(1, url, load, ["--run-id", "second"]);
  expect(worlds.get("default").audit().total.applied).toBe(60);
  const { code, stdout } = await runAdsim(["merge", ...again, "--target", url]);
  expect(code).toBe(1);
  expect(stdout).toContain("impressions that arrived");
  expect(stdout).toContain("expected  30");
  expect(stdout).toContain("found     60");
});

test("a missing worker makes the result unknown", async () => {
  const { url } = await serverFor();
  const [first = "", , third = ""] = await playBy(3, url);
  const { code, stdout, stderr } = await runAdsim(["merge", first, third]);
  expect(code).toBe(1);
  expect(stdout).toContain("? unknown  load: there is no result of worker 2 of 3");
  expect(stderr).toContain("it is unknown whether the scenario holds");
});

test("a missing worker's result stays unknown, whatever the audit says", async () => {
  const { url } = await serverFor();
  const plain = { ...load, steps: [{ traffic: load.steps[0]?.traffic }], thresholds: [] };
  const [first = ""] = await playBy(40, url, plain);
  const { code, stdout } = await runAdsim(["merge", first, "--target", url]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^✗ broken {2}load: impressions that arrived: expected 1, found 30/);
  const tiny = await playBy(31, (await serverFor()).url, plain);
  const all = await runAdsim(["merge", ...tiny.slice(0, 30)]);
  expect(all.stdout).toContain("? unknown  load: there is no result of worker 31 of 31");
  const known = await runAdsim(["merge", ...tiny]);
  expect(known.stdout).toContain("the scenario expects nothing");
});

test("a load of any size that a worker was allowed to send can be merged", async () => {
  const { url } = await serverFor();
  const [report = ""] = await playBy(1, url);
  const large = readFileSync(report, "utf8").replace('"count": 30', '"count": 30000000');
  expect((await runAdsim(["merge", fileOf(large)])).code).toBe(0);
});

test("what workers leave out is said", async () => {
  const { url } = await serverFor();
  const reports = await playBy(1, url, { ...load, expectations: [{ audit: { balanced: true } }] });
  const { code, stdout } = await runAdsim(["merge", ...reports]);
  expect(code).toBe(1);
  expect(stdout).toContain("expectations.0 was skipped: workers send only traffic");
});

test("--json prints a worker's report, which merge reads", async () => {
  const { url } = await serverFor();
  const { code, stdout } = await runAdsim([
    ...["play", fileOf(load), "--target", url, "--worker", "1/1", "--json"],
  ]);
  expect(code).toBe(0);
  const merged = await runAdsim(["merge", fileOf(stdout), "--json"]);
  expect([merged.code, JSON.parse(merged.stdout).verdict]).toEqual([0, "held"]);
});

const target = ["--target", "http://127.0.0.1:9"];
const asJson = ["--json"];
test.each([
  [["--worker", "1/2"], "--worker needs --target"],
  [["--worker", "1/2", ...target], "--worker needs --report json=FILE"],
  [["--worker", "1/2", ...target, ...asJson, "--report", "junit=x.xml"], "no verdict for JUnit"],
  [["--worker", "1/2", ...target, ...asJson, "--playable"], "Leave out --playable"],
  [["--worker", "3", ...target, ...asJson], "It must be NUMBER/COUNT, such as 3/16"],
  [["--worker", "3/2", ...target, ...asJson], "--worker must be a worker's number and how many"],
  [["--worker", "0/2", ...target, ...asJson], "--worker must be a worker's number and how many"],
  [["--run-id", "x", ...target, ...asJson], "--run-id is for workers (--worker) and for services"],
])("play %j is wrong usage", async (options, why) => {
  const { code, stderr } = await runAdsim(["play", fileOf(load), ...options]);
  expect(code).toBe(2);
  expect(stderr).toContain(why);
});

test("a worker whose target isn't there says so at once", async () => {
  const options = ["--target", "http://127.0.0.1:9/@x", "--worker", "1/2", "--json"];
  const { code, stdout, stderr } = await runAdsim(["play", fileOf(load), ...options]);
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toContain("The target http://127.0.0.1:9/@x can't be reached");
});

test("a worker whose keys don't fit says so, and its line can be pasted", async () => {
  const { url } = await serverFor({ seed: "other" });
  const report = join(temporaryFolder(), "worker.json");
  const file = fileOf(load);
  const words = ["play", file, "--target", url, "--worker", "1/1", "--report", `json=${report}`];
  const { code, stdout, stderr } = await runAdsim(words);
  expect(code).toBe(0);
  expect(stderr).toContain("no request got a 200. Do the keys fit?");
  expect(stdout).toContain(`Reproduce: npx adsim ${words.join(" ")}`);
});

test("a worker's pauses are as much shorter as its traffic", async () => {
  const { url } = await serverFor();
  const [traffic] = load.steps;
  const steps = [
    traffic,
    { advance: "90s" },
    { repeat: { times: 2, every: "1h", steps: [traffic] } },
  ];
  const [report = ""] = await playBy(1, url, { ...load, steps }, ["--speed", "60000"]);
  const { code, stdout } = await runAdsim(["merge", report]);
  expect(stdout).toContain("workers report only the last round of a repeat");
  expect(stdout).not.toContain("skipped");
  expect(code).toBe(1);
});

test("a worker doesn't play for hours unless it is told to wait", async () => {
  const long = { ...load, steps: [{ traffic: { ...load.steps[0]?.traffic, for: "1h" } }] };
  const options = ["--target", "http://127.0.0.1:9", "--worker", "1/2", "--json"];
  const { code, stderr } = await runAdsim(["play", fileOf(long), ...options]);
  expect(code).toBe(2);
  expect(stderr).toContain("--wait must be given: this takes 1 h, since time is real for workers");
});

test("merge refuses files that aren't reports of one load, and names them", async () => {
  const { url } = await serverFor();
  const [first = "", second = ""] = await playBy(2, url);
  const other = await playBy(2, url, { ...load, seed: "other" }, []);
  const whole = join(temporaryFolder(), "whole.json");
  await runAdsim(["play", "double-click", "--report", `json=${whole}`]);
  const damaged = fileOf(readFileSync(first, "utf8").replace(/"HISTF[^"]{20}/, '"HISTF!!!'));
  const edited = fileOf(readFileSync(first, "utf8").replace('"sent": 15', '"sent": "many"'));
  const text = fileOf("no report");
  const newer = fileOf(
    readFileSync(second, "utf8").replace('"adsim": "', '"adsim": "99.0.0", "x": "'),
  );
  const [, foreignKeys = ""] = await playBy(2, url, load, [
    ...["--api-key", "key_mine", "--publisher", "pub_mine", "--surface", "srf_mine"],
  ]);
  const stranger = await foreign((_, response) => response.end("hello"));
  const link = join(temporaryFolder(), "link.json");
  symlinkSync(first, link);
  const cases: [string[], number, string][] = [
    [[first, first], 2, `${first} can't be merged: it is of worker 1, and so is another.`],
    [
      [first, other[1] ?? ""],
      2,
      "it is of another scenario, or of other options: its seed differs",
    ],
    [[first, foreignKeys], 2, `${foreignKeys} can't be merged: it is of other publishers.`],
    [[first, newer], 2, `${newer} can't be merged: it is of adsim 99.0.0, but another of`],
    [[first, second, "--report", `json=${first}`], 2, `would replace ${first}, which is read`],
    [[first, second, "--report", `json=${link}`], 2, `would replace ${first}, which is read`],
    [[first, second, "--target", stranger], 3, `${stranger} isn't an adsim`],
    [[whole], 2, `${whole} is the report of a whole play, not of a worker`],
    [[damaged], 2, `${damaged}: its histograms are damaged`],
    [[edited], 2, `${edited} isn't a report that adsim play --worker wrote`],
    [[text], 2, `${text} isn't a report that adsim play --worker wrote`],
    [["missing.json"], 3, "missing.json can't be read: there is no such file or folder"],
    [[], 2, "REPORT is missing"],
    [[first, second, "--target", "http://127.0.0.1:9"], 3, "can't be reached"],
    [[first, second, "--target", "nowhere"], 2, "nowhere must be a URL"],
    [[first, second, "--report", "json=/no/such/folder/x.json"], 3, "can't be written"],
  ];
  for (const [words, exitCode, why] of cases) {
    const { code, stdout, stderr } = await runAdsim(["merge", ...words]);
    expect([code, stdout], words.join(" ")).toEqual([exitCode, ""]);
    expect(stderr).toContain(why);
  }
});

test("merge refuses a report that was changed, and says where", async () => {
  const { url } = await serverFor();
  const [report = ""] = await playBy(1, url);
  const text = readFileSync(report, "utf8");
  type Changed = PlayResult & Record<string, unknown>;
  const cases: [(changed: Changed) => unknown, string][] = [
    [({ scenario }) => Object.assign(scenario, { name: 5 }), "(scenario.name is not as expected)"],
    [(it) => Object.assign(it, { scenario: {} }), "(scenario.name is not as expected)"],
    [({ steps }) => Object.assign(Object(steps[0]), { path: "nope.9" }), "no result of steps.0"],
    [({ steps }) => Object(steps).push({ ...steps[0], path: "steps.7" }), "has no steps.7"],
    [({ steps }) => Object.assign(Object(steps[0]), { title: 1 }), "(steps.0.title is not as"],
    [(it) => Object.assign(it, { steps: [] }), "it has no result of steps.0"],
    [(it) => Object.assign(it, { skipped: [{ path: "x" }] }), "(skipped.0.why is not as"],
    [(it) => Object.assign(it, { invariants: [{ id: "x" }] }), "(invariants.0.says is not as"],
    [({ tally }) => Object.assign(tally, { sent: 2 ** 53 }), "(tally.sent is not as expected)"],
    [({ tally }) => Object.assign(tally, { sent: 0 }), "the counts of the whole don't add up"],
    [({ tally }) => Object.assign(tally, { ok: 5 }), "the counts of the whole don't add up"],
    [({ tally }) => Object.assign(tally, { refused: 5 }), "the counts of the whole don't add up"],
    [({ tally }) => Object.assign(tally, { operations: {} }), "the counts of the whole don't add"],
    [({ tally }) => Object.assign(tally, { statuses: { abc: 30 } }), "(tally.statuses.abc is not"],
    [
      ({ steps }) => Object.assign(Object(steps[0]?.tally), { cut: 1 }),
      "the counts of steps.0 don't add up",
    ],
    [
      ({ timeline }) => Object.assign(Object(timeline.buckets[0]), { sent: 31 }),
      "it has 30 requests, and 31 in its timeline",
    ],
    [
      ({ share }) =>
        Object.assign(Object(share), { latencies: encodeLatencies(createLatencies()) }),
      "it has 30 requests and 0 latencies",
    ],
  ];
  for (const [change, why] of cases) {
    const changed: Changed = JSON.parse(text);
    change(changed);
    const file = fileOf(changed);
    const { code, stdout, stderr } = await runAdsim(["merge", file]);
    expect([code, stdout], why).toEqual([2, ""]);
    expect(stderr).toContain(file);
    expect(stderr).toContain(why);
  }
});

test("a load that sends nothing is unknown, whatever the target says", async () => {
  const { url } = await serverFor();
  const reports = await playBy(2, url, { ...load, steps: [{ advance: "1s" }], thresholds: [] });
  const { code, stdout } = await runAdsim(["merge", ...reports, "--target", url]);
  expect(code).toBe(1);
  expect(stdout).toContain("audit: the load sent nothing");
});
