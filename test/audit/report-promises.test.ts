/** What docs/what-happened.md says of `hot-loop` and `refused-and-sent-again`, for every operation and failure. */

import { describe, expect, test } from "vitest";
import { createAds, type Report } from "../../src/client.ts";
import type { Verdict } from "../../src/faults/verdict.ts";
import { coveringArray, type OperationId, type SimulatorOptions } from "../../src/index.ts";
import { operationIds } from "../../src/spec/operations.ts";
import { undeliveredOf } from "../../src/testing/contract/rules/undelivered.ts";
import { rules } from "../../src/testing/contract/rules.ts";
import { tryRule } from "../../src/testing/contract/try-rule.ts";
import { closingOf } from "../../src/testing/session/performed-commands.ts";
import { BrokenRule } from "../../src/testing.ts";
import { someOf } from "../budget.ts";
import { createReferenceDriver } from "../client/reference-driver.ts";
import { impressionIdIn } from "../sender.ts";
import { type ReportWorld, reportWorldOf } from "./report-world.ts";

/** Sends the same request each time, whatever the operation. */
function ask(stage: ReportWorld, operation: OperationId): void {
  const { id } = stage.publisher;
  if (operation === "impression") stage.impression("a");
  else if (operation === "click") stage.click("imp_nothing");
  else
    stage.send({ method: "GET", path: `/v1/publisher/${operation}`, query: { publisher_id: id } });
}

/** So many requests, so many milliseconds apart. */
function repeat(stage: ReportWorld, count: number, ms: number, act: () => unknown): ReportWorld {
  for (let time = 0; time < count; time += 1) {
    act();
    stage.wait(ms);
  }
  return stage;
}

const from2 = (count: number): readonly number[] =>
  Array.from({ length: count - 1 }, (_, index) => index + 2);

const refusals = [400, 401, 403, 404, 405, 409, 410, 413, 414, 415, 422, 431] as const;
const outages = [408, 425, 429, 500, 502, 503, 504] as const;
const statuses: readonly Verdict[] = [...refusals, ...outages].map((status) => ({
  kind: "respond",
  status,
}));
const failures: readonly Verdict[] = [
  ...statuses,
  { kind: "respond", status: 409, body: { code: "duplicate_impression" } },
  { kind: "respond", status: 503, applied: true },
  { kind: "drop" },
  { kind: "reset" },
  { kind: "empty" },
  { kind: "lose-response" },
  { kind: "truncate", share: 0.5 },
  { kind: "garbage" },
];

describe.each(operationIds)("40 requests for %s, 3 ms apart", (operation) => {
  test.each(failures)("are a hot loop through %j", (verdict) => {
    const stage = reportWorldOf({ faults: [{ verdict }] });
    repeat(stage, 40, 3, () => ask(stage, operation));
    expect(stage.proving("hot-loop")).toEqual(from2(40));
  });

  test("aren't one if they are answered", () => {
    const stage = reportWorldOf();
    if (operation === "click") {
      const id = impressionIdIn(stage.impression("a"));
      repeat(stage, 40, 3, () => stage.click(id));
    } else {
      repeat(stage, 40, 3, () => ask(stage, operation));
    }
    expect(stage.found()).toEqual([]);
  });

  test("aren't one if their end is unknown", () => {
    const stage = reportWorldOf({ faults: [{ verdict: { kind: "timeout" } }] });
    repeat(stage, 40, 3, () => ask(stage, operation));
    expect(stage.found()).not.toContain("hot-loop");
  });
});

