/** The rules of asking, of answers and of reporting: a plain client keeps them, and one with a defect doesn't. */

import { describe, expect, test } from "vitest";
import { type Assumptions, coveringArray } from "../../../src/index.ts";
import type { Rule } from "../../../src/testing/contract/rule.ts";
import { answerRules } from "../../../src/testing/contract/rules/answers.ts";
import { reportingRules } from "../../../src/testing/contract/rules/reporting.ts";
import { requestRules } from "../../../src/testing/contract/rules/requests.ts";
import { tryRule } from "../../../src/testing.ts";
import { type Defect, plainClient } from "./plain-client.ts";

const all: readonly Rule[] = [...requestRules, ...answerRules, ...reportingRules];
const rows = coveringArray({ strength: 2 });
const SOME_ROWS = 8;
/** A person reads no more at a glance. */
const MOST_COMMANDS = 5;

function ruleOf(id: string): Rule {
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no rule ${id}.`);
  return found;
}

/** What came of each rule that didn't hold. */
async function notHeld(assumptions: Partial<Assumptions>, runs: number): Promise<string[]> {
  const problems: string[] = [];
  for (const rule of all) {
    const tried = await tryRule(rule, plainClient(), { assumptions, runs });
    if (tried.kind !== "held")
      problems.push(`${rule.id}: ${tried.kind === "broken" ? tried.broken.message : tried.kind}`);
  }
  return problems;
}

describe("a plain client", () => {
  test("keeps every rule under the defaults", async () => {
    expect(await notHeld({}, 10)).toEqual([]);
  });

  test("keeps every rule, however the spec is read", async () => {
    const some = rows.filter((_, at) => at % Math.ceil(rows.length / SOME_ROWS) === 0);
    for (const assumptions of some) expect(await notHeld(assumptions, 4)).toEqual([]);
  });
});

describe("what may be done in several ways", () => {
  test.each([
    ["utc", "sends days of UTC"],
    ["ist", "sends days of India"],
  ] as const)("the default period in days of %s is as good as none", async (zone, defect) => {
    const assumptions = { "date.timezone": zone };
    const rule = ruleOf("stats-default-period");
    expect(await tryRule(rule, plainClient(defect), { assumptions })).toMatchObject({
      kind: "held",
    });
  });

  test("a client may find out which encoding the service reads", async () => {
    for (const id of ["parameters", "opaque-ids", "showing-counts-once"]) {
      const tried = await tryRule(ruleOf(id), plainClient("begins with XML"));
      expect(tried).toMatchObject({ kind: "held" });
    }
  });
});

/** Each rule with clients that break it, and how the spec is read where that matters. */
const broken: readonly (readonly [
  rule: string,
  defect: Defect,
  readings?: Partial<Assumptions>,
])[] = [
  ["opens", "refuses to start"],
  ["known-paths", "asks to be paid at the start"],
  ["known-paths", "puts HEAD before each GET"],
  ["known-paths", "adds a slash to paths", { "http.trailing-slash": "same" }],
  ["authorization", "sends the key without Bearer"],
  ["authorization", "sends half of the key"],
  ["key-stays-in-the-header", "sends the key in the URL as well"],
  ["key-stays-in-the-header", "sends the key in the body as well"],
  ["parameters", "swaps ad and surface"],
  ["parameters", "sends a parameter of its own"],
  ["parameters", "sends an empty session", { "request.empty-value": "absent" }],
  ["parameters", "sends ids as numbers"],
  ["parameters", "sends the publisher twice"],
  ["parameters", "forgets the publisher"],
  ["parameters", "cuts sessions after 64 characters"],
  ["parameters", "composes letters"],
  ["nothing-unasked", "records an impression to warm up"],
  ["nothing-unasked", "clicks on what it shows"],
  ["showing-counts-once", "swaps ad and surface"],
  ["showing-counts-once", "reports each showing twice"],
  ["showing-counts-once", "forgets every third showing"],
  ["showing-counts-once", "says that 415 was fine", { "request.encoding": "query" }],
  ["showing-counts-once", "shares one session", { "dedup.key": "session" }],
  ["showing-counts-once", "sends bodies in latin-1"],
  ["said-again-counts-once", "makes up a session each time"],
  ["answer-as-given", "rounds credits to paise"],
  ["answer-as-given", "keeps credits as texts"],
  ["answer-as-given", "gives the last id for a repeat"],
  ["opaque-ids", "takes ids for numbers"],
  ["opaque-ids", "cuts ids after 64 characters"],
  ["opaque-ids", "encodes ids twice"],
  ["opaque-ids", "doesn't escape"],
  ["opaque-ids", "takes ids of one form only"],
  ["click-counts", "clicks on the latest impression"],
  ["click-counts", "doesn't send clicks"],
  ["click-counts", "refuses to click"],
  ["second-click-counts-once", "clicks twice"],
  ["unlisted-members", "knows its members only"],
  ["unlisted-members", "reads members by their place"],
  ["content-type-charset", "compares the content type"],
  ["stats-as-answered", "rounds revenue"],
  ["stats-as-answered", "drops the clicks of statistics"],
  ["stats-as-answered", "swaps the rows of statistics"],
  ["stats-period", "sends instants for days"],
  ["stats-period", "reads days as local midnights"],
  ["stats-period", "counts months for days"],
  ["stats-period", "drops the end of a period"],
  ["stats-default-period", "sends days of India"],
  ["stats-default-period", "sends days of UTC", { "date.timezone": "ist" }],
  ["stats-of-a-surface", "drops the surface of statistics"],
  ["surfaces-as-answered", "lists active surfaces only"],
  ["surfaces-as-answered", "refuses a status"],
  ["payouts-as-answered", "fills in txn_id"],
  ["payouts-as-answered", "sums up what is paid"],
  ["payouts-as-answered", "takes null for a text"],
  ["payouts-limit", "drops the limit"],
  ["payouts-limit", "halves the limit"],
  ["payouts-limit", "drops a limit above 100"],
  ["payouts-limit", "says that a refusal was fine"],
];

/** What is seen only of names that few would think of. */
const spelt: readonly (readonly [defect: Defect, readings?: Partial<Assumptions>])[] = [
  ["sends bodies in latin-1"],
  ["trims what it sends"],
  ["cuts names after 64 characters"],
  ["leaves + as it is", { "request.encoding": "form" }],
  ["leaves + as it is", { "request.encoding": "query" }],
];

describe("a client with a defect", () => {
  for (const [defect, assumptions = {}] of spelt) {
    test(`is shown by an unusual name: ${defect} ${JSON.stringify(assumptions)}`, async () => {
      for (const id of ["parameters", "showing-counts-once"]) {
        const tried = await tryRule(ruleOf(id), plainClient(defect), { assumptions });
        if (tried.kind !== "broken") throw new Error(`${id} was ${tried.kind}.`);
        expect(tried.commands).toEqual([{ kind: "impression", surface: 0, spelling: "unusual" }]);
      }
    });
  }

  for (const [id, defect, assumptions = {}] of broken) {
    test(`breaks ${id} when it ${defect}`, async () => {
      const tried = await tryRule(ruleOf(id), plainClient(defect), { assumptions });
      if (tried.kind !== "broken") throw new Error(`It was ${tried.kind}.`);
      expect(tried.commands.length).toBeLessThanOrEqual(MOST_COMMANDS);
      expect(tried.broken.message).not.toMatch(/key_\w{8}|@invalid/);
    });
  }

  test("there is one for every rule", () => {
    expect(all.map(({ id }) => id).filter((id) => broken.every(([rule]) => rule !== id))).toEqual(
      [],
    );
  });
});
