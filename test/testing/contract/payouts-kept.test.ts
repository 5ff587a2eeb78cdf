/** Clients that keep payouts: for a day, and longer. */

import { expect, test } from "vitest";
import { reportingRules } from "../../../src/testing/contract/rules/reporting-rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { CreateDriver } from "../../../src/testing/driver/driver.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { runsOf } from "../../budget.ts";
import { patientClient } from "./patient-client.ts";

const DAY_MS = 86_400_000;

const rule = reportingRules.find(({ id }) => id === "payouts-as-answered");
if (rule === undefined) throw new Error("The rule has another name.");

interface Kept {
  readonly value: unknown;
  readonly atMs: number;
}

function keeps(lifetimeMs: number, staleMs?: number): CreateDriver<object> {
  return async (context) => {
    const client = await patientClient()(context);
    const kept = new Map<number | undefined, Kept>();
    return {
      ...client,
      ...(staleMs !== undefined && { staleMs }),
      async payouts(query) {
        const atMs = context.timers.now();
        const known = kept.get(query.limit);
        if (known !== undefined && atMs - known.atMs <= lifetimeMs) return known.value;
        const value = await client.payouts?.(query);
        kept.set(query.limit, { value, atMs });
        return value;
      },
    };
  };
}

test.each([
  ["keeps payouts for a day", keeps(DAY_MS)],
  ["keeps payouts for two days, as it promises of figures", keeps(2 * DAY_MS, 2 * DAY_MS)],
])("a client isn't blamed if it %s", async (_, client) => {
  const tried = await tryRule(rule, client, { runs: runsOf(200, 50) });
  expect(tried.kind === "broken" ? tried.broken.message : tried.kind).toBe("held");
});

test.each([
  ["for two days", keeps(2 * DAY_MS)],
  ["for ever", keeps(1e12)],
])("a client breaks the rule if it keeps payouts %s", async (_, client) => {
  for (const sequenceSeed of [1, 2, 3]) {
    const tried = await tryRule(rule, client, { runs: 50, sequenceSeed });
    if (tried.kind !== "broken") throw new Error(`It was ${tried.kind}.`);
    expect(tried.commands.length).toBeLessThanOrEqual(5);
  }
});

test("payouts of exactly a day may be returned, and none that are a millisecond older", async () => {
  const after = async (byMs: number) =>
    await runSession(keeps(1e12), [
      { kind: "payouts" },
      { kind: "advance", byMs },
      { kind: "payouts" },
    ]);
  expect(rule.judge(await after(DAY_MS))).toBe(2);
  const late = await after(DAY_MS + 1);
  expect(() => rule.judge(late)).toThrow(
    "The client was asked for payouts, and returned the answer to the request at +0 ms, which was 1 d 1 ms old. " +
      "It may return payouts that are at most 1 d old.",
  );
});

test("in real time the age of payouts isn't judged", async () => {
  const commands = [
    { kind: "payouts" },
    { kind: "advance", byMs: 2 * DAY_MS },
    { kind: "payouts" },
  ] as const;
  const session = await runSession(keeps(1e12), commands, { transport: "http" });
  expect(rule.judge(session)).toBe(2);
});
