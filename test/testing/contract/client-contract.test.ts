/** The contract as tests of a runner: what passes, what fails and how that reads, what is skipped, what is reported. */

import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { parseScenario } from "../../../src/play/scenario/parse-scenario.ts";
import { clientContract, registerRules } from "../../../src/testing/contract/client-contract.ts";
import type { ClientContractOptions, It } from "../../../src/testing/contract/contract-options.ts";
import { ContractError } from "../../../src/testing/contract/failure.ts";
import type { ContractReport } from "../../../src/testing/contract/report.ts";
import { BrokenRule, type Rule } from "../../../src/testing/contract/rules/rule.ts";
import { type Command, openTestWorld, runSession, tryRule } from "../../../src/testing.ts";
import { someOf } from "../../budget.ts";
import { recordingIn } from "../../inspector/recording-in.ts";
import { createExampleClient } from "./example-client.ts";
import { exampleRules } from "./example-rules.ts";

const root = join(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "adsim-contract-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly suite: string;
  readonly tests: Record<string, "passed" | "skipped" | Error>;
  readonly report: ContractReport | undefined;
  readonly timeouts: unknown[];
}

type Runner = "context" | "this" | "jest" | "bare";
const skipped = new Error("skipped");

/** Runs a contract as a runner of that kind does. The outcome of each test by its id. */
async function run(
  rules: readonly Rule[],
  options: Partial<ClientContractOptions> = {},
  runner: Runner = "context",
): Promise<Ran> {
  const registered: [name: string, test: () => Promise<void>, isSkipped: boolean][] = [];
  const timeouts: unknown[] = [];
  let suite = "";
  let report: ContractReport | undefined;
  const it: It = (name, test, timeoutMs) => {
    // A parameter asks for a callback, and vitest reads how it is written.
    expect(test.length).toBe(0);
    expect(String(test)).toMatch(/^async (function\s*)?\(\)/);
    registered.push([name, test, false]);
    timeouts.push(timeoutMs);
  };
  const skips = (name: string, test: () => Promise<void>) => registered.push([name, test, true]);
  if (runner !== "bare") Object.assign(it, { skip: skips });
  registerRules(rules, {
    driver: (context) => createExampleClient(context),
    describe(name, define) {
      suite = name;
      define();
    },
    it,
    runs: 5,
    failures: false,
    onReport(came) {
      report = came;
    },
    ...options,
  });
  const tests: Ran["tests"] = {};
  const skip = (): never => {
    throw skipped;
  };
  const given = runner === "context" ? [Object.assign(() => undefined, { skip })] : [];
  const self = runner === "this" ? { skip, timeout: (ms: number) => timeouts.push(ms) } : undefined;
  for (const [name, body, isSkipped] of registered) {
    const id = name.split(":")[0] ?? "";
    const outcome = isSkipped
      ? skipped
      : await Reflect.apply(body, self, given).catch((error: unknown) => error);
    tests[id] = outcome === undefined ? "passed" : outcome === skipped ? "skipped" : outcome;
  }
  return { suite, tests, report, timeouts };
}

const { clickOnce, impressionSent, neverSeen, flushed } = exampleRules;
/** Broken by any client. */
const broken: Rule = {
  ...impressionSent,
  judge() {
    throw new BrokenRule("expected: something else");
  },
};
const clicksAgain: Partial<ClientContractOptions> = {
  driver: (context) => createExampleClient(context, { clicksAgain: true }),
};
const last = "every rule was tried, or there is a reason why not";

