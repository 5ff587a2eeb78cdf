/** The contract as tests of a runner: what passes, what fails and how that reads, what is skipped, what is reported. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  ContractError,
  type CreateDriver,
  clientContract,
  type DriverContext,
  type Rule,
} from "../../../src/contract.ts";
import { playScenario } from "../../../src/play/play-scenario.ts";
import { parseScenario } from "../../../src/play/scenario/parse-scenario.ts";
import { rules } from "../../../src/testing/contract/rules.ts";
import { recordingIn } from "../../inspector/recording-in.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { createExampleClient, type ExampleClient, type Receipt } from "./example-client.ts";
import { type ContractOptions, type Runner, runContract } from "./run-contract.ts";

const neverSeen: Rule = {
  id: "never-seen",
  says: "What never comes up is kept",
  source: "spec §0",
  needs: ["stats"],
  judge: () => undefined,
};
/** It concerns every session. */
const own: Rule = {
  ...neverSeen,
  id: "own",
  judge(_, came) {
    came();
    return undefined;
  },
};

/** Breaks `once`. */
const clicksAgain: ContractOptions = {
  driver: (context) => createExampleClient(context, { clicksAgain: true }),
  assumptions: { "click.repeat": "count" },
  only: ["once"],
  runs: 40,
};

/** The value of ADSIM_REPLAY that shows this again without a search. */
let replay: string | undefined;

function doing(
  mistake: (client: ExampleClient, context: DriverContext) => Partial<ExampleClient>,
): CreateDriver<Receipt> {
  return (context) => {
    const client = createExampleClient(context);
    return { ...client, ...mistake(client, context) };
  };
}

function thrownBy(outcome: unknown): ContractError {
  if (outcome instanceof ContractError) return outcome;
  throw new Error(`No rule was broken: ${outcome}`);
}

describe("a good client", () => {
  test("passes the rules that it can be tried on, and the report says so", async () => {
    const { suite, tests, report } = await runContract({ runs: 60 });
    expect(suite).toBe("client contract");
    const skipped = Object.keys(tests).filter((id) => tests[id] === "skipped");
    expect(skipped).toEqual(["in-order", "at-once", "attempts"]);
    const others = Object.entries(tests).filter(([id]) => !skipped.includes(id));
    expect(others.filter(([, outcome]) => outcome !== "passed")).toEqual([]);
    expect([report?.name, report?.rules.length]).toEqual(["client contract", rules.length]);
    expect(report?.rules[0]).toMatchObject({ id: "spec-shape", result: "passed" });
  });

  test("fails a rule that nothing concerned, and the error shows the `skip` line that accepts this", async () => {
    const { tests, report } = await runContract({ rules: [neverSeen], only: ["never-seen"] });
    expect(String(tests["never-seen"])).toContain("nothing in 5 sessions concerned it.");
    expect(String(tests["never-seen"])).toContain('\n  skip: { "never-seen": "…" }');
    expect(report?.rules.at(-1)).toMatchObject({ id: "never-seen", result: "undecided" });
  });

  test.each<[Runner, string, string]>([
    ["this", "skipped", "skipped"],
    ["jest", "skipped", "passed"],
    ["bare", "passed", "passed"],
  ])(
    "with the runner's %s a rule with a reason is %s, and one whose method is missing is %s",
    async (runner, withReason, withoutMethod) => {
      const skip = { "never-seen": "it asks for nothing" };
      const only = ["own", "at-once"];
      const rules = [neverSeen, own];
      const { tests, report, timeouts } = await runContract({ rules, skip, only }, runner);
      expect(tests).toMatchObject({
        ...{ "never-seen": withReason, "at-once": withoutMethod, own: "passed" },
      });
      const why = Object.fromEntries((report?.rules ?? []).map((rule) => [rule.id, rule.why]));
      expect(why).toMatchObject({
        ...{ "never-seen": "it asks for nothing", "at-once": "the driver has no maxAtOnce" },
        key: "only leaves it out",
      });
      // Mocha's way to set a time-out.
      const times = timeouts.filter((ms) => ms === 300_000).length;
      expect(times).toBe(runner === "this" ? 4 : 2);
    },
  );

  test("that replaces the globals never runs at the same time as another one", async () => {
    const options = { globals: "replaced", publishers: 1, only: ["key"] } as const;
    for (const { tests } of await Promise.all([runContract(options), runContract(options)]))
      expect(tests.key).toBe("passed");
  });
});

