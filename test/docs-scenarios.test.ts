/** docs/scenarios.md: its first scenario notices what it is said to notice. */

import { expect, test } from "vitest";
import { playScenario } from "../src/scenario.ts";
import { snippetsIn, textOf } from "./page-blocks.ts";

test("the first scenario with 3 impressions expected fails, and both figures are shown", async () => {
  const [first = ""] = snippetsIn(textOf("docs/scenarios.md"), "json");
  const wrong = first.replace('"impressions": 2', '"impressions": 3');
  const { result, why } = await playScenario(JSON.parse(wrong));
  expect(result).toBe("failed");
  expect(why).toContain("stats.impressions: expected 3, found 2");
});