describe("a good client", () => {
  test("passes the rules that apply, and the report says how often each applied", async () => {
    const { suite, tests, report } = await run([clickOnce, impressionSent]);
    expect(suite).toBe("client contract");
    expect(tests).toEqual({
      "click-once": "passed",
      "impression-sent": "passed",
      [last]: "passed",
    });
    const applied = report?.rules.map(({ verdict }) => verdict.kind === "held" && verdict.applied);
    expect(applied?.every((count) => Number(count) >= 5)).toBe(true);
    expect(report).toMatchObject({
      name: "client contract",
      rules: [{ id: "click-once", source: "spec §4" }, { id: "impression-sent" }],
    });
  });

  test("fails a rule that never applied, and the error shows the `skip` line that accepts this", async () => {
    const { tests, report } = await run([neverSeen]);
    expect(String(tests["never-seen"])).toContain(
      "The result of never-seen is unknown: it was never tried in 5 runs.\nThe driver's impression(), stats() must",
    );
    expect(String(tests["never-seen"])).toContain('  skip: { "never-seen": "…" }');
    expect(String(tests[last])).toContain("never-seen");
    expect(report?.rules[0]?.verdict).toEqual({ kind: "unknown", runs: 5 });
  });

  test("skips a rule if a reason is given, and passes if the runner can't skip", async () => {
    const options = { skip: { "never-seen": "it asks for nothing" } };
    for (const runner of ["context", "bare"] as const) {
      const { tests, report } = await run([neverSeen], options, runner);
      expect(tests).toEqual({
        "never-seen": runner === "bare" ? "passed" : "skipped",
        [last]: "passed",
      });
      const verdict = { kind: "skipped", why: "it asks for nothing" };
      expect(report?.rules[0]?.verdict).toEqual(verdict);
    }
  });

  test.each([
    ["context", "skipped", 0],
    ["this", "skipped", 0],
    ["jest", "passed", 1],
  ] as const)(
    "without a method skips its rules through the runner's %s, or warns on the console",
    async (runner, outcome, warnings) => {
      const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
      const { tests, report, timeouts } = await run([flushed], {}, runner);
      expect(tests).toEqual({ flushed: outcome, [last]: "passed" });
      const verdict = { kind: "skipped", why: "the driver has no flush" };
      expect(report?.rules[0]?.verdict).toEqual(verdict);
      expect(warn.mock.calls).toHaveLength(warnings);
      for (const call of warn.mock.calls) expect(call[0]).toContain("flushed: the driver has no");
      expect(timeouts.filter((ms) => ms === 60_000).length).toBe(runner === "this" ? 3 : 1);
      warn.mockRestore();
    },
  );

  test("is tried with the rules in `only`, and the others are skipped", async () => {
    const { tests, report } = await run([clickOnce, impressionSent], { only: ["click-once"] });
    expect(tests).toEqual({
      "click-once": "passed",
      "impression-sent": "skipped",
      [last]: "passed",
    });
    expect(report?.rules[1]?.verdict).toEqual({
      kind: "skipped",
      why: "only leaves it out",
    });
  });

  test("that replaces the globals never runs at the same time as another one", async () => {
    const both: Promise<Ran>[] = [1, 2].map(() =>
      run([impressionSent], { globals: "replaced", publishers: 1 }),
    );
    for (const { tests } of await Promise.all(both)) {
      expect(tests["impression-sent"]).toBe("passed");
    }
  });
});

