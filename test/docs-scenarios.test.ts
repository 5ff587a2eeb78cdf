/** docs/scenarios.md and docs/load.md: their scenarios play, and they name everything that a scenario can hold. */

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { playScenario } from "../src/play/play-scenario.ts";
import { scenarioJsonSchema } from "../src/scenario.ts";
import { runSnippet, snippetsIn } from "./run-snippet.ts";

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

test("the first scenario with 3 impressions expected fails, and both figures are shown", async () => {
  const wrong = first.replace('"impressions": 2', '"impressions": 3');
  const { result, why } = await playScenario(JSON.parse(wrong));
  expect(result).toBe("failed");
  expect(why).toContain("stats.impressions: expected 3, found 2");
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
