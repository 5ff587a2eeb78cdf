/** `adsim play`: its output and exit code, for valid scenarios and for all other input. */

import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { CommandFailure } from "../../src/cli/output/exit.ts";
import { givenPublishers, publisherWords } from "../../src/cli/play/credentials.ts";
import { loadScenario } from "../../src/cli/play/load-scenario.ts";
import { reproduceLine, resolveScenario } from "../../src/cli/play/resolve-scenario.ts";
import { startServer } from "../../src/server.ts";
import { foreign } from "../play/targets/remote-world.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { runAdsim, startAdsim } from "./run-adsim.ts";

const held = {
  name: "two-shown",
  about: "Two impressions.",
  steps: [{ impression: {}, as: "first", expect: { status: 200 } }, { impression: {} }],
  expectations: [{ audit: { total: { applied: 2 } } }],
};
const broken = { ...held, expectations: [{ audit: { total: { applied: 3 } } }] };
const unknown = {
  ...held,
  faults: [{ id: "idle", match: { operation: "click" }, verdict: { kind: "drop" } }],
};
const slow = { ...held, steps: [{ impression: {} }, { advance: "1h" }, { impression: {} }] };

describe("in process", () => {
  test("a scenario that holds ends with 0, and its reports are written", async () => {
    const path = temporaryFolder();
    const file = join(path, "mine.mjs");
    writeFileSync(file, `export const scenario = ${JSON.stringify(held)};`);
    const reports = ["junit", "json", "html"].map((kind) => join(path, `out.${kind}`));
    const [junit, json, html] = reports as [string, string, string];
    const { code, stdout, stderr } = await runAdsim([
      ...["play", file, "--report", `junit=${junit},json=${json}`, "--report", `html=${html}`],
      ...["--seed", "another one", "--assume", "errors.body=flat"],
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("passed");
    expect(stdout).toContain(
      `npx adsim play ${file} --seed 'another one' --assume errors.body=flat\n`,
    );
    expect(JSON.parse(readFileSync(json, "utf8"))).toMatchObject({ version: 1, result: "passed" });
    expect(readFileSync(junit, "utf8")).toContain("<testsuite ");
    expect(readFileSync(html, "utf8")).toContain("two-shown");
  });

  test("a report that replaces a file says so, and keeps its mode", async () => {
    const file = join(temporaryFolder(), "out.json");
    const args = ["play", fileOf(held), "--report", `json=${file}`];
    expect((await runAdsim(args)).stderr).toBe("");
    chmodSync(file, 0o640);
    expect((await runAdsim(args)).stderr).toBe(
      `adsim: --report json=${file} replaced an existing file\n`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const twice = await runAdsim([...args, "--report", `junit=${file}`]);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("twice")]);
    const source = fileOf(held);
    const itself = await runAdsim(["play", source, "--report", `json=${source}`]);
    expect([itself.code, itself.stderr]).toEqual([
      2,
      expect.stringContaining(`would replace ${source}, which is read. Name another file.`),
    ]);
  });

  test("a broken scenario ends with 1, and the output says what was found", async () => {
    const { code, stdout } = await runAdsim(["play", fileOf(broken)]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/broken[\s\S]*expectations\.0[\s\S]*3[\s\S]*2/);
  });

  test("a scenario with an unknown result ends with 1, and --json prints the result alone", async () => {
    const { code, stdout, stderr } = await runAdsim(["play", fileOf(unknown), "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      result: "undecided",
      why: expect.stringContaining("idle never fired"),
    });
    expect(stderr).toContain("it is unknown");
  });
});

describe("wrong usage ends with 2 and says what is wrong", () => {
  test.each([
    ["no scenario", [], "SCENARIO"],
    ["a speed of 0", ["lost-ack", "--target", "http://x.test", "--speed", "0"], "above 0"],
    ["a speed without a target", ["lost-ack", "--speed", "2"], "--speed needs --target"],
    ["one file for two reports", ["lost-ack", "--report", "json=x,junit=./x"], "twice"],
    ["a report of an unknown kind", ["lost-ack", "--report", "pdf=x"], "junit=FILE"],
    ["a clock that isn't frozen", ["lost-ack", "--clock", "system"], "Allowed choices are frozen."],
    ["an invalid start", ["lost-ack", "--start", "soon"], "--start must be an instant"],
    ["an unknown choice", ["lost-ack", "--assume", "dedup.repeat=x"], "--assume: dedup"],
    ["a target that is no URL", ["lost-ack", "--target", "here"], "--target must be a URL"],
    ["too many requests", ["lost-ack", "--max-requests", "1"], "the maximum is 1"],
  ])("%s", async (_, args, expected) => {
    const { code, stdout, stderr } = await runAdsim(["play", ...args]);
    expect(stderr).toContain(expected);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("a step that is wrong is named with its file, before anything is played", async () => {
    const file = fileOf({ ...held, steps: [...held.steps, { impression: { add_id: "x" } }] });
    const { code, stderr } = await runAdsim(["play", file]);
    expect([code, stderr.startsWith(`adsim: ${file}: steps.2.impression.add_id`)]).toEqual([
      2,
      true,
    ]);
  });
});

describe("an unreadable file ends with 3, an invalid scenario with 2", () => {
  const two = 2;
  const three = 3;
  const inFile = (content: string | undefined, name: string) => (): string => {
    const path = join(temporaryFolder(), name);
    if (content !== undefined) writeFileSync(path, content);
    return path;
  };
  test.each<[string, () => string, number, RegExp]>([
    ["no such file", inFile(undefined, "a.json"), three, /a\.json: can't be read: there is no/],
    ["no such module", inFile(undefined, "a.ts"), three, /a\.ts: can't be read: there is no/],
    ["a folder", aFolder, three, /a\.json: can't be read: it is a folder/],
    ["an unknown name", () => "lost-akc", two, /Did you mean "lost-ack"\?/],
    ["an unknown file extension", () => "scenario.yaml", two, /\.json, \.ts/],
    ["an empty file", inFile(" \n", "a.json"), two, /a\.json: it is empty/],
    ["broken JSON", inFile('{\n  "name": "x",\n}', "a.json"), two, /is not valid JSON: /],
    ["JSON that breaks off", inFile('{"name"', "a.json"), two, /is not valid JSON: /],
    ["a list", inFile("[]", "a.json"), two, /is not a JSON object/],
    ["text that isn't UTF-8", () => fileWith(Buffer.of(0x22, 0xff, 0x22)), two, /is not UTF-8/],
    ["a huge file", () => fileWith(Buffer.alloc(5_000_000, " ")), two, /larger than 4194304/],
  ])("%s", async (_, source, exitCode, expected) => {
    const error: unknown = await loadScenario(source(), process.stdin).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CommandFailure);
    expect(error).toMatchObject({ exitCode, message: expect.stringMatching(expected) });
  });

  function aFolder(): string {
    const path = join(temporaryFolder(), "a.json");
    mkdirSync(path);
    return path;
  }
  function fileWith(bytes: Uint8Array): string {
    const path = join(temporaryFolder(), "a.json");
    writeFileSync(path, bytes);
    return path;
  }

  test("a byte order mark is ignored", async () => {
    expect(await loadScenario(fileOf(`\ufeff${JSON.stringify(held)}`), process.stdin)).toEqual(
      held,
    );
  });
});

test("the assumptions of --assumptions and --assume override the scenario's", async () => {
  const own = { ...held, assumptions: { "errors.body": "flat", "dedup.repeat": "count" } };
  const more = fileOf({ "dedup.repeat": "conflict", "errors.invalid": "422" });
  const flags = { assumptions: more, assume: { "errors.invalid": "400" }, publishers: 3 };
  const chosen = await resolveScenario(fileOf(own), flags, process);
  expect(chosen.scenario).toMatchObject({
    publishers: 3,
    assumptions: { "errors.body": "flat", "dedup.repeat": "conflict", "errors.invalid": "400" },
  });
  expect(reproduceLine(["play"], { ...chosen, source: "x.json" })).toBe(
    "npx adsim play x.json --publishers 3 --assume dedup.repeat=conflict --assume errors.invalid=400",
  );
});

describe("publishers of a foreign service", () => {
  const words = (...given: string[]) =>
    given.map((word) => {
      const [kind = "", text = ""] = word.split(" ");
      return { kind: kind as "apiKey" | "publisher" | "surface", text };
    });

  test("are grouped from keys, ids and surfaces, whichever of key and id comes first", () => {
    const apiKey = words(
      "apiKey k1",
      "publisher p1",
      "surface a",
      "surface b",
      "publisher p2",
      "apiKey k2",
    );
    const publishers = givenPublishers({ apiKey });
    expect(publishers).toEqual([
      { id: "p1", apiKey: "k1", surfaces: ["a", "b"] },
      { id: "p2", apiKey: "k2", surfaces: [] },
    ]);
    expect(publisherWords(publishers).join(" ")).not.toMatch(/k1|k2/);
  });

  test.each([
    [["apiKey k"], "--api-key needs --publisher"],
    [["publisher p"], "--publisher needs --api-key"],
    [["surface s"], "--surface needs --api-key and --publisher"],
    [["apiKey k", "publisher p", "apiKey l"], "--api-key needs --publisher"],
  ])("%j is refused", (given, expected) => {
    expect(() => givenPublishers({ apiKey: words(...given) })).toThrow(expected);
  });
});

describe("at a target", () => {
  test("an adsim gives the same digest as in process, in a separate world", async () => {
    const server = await startServer({ port: 0, controlToken: "hush" });
    onTestFinished(() => server.close());
    const file = fileOf(held);
    const token = ["--control-token", "hush"];
    const far = await runAdsim(["play", file, "--json", "--target", server.url, ...token]);
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
    const args = ["play", fileOf(held), "--target", server.url];
    const refused = await runAdsim([...args, "--control-token", "wrong"]);
    expect([refused.code, refused.stdout]).toEqual([3, ""]);
    expect(refused.stderr).toMatch(/token/i);
    await server.close();
    const gone = await runAdsim(args);
    expect([gone.code, gone.stdout]).toEqual([3, ""]);
    expect(gone.stderr).toContain("can't be reached");
  });

  test("a foreign service is played with the given key, which is printed nowhere", async () => {
    const server = await startServer({ port: 0 });
    onTestFinished(() => server.close());
    const { id, apiKey } = server.worlds.get("default").publishers.at(3);
    const path = temporaryFolder();
    const report = join(path, "out.json");
    const file = fileOf({ ...held, expectations: [] });
    const { code, stdout, stderr } = await runAdsim([
      ...["play", file, "--target", server.url, "--api-key", apiKey, "--publisher", id],
      ...["--report", `json=${report}`],
    ]);
    expect(`${code} ${stderr}`).toBe("0 ");
    expect(stdout).toContain(`--api-key '…' --publisher ${id}`);
    expect(`${stdout}${readFileSync(report, "utf8")}`).not.toContain(apiKey);
    expect(server.worlds.get("default").audit().total.impressions.applied).toBe(2);
  });

  test("a foreign service without a given key ends with 2, and the error asks for one", async () => {
    const url = await foreign((_, response) => response.end("hello"));
    const { code, stderr } = await runAdsim(["play", "lost-ack", "--target", url]);
    expect([code, stderr.includes("--api-key KEY and --publisher ID")]).toEqual([2, true]);
  });

  test("an interrupt ends a play in real time with 130, without a report", async () => {
    const server = await startServer({ port: 0 });
    onTestFinished(() => server.close());
    const { id, apiKey } = server.worlds.get("default").publishers.at(0);
    const report = join(temporaryFolder(), "out.json");
    const adsim = startAdsim([
      ...["play", fileOf(slow), "--target", server.url, "--api-key", apiKey, "--publisher", id],
      ...["--wait", "--report", `json=${report}`],
    ]);
    // Its first request has been answered: from now on it waits for an hour.
    await server.worlds.get("default").journal.waitFor({ operation: "impression" });
    adsim.signal("SIGINT");
    expect((await adsim.ended).code).toBe(130);
    expect([adsim.stdout(), existsSync(report)]).toEqual(["", false]);
    expect(adsim.stderr()).toContain("SIGINT");
  });
});