describe("a client that breaks a rule", () => {
  test("gets an error with its requests and answers, without a key", async () => {
    const { tests, report } = await run([clickOnce], {
      ...clicksAgain,
      failures: folder,
      name: "My client",
      command: "npm run contract",
    });
    const error = tests["click-once"];
    if (!(error instanceof ContractError)) throw new Error("No rule was broken.");
    const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(file).toMatch(/^my-client-click-once-[0-9a-f]{8}\.json$/);
    const path = join(folder, file);
    const page = path.replace(".json", ".html");
    const lines = error.message.replaceAll(/(srf|imp|clk)_\w+/g, "$1_…").split("\n");
    expect(lines.filter((line) => !line.includes("the client reported"))).toEqual([
      "The client broke click-once: A click that may have been recorded isn't sent again. (spec §4)",
      "",
      "  expected: one click on record",
      "  instead:  2 of one click of the user",
      "",
      "The shortest sequence found that breaks the rule, from 2026-01-15T00:00:00.000Z on:",
      "  1. impression of ad-1 on srf_…",
      '     +0 ms: POST /v1/impression surface=srf_… ad_id=ad-1 session_id=session-1 → 200 {"ok":true,"impression_id":"imp_…","revenue_credited_inr":0.092883}',
      '  2. a fault rule is added: {"match":{"operation":"click","times":1},"verdict":{"kind":"lose-response"}}',
      "  3. click on ad-1",
      '     +0 ms: POST /v1/click impression_id=imp_… → no answer (lose-response, rule-1: the service answered 200 {"ok":true,"click_id":"clk_…","revenue_credited_inr":2.17854})',
      '     +1 s: POST /v1/click impression_id=imp_… → 200 {"ok":true,"click_id":"clk_…","revenue_credited_inr":2.17854}',
      "  - the client is closed",
      "",
      "Assumptions that are not the default:",
      "  click.repeat=count (default: original-uncredited)",
      "",
      `See it again:  ADSIM_REPLAY="${error.replay}" npm run contract`,
      `As a scenario: npx adsim play ${path}`,
      `In a browser:  ${page}`,
    ]);
    expect(lines.filter((line) => line.includes("the client reported success: {"))).toHaveLength(2);
    expect(error).toMatchObject({ rule: "click-once", file: path });
    expect(error.replay).toMatch(/^click-once 1 \d+(:\d+)*$/);
    expect(report?.rules[0]?.verdict).toMatchObject({ kind: "broken", file: path });
    const scenario = readFileSync(path, "utf8");
    expect(parseScenario(JSON.parse(scenario)).expectations).toHaveLength(1);
    expect(`${scenario}${error.stack}${JSON.stringify(error)}`).not.toContain("key_");
    const html = readFileSync(page, "utf8");
    expect(html).toContain("<title>My client: a client that broke click-once</title>");
    expect(html).not.toMatch(/key_[0-9a-z]{13}/);
    // One for the failure, none for the sequences that it was shrunk from.
    expect(readdirSync(folder).filter((name) => name.endsWith(".html"))).toHaveLength(1);
  });

  test("breaks the rule again in the replay, which tries no other rule", async () => {
    let runs = 0;
    const driver: ClientContractOptions["driver"] = (context) => {
      runs += 1;
      return createExampleClient(context, { clicksAgain: true });
    };
    const { tests: before } = await run([clickOnce], clicksAgain);
    const { replay } = Object(before["click-once"]) as ContractError;
    const { tests } = await run([impressionSent, clickOnce], { driver, replay });
    expect(tests).toMatchObject({ "impression-sent": "skipped", [last]: "passed" });
    expect(tests["click-once"]).toMatchObject({ replay });
    // One to see what the driver has, and one for the sequence; what that shrinks to holds.
    expect(runs).toBeLessThan(10);
    const good = await run([impressionSent, clickOnce], { replay });
    expect(good.tests["click-once"]).toBe("passed");
  });

  test("has other files than another client that breaks the same rule", async () => {
    const failures = join(folder, "names");
    const files = new Set<string>();
    for (const name of [
      "клиент А",
      "клиент Б",
      `A ${"long ".repeat(20)}`,
      `B ${"long ".repeat(20)}`,
    ]) {
      const { report } = await run([clickOnce], { ...clicksAgain, failures, name });
      files.add(JSON.stringify(report?.rules[0]?.verdict));
    }
    expect(files.size).toBe(4);
    expect(readdirSync(failures).filter((name) => name.endsWith(".html"))).toHaveLength(4);
    expect(readdirSync(failures).filter((name) => name.endsWith(".json"))).toHaveLength(4);
  });

  test("over HTTP its requests are in the trace, too", async () => {
    const http = { transport: "http", runs: 1, failures: folder, name: "HTTP" } as const;
    const { tests } = await run([broken], http);
    expect(String(tests["impression-sent"])).toContain("In a browser:");
    const [page = ""] =
      /http-impression-sent-[0-9a-f]{8}\.html/.exec(`${tests["impression-sent"]}`) ?? [];
    const html = readFileSync(join(folder, page), "utf8");
    expect(recordingIn(html).worlds.default).toHaveProperty("journal/1");
  });

  test("gets an error that says why no scenario was written", async () => {
    const file = join(root, "package.json");
    const { tests } = await run([clickOnce], { ...clicksAgain, failures: file });
    expect(String(tests["click-once"])).toContain(
      `As a scenario: not written: can't write to ${file}: `,
    );
    expect(String(tests["click-once"])).toContain(
      `In a browser:  not written: can't write to ${file}: `,
    );
    const wrong: Rule = {
      ...clickOnce,
      judge() {
        throw new BrokenRule("expected: nothing", [{ of: "nobody", is: 1 }]);
      },
    };
    const other = await run([wrong], { ...clicksAgain, failures: folder });
    expect(String(other.tests["click-once"])).toMatch(
      /not written: it isn't a valid scenario: InputError/,
    );
  });

  test("never gets a scenario with the credentials that were sent", async () => {
    const loose: Partial<ClientContractOptions> = {
      driver: ({ apiKey, fetch, baseUrl }) => ({
        async impression() {
          const headers = { authorization: apiKey, "x-api-key": apiKey };
          await fetch(`${baseUrl}/v1/impression?a=1`, { method: "POST", headers });
          throw new Error("refused");
        },
      }),
    };
    const rule: Rule = {
      ...impressionSent,
      judge() {
        throw new BrokenRule("expected: an impression");
      },
    };
    const { tests } = await run([rule], { ...loose, failures: folder });
    const error = tests["impression-sent"] as ContractError;
    const scenario = readFileSync(error.file ?? "", "utf8");
    expect(JSON.parse(scenario).steps[0]).toMatchObject({
      headers: { authorization: { ref: "publishers.0.apiKey" } },
    });
    expect(scenario).not.toContain("key_");
  });

  test.each([
    [
      "returns counts",
      () => ({ impressions: 1, clicks: 0 }),
      'success: {"impressions":1,"clicks":0}',
    ],
    ["fails", () => Promise.reject(new Error("too late")), "an error: Error: too late"],
    ["never ends", () => new Promise<void>(() => undefined), "the client waits for something"],
  ])("gets an error that shows the closing if that %s", async (_, close, said) => {
    const driver: ClientContractOptions["driver"] = (context) => ({
      ...createExampleClient(context),
      close: close as () => Promise<void>,
    });
    const { tests } = await run([broken], { driver });
    const lines = String(tests["impression-sent"]).split("\n");
    const at = lines.indexOf("  - the client is closed");
    expect(lines[at + 1]).toContain(said);
  });

  test("gets an error that shows the closing if the client sends something later", async () => {
    const driver: ClientContractOptions["driver"] = (context) => {
      const client = createExampleClient(context);
      return {
        ...client,
        close() {
          context.timers.setTimeout(() => void client.surfaces?.(), 60_000);
        },
      };
    };
    const { tests } = await run([broken], { driver });
    expect(String(tests["impression-sent"])).toMatch(
      / {2}- the client is closed\n +the client reported success\n {2}- an hour passes after that\n +\+1 min: GET/,
    );
    const quiet = await run([broken]);
    expect(String(quiet.tests["impression-sent"])).not.toContain("the client is closed");
  });

  test("gets an error with the values as the client gave them, and as they are later", async () => {
    const driver: ClientContractOptions["driver"] = (context) => {
      const { impression, click } = createExampleClient(context);
      const failure = Object.assign(new Error("not yet"), { status: 500 });
      return {
        impression(shown) {
          const receipt = { by: context.apiKey, clicks: 0n };
          const kept: object = shown.ad === "ad-1" ? {} : receipt;
          context.timers.setTimeout(async () => {
            Object.assign(kept, await impression(shown));
            failure.message = "too late";
          }, 1000);
          return kept;
        },
        click(receipt) {
          if ("impression_id" in Object(receipt)) return click?.(receipt as never);
          throw failure;
        },
      };
    };
    const commands: Command[] = [
      { kind: "impression", surface: 0 },
      { kind: "click", impression: 0 },
      { kind: "advance", byMs: 2000 },
      { kind: "click", impression: 0 },
      { kind: "impression", surface: 0 },
    ];
    const rule: Rule = { ...broken, commands: () => fc.constant(commands) };
    const { tests } = await run([rule], { driver });
    const said = String(tests["impression-sent"])
      .split("\n")
      .filter((line) => line.includes("the client reported"))
      .map((line) => line.trim().replaceAll(/(imp|clk)_\w+|0\.\d+|\d\.\d+/g, "…"));
    expect(said).toEqual([
      'the client reported success: {} (later: {"ok":true,"impression_id":"…","revenue_credited_inr":…})',
      "the client reported an error: Error: not yet (status 500) (later: Error: too late (status 500))",
      'the client reported success: {"ok":true,"click_id":"…","revenue_credited_inr":…}',
      "the client reported success: an object that JSON can't show",
    ]);
  });

  test("gets an error that leaves out the middle of many requests", async () => {
    const flood: Partial<ClientContractOptions> = {
      driver(context) {
        const { impression, ...others } = createExampleClient(context);
        return {
          ...others,
          async impression(shown) {
            for (let sent = 0; sent < 50; sent += 1) await impression(shown);
          },
        };
      },
    };
    const rule: Rule = {
      ...impressionSent,
      judge() {
        throw new BrokenRule("expected: one impression");
      },
    };
    const { tests } = await run([rule], flood);
    expect(String(tests["impression-sent"]).match(/POST/g)).toHaveLength(12);
    expect(String(tests["impression-sent"])).toContain("… 38 more …");
  });
});

