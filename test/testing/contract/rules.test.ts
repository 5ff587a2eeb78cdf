/** Each rule, with a session in which a client with one mistake breaks it. Without the mistake it breaks none, in any of them. */

import { describe, expect, test } from "vitest";
import type { CreateDriver, Driver, DriverContext, Shown } from "../../../src/contract.ts";
import type { FaultMatch } from "../../../src/faults/rule.ts";
import type { Verdict } from "../../../src/faults/verdict.ts";
import { rules } from "../../../src/testing/contract/rules.ts";
import type { ClientCommand, Command } from "../../../src/testing/session/command.ts";
import { runToEnd } from "../../../src/testing/session/run-session.ts";
import { type Told, toldOf } from "../../../src/testing/session/told.ts";
import {
  createExampleClient,
  type ExampleClient,
  type Receipt,
  sending,
} from "./example-client.ts";

type Client = CreateDriver<Receipt>;

/** Reports impressions one after the other, and declares what it does. */
function correct(context: DriverContext): ExampleClient {
  const client = createExampleClient(context);
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...client,
    impression(shown) {
      const next = last.then(() => client.impression(shown));
      last = next.catch(() => undefined);
      return next;
    },
    ...{ inOrder: true, maxAtOnce: 1, maxAttempts: 1 },
  };
}

function doing(
  mistake: (client: ExampleClient, context: DriverContext) => Partial<Driver<Receipt>>,
): Client {
  return (context) => {
    const client = correct(context);
    return { ...client, ...mistake(client, context) };
  };
}

/** It reports impressions in another way. */
function reporting(mistake: (report: Report, shown: Shown) => Promise<Receipt>): Client {
  return doing(({ impression }) => ({
    impression: (shown) => mistake(async (one) => await impression(one), shown),
  }));
}
type Report = (shown: Shown) => Promise<Receipt>;

/** It asks for figures in another way. */
function asking(
  mistake: (ask: () => Promise<unknown>, context: DriverContext) => Promise<unknown>,
): Client {
  return doing((client, context) => ({
    stats: (query) => mistake(async () => await client.stats(query), context),
  }));
}

function closing(close: (client: ExampleClient, context: DriverContext) => unknown): Client {
  return doing((client, context) => ({
    close() {
      close(client, context);
    },
  }));
}

function changing(change: (body: Record<string, unknown>) => object): Client {
  return (context) => correct(sending(context, ({ body }) => Object.assign(body, change(body))));
}

/** After each of these pauses it repeats an impression that failed with a status. */
function repeating(...pausesMs: readonly number[]): Client {
  return doing(({ impression }, context) => ({
    async impression(shown) {
      for (const ms of pausesMs) {
        try {
          return await impression(shown);
        } catch {
          if (ms > 0) await pause(context, ms);
        }
      }
      return await impression(shown);
    },
  }));
}

function pause({ timers }: DriverContext, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timers.setTimeout(resolve, ms);
  });
}

const view: ClientCommand = { kind: "impression", surface: 0 };
const oddView: Command = { ...view, spelling: "unusual" };
const stats: ClientCommand = { kind: "stats" };
const threeViews: Command = { kind: "together", commands: [view, view, view] };

function wait(byMs: number): Command {
  return { kind: "advance", byMs };
}

function fails(verdict: Verdict, match: FaultMatch = {}): Command {
  return { kind: "fault", rule: { match: { operation: "impression", ...match }, verdict } };
}

/** Always, or with a Retry-After once. */
function refused(status: number, seconds?: string): Command {
  const headers = { "Retry-After": seconds ?? "", "X-RateLimit-Remaining": "0" };
  const [hints, match] = seconds === undefined ? [{}, {}] : [{ headers }, { times: 1 }];
  return fails({ kind: "respond", status, ...hints }, match);
}

const lost = fails({ kind: "lose-response" }, { times: 1 });
const dropped = fails({ kind: "drop" }, { times: 1 });
const down = fails({ kind: "drop" });
const late = fails({ kind: "delay", delay: "1s" });
const notOk = fails({ kind: "wrong-body", wrong: "ok-false" });
const clickLost = fails({ kind: "lose-response" }, { operation: "click" });
const clicked: readonly Command[] = [view, clickLost, { kind: "click", impression: 0 }];

let drawn = 0;
/** It sends a new session id with each attempt. */
const newSessions = changing(() => {
  drawn += 1;
  return { session_id: `drawn-${drawn}` };
});

/** It takes every failure for a success. */
const carefree = reporting((report, shown) =>
  report(shown).catch(() => ({ impression_id: "imp_unknown" })),
);

type Row = readonly [rule: string, mistake: string, readonly Command[], Client];

const onRequests: readonly Row[] = [
  ["spec-shape", "sends a parameter of its own", [view], changing(() => ({ app: "1" }))],
  ["key", "writes another key", [view], (context) => correct({ ...context, apiKey: "another" })],
  ["key", "shows the key", [stats], asking((_, { apiKey }) => Promise.reject(new Error(apiKey)))],
  ["values", "trims names", [oddView], changing(({ ad_id }) => ({ ad_id: `${ad_id}`.trim() }))],
  ["same-on-retry", "draws a session for each attempt", [lost, view], newSessions],
  [
    "asked-for",
    "reports an ad of its own",
    [view],
    reporting((report, shown) => report({ ...shown, ad: "our-ad" }).then(() => report(shown))),
  ],
];