describe("a client that breaks a rule", () => {
  test("gets an error with its session, a scenario that fails and a trace, without a key", async () => {
    const failures = temporaryFolder();
    const about = { failures, name: "My client" };
    const { tests, report } = await runContract({ ...clicksAgain, ...about });
    const error = thrownBy(tests.once);
    ({ replay } = error);
    const { file: path = "" } = error;
    expect(path.startsWith(failures)).toBe(true);
    expect(path).toMatch(/my-client-once-[0-9a-f]{8}\.json$/);
    const lines = error.message.replaceAll(/(srf|imp|clk)_\w+/g, "$1_…").split("\n");
    // Which session is found depends on how they are drawn.
    const ofSession = /^ {2}\d\. | {5}(?:\+\d|the client )/;
    expect(lines.filter((line) => !ofSession.test(line))).toEqual([
      "The client broke once: No impression and no click counts twice, whatever happens to the answer, and however often it is reported (spec §1, §4)",
      "",
      expect.stringMatching(
        /^ {2}The client reported the click on ad-1 in \d requests, and the service recorded it \d times: clk_…, clk_…/,
      ),
      "",
      "The shortest session found that breaks the rule, from 2026-01-15T00:00:00.000Z on:",
      "",
      "Assumptions that are not the default:",
      "  click.repeat=count (default: original-uncredited)",
      "",
      `See it again:  ADSIM_REPLAY="${error.replay}" npm test`,
      `As a scenario: npx adsim play ${path}`,
      `In a browser:  ${path.replace(".json", ".html")}`,
    ]);
    const session = lines.filter((line) => ofSession.test(line));
    const begins = [
      "  1. impression of ad-1",
      "     +0 ms: POST /v1/impression surface=srf_… ad_id=ad-1 session_id=session-1 → 200 {",
      '     the client reported success: {"ok":true,"impression_id"',
      '  2. a fault rule is added: {"match":{"operation":"click"',
      "  3. click on ad-1",
    ];
    for (const [at, text] of begins.entries()) expect(session[at]).toContain(text);
    expect(report?.rules.find(({ id }) => id === "once")).toMatchObject({
      ...{ result: "failed", replay: error.replay, file: path, why: error.why },
    });
    const scenario = readFileSync(path, "utf8");
    expect((await playScenario(parseScenario(JSON.parse(scenario)))).result).toBe("failed");
    const html = readFileSync(path.replace(".json", ".html"), "utf8");
    expect(html).toContain("<title>My client: a client that broke once</title>");
    expect(`${scenario}${html}${error.stack}${JSON.stringify(error)}`).not.toMatch(
      /key_[0-9a-z]{13}/,
    );
    // One for the failure, none for the sessions that it was shrunk from.
    expect(readdirSync(failures)).toHaveLength(2);
  });

  test("breaks the rule again in the replay, which tries no other rule; a good client passes it", async () => {
    expect(replay).toMatch(/^once 1 \d+(:\d+)*$/);
    const { only: _, ...again } = clicksAgain;
    const { tests } = await runContract({ ...again, replay });
    expect(tests).toMatchObject({ key: "skipped", once: { replay } });
    const good = await runContract({ assumptions: { "click.repeat": "count" }, replay });
    expect(good.tests.once).toBe("passed");
    const unknown = await runContract({ replay: "once 1 0:0:99999" });
    expect(String(unknown.tests.once)).toContain("ADSIM_REPLAY names a session that isn't there");
  });

  test("has other files than another client that breaks the same rule", async () => {
    const failures = temporaryFolder();
    for (const name of ["клиент А", "клиент Б"])
      await runContract({ ...clicksAgain, replay, failures, name });
    expect(readdirSync(failures)).toHaveLength(4);
    const file = join(import.meta.dirname, "../../../package.json");
    const { tests } = await runContract({ ...clicksAgain, replay, failures: file });
    expect(String(tests.once)).toContain(`In a browser:  not written: can't write to ${file}: `);
  });

  test("gets no scenario if nothing of it shows on record, and a shortened session if it is long", async () => {
    const failures = temporaryFolder();
    const driver = doing(({ impression }) => ({
      async impression(shown) {
        for (let sent = 0; sent < 19; sent += 1) await impression(shown);
        return { ...(await impression(shown)), impression_id: "other" };
      },
    }));
    const { tests } = await runContract({ driver, failures, only: ["receipts"] });
    const { message, file } = thrownBy(tests.receipts);
    expect(message.match(/POST/g)).toHaveLength(12);
    expect(message).toContain("… 8 more …");
    expect(message).not.toContain("As a scenario");
    expect([file, readdirSync(failures).length]).toEqual([undefined, 1]);
  });

  test("gets an error without its key, whatever it sends and returns", async () => {
    const driver: CreateDriver<Receipt> = ({ apiKey, fetch, baseUrl }) => ({
      async impression() {
        const headers = { authorization: apiKey };
        await fetch(`${baseUrl}/v1/impression?key=${apiKey}`, { method: "POST", headers });
        throw new Error(`refused: ${apiKey}`);
      },
    });
    // A user's rule may expect something: then there is a scenario.
    const expectations = [{ audit: { total: { impressions: { applied: 99 } } } }];
    const judge: Rule["judge"] = ({ requests: [first] }) =>
      first && { why: first.request.query, expectations };
    const rules: Rule[] = [{ ...own, judge, needs: [] }];
    const only = ["own"];
    const { tests } = await runContract({ driver, rules, only, failures: temporaryFolder() });
    const error = thrownBy(tests.own);
    expect(error.message).toContain("\n  key=[the key]\n");
    expect(error.message).toContain("refused: [the key]");
    const scenario = readFileSync(error.file ?? "", "utf8");
    expect(scenario).toContain("broke the rule own");
    expect(JSON.stringify(error) + error.stack + scenario).not.toMatch(/key_[0-9a-z]{13}/);
  });

  test("in a timer learns what it threw", async () => {
    const driver = doing(({ impression }, { timers }) => ({
      impression(shown) {
        timers.setTimeout(() => JSON.parse("{"), 1500);
        return impression(shown);
      },
    }));
    const { tests } = await runContract({ driver, only: ["ends"] });
    expect(String(tests.ends)).toContain(
      "A timer of the client threw an error at +1 s 500 ms: SyntaxError: ",
    );
  });

  test("over HTTP has its requests in the trace, too", async () => {
    const failures = temporaryFolder();
    const driver = doing(() => ({ close: async () => ({ impressions: 999, clicks: 0 }) }));
    const http = { transport: "http", runs: 1, only: ["counts-true"] } as const;
    const { tests } = await runContract({ ...http, driver, failures });
    const [, page = ""] =
      /In a browser: {2}(.*)/.exec(thrownBy(tests["counts-true"]).message) ?? [];
    expect(recordingIn(readFileSync(page, "utf8")).worlds).toHaveProperty("default");
  });
});

