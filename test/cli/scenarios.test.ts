/** `adsim scenarios` lists the shipped scenarios as text and as JSON, and prints one. */

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { shippedNames, shippedScenario } from "../../src/adapters/shipped-scenarios.ts";
import { playScenario } from "../../src/play/play-scenario.ts";
import { runAdsim } from "./run-adsim.ts";

const files = ["", "spec"]
  .flatMap((folder) => readdirSync(join(import.meta.dirname, "../../scenarios", folder)))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => basename(file, ".ts"));

describe("adsim scenarios", () => {
  test("lists every scenario with the first sentence of its description, in aligned columns", async () => {
    const { code, stdout } = await runAdsim(["scenarios"]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(files.toSorted());
    const columns = lines.map((line) => /^\S+ +/.exec(line)?.[0].length);
    expect(new Set(columns).size).toBe(1);
    expect(stdout).toMatch(/^lost-ack +An impression is recorded but its answer is lost, .*\.$/m);
  });

  test("lists them as JSON", async () => {
    const { stdout } = await runAdsim(["scenarios", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ scenarios: shippedNames() });
  });

  test("prints one scenario as JSON, and the copy plays like the original", async () => {
    const { code, stdout } = await runAdsim(["scenarios", "lost-ack"]);
    expect(code).toBe(0);
    const copy = JSON.parse(stdout);
    expect(copy).toEqual(shippedScenario("lost-ack"));
    expect(await playScenario(copy)).toEqual(await playScenario(shippedScenario("lost-ack")));
  });

  test("suggests the nearest name for an unknown one", async () => {
    const { code, stdout, stderr } = await runAdsim(["scenarios", "lost-akc"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain('Did you mean "lost-ack"?');
  });

  test.each([
    "../scenarios/lost-ack",
    "../package",
    "index",
    "lost-ack.ts",
    "LOST-ACK",
    "constructor",
    "",
  ])("has no scenario called %j", (name) => {
    expect(shippedScenario(name)).toBeUndefined();
  });
});
