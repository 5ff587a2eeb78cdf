/** `adsim play` and `adsim scenarios`: output and exit code, in process and at targets. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { shippedScenarios } from "../../src/adapters/shipped-scenarios.ts";
import { CommandFailure } from "../../src/cli/output/exit.ts";
import { loadScenario } from "../../src/cli/play/load-scenario.ts";
import { startServer } from "../../src/server.ts";
import { bugs } from "../play/foreign/bugs.ts";
import { type ForeignService, foreignService } from "../play/foreign/scenarios.ts";
import { foreign } from "../play/targets/remote-world.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { runAdsim, startAdsim } from "./run-adsim.ts";
import { childrenOf, readXml } from "./xml.ts";

const passing = {
  name: "two-shown",
  about: "Two impressions.",
  steps: [{ impression: {}, as: "first", expect: { status: 200 } }, { impression: {} }],
  expectations: [{ audit: { total: { applied: 2 } } }],
};
const failing = { ...passing, name: "wrong", expectations: [{ audit: { total: { applied: 3 } } }] };
const undecided = {
  ...passing,
  faults: [{ id: "idle", match: { operation: "click" }, verdict: { kind: "drop" } }],
};
const slow = { ...passing, steps: [{ impression: {} }, { advance: "1h" }, { impression: {} }] };

describe("in process", () => {
  test("a scenario that passes ends with 0, its reports are written, and its line repeats the arguments", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "mine.mjs");
    writeFileSync(file, `export const scenario = ${JSON.stringify(passing)};`);
    const [junit, json, html] = ["junit", "json", "html"].map((kind) =>
      join(folder, `out,${kind}`),
    );
    const words = ["--seed", "another one", "--assume", "errors.body=flat"];
    const reports = ["--report", `junit=${junit},json=${json}`, "--report", `html=${html}`];
    // The token is for other commands.
    const environment = { ADSIM_CONTROL_TOKEN: "secret" };
    const args = ["play", file, ...words, ...reports];
    const { code, stdout, stderr } = await runAdsim(args, environment);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(
      `npx adsim play ${file} --seed 'another one' --assume errors.body=flat\n`,
    );
    expect(JSON.parse(readFileSync(json ?? "", "utf8"))).toMatchObject({ result: "passed" });
    expect(readFileSync(junit ?? "", "utf8")).toContain("<testsuite ");
    expect(readFileSync(html ?? "", "utf8")).toContain("two-shown");
  });

  test("one that fails ends with 1, and the output says what was found", async () => {
    const { code, stdout } = await runAdsim(["play", fileOf(failing)]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ failed[\s\S]*expectations\.0[\s\S]*3[\s\S]*2/);
  });

  test("an undecided one ends with 1, and --json prints the result alone", async () => {
    const { code, stdout, stderr } = await runAdsim(["play", fileOf(undecided), "--json"]);
    expect(code).toBe(1);
    const why = expect.stringContaining("idle never fired");
    expect(JSON.parse(stdout)).toMatchObject({ result: "undecided", why });
    expect(stderr).toMatch(/^\? undecided /);
  });

  test("several, by name, file and pattern, end with a summary by cause", async () => {
    const [one, two] = [fileOf(failing, "one.json"), fileOf(failing, "two.json")];
    const { code, stdout } = await runAdsim(["play", "spec-cl*", one, two, "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).results).toHaveLength(4);
    const text = (await runAdsim(["play", "spec-cl*", one, two])).stdout;
    expect(text).toMatch(/^✓ passed {2}spec-click: .*\n✓ passed {2}spec-clicks-count: /);
    expect(text).toContain(
      "\n4 scenarios: 2 failed, 2 passed.\n  audit.total.applied in 2 scenarios (wrong and wrong): expected 3, found 2\n",
    );
  });
});

const at = "lost-ack --target http://x.test";
test.each([
  ["spek-*", "spek-* matches no scenario that comes with adsim"],
  [`${at} --speed 0`, "above 0"],
  ["lost-ack --speed 2", "--speed needs a target"],
  ["lost-ack --report pdf=x", "junit=FILE"],
  ["lost-ack --report html=a,junit=", "not 'html=a,junit='"],
  ["lost-ack happy-month --report html=x", "one scenario"],
  ["lost-ack --clock system", "must be one of frozen"],
  ["lost-ack --start soon", "--start must be an instant"],
  ["lost-ack --assume dedup.repeat=x", "--assume: dedup"],
  ["lost-ack --target here", "--target must be a URL"],
  ["lost-ack --max-requests 1", "the maximum is 1"],
  [`${at} --api-key k`, "--api-key needs --publisher"],
  [`${at} --publisher p`, "--publisher needs --api-key"],
  [`${at} --surface s`, "--surface needs --api-key"],
  [`${at} --wait`, "--wait is for a service other than adsim"],
])("adsim play %s is wrong usage", async (words, expected) => {
  const { code, stdout, stderr } = await runAdsim(["play", ...words.split(" ")]);
  expect(stderr).toContain(expected);
  expect([code, stdout]).toEqual([2, ""]);
});

test("a step that is wrong is named with its file, before anything is played", async () => {
  const file = fileOf({ ...passing, steps: [...passing.steps, { impression: { add_id: "x" } }] });
  const { code, stderr } = await runAdsim(["play", file]);
  expect(stderr).toMatch(/^adsim: \S+: steps\.2\.impression\.add_id/);
  expect(code).toBe(2);
});

test.each<[string, string, string | undefined, number, RegExp]>([
  ["no such file", "a.json", undefined, 3, /a\.json: can't be read: there is no/],
  ["no such module", "a.ts", undefined, 3, /a\.ts: can't be read: there is no/],
  ["an unknown ending", "a.yaml", "", 2, /\.json, \.ts/],
  ["broken JSON", "a.json", '{\n  "name": "x",\n}', 2, /is not valid JSON: /],
  ["a list", "a.json", "[]", 2, /is not a JSON object/],
])("%s isn't a scenario", async (_, name, content, exitCode, expected) => {
  const path = join(temporaryFolder(), name);
  if (content !== undefined) writeFileSync(path, content);
  const error: unknown = await loadScenario(path, process.stdin).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CommandFailure);
  expect(error).toMatchObject({ exitCode, message: expect.stringMatching(expected) });
});

describe("at an adsim", () => {
  test("the digest is that in process, in a separate world, and keys are in no line", async () => {
    const server = await startServer({ port: 0, controlToken: "hush" });
    onTestFinished(() => server.close());
    const file = fileOf(passing);
    const words = ["--target", server.url, "--control-token", "hush", "--json"];
    const far = await runAdsim(["play", file, ...words]);
    const near = await runAdsim(["play", file, "--json"]);
    expect([far.code, near.code]).toEqual([0, 0]);
    const result = JSON.parse(far.stdout);
    expect(result.digest).toBe(JSON.parse(near.stdout).digest);
    expect(result.target).toMatchObject({ kind: "adsim", url: `${server.url}/@two-shown` });
    expect(result.reproduce).toBe(
      `npx adsim play ${file} --target ${server.url} --control-token '…'`,
    );
    expect(server.worlds.get("default").journal.total).toBe(0);
  });

  test("a wrong token and an unreachable target end with 3", async () => {
    const server = await startServer({ port: 0, controlToken: "hush" });
    const args = ["play", fileOf(passing), "--target", server.url];
    const refused = await runAdsim([...args, "--control-token", "wrong"]);
    expect([refused.code, refused.stdout]).toEqual([3, ""]);
    expect(refused.stderr).toMatch(/token/i);
    await server.close();
    const gone = await runAdsim(args);
    expect([gone.code, gone.stdout]).toEqual([3, ""]);
    expect(gone.stderr).toContain("can't be reached");
  });
});

function wordsFor({ url, publishers }: Pick<ForeignService, "url" | "publishers">): string[] {
  return [
    ...["--target", url],
    ...publishers.flatMap(({ id, apiKey }) => ["--api-key", apiKey, "--publisher", id]),
  ];
}

describe("at another service", () => {
  test("the given key is used and printed nowhere", async () => {
    const service = await foreignService();
    const report = join(temporaryFolder(), "out.json");
    const file = fileOf({ ...passing, expectations: [] });
    const words = [...wordsFor(service), "--report", `json=${report}`];
    const { code, stdout, stderr } = await runAdsim(["play", file, ...words]);
    expect(`${code} ${stderr}`).toBe("0 ");
    const [first] = service.publishers;
    expect(stdout).toContain(`--api-key '…' --publisher ${first?.id}`);
    expect(`${stdout}${readFileSync(report, "utf8")}`).not.toContain(first?.apiKey);
  });

  test("all that it can play are played, and the end says what the others need", async () => {
    const folder = temporaryFolder();
    const [junit, json] = [join(folder, "play.xml"), join(folder, "play.json")];
    const { url, publishers } = await foreignService();
    const words = wordsFor({ url, publishers: publishers.slice(0, 1) });
    words.push("--report", `junit=${junit},json=${json}`);
    const patterns = ["double-click", "spec-c*", "spec-p*", "spec-t*"];
    const { code, stdout, stderr } = await runAdsim(["play", ...patterns, ...words]);
    expect([code, stderr], stdout).toEqual([0, ""]);
    const { results } = JSON.parse(readFileSync(json, "utf8"));
    expect(results.length).toBeGreaterThan(1);
    expect(childrenOf(readXml(readFileSync(junit, "utf8")), "testsuite")).toHaveLength(
      results.length,
    );
    expect(stdout).toMatch(/\n\d+ scenarios: \d+ passed\.\nNot played: \d+ scenarios\.\n/);
    expect(stdout).toMatch(/^ {2}--assume [a-z.-]+=\S+.* plays \d more \(spec-/m);
    expect(stdout).toContain("  what only an adsim has: ");
    expect(stdout).toContain("--publisher of 2 publishers plays 1 more (spec-publishers-apart)");
  });

  test("what failed is shown in full, with a line that plays it again, and once by its cause", async () => {
    const service = await foreignService(bugs["spec-payouts"]?.["the default limit is 100"]);
    const { code, stdout } = await runAdsim(["play", "spec-p*", ...wordsFor(service)]);
    expect(code).toBe(1);
    expect(stdout).toContain("✗ failed  spec-payouts: usual body.payouts.length: expected");
    expect(stdout).toMatch(/Reproduce: npx adsim play spec-payouts --target http/);
    expect(stdout).toMatch(/^ {2}usual body\.payouts\.length in 1 scenario \(spec-payouts\): /m);
  });

  test.each([
    ["whose first step only an adsim can do", "fresh-publisher", "its first step needs sign-ups"],
    ["that takes more than a minute", "busy-day", "--wait must be given: this takes 1 d"],
  ])("one %s stops with one line", async (_, name, expected) => {
    const service = await foreignService();
    const { code, stdout, stderr } = await runAdsim(["play", name, ...wordsFor(service)]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^adsim: .*\n$/);
    expect(stderr).toContain(expected);
    expect(service.requests.size).toBe(0);
  });

  test("--assume says what the service chooses, and the report shows the run id", async () => {
    const service = await foreignService(undefined, { today: "tomorrow" });
    const words = ["play", "spec-today", ...wordsFor(service), "--run-id", "seven"];
    const { stdout } = await runAdsim([...words, "--assume", "stats.today=live"]);
    expect(stdout).toContain("✗ failed  spec-today: answer body.impressions: expected");
    expect(stdout).toContain("run id seven, a part of every session id");
    expect(stdout).toMatch(/Reproduce: .*--run-id seven --assume stats\.today=live$/m);
  });

  test("an interrupt ends a play in real time with 130, and says that there is no result", async () => {
    const server = await startServer({ port: 0 });
    onTestFinished(() => server.close());
    const world = server.worlds.get("default");
    const words = wordsFor({ url: server.url, publishers: [world.publishers.at(0)] });
    const adsim = startAdsim(["play", fileOf(slow), ...words, "--wait"]);
    // Its first request has been answered: from now on it waits for an hour.
    await world.journal.waitFor({ operation: "impression" });
    adsim.signal("SIGINT");
    expect((await adsim.ended).code).toBe(130);
    expect(adsim.stdout()).toBe("");
    expect(adsim.stderr()).toMatch(
      /^adsim: waits for 1 h in all: time is real there\n[\s\S]*SIGINT, stopped/,
    );
  });

  test("a play that waits for quota says so", async () => {
    // It has no quota left, so the play waits for a minute before its first step.
    const url = await foreign((_, response) =>
      response
        .writeHead(200, { "content-type": "application/json", "x-ratelimit-remaining": "0" })
        .end('{"surfaces":[{"id":"s"}]}'),
    );
    const words = ["--target", url, "--api-key", "k", "--publisher", "p"];
    const adsim = startAdsim(["play", "spec-default-period", ...words]);
    await expect
      .poll(adsim.stderr, { timeout: 10_000 })
      .toMatch(/^adsim: waits \S+ (s|min), until the service has quota again\n/);
    adsim.signal("SIGINT");
    expect((await adsim.ended).code).toBe(130);
  });
});

describe("adsim scenarios", () => {
  const files = ["", "spec"]
    .flatMap((folder) => readdirSync(join(import.meta.dirname, "../../scenarios", folder)))
    .filter((file) => /^(?!words)[a-z-]+\.ts$/.test(file))
    .map((file) => basename(file, ".ts"));

  test("lists every scenario with its first sentence, and says which can be played elsewhere", async () => {
    const { code, stdout } = await runAdsim(["scenarios"]);
    expect(code).toBe(0);
    const [list = "", legend] = stdout.split("\n\n");
    expect(list.split("\n").map((line) => line.split(" ")[0])).toEqual(files.toSorted());
    expect(list).toMatch(/^lost-ack {3,}An impression is recorded but its answer is lost, .*\.$/m);
    expect(list).toMatch(/^spec-stats +° /m);
    expect(list).toMatch(/^spec-publishers-apart +° .* \(there: 2 publishers\)$/m);
    expect(list).toMatch(/^spec-today +° .* \(there: --assume stats\.today=live\)$/m);
    expect(legend).toContain("° can be played at a service other than adsim");
  });

  test("lists them as JSON, and prints one to start from", async () => {
    const shipped = (sought: string) => shippedScenarios.find(({ name }) => name === sought);
    const { scenarios } = JSON.parse((await runAdsim(["scenarios", "--json"])).stdout);
    expect(scenarios).toContainEqual({
      ...{ name: "busy-day", about: shipped("busy-day")?.about },
      atService: { isPlayable: false, needs: ["the audit"], publishers: 1, waitsMs: 86_400_000 },
    });
    const { stdout } = await runAdsim(["scenarios", "lost-ack"]);
    expect(JSON.parse(stdout)).toEqual(shipped("lost-ack"));
  });
});

test("if none of several can be played at a service, nothing was checked", async () => {
  const at = ["--target", "http://127.0.0.1:9", "--api-key", "key_1", "--publisher", "pub_1"];
  const { code, stdout } = await runAdsim(["play", "lost-ack", "flapping", ...at]);
  expect([code, stdout]).toEqual([1, expect.stringContaining("Not played: 2 scenarios.")]);
});
