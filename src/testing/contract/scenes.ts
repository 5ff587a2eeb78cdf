/**
 * What goes wrong in sessions: faults, limits and pauses, and scenes in which they meet what the client is asked for. A scene is a
 * list of arbitraries; each of its steps can shrink to nothing.
 */

import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import { given } from "../../base/given.ts";
import type { FaultMatch } from "../../faults/rule.ts";
import type { Verdict } from "../../faults/verdict.ts";
import { unconfirmedWays, wrongWays } from "../../faults/wrong-body.ts";
import type { ClientCommand, Command } from "../session/command.ts";

export type Scene = readonly fc.Arbitrary<Command>[];

/** Chooses by weight. Shrinks to the first. */
export function weighted<Value>(
  ...all: readonly (readonly [weight: number, of: fc.Arbitrary<Value>])[]
): fc.Arbitrary<Value> {
  return fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

// Indexes wrap around. A small range makes repeats likely.
const place = fc.nat({ max: 3 });

type One<Kind extends Command["kind"]> = fc.Arbitrary<Extract<Command, { kind: Kind }>>;

export const view: One<"impression"> = place.map((surface) => ({ kind: "impression", surface }));
/** Its ad and session have a name that clients may change. */
export const oddView: One<"impression"> = fc
  .tuple(place, fc.constantFrom("unusual" as const, "numeric" as const))
  .map(([surface, spelling]) => ({ kind: "impression", surface, spelling }));
/** Another view of an ad that was shown before, on the same surface or on another. */
export const adAgain: One<"impression"> = fc
  .tuple(place, place)
  .map(([surface, ad]) => ({ kind: "impression", surface, ad }));
export const again: One<"again"> = fc
  .nat({ max: 8 })
  .map((impression) => ({ kind: "again", impression }));
export const click: One<"click"> = fc
  .nat({ max: 8 })
  .map((impression) => ({ kind: "click", impression }));
export const flush: One<"flush"> = fc.constant({ kind: "flush" });
export const close: One<"close"> = fc.constant({ kind: "close" });
export const surfaces: One<"surfaces"> = fc.constant({ kind: "surfaces" });
export const payouts: One<"payouts"> = fc
  .constantFrom(undefined, undefined, 1, 7, 20, 99, 100, 101)
  .map((limit) => ({ kind: "payouts", ...given({ limit }) }));
export const stats: One<"stats"> = fc
  .option(place, { nil: undefined, freq: 2 })
  .map((surface) => ({ kind: "stats", ...given({ surface }) }));

/** Days that calendars get wrong, and those around the default start of a world, in order. */
const days = [
  ...["2024-02-28", "2024-02-29", "2024-03-01", "2025-12-31", "2026-01-01"],
  ...["2026-01-14", "2026-01-15", "2026-01-16"],
];
/** Periods that are never inverted. */
export const periodStats: One<"stats"> = fc
  .tuple(
    fc.option(fc.nat({ max: days.length - 1 }), { nil: undefined }),
    fc.option(fc.nat({ max: days.length - 1 }), { nil: undefined }),
    fc.option(place, { nil: undefined, freq: 2 }),
  )
  .map(([one, other, surface]) => {
    const isInverted = one !== undefined && other !== undefined && one > other;
    const [from, to] = (isInverted ? [other, one] : [one, other]).map((at) => days[at ?? -1]);
    return { kind: "stats", ...given({ from, to, surface }) };
  });
export const query: fc.Arbitrary<ClientCommand> = fc.oneof(stats, surfaces, payouts);
const event: fc.Arbitrary<ClientCommand> = weighted<ClientCommand>(
  [5, view],
  [3, click],
  [1, flush],
);

/** Shrinks to the first. */
function pauses(...choicesMs: readonly number[]): One<"advance"> {
  return fc.constantFrom(...choicesMs).map((byMs) => ({ kind: "advance", byMs }));
}

export const anyPause: One<"advance"> = pauses(
  ...[1, 1000, 59_000, 61_000, 3 * MINUTE_MS, 31 * MINUTE_MS],
  ...[HOUR_MS, 5.5 * HOUR_MS, 18.5 * HOUR_MS, DAY_MS, 3 * DAY_MS],
);
/** After so long without any trouble every client works again. */
const recovery: One<"advance"> = pauses(20 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS);
const anHour = pauses(HOUR_MS);

/** Commands at once, or a second apart. Each can shrink to nothing. */
export function together(
  commands: readonly fc.Arbitrary<ClientCommand>[],
  apartMs?: number,
): fc.Arbitrary<Command> {
  return fc.tuple(...commands.map(maybe)).map((all) => ({
    kind: "together",
    commands: all.filter((one) => one !== undefined),
    ...given({ apartMs }),
  }));
}

/** There, but it shrinks to nothing. */
export function maybe<Value>(of: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(of, { nil: undefined, freq: 1_000_000 });
}

function many(
  count: number,
  ...commands: readonly fc.Arbitrary<ClientCommand>[]
): fc.Arbitrary<Command> {
  return together(Array.from({ length: count }, () => fc.oneof(...commands)));
}

export function fault(
  verdict: fc.Arbitrary<Verdict>,
  match: fc.Arbitrary<FaultMatch>,
): fc.Arbitrary<Command> {
  return fc
    .tuple(verdict, match)
    .map(([one, matching]) => ({ kind: "fault", rule: { match: matching, verdict: one } }));
}

const heal: One<"heal"> = fc.constant({ kind: "heal" });
const recording = ["impression", "click"] as const;
const reporting = ["stats", "surfaces", "payouts"] as const;
type Operations = NonNullable<FaultMatch["operation"]>;

function next(operation: Operations, times?: number): fc.Arbitrary<FaultMatch> {
  return fc.constant(given({ operation, times }));
}

/** A few of the next requests, or all of them. */
export const some: fc.Arbitrary<FaultMatch> = weighted<FaultMatch>(
  [3, next("impression", 1)],
  [2, next("click", 1)],
  [1, next("impression", 2)],
  [2, fc.nat({ max: 4 }).map((times) => ({ operation: [...recording], times: times + 1 }))],
  [1, fc.nat({ max: 3 }).map((nth) => ({ operation: [...recording], nth: nth + 1 }))],
  [2, fc.constantFrom(...reporting).map((operation) => ({ operation, times: 1 }))],
);
const lasting: fc.Arbitrary<FaultMatch> = fc.constantFrom<FaultMatch>(
  { operation: [...recording] },
  { operation: "impression" },
  {},
);

const failing: readonly Verdict[] = [
  { kind: "respond", status: 503 },
  { kind: "respond", status: 500, body: "Internal error" },
  { kind: "respond", status: 502, body: "<h1>Bad gateway</h1>" },
  ...[{ kind: "drop" } as const, { kind: "reset" } as const, { kind: "empty" } as const],
];
const silent: readonly Verdict[] = [
  { kind: "timeout" },
  { kind: "lose-response", as: "silence" },
  { kind: "drop", as: "silence" },
  { kind: "drip", bytesPerSecond: 0.001 },
];
const html = {
  kind: "respond",
  status: 200,
  body: "<h1>Please log in</h1>",
  headers: { "Content-Type": "text/html" },
} as const;
/** The client can't know whether the service did it. */
const doubtful: readonly Verdict[] = [
  { kind: "lose-response" },
  { kind: "lose-response", as: "reset" },
  { kind: "respond", status: 502, applied: true },
  { kind: "duplicate" },
  { kind: "garbage" },
  { kind: "garbage", as: "response" },
  { kind: "truncate", share: 0.5 },
  { kind: "truncate", share: 0.9 },
  { kind: "respond", status: 200, applied: true },
  { ...html, applied: true },
  { kind: "delay", delay: "35s" },
  { kind: "drip", bytesPerSecond: 1 },
];
const late: readonly Verdict[] = [
  { kind: "delay", delay: "2s" },
  { kind: "delay", delay: "5m" },
  { kind: "reorder", by: 1, atMost: "1s" },
];
const unreadable: readonly Verdict[] = [html, { kind: "respond", status: 200 }];
/** Spec §7 shows no refusal: several statuses and shapes. */
const refusals: readonly Verdict[] = [
  ...[400, 404, 410, 422, 409, 403].map((status) => ({ kind: "respond", status }) as const),
  { kind: "respond", status: 400, body: { error: { code: "refused", message: "No." } } },
  { kind: "respond", status: 422, body: "Refused", headers: { "Content-Type": "text/plain" } },
  // A client that looks only at the body takes this for a success.
  {
    kind: "respond",
    status: 400,
    body: { ok: true, impression_id: "imp-of-nobody", click_id: "clk-of-nobody" },
  },
];

function one(...lists: readonly (readonly Verdict[])[]): fc.Arbitrary<Verdict> {
  return fc.constantFrom(...lists.flat());
}

const failed: fc.Arbitrary<Verdict> = one(failing);
const slow = fault(
  one([
    { kind: "delay", delay: "1s" },
    { kind: "delay", delay: "2s" },
    { kind: "delay", delay: "4s" },
  ]),
  next([...recording, ...reporting]),
);
/** Valid JSON that isn't what the spec describes; the service did it, or it didn't. */
const wrong: fc.Arbitrary<Verdict> = weighted<Verdict>(
  [2, fc.constantFrom(...wrongWays).map((way) => ({ kind: "wrong-body", wrong: way }))],
  [
    1,
    fc
      .constantFrom(...unconfirmedWays)
      .map((way) => ({ kind: "wrong-body", wrong: way, applied: false })),
  ],
);
/** Anything that can go wrong with one request. */
export const anyFault: fc.Arbitrary<Verdict> = weighted<Verdict>(
  [3, failed],
  [4, one(doubtful)],
  [2, one(silent)],
  [1, one(late)],
  [1, one(unreadable)],
  [2, one(refusals)],
  [4, wrong],
  [2, fc.constantFrom(5, 150).chain((seconds) => limited(seconds))],
);

/** A limit refuses, and says for how many seconds; undefined: it doesn't say. */
function limited(
  seconds: number | undefined,
  ...statuses: readonly number[]
): fc.Arbitrary<Verdict> {
  const hint = seconds === undefined ? {} : { "Retry-After": String(seconds) };
  const all = statuses.length === 0 ? [429, 429, 429, 503, 403] : statuses;
  return fc.constantFrom(...all).map((status) => ({
    kind: "respond",
    status,
    headers: { ...hint, "X-RateLimit-Remaining": "0" },
  }));
}

/** It names no time to come. A date in the past says that the client may come back at once. */
const uselessHint: fc.Arbitrary<Verdict> = fc
  .tuple(
    fc.constantFrom(429, 503),
    fc.constantFrom("soon", "Thu, 01 Jan 2015 00:00:00 GMT", "-1", "1.5", "", "in a minute"),
  )
  .map(([status, hint]) => ({ kind: "respond", status, headers: { "Retry-After": hint } }));

function untilDate(operation: Operations): fc.Arbitrary<Command> {
  return fc.tuple(fc.constantFrom(429, 503), fc.constantFrom(30, 150)).map(([status, seconds]) => ({
    kind: "fault",
    rule: { match: { operation, times: 1 }, verdict: { kind: "respond", status } },
    retryInMs: seconds * 1000,
  }));
}

function spent(of: "recording" | "reporting"): fc.Arbitrary<Command> {
  return fc.nat({ max: 2 }).map((left) => ({ kind: "spend", left, of }));
}

function after(verdict: fc.Arbitrary<Verdict>, delay: string): fc.Arbitrary<Verdict> {
  return verdict.map((one) => ({ ...one, delay }) as Verdict);
}

const keyRefused: fc.Arbitrary<Verdict> = after(
  fc.constant({ kind: "respond", status: 401 }),
  "137ms",
);
/** A minute before midnight in UTC or in India, if the world starts at midnight UTC, as it does by default. */
const lateInTheDay: fc.Arbitrary<Command> = pauses(DAY_MS - MINUTE_MS, 18.5 * HOUR_MS - MINUTE_MS);

/** Trouble for events: with answers, with limits, with the key, for long. */
export const eventScenes: readonly Scene[] = [
  [fault(anyFault, some), view],
  [view, fault(anyFault, next("click", 1)), click],
  [view, flush, fault(anyFault, next("click")), click, heal],
  [fault(wrong, next("impression", 1)), view, flush, again],
  [fault(failed, next("impression", 4)), view, pauses(2 * MINUTE_MS), flush],
  [fault(failed, next("impression", 4)), together([view, view, view]), click, click, flush],
  [fault(failed, lasting), view, flush, heal, recovery, again, view, flush],
  [
    fault(one(failing, silent), next("impression")),
    view,
    flush,
    heal,
    recovery,
    fault(failed, next("impression", 1)),
    again,
    flush,
  ],
  [
    fault(one(failing, silent), fc.constant({})),
    view,
    view,
    query,
    recovery,
    heal,
    fault(anyFault, fc.constant({ times: 1 })),
    view,
    heal,
    recovery,
    view,
    stats,
  ],
  [
    fault(one(refusals, unreadable), next("impression", 30)),
    many(25, view),
    heal,
    recovery,
    view,
    stats,
  ],
  [fault(limited(5), next("impression", 30)), many(25, view), heal, recovery, view, stats],
  [fault(limited(30), next("impression", 1)), many(30, view, view, click), flush],
  [fault(limited(5, 429), next("impression", 1)), view, event, pauses(5 * MINUTE_MS), view],
  [fault(limited(undefined), next("impression", 5)), view, flush, recovery, view],
  [fault(uselessHint, next("impression", 1)), view, flush, recovery, view, flush],
  [
    fault(limited(150), next("impression", 1)),
    fault(limited(5), next("impression", 1)),
    together([view, view]),
    event,
    event,
  ],
  [
    fault(limited(5), next("impression", 1)),
    fault(limited(150), next("impression", 1)),
    together([view, view]),
    event,
    event,
  ],
  [
    fault(limited(720 * 3600, 429), next("impression", 1)),
    view,
    flush,
    pauses(719.5 * HOUR_MS),
    view,
    flush,
  ],
  [
    fault(limited(2 * 3600, 429), next("impression", 1)),
    view,
    flush,
    pauses(1.5 * HOUR_MS),
    view,
    flush,
  ],
  [lateInTheDay, fault(limited(150), next("impression", 1)), view, event, event],
  [lateInTheDay, untilDate("impression"), view, event, flush],
  [untilDate("impression"), view, event, flush],
  [
    fault(failed, lasting),
    view,
    view,
    flush,
    heal,
    recovery,
    view,
    flush,
    untilDate("impression"),
    view,
    view,
    flush,
  ],
  [
    view,
    flush,
    fault(after(limited(5, 429), "137ms"), next("impression", 1)),
    slow,
    many(25, view),
    event,
  ],
  [
    view,
    flush,
    fault(fc.constant({ kind: "delay", delay: "1500ms" }), next("impression", 1)),
    fault(limited(30), next("impression", 1)),
    together([view, view, view], 1000),
  ],
  [
    view,
    flush,
    spent("recording"),
    together([view, click, view, click], 1000),
    recovery,
    view,
    flush,
  ],
  [fault(limited(150, 429), next("impression", 1)), together([view, flush, query], 1000), query],
  [fault(keyRefused, lasting), view, event, flush, pauses(5 * MINUTE_MS), event],
  [fault(keyRefused, next("impression", 1)), view, view, flush, event],
  [fault(keyRefused, lasting), many(25, view)],
  [
    view,
    flush,
    fault(after(keyRefused, "2500ms"), next("impression", 1)),
    fault(weighted([2, limited(5, 429)], [1, failed]), next("impression", 3)),
    fault(keyRefused, lasting),
    together([view, view, view, view, view], 1000),
    pauses(10 * MINUTE_MS),
    view,
  ],
  [
    view,
    flush,
    fault(keyRefused, next("impression", 1)),
    fault(after(fc.constant({ kind: "respond", status: 503 }), "2500ms"), next("impression", 2)),
    fault(keyRefused, lasting),
    together([view, view, view]),
    recovery,
  ],
  [
    fault(one([{ kind: "respond", status: 503 }, { kind: "drop" }]), next("impression")),
    ...Array.from({ length: 22 }, () => [view, flush]).flat(),
  ],
  [
    fault(failed, lasting),
    together([view, view, view]),
    flush,
    together([view, view, view]),
    flush,
    recovery,
    heal,
    recovery,
    fault(failed, fc.constant({ operation: "impression", nth: [3, 6, 9] })),
    view,
    view,
    view,
    view,
    view,
    view,
    view,
  ],
  [
    fault(failed, lasting),
    view,
    view,
    flush,
    ...Array.from({ length: 5 }, () => [pauses(4.5 * HOUR_MS), view]).flat(),
    heal,
    pauses(2 * HOUR_MS),
    view,
  ],
  [
    fault(
      after(
        one([
          { kind: "respond", status: 503 },
          { kind: "respond", status: 404 },
        ]),
        "137ms",
      ),
      fc.constantFrom(
        { operation: "impression", times: 4 },
        { operation: "impression", times: 60 },
      ),
    ),
    slow,
    many(25, view),
    many(25, view),
  ],
  [
    fault(fc.constant({ kind: "delay", delay: "5m" }), fc.constant({ times: 6 })),
    view,
    many(20, surfaces, payouts, stats, view),
    flush,
  ],
  [view, pauses(DAY_MS, 3 * DAY_MS), click, view, click],
  [view, again, pauses(MINUTE_MS, 31 * MINUTE_MS, 5.5 * HOUR_MS, 3 * DAY_MS), again, flush],
  [...Array.from({ length: 5 }, () => many(25, view, view, click))],
];

/** The client is closed or flushed while calls are under way. The flush at the beginning shows that it knows of such work. */
const delayed = fault(
  weighted<Verdict>(
    [2, fc.constant({ kind: "delay", delay: "4s" })],
    [2, limited(5, 429)],
    [1, failed],
  ),
  fc.nat({ max: 2 }).map((times) => ({ operation: [...recording], times: times + 1 })),
);
export const closingScenes: readonly Scene[] = [
  [view, view, flush, delayed, together([view, close], 1000)],
  [view, view, flush, delayed, together([view, click, close], 1000)],
  [view, view, flush, delayed, together([click, close])],
  [view, flush, delayed, together([view, flush, view, flush], 1000)],
  [view, flush, delayed, together([view, click, flush], 1000), flush],
  [view, flush, delayed, together([view, close, close], 1000)],
  [fault(failed, lasting), view, together([view, view, close], 1000)],
  [
    fault(failed, next("impression", 1)),
    view,
    together([fc.oneof<fc.Arbitrary<ClientCommand>[]>(close, flush), close]),
  ],
  [view, close, flush, event, anyPause],
  [stats, pauses(MINUTE_MS), fault(failed, next("stats", 3)), stats, close],
  [
    view,
    flush,
    fault(failed, next("stats", 3)),
    together([stats, close], 1000),
    heal,
    anHour,
    stats,
  ],
  [
    view,
    flush,
    fault(failed, fc.constant({ operation: [...recording] })),
    together([click, view, view, view]),
    flush,
    heal,
    again,
    flush,
  ],
];

const askedFor: fc.Arbitrary<ClientCommand> = weighted<ClientCommand>(
  [3, stats],
  [1, surfaces],
  [1, payouts],
);
const soon = pauses(59_000, 61_000, 1000, 25_000, HOUR_MS, 18.5 * HOUR_MS, DAY_MS);
/** Figures that are asked for again, in an outage, during a limit, around midnight. */
export const queryScenes: readonly Scene[] = [
  [stats, soon, stats, soon, stats],
  [stats, view, click, soon, stats],
  [stats, pauses(59_000), stats, pauses(59_000), stats],
  [stats, pauses(25_000), stats, pauses(25_000), stats, pauses(25_000), stats],
  [fault(failed, next("stats", 1)), stats, soon, stats],
  [fault(wrong, next([...reporting], 1)), askedFor, soon, askedFor],
  [fault(wrong, next([...reporting], 6)), askedFor, pauses(1000, 61_000), askedFor],
  [fault(one(doubtful, unreadable, silent), next([...reporting], 3)), askedFor, soon, askedFor],
  [stats, soon, fault(limited(150), next("stats", 1)), together([stats, stats], 1000)],
  [fault(one(refusals, failing), next([...reporting])), askedFor, heal, askedFor],
  [
    fault(one(failing), next([...reporting])),
    askedFor,
    ...Array.from({ length: 9 }, () => [anHour, stats]).flat(),
    heal,
    pauses(20 * MINUTE_MS, HOUR_MS),
    stats,
  ],
  [spent("reporting"), stats, stats, view, query, flush],
  [spent("reporting"), together([query, query, query, query], 1000), query],
  [spent("reporting"), together([stats, stats, stats, view, flush], 1000), query],
  [fault(limited(150, 429), next("stats", 1)), together([stats, view, flush], 1000), event, event],
  [
    fault(limited(5), next("stats", 1)),
    fault(limited(150), next("stats", 1)),
    together([stats, stats]),
    query,
    query,
  ],
  [fault(limited(24 * 3600, 429), next("stats", 1)), stats, pauses(23.5 * HOUR_MS), stats],
  [fault(uselessHint, next("stats", 1)), stats, recovery, stats],
  [lateInTheDay, untilDate("stats"), stats, query],
  [
    fault(after(limited(30, 429), "137ms"), next("stats", 1)),
    slow,
    together([stats, surfaces, payouts, payouts, stats, stats]),
  ],
  [
    fault(fc.constant({ kind: "delay", delay: "1500ms" }), next("surfaces", 1)),
    fault(limited(30), next("stats", 1)),
    together([surfaces, stats, stats], 1000),
  ],
  [fault(keyRefused, next("stats")), stats, query, pauses(5 * MINUTE_MS), query],
  [
    fault(failed, fc.constantFrom<FaultMatch>({}, { operation: [...reporting] })),
    together([stats, surfaces, payouts, stats]),
    query,
  ],
  [
    fault(
      one([{ kind: "respond", status: 404 }]),
      fc.constant({ operation: [...reporting], times: 1 }),
    ),
    query,
    slow,
    many(25, surfaces, payouts, stats),
  ],
  [slow, many(25, surfaces, payouts, stats, view)],
  [
    pauses(
      18.5 * HOUR_MS - 1,
      18.5 * HOUR_MS,
      DAY_MS - 1,
      350 * DAY_MS,
      774 * DAY_MS,
      775 * DAY_MS + DAY_MS - 1,
    ),
    stats,
    periodStats,
    stats,
  ],
  [
    view,
    pauses(DAY_MS),
    click,
    fc.constant({ kind: "stats", from: "2026-01-16", to: "2026-01-16" }),
  ],
  [payouts, view, flush, pauses(HOUR_MS, 25 * HOUR_MS, 30 * DAY_MS), payouts],
  [together([payouts, payouts, stats, stats])],
];