class Misspelt {
  impression(): void {}
  clicks(): void {}
}

describe("a wrong driver or rule", () => {
  test.each<[string, () => unknown, string]>([
    ["can't be made", () => Promise.reject(new Error("no config")), "no config"],
    ["is null", () => null, "driver must return a driver: an object with at least impression()"],
    ["can't be right", () => ({ impression() {}, maxAtOnce: 0 }), "maxAtOnce must be a whole"],
    ["is misspelt", () => ({ impression() {}, clicks() {} }), 'Did you mean "click"?'],
    ["is misspelt in a class", () => new Misspelt(), 'Did you mean "click"?'],
  ])("fails if the driver %s, and restores the globals", async (_, driver, says) => {
    const before = [globalThis.fetch, globalThis.setTimeout, globalThis.Date];
    const options = { globals: "replaced", only: ["ends"] } as const;
    const { tests } = await runContract({ ...options, driver: driver as never });
    expect([globalThis.fetch, globalThis.setTimeout, globalThis.Date]).toEqual(before);
    expect(String(tests.ends)).toContain(says);
  });

  test.each<[string, () => unknown, string]>([
    ["throws", () => JSON.parse("{"), "judge threw SyntaxError: "],
    ["returns a number", () => 0.5, "judge returned 0.5, not what is wrong in words."],
    ["is async", () => Promise.resolve(), "judge returned a promise, not what is wrong in words."],
  ])("fails if the judge %s", async (_, judge, says) => {
    const rules = [{ ...own, judge: judge as Rule["judge"] }];
    const { tests, report } = await runContract({ rules, only: ["own"] });
    expect(String(tests.own)).toContain(says);
    expect(report?.rules.at(-1)).toMatchObject({ id: "own", result: "failed" });
  });
});

