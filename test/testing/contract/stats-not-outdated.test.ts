/** Clients that keep statistics: as long as they promise, and longer. */

import { describe, expect, test } from "vitest";
import { statsRules } from "../../../src/testing/contract/rules/stats-rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { runsOf, someOf } from "../../budget.ts";
import { type Caching, cachingClient, type Figures } from "./caching-client.ts";
import { expectShort, shrinkOnlyIfWhole } from "./shrinking.ts";

shrinkOnlyIfWhole();

const FOR_EVER = 1e12;
const DAY_MS = 86_400_000;

const right: Readonly<Record<string, Caching>> = {
  "keeps figures for a minute": {},
  "keeps figures for a minute, but not over midnight": {
    key: ({ from, to, surface }, nowMs) =>
      JSON.stringify([from, to, surface, Math.floor(nowMs / DAY_MS)]),
  },
  "keeps figures for a minute, or until the next event": { forgetsOnEvent: true },
  "asks first, and uses figures of the last minute if that fails": { asksFirst: true },
  "returns figures of the last minute while it gets new ones": {
    lifetimeMs: 10_000,
    returnsWhileAskingMs: 60_000,
  },
  "asks by itself every 30 seconds": { refreshesEachMs: 30_000 },
  "keeps figures for a day, as it promises": { lifetimeMs: DAY_MS, staleMs: DAY_MS },
  "promises to keep none": { lifetimeMs: -1, staleMs: 0 },
};

const wrong: Readonly<Record<string, Caching>> = {
  "keeps figures for ever": { lifetimeMs: FOR_EVER },
  "keeps figures for five minutes": { lifetimeMs: 300_000 },
  "keeps figures for a minute, but promises ten seconds": { staleMs: 10_000 },
  "keeps figures for a minute after each use": { countsFromUse: true },
  "keeps figures for the 30 seconds that it promises after each use": {
    lifetimeMs: 30_000,
    staleMs: 30_000,
    countsFromUse: true,
  },
  "keeps figures until midnight in UTC": {
    lifetimeMs: FOR_EVER,
    key: ({ from, to, surface }, nowMs) =>
      JSON.stringify([from, to, surface, Math.floor(nowMs / DAY_MS)]),
  },
  "keeps figures until the next event": { lifetimeMs: FOR_EVER, forgetsOnEvent: true },
  "keeps figures without regard to the surface": {
    key: ({ from, to }) => JSON.stringify([from, to]),
  },
  "keeps figures without regard to the period": { key: ({ surface = "" }) => surface },
  "keeps figures without regard to the last day of the period": {
    key: ({ from, surface }) => JSON.stringify([from, surface]),
  },
  "shares one answer among all queries": { lifetimeMs: 0, key: () => "" },
  "returns the last figures after an error": { afterError: (kept) => kept },
  "returns zeros after an error": { afterError: () => ({ impressions: 0, clicks: 0 }) },
  "returns figures of any age while it gets new ones": { returnsWhileAskingMs: FOR_EVER },
  "asks by itself every ten minutes": { lifetimeMs: FOR_EVER, refreshesEachMs: 600_000 },
  "adds its own events": {
    figures: (answer, own) => ({ ...answer, impressions: answer.impressions + own }),
  },
  "counts its own events if the service doesn't show them yet": {
    figures: (answer: Figures, own) => ({
      ...answer,
      impressions: Math.max(answer.impressions, own),
    }),
  },
};

const [rule] = statsRules.filter(({ id }) => id === "stats-not-outdated");
if (rule === undefined) throw new Error("The rule has another name.");

describe("a client isn't blamed if it", () => {
  test.each(Object.entries(right))("%s", async (_, caching) => {
    for (const one of statsRules) {
      const tried = await tryRule(one, cachingClient(caching), { runs: runsOf(20) });
      expect(tried.kind === "broken" ? tried.broken.message : tried.kind).toBe("held");
    }
  });
});

describe("a client breaks the rule if it", () => {
  test.each(Object.entries(wrong))("%s", async (_, caching) => {
    for (const sequenceSeed of someOf([1, 2, 3])) {
      const tried = await tryRule(rule, cachingClient(caching), { runs: 50, sequenceSeed });
      if (tried.kind !== "broken") throw new Error(`It was ${tried.kind}.`);
      expectShort(tried.commands, 7);
    }
  });
});

const stats: Command = { kind: "stats" };
const pause = (byMs: number): Command => ({ kind: "advance", byMs });
const justBeforeMidnight = { start: "2026-01-15T23:59:30Z" };

test("yesterday's default period may be returned for a minute after midnight, and no longer", async () => {
  const client = cachingClient({ lifetimeMs: FOR_EVER });
  const soon = await runSession(client, [stats, pause(60_000), stats], justBeforeMidnight);
  expect(rule.judge(soon)).toBe(2);
  const late = await runSession(client, [stats, pause(60_001), stats], justBeforeMidnight);
  expect(() => rule.judge(late)).toThrow(
    "The client was asked for stats, and returned the answer to the request at +0 ms, which was 1 min 1 ms old. " +
      "It may return figures that are at most 1 min old (staleMs).",
  );
});

test("in real time the age of figures isn't judged, for a pause doesn't move the machine's clock", async () => {
  const client = cachingClient({ lifetimeMs: FOR_EVER });
  const commands = [stats, pause(DAY_MS), stats, { ...stats, from: "2026-01-15" }];
  const session = await runSession(client, commands, { transport: "http" });
  expect(session.exchanges.map(({ operation }) => operation)).toEqual(["stats", "stats"]);
  expect(rule.judge(session)).toBe(3);
});

test("the message names the request whose answer belongs to another query", async () => {
  const client = cachingClient({ key: () => "" });
  const session = await runSession(client, [stats, pause(1000), { kind: "stats", surface: 0 }]);
  expect(() => rule.judge(session)).toThrow(
    "The client was asked for stats of surface 0, and returned the answer to another query, the request at +0 ms.",
  );
});
