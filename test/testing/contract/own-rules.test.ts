/** Rules that users add: the examples of the pages as they stand there, and how the contract treats such rules. */

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Command, Rule, Told } from "../../../src/contract.ts";
import { contentOf, snippetsIn, textOf } from "../../page-blocks.ts";
import { fromSource } from "../../run-snippet.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { runContract } from "./run-contract.ts";

/** Runs a page's example with node:test in place of vitest. @returns the output. */
async function outputOf(id: string, change: (ads: string) => string): Promise<string> {
  const guide = "docs/test-your-client.md";
  const ownRule = contentOf("docs/reference/contract.md", "rule.test.js");
  const example = ownRule.includes(id)
    ? ownRule
    : contentOf(guide, "ads.test.js").replace(" driver,", ` driver, only: ["${id}"],`);
  const folder = temporaryFolder();
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "ads.js"), change(contentOf(guide, "ads.js")));
  await writeFile(join(folder, "driver.js"), contentOf(guide, "driver.js"));
  const here = example
    .replace('from "vitest"', 'from "node:test"')
    .replace(" it,", " it, runs: 20,");
  await writeFile(join(folder, "rule.test.js"), fromSource(here));
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const options = { cwd: folder, env: { ...inherited, NO_COLOR: "1" } };
  const ran = promisify(execFile)(process.execPath, ["rule.test.js"], options);
  const { stdout } = await ran.catch((error: { stdout: string }) => error);
  return stdout;
}

/** The lines around the session: which one is found, and what is cut short of it, depends on how sessions are drawn. */
function framed(output: string): string[] {
  return output
    .replaceAll(/-[0-9a-f]{8}(?=\.(?:json|html)$)/gm, "")
    .replaceAll(/(?<=ADSIM_REPLAY="[a-z-]+ 1 )[\d:]+/g, "…")
    .replaceAll(/\b(imp|clk|srf)_\w+/g, "$1_…")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:\d\.|\+|the client|As a scenario|…)/.test(line));
}

test.each([
  ["docs/reference/contract.md", "clicks-come-late", (ads: string) => ads],
  [
    "docs/test-your-client.md",
    "once",
    (ads: string) => ads.replace("ad_id, session_id })", "ad_id })"),
  ],
])("the example of %s fails as the page shows: %s", async (page, id, change) => {
  const texts = snippetsIn(textOf(page), "text");
  const [shown = ""] = texts.filter((text) => text.includes(`ADSIM_REPLAY="${id}`));
  const lines = framed(shown);
  expect(lines.length).toBeGreaterThan(2);
  expect(framed(await outputOf(id, change))).toEqual(expect.arrayContaining(lines));
});

test("a user's rule sees every session, also those that `commands` adds, and needs what it says", async () => {
  const longest: Command = { kind: "advance", byMs: 987_654_321 };
  const seen: Told[] = [];
  const rule: Rule = {
    id: "sees-all",
    says: "All is seen",
    source: "our own wish",
    judge(told, came) {
      came();
      seen.push(told);
      return undefined;
    },
  };
  const mine: Rule = { ...rule, commands: fc.constant([longest]) };
  const isMine = ({ changes }: Told): boolean =>
    changes.some(({ endMs, atMs }) => endMs - atMs === longest.byMs);
  const options = { only: [rule.id], runs: 30 };
  expect((await runContract({ rules: [mine], ...options })).tests[rule.id]).toBe("passed");
  expect(seen).toHaveLength(30);
  expect(seen.filter(isMine).length).toBeGreaterThan(2);
  expect(seen.filter(isMine).length).toBeLessThan(20);
  const needing = await runContract({ rules: [{ ...rule, needs: ["flush"] }], ...options });
  expect(needing.tests[rule.id]).toBe("skipped");
  expect(seen).toHaveLength(30);
});
