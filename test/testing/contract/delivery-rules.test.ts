/** When a client may report an event as undelivered, and which timers it may leave behind. */

import { describe, expect, test } from "vitest";
import { countingRules } from "../../../src/testing/contract/rules/counting-rules.ts";
import { deliveryRules } from "../../../src/testing/contract/rules/delivery-rules.ts";
import { queueRules } from "../../../src/testing/contract/rules/queue-rules.ts";
import { rules } from "../../../src/testing/contract/rules.ts";
import type { Shown } from "../../../src/testing/driver/driver.ts";
import {
  type Command,
  type CreateDriver,
  type DriverContext,
  runSession,
  tryRule,
} from "../../../src/testing.ts";
import { runsOf } from "../../budget.ts";
import { type Habits, patientClient } from "./patient-client.ts";
import { expectShort } from "./shrinking.ts";

describe("a queueing client isn't blamed if it", () => {
  const excused: readonly (readonly [what: string, rule: string, habits: Habits])[] = [
    ["gives up after three attempts", "delivers-when-it-can", { repeats: 2 }],
    [
      "gives up after as many attempts as it declares",
      "delivers-when-it-can",
      { repeats: 0, promises: { maxAttempts: 1 } },
    ],
    [
      "gives up what is older than it declares",
      "delivers-when-it-can",
      { repeats: 0, promises: { maxAgeMs: 0 } },
    ],
    [
      "gives up what its queue has no room for, as it declares",
      "delivers-when-it-can",
      { repeats: 0, promises: { maxQueued: 0 } },
    ],
    [
      "leaves a timer that doesn't keep the process alive",
      "no-timer-after-close",
      { leavesTimer: "that doesn't matter" },
    ],
  ];
  test.each(excused)("%s", async (_what, id, habits) => {
    const [rule] = [...deliveryRules, ...queueRules].filter((one) => one.id === id);
    if (rule === undefined) throw new Error(`There is no rule ${id}.`);
    const tried = await tryRule(rule, patientClient({ queues: true, ...habits }), { runs: 50 });
    expect(tried).toMatchObject({ kind: "held" });
  });

  const lasting: Command = {
    kind: "fault",
    rule: { match: { operation: "impression" }, verdict: { kind: "respond", status: 503 } },
  };
  const shown: Command = { kind: "impression", surface: 0 };
  const limited: Command = {
    kind: "fault",
    rule: {
      match: { operation: "impression", times: 1 },
      verdict: { kind: "respond", status: 429, headers: { "Retry-After": "90" } },
    },
  };
  const refused: Command = {
    kind: "fault",
    rule: { match: { times: 1 }, verdict: { kind: "respond", status: 400 } },
  };
  test.each<readonly [string, readonly Command[]]>([
    ["an outage that lasts", [lasting, shown, { kind: "flush" }]],
    [
      "an outage that lasted until a flush gave the event up",
      [lasting, shown, { kind: "flush" }, { kind: "heal" }, { kind: "advance", byMs: 600_000 }],
    ],
    ["a limit that isn't over", [limited, shown, { kind: "advance", byMs: 60_000 }]],
    ["a refusal", [refused, shown, { kind: "advance", byMs: 60_000 }]],
  ])("gives an event up because of %s", async (_why, commands) => {
    const givesUp = patientClient({
      queues: true,
      isEager: true,
      repeats: 0,
      isFinal: (status) => status >= 400 && status < 500,
    });
    const session = await runSession(givesUp, commands);
    expect(session.sim.audit().total.impressions.applied).toBe(0);
    for (const { judge } of deliveryRules) expect(judge(session)).toBe(0);
  });

  const again: Command = { kind: "again", impression: 0 };
  const flush: Command = { kind: "flush" };
  const wait: Command = { kind: "advance", byMs: 600_000 };
  const reportedAgain = [lasting, shown, flush, { kind: "heal" }, wait, again, flush] as const;

  test("doesn't send a view again that it gave up, and says so again", async () => {
    const session = await runSession(sendsOnce("it says so"), reportedAgain);
    expect(session.sim.audit().total.impressions.applied).toBe(0);
    for (const { judge } of deliveryRules) expect(judge(session)).toBe(0);
  });

  test("delivers late what it called undelivered, and sends nothing for a later report", async () => {
    const late = [lasting, shown, { kind: "heal" }, flush, again, flush] as const;
    const session = await runSession(sendsOnce("it says nothing"), late);
    expect(session.sim.audit().total.impressions.applied).toBe(1);
    for (const { judge } of deliveryRules) expect(judge(session)).toBe(1);
  });

  test.each([
    "comes-back",
    "goes-on-after-the-limit",
    "unlisted-members",
    "impression-counts-once",
    "click-counts",
  ])("refuses what it has no room for, as it declares: %s", async (id) => {
    const [rule] = rules.filter((one) => one.id === id);
    if (rule === undefined) throw new Error(`There is no rule ${id}.`);
    const tried = await tryRule(rule, hasRoomFor(5), { runs: runsOf(50) });
    expect(tried.kind).toBe("held");
    // It declares more room than it has.
    const untrue = await tryRule(rule, hasRoomFor(1, { maxQueued: 5 }), { runs: 50 });
    expect(untrue.kind).toBe("broken");
  });

  test("has no room for a click", async () => {
    const clicks: Command = { kind: "click", impression: 0 };
    const session = await runSession(hasRoomFor(1), [shown, clicks]);
    expect(session.promised.maxQueued).toBe(1);
    expect(session.sim.audit().total.clicks.applied).toBe(0);
    for (const { judge } of countingRules) expect(() => judge(session)).not.toThrow();
  });

  test("but is if it takes a view on again that it gave up, and neither sends it nor says so", async () => {
    const session = await runSession(sendsOnce("it says nothing"), reportedAgain);
    for (const { judge } of deliveryRules) expect(() => judge(session)).toThrow(/gave up on ad-1/);
  });
});