describe("a timer of the client's that throws", () => {
  const driver: ClientContractOptions["driver"] = (context) => {
    const { timers } = context;
    const { impression, ...others } = createExampleClient(context);
    return {
      ...others,
      impression(shown) {
        if (shown.ad === "ad-2") {
          timers.setTimeout(() => {
            throw new RangeError(`nothing left`);
          }, 1500);
        }
        return impression(shown);
      },
    };
  };

  test("is a failure of the client, with the shortest sequence and a line that replays it", async () => {
    const { tests, report } = await run([impressionSent], { driver, runs: 20 });
    const error = tests["impression-sent"];
    if (!(error instanceof ContractError)) throw new Error("No rule was broken.");
    expect(error.message).toContain(
      "  A timer of the client threw an error at +1 s 500 ms: RangeError: nothing left. Nothing can catch that: in Node it ends the process.",
    );
    expect(error.message.match(/^ {2}\d\. .*/gm)).toHaveLength(2);
    expect(report?.rules[0]?.verdict).toMatchObject({ kind: "broken", replay: error.replay });
    const again = await run([impressionSent], { driver, replay: error.replay });
    expect(again.tests["impression-sent"]).toMatchObject({ replay: error.replay });
  });

  test("rejects its own session at the end, and doesn't affect the next one", async () => {
    const adView = { kind: "impression", surface: 0 } as const;
    const threw = runSession(driver, [adView, adView], { globals: "replaced" });
    await expect(threw).rejects.toThrow("nothing left");
    await runSession(driver, [adView], { globals: "replaced" });
  });
});

