/** Clients that take the machine's days for the service's: the contract varies the machine's time zone. */

import { describe, expect, test } from "vitest";
import type { Rule } from "../../../src/testing/contract/rules/rule.ts";
import { statsRules } from "../../../src/testing/contract/rules/stats-rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { CreateDriver, Driver } from "../../../src/testing/driver/driver.ts";
import { clientContract } from "../../../src/testing.ts";
import { plainClient } from "./plain-client.ts";

type StatsQuery = Parameters<NonNullable<Driver["stats"]>>[0];

/** A plain client that makes days in its own way. */
function clientWith(queryOf: (query: StatsQuery) => StatsQuery): CreateDriver {
  return async (context) => {
    const client = (await plainClient()(context)) as Driver;
    return { ...client, stats: (query) => client.stats?.(queryOf(query)) };
  };
}

const DAY_MS = 86_400_000;
const inUtc = { assumptions: { "date.timezone": "utc" }, globals: "replaced" } as const;

function ofParts(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((one) =>
    `${one}`.padStart(2, "0"),
  );
  return `${date.getFullYear()}-${month}-${day}`;
}

function withDefault(dayOf: (date: Date) => string): (query: StatsQuery) => StatsQuery {
  return ({ from, to, ...others }) => ({
    from: from ?? dayOf(new Date(Date.now() - 30 * DAY_MS)),
    to: to ?? dayOf(new Date()),
    ...others,
  });
}

function withGiven(dayOf: (day: string) => string): (query: StatsQuery) => StatsQuery {
  return ({ from, to, ...others }) => ({
    from: from && dayOf(from),
    to: to && dayOf(to),
    ...others,
  });
}

const wrong: readonly (readonly [string, string, CreateDriver])[] = [
  ["stats-default-period", "getDate() of now", clientWith(withDefault(ofParts))],
  [
    "stats-default-period",
    "toLocaleDateString() of now",
    clientWith(withDefault((date) => date.toLocaleDateString("en-CA"))),
  ],
  [
    "stats-default-period",
    "Intl.DateTimeFormat of now",
    clientWith(withDefault((date) => new Intl.DateTimeFormat("en-CA").format(date))),
  ],
  ["stats-period", "getDate() of a day", clientWith(withGiven((day) => ofParts(new Date(day))))],
  [
    "stats-period",
    "toISOString() of a local midnight",
    clientWith(withGiven((day) => new Date(`${day}T00:00`).toISOString().slice(0, 10))),
  ],
  [
    "stats-period",
    "toISOString() of a date made from parts",
    clientWith(
      withGiven((day) => {
        const [year = 0, month = 0, dayOfMonth] = day.split("-").map(Number);
        return new Date(year, month - 1, dayOfMonth).toISOString().slice(0, 10);
      }),
    ),
  ],
  [
    "stats-period",
    "setHours(0) before toISOString()",
    clientWith(
      withGiven((day) => {
        const date = new Date(day);
        date.setHours(0, 0, 0, 0);
        return date.toISOString().slice(0, 10);
      }),
    ),
  ],
];

function ruleOf(id: string): Rule {
  const rule = statsRules.find((one) => one.id === id);
  if (rule === undefined) throw new Error(`There is no rule ${id}.`);
  return rule;
}

describe.each(wrong)("%s is broken by %s", (id, _, client) => {
  test("in some time zone, and not in UTC", async () => {
    const tried = await tryRule(ruleOf(id), client, { ...inUtc, runs: 50 });
    if (tried.kind !== "broken") throw new Error(`It was ${tried.kind}.`);
    expect(tried.timeZone).toMatch(/^(Asia|America|Pacific|Australia)\//);
    expect(tried.commands.length).toBeLessThanOrEqual(3);
    const again = await tryRule(ruleOf(id), client, {
      ...inUtc,
      runs: 1,
      sequenceSeed: tried.sequenceSeed,
      path: tried.path,
    });
    expect(again).toMatchObject({ timeZone: tried.timeZone, commands: tried.commands });
    const atUtc = await tryRule(ruleOf(id), client, { ...inUtc, timeZone: "UTC", runs: 50 });
    expect(atUtc.kind).toBe("held");
  });
});

test("days made in the service's own zone are right wherever the machine is", async () => {
  const client = clientWith(withDefault((date) => date.toISOString().slice(0, 10)));
  for (const rule of statsRules) {
    expect(await tryRule(rule, client, inUtc)).toMatchObject({ kind: "held" });
  }
});

test("a failure in which the zone doesn't matter is shown in UTC", async () => {
  const client = plainClient("drops the end of a period");
  const tried = await tryRule(ruleOf("stats-period"), client, { globals: "replaced" });
  expect(tried).toMatchObject({ kind: "broken", timeZone: "UTC" });
});

test("with the globals kept the machine's zone stays as it is", async () => {
  const tried = await tryRule(ruleOf("stats-period"), plainClient("drops the end of a period"));
  expect(tried).toMatchObject({ kind: "broken", timeZone: undefined });
});

test("the failure names the machine's time zone", async () => {
  const messages: string[] = [];
  const tests: (() => Promise<void>)[] = [];
  const [[, , client] = []] = wrong;
  if (client === undefined) throw new Error("There is no client.");
  clientContract({
    ...inUtc,
    driver: client,
    only: ["stats-default-period"],
    failures: false,
    describe: (_, define) => define(),
    it: (_, run) => tests.push(run),
  });
  for (const run of tests) await run().catch((error: Error) => messages.push(error.message));
  expect(messages.join("\n")).toMatch(
    /\nThe machine's time zone: (Asia|America|Pacific|Australia)\/\w+\n/,
  );
});
