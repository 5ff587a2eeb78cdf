/** docs/faults.md: its snippets run, and it lists every condition, verdict and field of a request. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { wrongWays } from "../src/faults/wrong-body.ts";
import {
  createSimulator,
  type FaultMatch,
  type FaultRequest,
  type FaultRule,
  type Verdict,
} from "../src/index.ts";
import { startServer } from "../src/server.ts";
import { runAdsim } from "./cli/run-adsim.ts";
import { hasCurl } from "./programs.ts";
import { runSnippet, snippetsIn } from "./run-snippet.ts";

const page = await readFile(new URL("../docs/faults.md", import.meta.url), "utf8");

/** The first column of the table under a heading, without what follows a name. */
function namesUnder(heading: string): string[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const rows = (section.split("\n## ")[0] ?? "").matchAll(/^\| `([\w-]+)`/gm);
  return Array.from(rows, ([, name = ""]) => name);
}

test("every rule on the page is valid", () => {
  const snippets = snippetsIn(page, "json");
  expect(snippets.length).toBeGreaterThan(8);
  for (const text of snippets) {
    const faults: FaultRule[] = [JSON.parse(text)].flat();
    expect(createSimulator({ faults }).faults.list().length, text).toBe(faults.length);
  }
});

describe("the TypeScript on the page", () => {
  const [installing = "", deciding = "", cutting = "", auditing = "", ...others] = snippetsIn(
    page,
    "ts",
  );

  test("installs rules and prints their ids", async () => {
    expect(others).toEqual([]);
    const printed = await runSnippet(installing);
    expect(printed).toContain("id: 'slow'");
    expect(printed).toContain("id: 'rule-2'");
  });

  test("installs a rule that is a function", async () => {
    expect(await runSnippet(`${deciding}\nconsole.log(sim.faults.list().length);`)).toBe("1\n");
  });

  test("cuts the body at each byte", async () => {
    expect(await runSnippet(cutting)).toBe("cut everywhere\n");
  });

  test("passes for a client that neither loses nor doubles, and fails for one that doubles", async () => {
    expect(await runSnippet(auditing)).toBe("nothing lost, nothing doubled\n");
    const doubling = auditing.replace(/, session_id };/, " };");
    expect(doubling).not.toBe(auditing);
    await expect(runSnippet(doubling)).rejects.toThrow(/by the client's count: 50, on record: \d+/);
  });
});

test.skipIf(!hasCurl)("the shell commands on the page succeed one after the other", async () => {
  const server = await startServer({ port: 0 });
  const lines = snippetsIn(page, "sh").flatMap((text) => text.trim().split("\n"));
  expect(lines.length).toBe(5);
  try {
    for (const line of lines) {
      expect(line).toMatch(/^curl .*'http:\/\/127\.0\.0\.1:4010\//);
      const here = line.replaceAll("http://127.0.0.1:4010", server.url);
      await promisify(execFile)("sh", ["-c", `${here} --silent --show-error --fail`]);
    }
  } finally {
    await server.close();
  }
});

test.each(["serve", "exec"])(
  "adsim %s has the option --faults, as the page says",
  async (command) => {
    expect(page).toContain(`adsim ${command} --faults FILE`);
    expect((await runAdsim([command, "--help"])).stdout).toMatch(/^ {2}--faults /m);
  },
);

test("every condition and every verdict has a row, and every field that a function sees is listed", () => {
  // A missing name, or one too many, is a type error.
  const conditions = {
    operation: 1,
    publisher: 1,
    surface: 1,
    from: 1,
    until: 1,
    repeat: 1,
    nth: 1,
    every: 1,
    share: 1,
    times: 1,
    per: 1,
  } satisfies Record<keyof FaultMatch, 1>;
  const kinds = {
    delay: 1,
    respond: 1,
    drop: 1,
    "lose-response": 1,
    timeout: 1,
    reset: 1,
    empty: 1,
    truncate: 1,
    garbage: 1,
    "wrong-body": 1,
    drip: 1,
    duplicate: 1,
    reorder: 1,
  } satisfies Record<Verdict["kind"], 1>;
  const seen = {
    number: 1,
    nowMs: 1,
    method: 1,
    path: 1,
    query: 1,
    headers: 1,
    body: 1,
    operation: 1,
    publisher: 1,
    surface: 1,
  } satisfies Record<keyof FaultRequest, 1>;
  expect(namesUnder("Wrong answers")).toEqual(wrongWays);
  expect(namesUnder("Conditions")).toEqual(Object.keys(conditions));
  expect([...new Set(namesUnder("Verdicts"))]).toEqual(Object.keys(kinds));
  const [, listed = ""] = /It sees (.*?)\. It decides/s.exec(page) ?? [];
  expect(Array.from(listed.matchAll(/`(\w+)`/g), ([, name]) => name)).toEqual(Object.keys(seen));
});