describe("a view that was given up and is reported again", () => {
  const [rule] = deliveryRules;
  if (rule === undefined) throw new Error("There is no such rule.");

  test.each<Limits>([
    { maxAttempts: 5 },
    { maxAttempts: 2 },
    { maxAttempts: 4, maxAgeMs: 900_000 },
    { maxAttempts: 4, maxAgeMs: 60_000 },
    { maxAttempts: 4, maxAgeMs: 900_000, sendsAgain: false },
  ])("gets all its attempts and its time again, or none: %j", async (limits) => {
    const tried = await tryRule(rule, limited(limits), { runs: runsOf(50) });
    expect(tried.kind).toBe("held");
  });

  test.each<Limits>([
    { maxAttempts: 5, counts: "attempts of its life" },
    { maxAttempts: 4, maxAgeMs: 900_000, counts: "time since the first report" },
  ])("must get them from a client that sends it again: %j", async (limits) => {
    const tried = await tryRule(rule, limited(limits), { runs: 150 });
    if (tried.kind !== "broken") throw new Error(`It was ${tried.kind}.`);
    expect(tried.broken.message).toMatch(/gave up on ad-\d, and accepted it again/);
    expectShort(tried.commands, 12);
  });
});

test("two hours after a long outage a client must not pause any more", async () => {
  const rule = rules.find(({ id }) => id === "comes-back");
  if (rule === undefined) throw new Error("There is no such rule.");
  const limits: Limits = { maxAttempts: 5, maxAgeMs: 900_000 };
  expect((await tryRule(rule, limited(limits), { runs: runsOf(50) })).kind).toBe("held");
  const hourly = limited({ ...limits, longestPauseMs: 3_600_000 });
  expect((await tryRule(rule, hourly, { runs: 50 })).kind).toBe("held");
  const endless = limited({ ...limits, longestPauseMs: Number.POSITIVE_INFINITY });
  const tried = await tryRule(rule, endless, { runs: 50 });
  if (tried.kind !== "broken") throw new Error(`It was ${tried.kind}.`);
  // A long outage stays long.
  expectShort(tried.commands, 17);
});

interface Limits {
  readonly maxAttempts: number;
  readonly maxAgeMs?: number;
  /** What it counts against its limits, besides what comes after the latest report. @default nothing */
  readonly counts?: "attempts of its life" | "time since the first report";
  /** Whether it sends a view again that it gave up; if not, it says that it is lost. @default true */
  readonly sendsAgain?: boolean;
  /** @default a minute */
  readonly longestPauseMs?: number;
}

/** Sends one view after the other in the background, within limits that it declares. */
function limited({
  counts,
  sendsAgain = true,
  longestPauseMs = 60_000,
  ...promises
}: Limits): CreateDriver {
  const { maxAttempts, maxAgeMs = Number.POSITIVE_INFINITY } = promises;
  return ({ baseUrl, apiKey, publisherId, fetch, timers }) => {
    const known = new Map<string, { isLost: boolean; attempts: number; atMs: number }>();
    let work = Promise.resolve();
    let [lost, told] = [0, 0];
    let [failures, quietUntilMs] = [0, 0];
    const isRecorded = async ({ surface, ad, session }: Shown): Promise<boolean> => {
      const values = { publisher_id: publisherId, surface, ad_id: ad, session_id: session };
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      const body = JSON.stringify(values);
      try {
        const { signal } = timeoutOf(timers);
        const init = { method: "POST", headers, body, signal };
        const answer = await fetch(`${baseUrl}/v1/impression`, init);
        const json: unknown = await answer.json();
        return answer.status === 200 && /"ok":true,"impression_id"/.test(JSON.stringify(json));
      } catch {
        return false;
      }
    };
    const deliver = async (shown: Shown): Promise<void> => {
      const view = known.get(shown.session);
      if (view === undefined) return;
      const isOld = (): boolean => timers.now() - view.atMs >= maxAgeMs;
      do {
        const untilMs = Math.min(quietUntilMs, view.atMs + maxAgeMs);
        const waitMs = untilMs - timers.now();
        if (waitMs > 0) await new Promise<void>((resolve) => timers.setTimeout(resolve, waitMs));
        if (isOld()) break;
        view.attempts += 1;
        failures = (await isRecorded(shown)) ? 0 : failures + 1;
        if (failures === 0) return;
        quietUntilMs = timers.now() + Math.min(500 * 2 ** failures, longestPauseMs);
      } while (view.attempts < maxAttempts);
      view.isLost = true;
      lost += 1;
    };
    return {
      ...promises,
      async impression(shown) {
        const before = known.get(shown.session);
        if (before?.isLost === false) return;
        if (before !== undefined && !sendsAgain) {
          lost += 1;
          return;
        }
        const attempts = counts === "attempts of its life" ? (before?.attempts ?? 0) : 0;
        const nowMs = timers.now();
        const atMs = counts === "time since the first report" ? (before?.atMs ?? nowMs) : nowMs;
        known.set(shown.session, { isLost: false, attempts, atMs });
        work = work.then(() => deliver(shown));
      },
      async flush() {
        await work;
        const impressions = lost - told;
        told = lost;
        return { impressions, clicks: 0 };
      },
      async close() {
        await work;
        return { impressions: lost, clicks: 0 };
      },
    };
  };
}