describe("a wrong driver or rule", () => {
  test.each([
    ["can't be made", () => Promise.reject(new Error("no config")), "no config"],
    ["has no impression()", () => ({}), "impression()"],
    ["is nothing", () => undefined, "impression()"],
    ["is null", () => null, "driver must return a driver: an object with at least impression()"],
    ["is a number", () => 5, "impression()"],
    [
      "promises what it can't",
      () => ({ impression() {}, maxAtOnce: 0 }),
      /^InputError: driver.maxAtOnce must be a whole number, 1 or more\.$/,
    ],
    [
      "has a method that can't be read",
      () => ({
        impression() {},
        get close() {
          throw new Error("not yet");
        },
      }),
      "not yet",
    ],
  ])("fails every test if the driver %s, and restores the globals", async (_, driver, says) => {
    const before = [globalThis.fetch, globalThis.setTimeout, globalThis.Date];
    const options = { driver: driver as never, globals: "replaced" } as const;
    const { tests } = await run([clickOnce, impressionSent], options);
    expect([globalThis.fetch, globalThis.setTimeout, globalThis.Date]).toEqual(before);
    for (const id of ["click-once", "impression-sent"]) {
      const shown = String(tests[id]);
      if (typeof says === "string") expect(shown).toContain(says);
      else expect(shown).toMatch(says);
    }
  });

  test("fails with a rule's own error, which the report shows", async () => {
    const rule: Rule = {
      ...impressionSent,
      judge() {
        throw new RangeError("a bug");
      },
    };
    const { tests, report } = await run([rule]);
    const why =
      "The judge of impression-sent threw RangeError: a bug. For a client that breaks the rule, it must call must() or throw a BrokenRule.";
    expect(tests["impression-sent"]).toMatchObject({ message: why, cause: expect.any(RangeError) });
    expect(report?.rules[0]?.verdict).toEqual({ kind: "failed", why });
  });

  test.each([
    ["nothing", undefined, "undefined"],
    ["a boolean", true, "true"],
    ["half a number", 0.5, "0.5"],
    ["less than nothing", -1, "-1"],
    ["no number", Number.NaN, "NaN"],
    ["a promise, as an async function does", () => Promise.resolve(1), "a promise"],
    // A rejection that nobody handles would fail the whole run.
    ["a promise that rejects", () => Promise.reject(new Error("broken")), "a promise"],
  ])("fails if a judge returns %s", async (_, value, shown) => {
    const judge = () => (typeof value === "function" ? value() : value) as number;
    const { tests } = await run([{ ...impressionSent, judge }]);
    expect(String(tests["impression-sent"])).toContain(
      `The judge of impression-sent must return how often the rule came up: 0, 1, 2, … It returned ${shown}.`,
    );
  });

  test.each([
    ["no list", "impression", "commands of impression-sent must return an arbitrary of lists"],
    [
      "a kind that doesn't exist",
      [{ kind: "impresion", surface: 0 }],
      'command.kind must be one of "impression"',
    ],
    ["no surface", [{ kind: "impression" }], "command.surface is required"],
    [
      "a wait that is no number",
      [{ kind: "advance", byMs: "1s" }],
      "command.byMs must be a whole number",
    ],
    [
      "a member that doesn't exist",
      [{ kind: "stats", surfaces: 1 }],
      'command.surfaces is not known here. Did you mean "surface"?',
    ],
    ["nothing at once", [{ kind: "together", commands: [] }], "command.commands must not be empty"],
    [
      "a wait among commands at once",
      [{ kind: "together", commands: [{ kind: "advance", byMs: 1 }] }],
      "command.commands.0.kind must be one of",
    ],
  ])("fails if a rule's sequences have %s", async (_, commands, says) => {
    const rule: Rule = { ...impressionSent, commands: () => fc.constant(commands as never) };
    const { tests } = await run([rule]);
    expect(String(tests["impression-sent"])).toContain(says);
  });
});

