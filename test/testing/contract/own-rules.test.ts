/** Rules that users add: the examples of the pages as they stand there, and how the contract treats such rules. */

import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Command, Rule, Told } from "../../../src/contract.ts";
import { contentOf, snippetsIn, textOf } from "../../page-blocks.ts";
import { fromSource } from "../../run-snippet.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { runContract } from "./run-contract.ts";

const guide = "docs/test-your-client.md";
const reference = "docs/reference/contract.md";
const client = contentOf(reference, "ads.js");
const examples = [
  {
    page: reference,
    id: "clicks-come-late",
    ads: client,
    contract: contentOf(reference, "rule.test.js"),
  },
  {
    page: guide,
    id: "once",
    ads: client.replace("ad_id, session_id })", "ad_id })"),
    contract: contentOf(guide, "ads.test.js").replace(" driver,", ' driver, only: ["once"],'),
  },
];

/** Runs the pages' examples with node:test in place of vitest, all in one process. @returns the output. */
async function outputOfAll(): Promise<string> {
  const folder = temporaryFolder();
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  for (const { id, ads, contract } of examples) {
    const own = join(folder, id);
    await mkdir(own);
    await writeFile(join(own, "ads.js"), ads);
    await writeFile(join(own, "driver.js"), contentOf(guide, "driver.js"));
    const here = contract
      .replace('from "vitest"', 'from "node:test"')
      .replace(" it,", " it, runs: 20,");
    await writeFile(join(own, "rule.test.js"), fromSource(here));
  }
  const imports = examples.map(({ id }) => `import "./${id}/rule.test.js";`);
  await writeFile(join(folder, "all.js"), imports.join("\n"));
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const options = { cwd: folder, env: { ...inherited, NO_COLOR: "1" } };
  const ran = promisify(execFile)(process.execPath, ["all.js"], options);
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

test("the examples of the pages fail as these show", async () => {
  const output = framed(await outputOfAll());
  for (const { page, id } of examples) {
    const texts = snippetsIn(textOf(page), "text");
    const [shown = ""] = texts.filter((text) => text.includes(`ADSIM_REPLAY="${id}`));
    const lines = framed(shown);
    expect(lines.length).toBeGreaterThan(2);
    expect(output).toEqual(expect.arrayContaining(lines));
  }
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
  const needing = await runContract({
    rules: [{ ...rule, needs: ["flush"] }],
    ...options,
    runs: 1,
  });
  expect(needing.tests[rule.id]).toBe("skipped");
  expect(seen).toHaveLength(30);
});
