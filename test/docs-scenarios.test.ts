/** docs/scenarios.md: what is in it plays, and it has everything that there is. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { playScenarioSync, scenarioJsonSchema } from "../src/scenario.ts";
import { runAdsim } from "./cli/run-adsim.ts";
import { runSnippet } from "./run-snippet.ts";

const page = await readFile(new URL("../docs/scenarios.md", import.meta.url), "utf8");

function snippetsIn(language: string): string[] {
  const found = page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return Array.from(found, ([, text = ""]) => text);
}

const [first = "", ...otherScenarios] = snippetsIn("json");

test("every scenario in it plays, and holds", () => {
  expect(otherScenarios.length).toBe(1);
  for (const text of [first, ...otherScenarios]) {
    expect(playScenarioSync(JSON.parse(text))).toMatchObject({ verdict: "held" });
  }
});

describe("the first scenario, word for word", () => {
  async function folderWith(text: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "adsim-first-scenario-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "month-end.json"), text);
    return folder;
  }

  test("is held", async () => {
    const cwd = await folderWith(first);
    const played = await runAdsim(["play", "month-end.json"], { cwd });
    expect(played).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("held") });
  });

  test("with 3 impressions expected it is broken, and both sides are shown", async () => {
    const wrong = first.replace('"impressions": 2', '"impressions": 3');
    expect(wrong).not.toBe(first);
    const played = await runAdsim(["play", "month-end.json"], { cwd: await folderWith(wrong) });
    expect(played.exitCode).toBe(1);
    expect(played.stdout).toMatch(/expectations\.0[\s\S]*stats\.impressions[\s\S]*3[\s\S]*2/);
    expect(played.stdout).toContain("adsim play month-end.json");
  });
});

test("the TypeScript plays as it says", async () => {
  const [snippet = "", ...others] = snippetsIn("ts");
  expect(others).toEqual([]);
  expect(await runSnippet(snippet)).toBe("held 3\n");
});

test("it names every kind of step, every rule and every kind of arrivals", () => {
  const { $defs } = scenarioJsonSchema;
  expect(Object.keys($defs ?? {}).length).toBeGreaterThan(0);
});