describe("wrong options are refused before anything is registered", () => {
  const ofRule: readonly (readonly [object, string])[] = [
    [{ id: "click late" }, "id must be lower-case words with hyphens"],
    [{ id: "once" }, "id must be unique"],
    [{ says: "one\ntwo" }, "says must be a sentence on one line"],
    [{ needs: ["clik"] }, 'needs.0 must be one of "impression", "click"'],
    [{ commands: [] }, "commands.generate is required"],
    [{ judge: true }, "judge must be a function"],
    [{ assuming: [] }, "assuming is not known here."],
  ];
  test.each<[object, string]>([
    [{ skip: { onec: "typo" } }, "skip.onec must name a rule of the contract. Did you mean"],
    [{ skip: { once: " " } }, "skip.once must be the reason"],
    [{ only: ["nothing-like-it"] }, "only.0 must name a rule of the contract. Choose from: spec"],
    [{ only: [] }, "only must not be an empty list"],
    [{ runs: 0 }, "runs must be a whole number from 1 to 100000"],
    [{ run: 7 }, 'run is not an option. Did you mean "runs"?'],
    [{ rules: [undefined] }, "rules.0 must be an object"],
    [{ it: undefined }, "it must be a function"],
    [{ start: "tomorrow" }, "start must be an instant"],
    [{ assumptions: { "click.repeat": "never" } }, "assumptions.click.repeat"],
    [{ transport: "http", globals: "replaced" }, "globals can't be replaced"],
    [{ globals: "replace" }, 'globals must be one of "kept", "replaced", not "replace"'],
    [{ patienceMs: -1 }, "patienceMs must be a whole number from 0 to 10000"],
    ...ofRule.map(([wrong, says]): [object, string] => [
      { rules: [{ ...own, commands: fc.constant([]), ...wrong }] },
      `rules.0.${says}`,
    ]),
  ])("%j", (wrong, says) => {
    const registered = vi.fn();
    const options = { driver: createExampleClient, describe: registered, it: registered };
    expect(() => clientContract({ ...options, ...wrong } as never)).toThrow(says);
    expect(registered).not.toHaveBeenCalled();
  });

  test.each([
    ["once", 'ADSIM_REPLAY must be the RULE SEED PATH that a failure shows, such as "once 1 0:1"'],
    ["onec 1 0", 'ADSIM_REPLAY must name a rule of the contract. Did you mean "once"?'],
  ])("as is a wrong ADSIM_REPLAY: %s", async (replay, says) => {
    await expect(runContract({ replay })).rejects.toThrow(says);
  });
});