describe("wrong options are refused before anything is registered", () => {
  test.each([
    [
      { skip: { "click-onec": "typo" } },
      'skip.click-onec must name a rule of the contract. Did you mean "click-once"?',
    ],
    [{ skip: { "click-once": " " } }, "skip.click-once must be the reason"],
    [
      { only: ["nothing-like-it"] },
      "only.0 must name a rule of the contract. Choose from: click-once",
    ],
    [{ only: [] }, "only must be a list of at least one rule"],
    [{ only: [7] }, "only.0 must be the id of a rule"],
    [{ run: 7 }, 'run is not an option. Did you mean "runs"?'],
    [{ sequenceseed: 7 }, 'sequenceseed is not an option. Did you mean "sequenceSeed"?'],
    [{ rules: {} }, "rules must be a list of rules"],
    [{ rules: [undefined] }, "rules.0 must be a rule"],
    ...(
      [
        [{ id: undefined }, "id must be lower-case words with hyphens"],
        [{ id: "click late" }, "id must be lower-case words with hyphens"],
        [{ id: "click-once" }, "id must be unique: there is a rule click-once of the contract"],
        [{ says: " " }, "says must be the rule in a sentence, on one line"],
        [{ says: "one\ntwo" }, "says must be the rule in a sentence, on one line"],
        [{ source: 4 }, "source must say where the rule comes from"],
        [{ needsVirtualTime: "yes" }, "needsVirtualTime must be true or false"],
        [{ needs: "click" }, "needs must be a list of members of the driver"],
        [
          { needs: ["clik"] },
          'needs.0 must name a method of the driver, or something it promises. Did you mean "click"?',
        ],
        [
          { needs: ["nothing"] },
          "needs.0 must name a method of the driver, or something it promises. Choose from: impression, click,",
        ],
        [{ assuming: [] }, "assuming must have at least one element"],
        [
          { assuming: [{ "click.repeat": "never" }] },
          "assuming.0.assumptions.click.repeat has no choice",
        ],
        [{ commands: [] }, "commands must be a function"],
        [{ commands: () => [] }, "commands must return a fast-check arbitrary"],
        [{ judge: true }, "judge must be a function"],
        [{ assumes: [] }, "assumes is not known here."],
      ] as const
    ).map(
      ([wrong, says]) =>
        [{ rules: [{ ...neverSeen, ...wrong }] }, `rules.0.${says}`] as [object, string],
    ),
    [
      { rules: [neverSeen, flushed, neverSeen] },
      "rules.2.id must be unique: there is a rule never-seen in rules.0",
    ],
    [
      { replay: "click-once" },
      'replay must be the RULE SEED PATH that a failure shows, such as "click-once 1 0:1"',
    ],
    [
      { replay: "click-one 1 0" },
      'replay must name a rule of the contract. Did you mean "click-once"?',
    ],
    [{ driver: {} }, "driver must be a function"],
    [{ it: undefined }, "it must be a function"],
    [{ start: "tomorrow" }, "start must be an instant"],
    [{ assumptions: { "click.repeat": "never" } }, "assumptions.click.repeat"],
    [{ transport: "http", globals: "replaced" }, "globals can't be replaced"],
  ])("%j", (wrong, says) => {
    const registered = vi.fn();
    const options = { driver: createExampleClient, describe: registered, it: registered };
    const given = { ...options, ...wrong } as unknown as ClientContractOptions;
    expect(() => registerRules([clickOnce, impressionSent], given)).toThrow(says);
    expect(registered).not.toHaveBeenCalled();
  });

  test("also in openTestWorld, runSession and tryRule", async () => {
    const wrong = { patienceMS: 3 } as object;
    const says = 'patienceMS is not an option. Did you mean "patienceMs"?';
    await expect(openTestWorld(wrong)).rejects.toThrow(says);
    await expect(runSession(createExampleClient, [], wrong)).rejects.toThrow(says);
    await expect(tryRule(clickOnce, createExampleClient, wrong)).rejects.toThrow(says);
    const nameless = { ...clickOnce, id: "" };
    await expect(tryRule(nameless, createExampleClient)).rejects.toThrow("rule.id must be");
  });

  test("an unknown sequence can't be replayed", async () => {
    const { tests } = await run([clickOnce], { replay: "click-once 1 0:9:9:9:9" });
    expect(String(tests["click-once"])).toContain(
      "replay names a sequence that click-once doesn't",
    );
  });

  test("clientContract registers the API's contract", () => {
    const registered = vi.fn();
    const options = { driver: createExampleClient, describe: registered, it: registered };
    clientContract(options);
    expect(registered).toHaveBeenCalledWith("client contract", expect.any(Function));
  });
});