const onRecords: readonly Row[] = [
  ["once", "draws a session for each attempt", [lost, view], newSessions],
  [
    ...(["once", "repeats clicks"] as const),
    clicked,
    (context) => createExampleClient(context, { clicksAgain: true }),
  ],
  ["nothing-lost", "says nothing of failures", [refused(503), view], carefree],
  [
    ...(["counts-true", "counts what was delivered", [view]] as const),
    doing(() => ({ close: async () => ({ impressions: 1, clicks: 0 }) })),
  ],
  [
    ...(["delivers", "takes a success for a failure", [view]] as const),
    reporting((report, shown) => report(shown).then(() => Promise.reject(new Error("slow")))),
  ],
];

const onAnswers: readonly Row[] = [
  [
    ...(["answers", "rounds figures", [view, stats]] as const),
    asking((ask) =>
      ask().then((all) => ({ ...Object(all), revenue_inr: Math.round(Object(all).revenue_inr) })),
    ),
  ],
  [
    ...(["answers", "keeps figures for long", [stats, wait(100_000), view, stats]] as const),
    doing((client) => {
      let first: unknown;
      return { stats: (query) => (first ??= client.stats(query)) };
    }),
  ],
  ["wrong-answers", "reads no body", [notOk, view], carefree],
  [
    ...(["receipts", "returns an id of its own", [view]] as const),
    reporting((report, shown) => report(shown).then((own) => ({ ...own, impression_id: "1" }))),
  ],
];

const onTime: readonly Row[] = [
  ["ends", "never answers", [stats], asking(() => new Promise(() => {}))],
  ["ends", "can't be made", [], () => Promise.reject(new Error("no config"))],
  ["in-time", "is slow", [stats], asking((_, context) => pause(context, 660_000))],
  ["waits-as-told", "reads no Retry-After", [refused(429, "30"), view], repeating(1000)],
  ["backs-off", "repeats at once", [refused(503), view], repeating(0)],
  ["backs-off", "has fixed pauses", [refused(503), view], repeating(2000, 2000, 2000, 2000)],
  [
    ...(["other-limit", "waits with reports for impressions"] as const),
    [refused(429, "150"), view, wait(1000), stats],
    asking((ask, context) => pause(context, 149_000).then(ask)),
  ],
  ["final-refusals", "repeats what was refused", [refused(422), view], repeating(1000)],
  ["final-refusals", "uses a refused key", [refused(401), view], repeating(1000)],
];

const onPromises: readonly Row[] = [
  [
    ...(["in-order", "repeats one after the others", [dropped, threeViews]] as const),
    (context) => ({ ...createExampleClient(context), inOrder: true }),
  ],
  [
    ...(["at-once", "sends three at once", [late, threeViews]] as const),
    (context) => ({ ...createExampleClient(context), maxAtOnce: 2 }),
  ],
  ["attempts", "gives up early", [down, view], doing(() => ({ maxAttempts: 5 }))],
  ["closed", "leaves a timer", [view], closing((_, context) => pause(context, 60_000))],
  [
    ...(["closed", "sends on", [view]] as const),
    closing((client, { timers }) => timers.setTimeout(() => client.surfaces(), 60_000).unref?.()),
  ],
];

const rows = [...onRequests, ...onRecords, ...onAnswers, ...onTime, ...onPromises];

async function told(client: Client, commands: readonly Command[]): Promise<Told> {
  const assumptions = { "click.repeat": "count", "dedup.key": "session" } as const;
  return toldOf((await runToEnd(client, commands, { assumptions })).session);
}

/** The rules that the session breaks, and those that came up. */
function judged(session: Told): { readonly broken: string[]; readonly came: string[] } {
  const came: string[] = [];
  const judgedRules = rules.filter(({ needs = [] }) =>
    needs.every((name) => name === "virtualTime" || session.members.includes(name)),
  );
  const broken = judgedRules.filter(({ id, judge }) => judge(session, () => came.push(id)));
  return { broken: broken.map(({ id }) => id), came };
}

describe("a client", () => {
  test.each(rows)("breaks %s if it %s", async (rule, _, commands, client) => {
    expect(judged(await told(client, commands)).broken).toContain(rule);
  });

  test("without the mistake breaks no rule in any of these sessions, and every rule comes up", async () => {
    const came = new Set<string>();
    for (const [, mistake, commands] of rows) {
      const found = judged(await told(correct, commands));
      expect(found.broken, mistake).toEqual([]);
      for (const id of found.came) came.add(id);
    }
    const ids = rules.map(({ id }) => id);
    expect(ids.filter((id) => !came.has(id))).toEqual([]);
    expect(ids.filter((id) => !rows.some(([rule]) => rule === id))).toEqual([]);
  });
});

describe("two views of an ad on a surface", () => {
  const commands: readonly Command[] = [view, { ...view, ad: 0 }, { kind: "click", impression: 1 }];
  const seen = ({ events }: Told): unknown =>
    events.map(({ kind, name, views, asks, recorded }) => [
      kind,
      name.replaceAll(/srf_\w+/g, "S"),
      views.length,
      asks.length,
      recorded.length,
    ]);

  test("are two events if the client sends the session ids that it is given", async () => {
    const session = await told(correct, commands);
    expect(seen(session)).toEqual([
      ["impression", "ad-1", 1, 1, 1],
      ["impression", "ad-1 on S in session-2", 1, 1, 1],
      ["click", "the click on ad-1 on S in session-2", 1, 1, 1],
    ]);
    expect(session.takesSessions).toBe(true);
  });

  test("are one event, recorded once or twice, if it makes its own", async () => {
    const own = changing((body) => ("ad_id" in body ? { session_id: "own" } : {}));
    const session = await told(own, commands);
    expect(seen(session)).toEqual([
      ["impression", "ad-1", 2, 2, 1],
      ["click", "the click on ad-1", 2, 1, 1],
    ]);
    expect(session.takesSessions).toBe(false);
    for (const one of [session, await told(newSessions, commands.slice(0, 2))])
      expect(judged(one).broken).toEqual([]);
  });
});
