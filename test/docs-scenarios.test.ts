/** docs/scenarios.md and docs/load.md: their scenarios play, and they name everything that a scenario can hold. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { playScenario } from "../src/play/play-scenario.ts";
import { scenarioJsonSchema } from "../src/scenario.ts";
import { runAdsim } from "./cli/run-adsim.ts";
import { runSnippet, snippetsIn } from "./run-snippet.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const pages = ["scenarios.md", "load.md"].map((name) =>
  readFile(new URL(`../docs/${name}`, import.meta.url), "utf8"),
);
const page = (await Promise.all(pages)).join("\n");

const [first = "", ...otherScenarios] = snippetsIn(page, "json");

test("every scenario on the pages passes", async () => {
  expect(otherScenarios.length).toBe(1);
  for (const text of [first, ...otherScenarios]) {
    expect(await playScenario(JSON.parse(text))).toMatchObject({ result: "passed" });
  }
});

describe("the first scenario, from a file", () => {
  async function play(text: string): ReturnType<typeof runAdsim> {
    const folder = temporaryFolder();
    const file = join(folder, "month-end.json");
    await writeFile(file, text);
    return runAdsim(["play", file]);
  }

  test("is held", async () => {
    const played = await play(first);
    expect(played).toMatchObject({ code: 0, stdout: expect.stringContaining("passed") });
  });

  test("with 3 impressions expected is failed: both sides are shown, and how to play it again", async () => {
    const wrong = first.replace('"impressions": 2', '"impressions": 3');
    expect(wrong).not.toBe(first);
    const { code, stdout } = await play(wrong);
    expect(code).toBe(1);
    expect(stdout).toMatch(/expectations\.0[\s\S]*stats\.impressions[\s\S]*3[\s\S]*2/);
    expect(stdout).toMatch(/adsim play .*month-end\.json/);
  });
});

test("the TypeScript on the pages plays a scenario that passes", async () => {
  const [snippet = "", ...others] = snippetsIn(page, "ts");
  expect(others).toEqual([]);
  expect(await runSnippet(snippet)).toBe("passed 3\n");
});

const { definitions: definitionsOf, properties } = scenarioJsonSchema as {
  readonly definitions: Readonly<Record<string, object>>;
  readonly properties: object;
};

/** Names of members that the JSON schema has below these definitions, but for those of other pages. */
function membersOf(...definitions: readonly string[]): Set<string> {
  const names = new Set<string>();
  const collect = (schema: unknown): void => {
    if (typeof schema !== "object" || schema === null) return;
    for (const [key, value] of Object.entries(schema)) {
      if (key === "properties") for (const name of Object.keys(value)) names.add(name);
      if (key !== "default" && key !== "examples") collect(value);
    }
  };
  for (const name of definitions) collect(definitionsOf[name]);
  return names;
}

test.each<[what: string, definitions: readonly string[]]>([
  ["field of a scenario", []],
  ["kind of step", Object.keys(definitionsOf).filter((name) => /^[A-Z].*Step$/.test(name))],
  ["rule", ["MatchRule", "NumberRule", "StatusMatcher", "Operand"]],
  ["expectation", ["AnswerExpectation", "Expectation"]],
  ["part of traffic", ["Traffic", "Arrivals", "Mix"]],
])("the pages name every %s", (_, definitions) => {
  const names = membersOf(...definitions);
  if (definitions.length === 0) {
    for (const name of Object.keys(properties)) names.add(name);
  }
  expect(names.size).toBeGreaterThan(5);
  const missing = [...names].filter(
    (name) => !new RegExp(`[\`"\\s]${name.replace("$", "\\$")}[\`"]`).test(page),
  );
  expect(missing).toEqual([]);
});