describe("40 impressions without session, 3 ms apart", () => {
  test.each(refusals)("are a hot loop if they are answered %d", (status) => {
    const stage = reportWorldOf({ faults: [{ verdict: { kind: "respond", status } }] });
    repeat(stage, 40, 3, () => stage.impression(undefined));
    expect(stage.proving("hot-loop")).toEqual(from2(40));
  });

  test.each([...outages, "drop"] as const)("may be many users' in an outage: %s", (failure) => {
    const verdict: Verdict =
      failure === "drop" ? { kind: "drop" } : { kind: "respond", status: failure };
    const stage = reportWorldOf({ faults: [{ verdict }] });
    repeat(stage, 40, 3, () => stage.impression(undefined));
    expect(stage.found()).not.toContain("hot-loop");
  });

  test("are a hot loop and refused-and-sent-again on an unknown surface", () => {
    const stage = reportWorldOf();
    const body = { publisher_id: stage.publisher.id, surface: "nowhere", ad_id: "ad-1" };
    repeat(stage, 40, 3, () => stage.send({ method: "POST", path: "/v1/impression", body }));
    expect(stage.found()).toEqual(["hot-loop", "refused-and-sent-again"]);
    expect(stage.proving("refused-and-sent-again")).toEqual(from2(40));
  });

  test("are neither if their ads differ", () => {
    const stage = reportWorldOf();
    let ads = 0;
    repeat(stage, 40, 3, () => {
      ads += 1;
      const body = { publisher_id: stage.publisher.id, surface: "nowhere", ad_id: `ad-${ads}` };
      stage.send({ method: "POST", path: "/v1/impression", body });
    });
    expect(stage.found()).toEqual([]);
  });
});

test("40 requests to an unknown path, 3 ms apart, are a hot loop and no-such-operation", () => {
  const stage = reportWorldOf();
  repeat(stage, 40, 3, () => stage.send({ method: "GET", path: "/v1/stats" }));
  expect(stage.found()).toEqual(["hot-loop", "no-such-operation"]);
});

/** Requests that the service refuses for good, with assumptions that change the refusal's status. */
const wrong: readonly {
  readonly what: string;
  readonly assumptions?: SimulatorOptions["assumptions"];
  readonly status: number;
  prepare?(stage: ReportWorld): void;
  send(stage: ReportWorld): unknown;
}[] = [
  ...([{}, { "errors.body": "empty" }, { "errors.body": "html" }] as const).map((assumptions) => ({
    what: `an impression on a paused surface, ${JSON.stringify(assumptions)}`,
    assumptions,
    status: 409,
    prepare: pause,
    send: (stage: ReportWorld) => onFirst(stage, "a"),
  })),
  ...(
    [
      [{}, 404],
      [{ "surface.unknown": "400" }, 400],
      [{ "surface.unknown": "400", "errors.invalid": "422" }, 400],
    ] as const
  ).map(([assumptions, status]) => ({
    what: `an unknown surface, ${JSON.stringify(assumptions)}`,
    assumptions,
    status,
    send: ({ send, publisher: { id } }: ReportWorld) =>
      send({
        method: "POST",
        path: "/v1/impression",
        body: { publisher_id: id, surface: "nowhere", ad_id: "a", session_id: "s" },
      }),
  })),
  ...(
    [
      ["400", 400],
      ["422", 422],
    ] as const
  ).map(([choice, status]) => ({
    what: `an invalid parameter, ${choice}`,
    assumptions: { "errors.invalid": choice },
    status,
    send: (stage: ReportWorld) => stage.stats({ from: "yesterday" }),
  })),
  ...(
    [
      ["publisher", 403],
      ["publisher-hidden", 404],
    ] as const
  ).flatMap(([choice, status]) =>
    (["stats", "surfaces", "payouts"] as const).map((operation) => ({
      what: `${operation} of another publisher, ${choice}`,
      assumptions: { "auth.key-scope": choice },
      status,
      send: ({ send, sim }: ReportWorld) =>
        send({
          method: "GET",
          path: `/v1/publisher/${operation}`,
          query: { publisher_id: sim.publishers.at(1).id },
        }),
    })),
  ),
  ...(["404", "400"] as const).map((choice) => ({
    what: `a click on an unknown impression, ${choice}`,
    assumptions: { "click.unknown": choice },
    status: Number(choice),
    send: (stage: ReportWorld) => stage.click("imp_nothing"),
  })),
  {
    what: "a click that is too late",
    assumptions: { "click.window": "24h" },
    status: 410,
    send: lateClick,
  },
  {
    what: "a body in another format",
    assumptions: { "request.encoding": "form" },
    status: 415,
    send: (stage) => stage.impression("a"),
  },
  {
    what: "a body that is no JSON",
    status: 400,
    send: ({ send }) => send({ method: "POST", path: "/v1/click", body: "{" }),
  },
  {
    what: "a body that is too large",
    status: 413,
    send: ({ send }) =>
      send({ method: "POST", path: "/v1/click", body: { impression_id: "x".repeat(70_000) } }),
  },
  {
    what: "a limit above the maximum",
    status: 400,
    send: ({ send, publisher: { id } }) =>
      send({
        method: "GET",
        path: "/v1/publisher/payouts",
        query: { publisher_id: id, limit: "99999999999999999999" },
      }),
  },
];

