/** Rules that users add: the example of docs/own-tests.md as it stands there, and how the contract treats such rules. */

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { ContractReport } from "../../../src/testing/contract/report.ts";
import { rules as ourRules } from "../../../src/testing/contract/rules.ts";
import {
  arbitraryCommands,
  ContractError,
  clientContract,
  type DriverContext,
  eventsOf,
  must,
  type Rule,
  tryRule,
} from "../../../src/testing.ts";
import { fromSource, snippetsIn } from "../../run-snippet.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { createExampleClient } from "./example-client.ts";

const pageOf = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, "../../../docs", name), "utf8");

/** Runs the page's example with node:test in place of vitest. @returns the output. */
async function outputOf(
  change: (ads: string) => string,
  env: object = {},
  only = "clicks-come-late",
): Promise<string> {
  const [ads = "", driver = "", contract = ""] = snippetsIn(
    await pageOf("test-your-client.md"),
    "js",
  );
  const examples = snippetsIn(await pageOf("own-tests.md"), "js");
  const [ownRule = ""] = examples.filter((text) => text.includes("rules: ["));
  const example =
    only === "clicks-come-late"
      ? ownRule
      : contract.replace(" driver,", ` driver, only: ["${only}"],`);
  const folder = temporaryFolder();
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "ads.js"), change(ads));
  await writeFile(join(folder, "driver.js"), driver);
  const here = example.replace('from "vitest"', 'from "node:test"');
  await writeFile(join(folder, "rule.test.js"), fromSource(here));
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const options = { cwd: folder, env: { ...inherited, NO_COLOR: "1", ...env } };
  const ran = promisify(execFile)(process.execPath, ["--test"], options);
  const { stdout } = await ran.catch((error: { stdout: string }) => error);
  return stdout;
}

test.each([
  ["own-tests.md", "clicks-come-late", (ads: string) => ads],
  [
    "test-your-client.md",
    "said-again-counts-once",
    (ads: string) => ads.replace("ad_id, session_id })", "ad_id })"),
  ],
])(
  "the example of docs/%s fails as the page shows, and its line to paste shows that again: %s",
  async (page, id, change) => {
    const texts = snippetsIn(await pageOf(page), "text");
    const [shown = ""] = texts.filter((text) => text.includes(`ADSIM_REPLAY="${id}`));
    const cut = (output: string): string =>
      output
        .replaceAll(/(?<=→ 200 \{"ok":true).*/g, ", …}")
        .replaceAll(/(?<=success: \{"ok":true).*/g, ", …}")
        // They stand for the test's file, which the page names otherwise.
        .replaceAll(/-[0-9a-f]{8}(?=\.(?:json|html)$)/gm, "");
    const lines = (text: string): string => text.replaceAll(/^\s+/gm, "");
    const output = await outputOf(change, {}, id);
    expect(lines(cut(output))).toContain(lines(cut(shown)));
    const [, replay = ""] = /ADSIM_REPLAY="(.*)"/.exec(output) ?? [];
    const again = await outputOf(change, { ADSIM_REPLAY: replay }, id);
    expect(lines(cut(again))).toContain(lines(cut(shown)));
  },
);

test("the example passes for a client that waits before it clicks", async () => {
  const output = await outputOf((ads) =>
    ads
      .replace(
        'click: (impression_id) => call("POST"',
        'click: async (impression_id) => (await pause(100), call("POST"',
      )
      .replace('"/v1/click", { impression_id })', '"/v1/click", { impression_id }))'),
  );
  expect(output).toContain(
    "✔ clicks-come-late: A click is sent at least 100 ms after its impression (our ad server's manual)",
  );
  expect(output).toMatch(/fail 0$/m);
});

const sentOnce: Rule = {
  id: "sent-once",
  says: "Nothing is sent twice",
  source: "our own wish",
  commands: () => arbitraryCommands({ kinds: ["impression", "fault", "advance"] }),
  judge(session) {
    const events = eventsOf(session);
    for (const { name, sent } of events) {
      must(sent.length <= 1, () => `${name} was sent ${sent.length} times, expected once.`);
    }
    return events.length;
  },
};

/** Runs a contract with rules of the user. @returns the error of each test by the rule's id, and the report. */
async function run(
  options: Partial<Parameters<typeof clientContract>[0]>,
): Promise<{ errors: Record<string, unknown>; report: ContractReport | undefined }> {
  const tests: [string, () => Promise<void>][] = [];
  let report: ContractReport | undefined;
  const it = (name: string, body: () => Promise<void>): unknown => tests.push([name, body]);
  clientContract({
    driver: (context) => createExampleClient(context),
    describe: (_, define) => define(),
    it: Object.assign(it, { skip: () => undefined }),
    failures: temporaryFolder(),
    onReport(made) {
      report = made;
    },
    ...options,
  });
  const errors: Record<string, unknown> = {};
  for (const [name, body] of tests) {
    errors[name.split(":")[0] ?? ""] = await body().catch((error: unknown) => error);
  }
  return { errors, report };
}

test("a user's rule comes after the others, and a broken one gets a replay line and a scenario", async () => {
  const { errors, report } = await run({ rules: [sentOnce], only: ["sent-once", "authorization"] });
  expect(Object.keys(errors).slice(0, 2)).toEqual(["authorization", "sent-once"]);
  expect(report?.rules.map(({ id }) => id)).toEqual([...ourRules.map(({ id }) => id), "sent-once"]);
  const error = errors["sent-once"];
  if (!(error instanceof ContractError)) throw new Error("No rule was broken.");
  expect(error.message).toContain(
    "The client broke sent-once: Nothing is sent twice (our own wish)",
  );
  expect(error.message).toMatch(/ad-1 was sent \d times, expected once\./);
  expect(error.message.match(/^ {2}\d\. .*/gm)).toHaveLength(2);
  const { errors: again } = await run({ rules: [sentOnce], replay: error.replay });
  const withoutPath = (thrown: unknown): string =>
    String(thrown).replaceAll(/(?:adsim play|In a browser:) .*/g, "");
  expect(withoutPath(again["sent-once"])).toBe(withoutPath(error));
  const scenario = await readFile(error.file ?? "", "utf8");
  expect(scenario).toContain("broke the rule sent-once");
});

test("a user's rule can be skipped, is skipped without what it needs, and is tried by tryRule", async () => {
  const skip = { "sent-once": "we retry" };
  const skipped = await run({ rules: [sentOnce], only: ["sent-once"], skip });
  expect(skipped.report?.rules.at(-1)?.verdict).toEqual({ kind: "skipped", why: "we retry" });
  const inOrder: Rule = { ...sentOnce, needs: ["inOrder"] };
  const needing = await run({ rules: [inOrder], only: ["sent-once"] });
  const why = "the driver has no inOrder";
  expect(needing.report?.rules.at(-1)?.verdict).toEqual({ kind: "skipped", why });
  const driver = async (context: DriverContext) => ({
    ...(await createExampleClient(context)),
    staleMs: 0,
    inOrder: false,
  });
  const stale: Rule = { ...sentOnce, needs: ["staleMs"] };
  const promising = await run({ driver, rules: [stale], only: ["sent-once"] });
  expect(promising.report?.rules.at(-1)?.verdict.kind).toBe("broken");
  const unordered = await run({ driver, rules: [inOrder], only: ["sent-once"] });
  expect(unordered.report?.rules.at(-1)?.verdict).toEqual({ kind: "skipped", why });
  const tried = await tryRule(sentOnce, (context) => createExampleClient(context));
  expect(tried.kind).toBe("broken");
});
