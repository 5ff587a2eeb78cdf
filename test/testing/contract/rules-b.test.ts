import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../src/base/duration.ts";
import { coveringArray } from "../../../src/choices/covering-array.ts";
import type { Verdict } from "../../../src/faults/verdict.ts";
import { unconfirmedWays, wrongWays } from "../../../src/faults/wrong-body.ts";
import { deadlineRules } from "../../../src/testing/contract/rules/deadline-rules.ts";
import { deliveryRules } from "../../../src/testing/contract/rules/delivery-rules.ts";
import { limitRules } from "../../../src/testing/contract/rules/limit-rules.ts";
import { queueRules } from "../../../src/testing/contract/rules/queue-rules.ts";
import { recoveryRules } from "../../../src/testing/contract/rules/recovery-rules.ts";
import { refusalRules } from "../../../src/testing/contract/rules/refusal-rules.ts";
import { retryRules } from "../../../src/testing/contract/rules/retry-rules.ts";
import type { Rule } from "../../../src/testing/contract/rules/rule.ts";
import { wrongAnswerRules } from "../../../src/testing/contract/rules/wrong-answer-rules.ts";
import { type TryOptions, tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { runsOf, someOf } from "../../budget.ts";
import { type Habits, onceOnly, patientClient } from "./patient-client.ts";
import { expectShort, shrinkOnlyIfWhole, unshrunk } from "./shrinking.ts";

shrinkOnlyIfWhole();

const rules = [
  ...refusalRules,
  ...limitRules,
  ...retryRules,
  ...recoveryRules,
  ...wrongAnswerRules,
  ...deadlineRules,
  ...queueRules,
  ...deliveryRules,
];
const direct = rules.filter(({ needs }) => needs?.includes("flush") !== true);
const patient = patientClient();
const queueing = patientClient({ queues: true });

/** The outcome of a rule: if it is broken, why and by which commands. */
async function outcomeOf(rule: Rule, client: typeof patient, options: TryOptions): Promise<string> {
  const tried = await tryRule(rule, client, options);
  if (tried.kind !== "broken") return tried.kind;
  return `${rule.id}: ${tried.broken.message} ${JSON.stringify(tried.commands)}`;
}

describe("a correct client", () => {
  test.each(direct)("keeps $id if it is patient", async (rule) => {
    expect(await outcomeOf(rule, patient, { runs: runsOf(6, 3) })).toBe("held");
  });

  test.each(rules)("keeps $id if it queues", async (rule) => {
    expect(await outcomeOf(rule, queueing, { runs: runsOf(6, 3) })).toBe("held");
  });

  test("keeps every rule that applies if it never tries again", async () => {
    const unknown: string[] = [];
    for (const rule of direct) {
      const outcome = await outcomeOf(rule, onceOnly, { runs: 6 });
      expect(outcome).toBeOneOf(["held", "unknown"]);
      if (outcome === "unknown") unknown.push(rule.id);
    }
    // The rules about repeats don't apply to it.
    expect(unknown).toEqual(["slows-down-untold", "repeat-is-the-same", "pauses-grow"]);
  });

  test("may have a status of its own for requests that got no answer", async () => {
    const client = patientClient({ status: (status) => (status === 0 ? 408 : status) });
    for (const rule of refusalRules)
      expect(await outcomeOf(rule, client, { runs: runsOf(50) })).toBe("held");
  });

  test("finishes in an outage if it has one query under way at once", async () => {
    const client = patientClient({ queriesAtOnce: 1 });
    for (const rule of [...retryRules, ...deadlineRules])
      expect(await outcomeOf(rule, client, { runs: runsOf(20) })).toBe("held");
  });

  test("may refuse events beyond those that it promises to queue", async () => {
    const refusing: typeof patient = async (context) => {
      const driver = await patient(context);
      let waiting = 0;
      return {
        ...driver,
        maxQueued: 5,
        async impression(shown) {
          if (waiting >= 5) throw new Error("the queue is full");
          waiting += 1;
          return await Promise.resolve(driver.impression(shown)).finally(() => {
            waiting -= 1;
          });
        },
      };
    };
    for (const rule of rules.filter(({ id }) =>
      /^(?:comes-back|goes-on-after-the-limit)$/.test(id),
    ))
      for (const sequenceSeed of someOf([1, 2, 3]))
        expect(await outcomeOf(rule, refusing, { runs: runsOf(20, 20), sequenceSeed })).toBe(
          "held",
        );
  });

  test("comes back if it rests for up to ten minutes after failures", async () => {
    const restsMs = (failures: number): number => Math.min(600_000, 1000 * 2 ** failures);
    for (const rule of recoveryRules) {
      const client = patientClient({ repeats: 0, restsMs });
      expect(await outcomeOf(rule, client, { runs: runsOf(50) })).toBe("held");
    }
  });

  test("keeps every rule under other assumptions", async () => {
    const rows = coveringArray({ strength: 2 });
    for (const [at, assumptions] of rows.slice(0, runsOf(4, 2)).entries()) {
      const client = at % 2 === 0 ? patient : queueing;
      for (const rule of at % 2 === 0 ? direct : rules) {
        const outcome = await outcomeOf(rule, client, { assumptions, runs: 1, sequenceSeed: at });
        expect(outcome).toBeOneOf(["held", "unknown"]);
      }
    }
  });
});

const verdicts: readonly Verdict[] = [
  { kind: "delay", delay: "40s" },
  { kind: "respond", status: 503 },
  { kind: "respond", status: 200, body: "<p>Hello</p>", applied: true },
  { kind: "drop" },
  { kind: "drop", as: "silence" },
  { kind: "lose-response" },
  { kind: "lose-response", as: "silence" },
  { kind: "timeout" },
  { kind: "reset" },
  { kind: "empty" },
  { kind: "truncate", share: 0.5 },
  { kind: "garbage" },
  { kind: "garbage", as: "response" },
  { kind: "drip", bytesPerSecond: 2 },
  { kind: "duplicate" },
  { kind: "duplicate", answer: "second" },
  { kind: "reorder", by: 1, atMost: "20s" },
  ...wrongWays.map((wrong) => ({ kind: "wrong-body", wrong }) as const),
  ...unconfirmedWays.map((wrong) => ({ kind: "wrong-body", wrong, applied: false }) as const),
];

test.each(verdicts)(
  "no rule is broken by a correct client when the fault is $kind",
  async (verdict) => {
    const operation = ["impression", "click", "stats"] as const;
    const fault = (times?: number): Command => ({
      kind: "fault",
      rule: { match: { operation, times }, verdict },
    });
    const shown: readonly Command[] = [
      { kind: "impression", surface: 0 },
      { kind: "click", impression: 0 },
      { kind: "flush" },
      { kind: "stats" },
    ];
    for (const times of [2, undefined]) {
      for (const client of [patient, queueing, onceOnly]) {
        const session = await runSession(client, [
          ...shown,
          fault(times),
          ...shown,
          { kind: "impression", surface: 1 },
          {
            kind: "together",
            commands: [
              { kind: "impression", surface: 1 },
              { kind: "click", impression: 0 },
            ],
          },
        ]);
        for (const { judge } of rules) judge(session);
      }
    }
  },
);

describe("a client isn't blamed for", () => {
  test.each(["first", "second"] as const)(
    "a duplicate made by the network, with the %s answer",
    async (answer) => {
      const session = await runSession(
        patient,
        [
          { kind: "fault", rule: { verdict: { kind: "duplicate", answer } } },
          { kind: "impression", surface: 0 },
          { kind: "click", impression: 0 },
          { kind: "advance", byMs: 2 * 86_400_000 },
          { kind: "click", impression: 0 },
          { kind: "impression", surface: 0 },
          { kind: "advance", byMs: 2 * 86_400_000 },
          { kind: "click", impression: 1 },
        ],
        { assumptions: { "click.repeat": "count", "click.window": "24h" } },
      );
      const judged = Object.fromEntries(rules.map(({ id, judge }) => [id, judge(session)]));
      expect(judged).toMatchObject({ "no-event-doubled": 4, "refusal-is-no-success": 2 });
      expect(judged["refusal-not-repeated"]).toBe(1);
    },
  );

  test("a repeat after a limit that looked like a refusal", async () => {
    const session = await runSession(
      patient,
      [{ kind: "spend", left: 0, of: "reporting" }, { kind: "stats" }],
      { assumptions: { "limit.exceeded": "403" } },
    );
    expect(session.exchanges.map(({ got }) => got.status)).toEqual([403, 200]);
    for (const { judge } of rules) judge(session);
  });
});

interface Defect {
  readonly rule: string;
  readonly what: string;
  readonly habits: Habits;
  readonly options?: TryOptions;
  /** How many commands it takes at most to show it. If chance decides, any number may be left. @default 6 */
  readonly commands?: number | "any number";
}

const idIn = (body: unknown): boolean =>
  /"(?:impression|click)_id"/.test(JSON.stringify(body) ?? "");
const inSeconds = (headers: Headers, nowMs: number): number | undefined => {
  const value = headers.get("retry-after");
  return value === null ? undefined : nowMs + Number(value) * 1000;
};

const isRefusalOrLimit = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 415;
/** That time on the present day. */
const timeOfDay = (atMs: number | undefined, nowMs: number): number | undefined =>
  atMs === undefined ? undefined : nowMs - (nowMs % DAY_MS) + (atMs % DAY_MS);

const defects: readonly Defect[] = [
  { rule: "refusal-is-no-success", what: "swallows refusals", habits: { hidesFailures: true } },
  {
    rule: "refusal-is-no-success",
    what: "looks at the body alone",
    habits: { isSuccess: (_, body) => idIn(body) },
  },
  {
    rule: "refusal-is-no-success",
    what: "reports every refusal as a 500",
    habits: { status: () => 500 },
  },
  {
    rule: "refusal-is-no-success",
    what: "queues, and reports 404 as a 400",
    habits: { queues: true, status: (status) => (status === 404 ? 400 : status) },
    options: { runs: 50 },
  },
  {
    rule: "refusal-is-no-success",
    what: "queues, and reports 503 as a 500",
    habits: { queues: true, status: (status) => (status === 503 ? 500 : status) },
    options: { runs: 50 },
  },
  {
    rule: "refusal-not-repeated",
    what: "repeats whatever fails",
    habits: { isFinal: () => false },
  },
  {
    rule: "rotated-key",
    what: "tries a key that was refused again and again",
    habits: { isFinal: (status) => status < 500 && status !== 401 && status !== 415 },
  },
  { rule: "waits-as-told", what: "ignores Retry-After", habits: { hint: () => undefined } },
  {
    rule: "waits-as-told",
    what: "waits half as long as told",
    habits: {
      hint: (headers, nowMs) => {
        const untilMs = inSeconds(headers, nowMs);
        return untilMs === undefined ? undefined : (nowMs + untilMs) / 2;
      },
    },
  },
  {
    rule: "waits-as-told",
    what: "takes the last Retry-After for the only one",
    habits: { believesTheLast: true },
  },
  {
    rule: "waits-as-told",
    what: "notes the time of day at which its pause ends",
    habits: { hint: (headers, nowMs) => timeOfDay(inSeconds(headers, nowMs), nowMs) },
  },
  {
    rule: "waits-until-date",
    what: "reads the time of a date without the day",
    habits: {
      hint: (headers, nowMs) => {
        const value = headers.get("retry-after");
        return timeOfDay(value === null ? undefined : Date.parse(value), nowMs);
      },
    },
  },
  {
    rule: "waits-until-date",
    what: "reads dates at 429 only",
    habits: {
      hint: (headers, nowMs, status) =>
        status === 429 ? Date.parse(headers.get("retry-after") ?? "") : inSeconds(headers, nowMs),
    },
    options: { runs: 50 },
  },
  { rule: "waits-until-date", what: "reads seconds only", habits: { hint: inSeconds } },
  { rule: "slows-down-untold", what: "doesn't pause", habits: { pauseMs: () => 0 } },
  { rule: "slows-down-untold", what: "pauses a second each time", habits: { pauseMs: () => 1000 } },
  {
    rule: "limit-by-another-status",
    what: "looks for a hint at 429 only",
    habits: {
      hint: (headers, nowMs, status) => (status === 429 ? inSeconds(headers, nowMs) : undefined),
    },
  },
  {
    rule: "goes-on-after-the-limit",
    what: "sends nothing more after a failure",
    habits: { sulks: true },
  },
  {
    rule: "goes-on-after-the-limit",
    what: "takes a limit that refuses with 403 for a refused key",
    habits: { stopsAt403: true },
    options: { runs: 50 },
  },
  {
    rule: "one-limit-not-the-other",
    what: "makes every request wait for one limit",
    habits: { sharesWaits: true },
  },
  {
    rule: "one-limit-not-the-other",
    what: "makes a flush wait for the other limit",
    habits: { sharesWaits: true, queues: true },
  },
  {
    rule: "one-limit-not-the-other",
    what: "refuses every request until one limit is free",
    habits: { sharesWaits: true, repeats: 0 },
  },
  {
    rule: "no-event-doubled",
    what: "sends another session with each request",
    habits: { session: (session, attempt) => `${session}-${attempt}` },
  },
  { rule: "no-event-doubled", what: "sends no session", habits: { session: () => undefined } },
  {
    rule: "no-event-doubled",
    what: "repeats clicks that may count",
    habits: { repeatsClicks: true },
  },
  {
    rule: "no-event-doubled",
    what: "repeats clicks that timed out",
    habits: { repeatsClicks: "when it times out" },
    options: { runs: 50 },
  },
  {
    rule: "no-event-doubled",
    what: "repeats clicks whose success it can't read",
    habits: { repeatsClicks: "when it can't read a 200" },
    options: { runs: 50 },
  },
  {
    rule: "lost-request-not-lost",
    what: "keeps failures to itself",
    habits: { hidesFailures: true },
  },
  {
    rule: "repeat-is-the-same",
    what: "sends another session with each request",
    habits: { session: (session, attempt) => `${session}-${attempt}` },
  },
  { rule: "repeat-is-the-same", what: "sends no session", habits: { session: () => undefined } },
  { rule: "pauses-grow", what: "doesn't pause", habits: { pauseMs: () => 0 } },
  {
    rule: "pauses-grow",
    what: "pauses about a second each time",
    habits: { pauseMs: (_, random) => 1000 + 5 * random() },
  },
  {
    rule: "pauses-grow",
    what: "pauses less each time",
    habits: { pauseMs: (repeat) => 8000 / 2 ** repeat },
  },
  {
    rule: "pauses-grow",
    what: "pauses a second, more or less, each time",
    habits: { pauseMs: (_, random) => 1000 * (0.5 + random()) },
    options: { runs: 50 },
    commands: "any number",
  },
  {
    rule: "pauses-grow",
    what: "pauses anything up to two seconds each time",
    habits: { pauseMs: (_, random) => 2000 * random() },
    options: { runs: 50 },
    commands: "any number",
  },
  {
    rule: "pauses-grow",
    what: "repeats as soon as a timer allows, and pauses only then",
    habits: { pauseMs: (repeat) => (repeat === 0 ? 1 : 1000 * 2 ** repeat) },
    commands: 9,
  },
  {
    rule: "pauses-grow",
    what: "pauses a second or two, and only twice",
    habits: { repeats: 2, pauseMs: (_, random) => 1000 + 1000 * random() },
    options: { runs: 50 },
    commands: "any number",
  },
  {
    rule: "pauses-grow",
    what: "goes on where the last outage ended",
    habits: {
      neverCalmsDown: true,
      pauseMs: (repeat, random) => Math.min(60_000, 1000 * 2 ** repeat) * (0.5 + random() / 2),
    },
    options: { runs: 50 },
    commands: 16,
  },
  {
    rule: "answers-in-time",
    what: "takes a quarter of an hour for a question",
    habits: { dawdlesMs: 900_000 },
  },
  {
    rule: "answers-in-time",
    what: "tries for half an hour",
    habits: { pauseMs: (repeat) => 60_000 * 2 ** repeat },
  },
  { rule: "gives-up", what: "never gives up", habits: { repeats: 1e6, pauseMs: () => 5000 } },
  {
    rule: "gives-up",
    what: "has two queries under way at once, and one that fails keeps its place",
    habits: { queriesAtOnce: 2, keepsPlaces: true },
  },
  {
    rule: "gives-up",
    what: "waits for days",
    habits: { repeats: 1e6, pauseMs: (repeat) => 60_000 * 2 ** repeat },
  },
  {
    rule: "rotated-key",
    what: "sends the rest of its queue with a key that was refused",
    habits: { queues: true, keepsKey: true },
  },
  { rule: "silence-ends", what: "waits for ever", habits: { timeoutMs: 0 } },
  {
    rule: "silence-ends",
    what: "waits for ever once the head of an answer is there",
    habits: { timeoutFor: "head" },
  },
  {
    rule: "broken-answer-is-no-success",
    what: "takes any 200 for a success",
    habits: { isSuccess: (status) => status === 200 },
  },
  {
    rule: "broken-answer-is-no-success",
    what: "takes an unreadable 200 for a success",
    habits: { isSuccess: (status, body) => status === 200 && (body === undefined || idIn(body)) },
  },
  {
    rule: "broken-answer-is-no-success",
    what: "makes ids up",
    habits: { idOf: (_, ad) => ad },
  },
  ...unconfirmedWays.map((wrong) => ({
    rule: "wrong-answer-is-no-success",
    what: `takes an answer for a success that is wrong as by ${wrong}`,
    habits: { overlooks: wrong },
    options: { runs: 50 },
  })),
  ...(
    [
      "missing-list",
      "null-rows",
      "missing-numbers",
      "null-numbers",
      "numbers-as-text",
      "foreign-id",
    ] as const
  ).map((wrong) => ({
    rule: "wrong-answer-is-no-success",
    what: `gives figures and lists that are wrong as by ${wrong}`,
    habits: { overlooks: wrong },
    options: { runs: 50 },
    // Without a credit, it takes a right answer before the wrong one.
    commands: 7,
  })),
  { rule: "comes-back", what: "sends nothing more after a failure", habits: { sulks: true } },
  {
    rule: "comes-back",
    what: "keeps the failures of queries",
    habits: { keepsFailures: true },
  },
  {
    rule: "comes-back",
    what: "rests twice as long after each failure, without end",
    habits: { repeats: 0, restsMs: (failures) => 10_000 * 2 ** failures },
    options: { runs: 100 },
    commands: 24,
  },
  { rule: "flush-delivers", what: "flushes one at a time", habits: { queues: true, flushes: 1 } },
  {
    rule: "flush-delivers",
    what: "never ends a second flush",
    habits: { queues: true, flushesOnce: "it ends" },
  },
  {
    rule: "flush-delivers",
    what: "refuses a second flush",
    habits: { queues: true, flushesOnce: "it succeeds" },
  },
  {
    rule: "flush-delivers",
    what: "delivers nothing in a second flush",
    habits: { queues: true, flushesOnce: "it delivers" },
  },
  {
    rule: "close-loses-nothing",
    what: "drops its queue",
    habits: { queues: true, flushesOnClose: false },
  },
  {
    rule: "close-loses-nothing",
    what: "doesn't report undelivered events",
    habits: { queues: true, report: () => undefined },
  },
  { rule: "close-ends", what: "waits for ever", habits: { queues: true, timeoutMs: 0 } },
  { rule: "silent-after-close", what: "goes on polling", habits: { pollsForever: true } },
  {
    rule: "silent-after-close",
    what: "takes events after it was closed",
    habits: { queues: true, reopens: true },
  },
  {
    rule: "no-timer-after-close",
    what: "leaves a timer",
    habits: { queues: true, leavesTimer: true },
  },
  {
    rule: "delivers-when-it-can",
    what: "gives up after one failure",
    habits: { queues: true, repeats: 0 },
  },
  {
    rule: "delivers-when-it-can",
    what: "gives up after two failures",
    habits: { queues: true, repeats: 1 },
    options: { runs: 50 },
  },
  {
    rule: "delivers-when-it-can",
    what: "gives up one attempt earlier than it declares",
    habits: { queues: true, isEager: true, repeats: 3, promises: { maxAttempts: 5 } },
    options: { runs: 50 },
  },
  {
    rule: "delivers-when-it-can",
    what: "gives up after one failure in the background",
    habits: { queues: true, repeats: 0, isEager: true },
  },
  {
    rule: "delivers-when-it-can",
    what: "sends nothing more after a failure",
    habits: { queues: true, sulks: true, isEager: true },
  },
  {
    rule: "delivers-when-it-can",
    what: "gives up at a request limit",
    habits: { queues: true, isEager: true, isFinal: isRefusalOrLimit },
    options: { runs: 50 },
  },
  {
    rule: "undelivered-is-true",
    what: "reports one undelivered impression too many",
    habits: { report: ({ impressions, clicks }) => ({ impressions: impressions + 1, clicks }) },
  },
];

describe("a client with a defect", () => {
  test("exists for every rule", () => {
    const tried = new Set(defects.map(({ rule }) => rule));
    expect(rules.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });

  test.each(defects)("breaks $rule if it $what", async ({ rule, ...defect }) => {
    const [one] = rules.filter(({ id }) => id === rule);
    if (one === undefined) throw new Error(`There is no rule ${rule}.`);
    const { habits, options, commands = 6 } = defect;
    const attempt = () => tryRule(one, patientClient(habits), { runs: 30, ...options });
    const tried = await (commands === "any number" ? unshrunk(attempt) : attempt());
    expect(tried.kind).toBe("broken");
    if (tried.kind !== "broken") return;
    if (commands !== "any number") expectShort(tried.commands, commands);
    expect(tried.broken.message).toMatch(/^(?:The|A) .*\.$/);
    expect(tried.broken.message).not.toMatch(/undefined|NaN/);
  });
});