function pause({ sim, publisher }: ReportWorld): void {
  const surface = publisher.surfaces[0]?.id ?? "";
  sim.publishers.setSurface(publisher.id, surface, { status: "paused" });
}

function onFirst({ send, publisher }: ReportWorld, session: string | undefined): unknown {
  return send({
    method: "POST",
    path: "/v1/impression",
    body: {
      publisher_id: publisher.id,
      surface: publisher.surfaces[0]?.id,
      ad_id: "a",
      session_id: session,
    },
  });
}

const clicked = new WeakMap<ReportWorld, string>();

function lateClick(stage: ReportWorld): unknown {
  const id = clicked.get(stage) ?? impressionIdIn(stage.impression("late"));
  if (!clicked.has(stage)) stage.wait(25 * 3_600_000);
  clicked.set(stage, id);
  return stage.click(id);
}

describe("a request that the service refuses for good, sent again unchanged", () => {
  test.each(wrong)(
    "is reported and is no hot loop: $what, $status",
    ({ assumptions = {}, status, prepare, send }) => {
      for (const clock of ["flowing", "frozen"] as const) {
        const stage = reportWorldOf({ assumptions, clock });
        prepare?.(stage);
        const answers = Array.from({ length: 3 }, () => {
          stage.wait(1500);
          return send(stage) as { readonly status: number };
        });
        if (clock === "frozen" && status === 410) continue;
        expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
        expect(stage.proving("refused-and-sent-again")).toHaveLength(2);
        expect(stage.found()).not.toContain("hot-loop");
      }
    },
  );

  test.each(["a", undefined])(
    "20 times on a paused surface, is reported and is no hot loop, session %s",
    (session) => {
      for (const clock of ["flowing", "frozen"] as const) {
        const stage = reportWorldOf({ clock });
        pause(stage);
        repeat(stage, 20, 200, () => onFirst(stage, session));
        expect(stage.found()).toEqual(["refused-and-sent-again"]);
      }
    },
  );

  test("is reported for a rule's 409 that names no duplicate, and not for one that does", () => {
    for (const body of [undefined, { error: { code: "duplicate_impression" } }]) {
      const stage = reportWorldOf({
        faults: [{ verdict: { kind: "respond", status: 409, body } }],
      });
      repeat(stage, 3, 1000, () => stage.impression("a"));
      expect(stage.found()).toEqual(body === undefined ? ["refused-and-sent-again"] : []);
    }
  });

  test("isn't reported for duplicates, or for a surface that is active again", () => {
    const shown = reportWorldOf({ assumptions: { "dedup.repeat": "conflict" } });
    repeat(shown, 5, 1000, () => shown.impression("a"));
    expect(shown.found()).toEqual([]);
    const back = reportWorldOf();
    pause(back);
    repeat(back, 2, 1000, () => onFirst(back, "a"));
    const surface = back.publisher.surfaces[0]?.id ?? "";
    back.sim.publishers.setSurface(back.publisher.id, surface, { status: "active" });
    repeat(back, 2, 1000, () => onFirst(back, "a"));
    expect(back.found()).toEqual([]);
  });

  test("isn't reported for a request that is sent in another encoding", () => {
    const stage = reportWorldOf({ assumptions: { "request.encoding": "query" } });
    pause(stage);
    const values = {
      publisher_id: stage.publisher.id,
      surface: stage.publisher.surfaces[0]?.id ?? "",
      ad_id: "a",
      session_id: "s",
    };
    const headers = { authorization: `Bearer ${stage.publisher.apiKey}` };
    const form = { ...headers, "content-type": "application/x-www-form-urlencoded" };
    const at = { method: "POST", path: "/v1/impression" };
    const answers = [
      stage.send({ ...at, body: values }),
      stage.send({ ...at, headers: form, body: String(new URLSearchParams(values)) }),
      stage.send({ ...at, query: values }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([415, 415, 409]);
    expect(stage.found()).toEqual([]);
  });

  test.each(["403", "503"] as const)("isn't reported for a limit that answers %s", (choice) => {
    const stage = reportWorldOf({
      assumptions: { "limit.exceeded": choice, "limit.retry-after": "absent" },
    });
    repeat(stage, 70, 100, () => stage.stats());
    expect(stage.found()).not.toContain("refused-and-sent-again");
  });
});

test("a 409 of the service shows that the key is valid and that a wait is over", () => {
  const told: Verdict = { kind: "respond", status: 503, headers: { "retry-after": "60" } };
  const unauthorized: Verdict = { kind: "respond", status: 401 };
  for (const verdict of [told, unauthorized]) {
    const stage = reportWorldOf({ faults: [{ match: { nth: 1 }, verdict }] });
    pause(stage);
    for (const session of ["a", "b", "c", "d"]) {
      onFirst(stage, session);
      stage.wait(1000);
    }
    const id = verdict === told ? "before-retry-after" : "continues-after-401";
    expect(stage.proving(id)).toEqual([2]);
  }
});

test("a limit above 100 is reported, however many digits it has", () => {
  const stage = reportWorldOf({ assumptions: { "payout.limit-over-max": "clamp" } });
  for (const limit of ["100", "101", "9".repeat(16), "9".repeat(400)]) {
    const query = { publisher_id: stage.publisher.id, limit };
    stage.send({ method: "GET", path: "/v1/publisher/payouts", query });
  }
  expect(stage.proving("limit-above-maximum")).toEqual([2, 3, 4]);
  expect(stage.finding("limit-above-maximum").example).toMatch(/limit=101$/);
});

describe("there are no findings for", () => {
  test("stats each minute for two hours, through an outage of ten minutes", () => {
    const stage = reportWorldOf({
      faults: [
        { match: { nth: [30, 31, 32, 33, 34, 35, 36, 37, 38, 39] }, verdict: { kind: "drop" } },
      ],
    });
    repeat(stage, 120, 60_000, () => stage.stats());
    expect(stage.found()).toEqual([]);
  });

  test.each([
    ["recorded", {}],
    ["on a paused surface", {}],
    [
      "in an outage",
      { faults: [{ match: { times: 100 }, verdict: { kind: "respond", status: 503 } }] },
    ],
  ] as const)("100 distinct impressions in one millisecond, %s", (where, options) => {
    const stage = reportWorldOf(options);
    if (where === "on a paused surface") pause(stage);
    for (let count = 0; count < 100; count += 1) onFirst(stage, `user-${count}`);
    if (where === "in an outage") retryAll();
    expect(stage.found()).toEqual([]);

    function retryAll(): void {
      for (let count = 0; count < 100; count += 1) {
        stage.wait(count);
        onFirst(stage, `user-${count}`);
      }
    }
  });

  // In 35 ms as they arrive over six connections.
  test.each(["in one millisecond", "in 35"])(
    "a page that sends the same request 49 times %s, and is refused",
    (when) => {
      const stage = reportWorldOf({ faults: [{ verdict: { kind: "respond", status: 404 } }] });
      for (let count = 0; count < 49; count += 1) {
        if (when === "in 35" && count % 7 < 5) stage.wait(1 + (count % 3));
        stage.stats();
      }
      expect(stage.found()).toEqual([]);
    },
  );

  test.each<Verdict>([
    { kind: "respond", status: 503 },
    { kind: "respond", status: 429, headers: { "retry-after": "7" } },
    { kind: "drop" },
    { kind: "empty" },
    { kind: "truncate", share: 0.5 },
    { kind: "garbage" },
  ])("the reference client, where two of three answers are %j", async (verdict) => {
    for (const encoding of ["json", "query"] as const) {
      const nth = Array.from({ length: 300 }, (_, index) => index + 1).filter((one) => one % 3 > 0);
      const stage = reportWorldOf({
        assumptions: { "request.encoding": encoding },
        faults: [{ match: { nth }, verdict }],
      });
      const { delivered } = await reportAll(stage);
      expect(delivered).toBeGreaterThan(20);
      expect(stage.found()).toEqual([]);
    }
  });

  const rows = coveringArray({ strength: 2 }).filter((_, number) => number % 5 === 0);
  test.each(someOf(rows.map((assumptions, number) => ({ number, assumptions }))))(
    "the reference client under the contract, row $number of the pairs of choices",
    async ({ number, assumptions }) => {
      for (const rule of rules) {
        // These choices allow for it: a limit of 101.
        if (rule.id === "payouts-limit") continue;
        const spied: typeof rule = {
          ...rule,
          judge(session) {
            const said = closingOf(session)?.outcome;
            const gaveUp = said?.kind === "done" && saysUndelivered(said.value);
            // The client says so when it is closed before the end of a pause.
            const [finding] = session.sim
              .report()
              .findings.filter(({ id }) => !gaveUp || id !== "failed-and-never-sent-again");
            if (finding !== undefined) throw new BrokenRule(`${finding.id}: ${finding.example}`);
            return 1;
          },
        };
        const options = { assumptions, sequenceSeed: number, runs: 2 };
        const tried = await tryRule(spied, createReferenceDriver, options);
        expect(tried.kind === "broken" ? tried.broken.message : "", rule.id).toBe("");
      }
    },
  );
});

function saysUndelivered(value: unknown): boolean {
  return (["impression", "click"] as const).some((kind) =>
    undeliveredOf(value, kind).some((count) => count > 0),
  );
}

/** Has the reference client report 25 impressions with a click each, in the stage's own time. */
async function reportAll(stage: ReportWorld): Promise<Report> {
  const timers = new Map<number, { readonly atMs: number; callback(): void }>();
  let made = 0;
  const clock = {
    now: () => stage.sim.clock.now(),
    setTimeout(callback: () => void, delayMs: number): number {
      made += 1;
      timers.set(made, { atMs: clock.now() + delayMs, callback });
      return made;
    },
    clearTimeout: (timer: unknown) => timers.delete(timer as number),
  };
  const { apiKey, id: publisherId, surfaces } = stage.publisher;
  const names = surfaces.map(({ id }) => id);
  const { fetch } = stage.sim;
  let draws = 0;
  const random = (): number => {
    draws += 1;
    return (draws * 0.618) % 1;
  };
  const about = { baseUrl: "http://ads.test", apiKey, publisherId, surfaces: names };
  const ads = createAds({ ...about, fetch, clock, random });
  let report: Report | undefined;
  const done = (async () => {
    await ads.init();
    for (let ad = 0; ad < 25; ad += 1) ads.click(ads.impression(names[0] ?? "", `ad-${ad}`));
    report = await ads.close({ withinMs: 3_600_000 });
  })();
  while (report === undefined) {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const [next] = [...timers].sort(([, one], [, other]) => one.atMs - other.atMs);
    if (report !== undefined || next === undefined) break;
    timers.delete(next[0]);
    stage.wait(Math.max(0, Math.ceil(next[1].atMs - clock.now())));
    next[1].callback();
  }
  await done;
  if (report === undefined) throw new Error("The client waits for nothing.");
  return report;
}
