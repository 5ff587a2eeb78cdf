/** `adsim play --playable` and `adsim scenarios --playable`: what a service that isn't adsim can play. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { foreignService } from "../play/foreign/scenarios.ts";
import type { Bug, ForeignService } from "../play/foreign/service.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";
import { childrenOf, readXml } from "./xml.ts";

function targetWords({ url, publishers }: ForeignService): string[] {
  return [
    ...["--target", url],
    ...publishers.flatMap(({ id, apiKey }) => ["--api-key", apiKey, "--publisher", id]),
  ];
}

async function playable(wrong: readonly Bug[], more: readonly string[] = []) {
  const service = await foreignService(wrong);
  return runAdsim(["play", "--playable", ...targetWords(service), ...more]);
}

describe("adsim play --playable", () => {
  test("says that a correct service holds all of them, and writes reports", async () => {
    const folder = temporaryFolder();
    const [junit, json] = [join(folder, "play.xml"), join(folder, "play.json")];
    const reports = ["--report", `junit=${junit},json=${json}`];
    const { code, stdout, stderr } = await playable([], reports);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /\n23 scenarios: 23 held\. Not played: 48 others\. npx adsim scenarios --playable/,
    );
    const suites = childrenOf(readXml(readFileSync(junit, "utf8")), "testsuite");
    expect(suites).toHaveLength(23);
    expect(JSON.parse(readFileSync(json, "utf8")).results).toHaveLength(23);
  });

  test("shows in full what is broken, with the line that plays it again", async () => {
    const { code, stdout } = await playable(["limit-default-ignored"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "✗ broken  spec-payouts: answer body.payouts.length: expected at most 20",
    );
    expect(stdout).toMatch(/Reproduce: npx adsim play spec-payouts --target http/);
    expect(stdout).toContain("23 scenarios: 1 broken, 22 held.");
  });

  test("leaves out what needs more publishers than are given", async () => {
    const { url, publishers } = await foreignService();
    const [one] = publishers;
    const { code, stdout } = await runAdsim([
      ...["play", "--playable", "--target", url],
      ...["--api-key", one?.apiKey ?? "", "--publisher", one?.id ?? ""],
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("22 scenarios: 22 held.");
    expect(stdout).not.toContain("spec-publishers-apart");
  });

  test.each([
    [["spec-stats"], "Leave out spec-stats"],
    [["--report", "html=x.html"], "shows one scenario"],
  ])("refuses %j", async (more, message) => {
    const { code, stderr } = await playable([], more);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test("needs a publisher of the service", async () => {
    const { code, stderr } = await runAdsim([
      "play",
      "--playable",
      "--target",
      "http://127.0.0.1:9",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("--playable is for services other than adsim. Give a publisher");
  });
});

describe("a play at a service", () => {
  test("of more than a minute says how long it takes, and asks for --wait", async () => {
    const service = await foreignService();
    const { code, stderr } = await runAdsim(["play", "busy-day", ...targetWords(service)]);
    expect(code).toBe(2);
    expect(stderr).toContain("--wait must be given: this takes 1 d");
    expect(service.requests.size).toBe(0);
  });

  test("takes --assume for what the service chooses, says so in the line to repeat, and shows the run id", async () => {
    const service = await foreignService([], { today: "tomorrow" });
    const words = ["play", "spec-today", ...targetWords(service), "--run-id", "seven"];
    const { stdout } = await runAdsim([...words, "--assume", "stats.today=live"]);
    expect(stdout).toContain("✗ broken  spec-today: answer body.impressions: expected");
    expect(stdout).toContain("run id seven, a part of every session id");
    expect(stdout).toMatch(/Reproduce: .*--assume stats\.today=live --target .* --run-id seven/);
    const unknown = await runAdsim(words);
    expect(unknown.stdout).toContain("? unknown  spec-today: assumptions was skipped");
  });
});

describe("adsim scenarios --playable", () => {
  test("says for each scenario whether a service can play it, and how long it waits", async () => {
    const { code, stdout } = await runAdsim(["scenarios", "--playable"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^late-click +no: needs other assumptions and the audit; waits for 46 d/m,
    );
    expect(stdout).toMatch(/^spec-stats +yes: doesn't wait$/m);
    expect(stdout).toMatch(/^spec-publishers-apart +yes: doesn't wait, needs 2 publishers$/m);
    expect(stdout).toMatch(/^spec-today +no: needs stats\.today=live; doesn't wait$/m);
  });

  test("has the same as JSON", async () => {
    const { stdout } = await runAdsim(["scenarios", "--playable", "--json"]);
    const { scenarios } = JSON.parse(stdout);
    const named = (wanted: string) =>
      scenarios.find(({ name }: { name: string }) => name === wanted);
    expect(named("busy-day").atService).toEqual({
      ...{ isPlayable: false, needs: ["the audit"], publishers: 1, waitsMs: 86_400_000 },
    });
    expect(named("spec-click").atService).toMatchObject({ isPlayable: true, waitsMs: 0 });
  });
});