function timeoutOf({ setTimeout }: DriverContext["timers"]): AbortController {
  const aborting = new AbortController();
  setTimeout(() => aborting.abort(), 10_000).unref();
  return aborting;
}

const isEvent = (body: unknown): body is Readonly<Record<string, unknown>> =>
  /"(?:impression|click)_id"/.test(JSON.stringify(body) ?? "");

describe("a queueing client breaks", () => {
  const strict: readonly (readonly [
    rule: string,
    what: string,
    isRead: (body: object) => boolean,
  ])[] = [
    ["unlisted-members", "an answer with more members", (body) => Object.keys(body).length === 3],
    ["unlisted-members", "members in another order", (body) => Object.keys(body)[0] === "ok"],
    [
      "opaque-ids",
      "ids without a prefix",
      (body) => !/_id":"(?!imp_|clk_)/.test(JSON.stringify(body)),
    ],
  ];
  const again = { queues: true, isEager: true };
  test.each(
    strict.flatMap(([rule, what, isRead]) => [
      [rule, what, "sends the event again", isRead, again] as const,
      [rule, what, "calls it undelivered", isRead, { ...again, repeats: 0 }] as const,
    ]),
  )("%s if it doesn't understand %s, and %s", async (id, _what, _does, isRead, habits) => {
    const rule = rules.find((one) => one.id === id);
    if (rule === undefined) throw new Error(`There is no rule ${id}.`);
    expect((await tryRule(rule, patientClient(habits), { runs: runsOf(50) })).kind).toBe("held");
    const isSuccess = (status: number, body: unknown): boolean =>
      status === 200 && (!isEvent(body) || isRead(body));
    const tried = await tryRule(rule, patientClient({ ...habits, isSuccess }), { runs: 50 });
    if (tried.kind !== "broken") throw new Error(`${id} was ${tried.kind}.`);
    expect(tried.broken.message).toMatch(
      /^The client (?:sent .* again at|reports 1 impressions as undelivered)/,
    );
    expectShort(tried.commands, 6);
  });
});

/** A queue that sends each view once, however often it is reported. What it `says` of later reports, if that failed. */
function sendsOnce(says: "it says so" | "it says nothing"): CreateDriver {
  return async (context) => {
    const driver = await patientClient({ queues: true })(context);
    const known = new Map<string, object>();
    let repeats = 0;
    return {
      ...driver,
      async impression(view) {
        const receipt = known.get(view.session);
        if (receipt === undefined) {
          const given = await driver.impression(view);
          known.set(view.session, given);
          return given;
        }
        if (!("impression_id" in receipt) && says === "it says so") repeats += 1;
        return receipt;
      },
      async flush() {
        const { impressions = 0, clicks = 0 } = (await driver.flush?.()) ?? {};
        const more = repeats;
        repeats = 0;
        return { impressions: impressions + more, clicks };
      },
    };
  };
}

/** A queue that refuses what it has no room for. It declares that room, unless it `promises` another. */
function hasRoomFor(room: number, promises = { maxQueued: room }): CreateDriver {
  return async (context) => {
    const client = patientClient({ queues: true });
    const { impression, click, flush, ...driver } = await client(context);
    let waiting = 0;
    const queued = <Given, Value>(give: (given: Given) => Value) => {
      return async (given: Given) => {
        if (waiting >= room) throw new Error("The queue is full.");
        waiting += 1;
        return await give(given);
      };
    };
    return {
      ...driver,
      ...promises,
      impression: queued(impression),
      click: queued((receipt: object) => click?.(receipt)),
      async flush() {
        const { impressions = 0, clicks = 0 } = (await flush?.()) ?? {};
        waiting = 0;
        return { impressions, clicks };
      },
    };
  };
}