describe("in real runners", () => {
  const execute = promisify(execFile);
  async function outputOf(file: string, args: readonly string[], env: object): Promise<string> {
    const { NODE_TEST_CONTEXT: _, VITEST: __, ...inherited } = process.env;
    const options = { cwd: root, env: { ...inherited, NO_COLOR: "1", ...env } };
    const { stdout, stderr } = await execute(file, args, options).catch((error) => error);
    return stripVTControlCharacters(`${stdout}${stderr}`);
  }

  test("node:test: both of a failure's lines to paste show the failure again", async () => {
    const env = { EXAMPLE_CLICKS_AGAIN: "1", EXAMPLE_FAILURES: join(folder, "made", "anew") };
    const output = await outputOf("node", ["--test", "test/testing/contract/runners/node.ts"], env);
    expect(output).toMatch(/✖ click-once: A click/);
    expect(output).toMatch(/✔ impression-sent/);
    expect(output).toMatch(/﹣ never-seen: .*, skipped: it can't .*# SKIP/);
    expect(output).toMatch(/﹣ flushed: .*# the driver has no flush/);
    expect(output).not.toContain("key_");
    const [, replay = ""] = /See it again: {2}(.*)/.exec(output) ?? [];
    const [, file = ""] = /npx adsim (play .*)/.exec(output) ?? [];
    const [again, played] = await Promise.all([
      outputOf("sh", ["-c", replay], env),
      outputOf("sh", ["-c", `node src/cli/main.ts ${file}`], {}),
    ]);
    expect(again).toMatch(/✖ click-once: A click/);
    expect(again).toContain(`See it again:  ${replay}`);
    expect(again).toMatch(/﹣ impression-sent: .*, skipped: only click-once is replayed/);
    expect(played).toMatch(
      /failed {2}click-once-[0-9a-f]{8}: .*: expected -1, found 0\.\d+ \(expectations\.0\)/,
    );
  });

  test("vitest: skipped tests have a reason", async () => {
    const vitest = "node_modules/vitest/vitest.mjs";
    const config = "test/testing/contract/runners/vitest.config.ts";
    const output = await outputOf("node", [vitest, "run", "--config", config], {});
    expect(output).toMatch(/× click-once: A click/);
    expect(output).toMatch(
      /↓ flushed: What is queued is delivered\. \(spec §1\).* \[the driver has no/,
    );
    expect(output).toMatch(/1 failed \| 2 passed \| 2 skipped/);
    expect(output).not.toContain("key_");
  });

  const vitestArgs = ["node_modules/vitest/vitest.mjs", "run", "--config"];
  const runners: readonly (readonly [name: string, args: readonly string[]])[] = [
    ["node:test", ["--test", "test/testing/contract/runners/node.ts"]],
    ["vitest", [...vitestArgs, "test/testing/contract/runners/vitest.config.ts"]],
  ];
  test.each(someOf(runners))(
    "%s: a replay of a client with random session ids, pauses and keys has the same bytes each time",
    async (name, args) => {
      const into = (run: string): string => join(folder, `${name.replace(":", "-")}-${run}`);
      const outputs: string[] = [];
      const files: string[] = [];
      let replay = "";
      for (const run of ["first", "again"]) {
        const env = { EXAMPLE_RANDOM: "1", EXAMPLE_FAILURES: into(run), ADSIM_REPLAY: replay };
        const output = (await outputOf("node", args, env)).replaceAll(into(run), "FAILURES");
        const [failure = ""] =
          /The client broke click-once[\s\S]*?As a scenario: .*/.exec(output) ?? [];
        expect(failure).toMatch(/session_id=\w+-\w+-\w+-\w+-[\da-f-]{36}/);
        outputs.push(failure);
        const [file = ""] = /click-once-[0-9a-f]{8}\.json/.exec(failure) ?? [];
        files.push(readFileSync(join(into(run), file), "utf8"));
        [, replay = ""] = /ADSIM_REPLAY="(.*)"/.exec(failure) ?? [];
      }
      expect(replay).toMatch(/^click-once 1 /);
      expect(new Set(outputs).size).toBe(1);
      expect(new Set(files).size).toBe(1);
    },
  );
});
