/** The client library in a simulated world, in virtual time: each event on record once, or reported. */

import { afterEach, describe, expect, test, vi } from "vitest";
import { type Ads, type AdsOptions, createAds } from "../../src/client.ts";
import type { Verdict, VerdictKind } from "../../src/faults/verdict.ts";
import type { ClientCommand } from "../../src/testing/session/command.ts";
import {
  type Command,
  openTestWorld,
  runSession,
  type Session,
  type TestWorld,
  type TestWorldOptions,
} from "../../src/testing.ts";
import { createAdsDriver } from "./ads-driver.ts";

/** A started client, and its world. */
interface Started {
  readonly world: TestWorld;
  readonly ads: Ads;
  /** A surface's id. */
  readonly surface: string;
  /** Lets time pass until it is settled. */
  over<Value>(work: Promise<Value>): Promise<Value>;
  /** What arrived of an operation: its answers, or all. */
  sent(operation?: "impression" | "click"): { atMs: number; body: string; status: number }[];
}

async function begun(
  options: Partial<AdsOptions> = {},
  about: TestWorldOptions = {},
): Promise<Started> {
  const world = await openTestWorld(about);
  const { context, time, sim, surfaces } = world;
  const surface = surfaces[0]?.id ?? "";
  const ads = createAds({ ...context, clock: context.timers, surfaces: [surface], ...options });
  const over: Started["over"] = async (work) => {
    await time.until(work);
    return await work;
  };
  return {
    world,
    ads,
    surface,
    over,
    sent: (operation) =>
      sim.journal
        .entries(operation === undefined ? {} : { operation })
        .map(({ at, request, response }) => ({
          atMs: Date.parse(at),
          body: request.body,
          status: response.status,
        })),
  };
}

async function started(...given: Parameters<typeof begun>): Promise<Started> {
  const client = await begun(...given);
  await client.over(client.ads.init());
  return client;
}

/** Ids that the service gave to each ad view, or to the clicks on each impression. */
function onRecord(session: Session, operation: "impression" | "click"): Map<string, Set<string>> {
  const [about, id] =
    operation === "click"
      ? (["impression_id", "click_id"] as const)
      : (["ad_id", "impression_id"] as const);
  const ids = new Map<string, Set<string>>();
  for (const { operation: of, values, served } of session.requests) {
    if (of !== operation) continue;
    const name = values[about] ?? "";
    for (const { status, body } of served)
      if (status === 200) ids.set(name, (ids.get(name) ?? new Set()).add(JSON.parse(body)[id]));
  }
  return ids;
}

function reportOf(session: Session): unknown {
  const { outcome } = session.calls.at(-1) ?? {};
  return outcome?.kind === "done" ? outcome.value : outcome;
}

const shows: readonly ClientCommand[] = [0, 1, 2].map((surface) => ({
  kind: "impression",
  surface,
}));
const clicks: readonly Command[] = [0, 1, 2].map((impression) => ({ kind: "click", impression }));
const flush: Command = { kind: "flush" };

/** Timers that never fire. */
const still = { now: () => 0, setTimeout: () => 0, clearTimeout: () => {} };

/** One of each kind. */
const faults = {
  delay: { kind: "delay", delay: 20_000 },
  respond: { kind: "respond", status: 502, applied: true },
  drop: { kind: "drop" },
  "lose-response": { kind: "lose-response", as: "silence" },
  timeout: { kind: "timeout" },
  reset: { kind: "reset" },
  empty: { kind: "empty" },
  truncate: { kind: "truncate", atByte: 10 },
  garbage: { kind: "garbage" },
  "wrong-body": { kind: "wrong-body", wrong: "empty-id" },
  drip: { kind: "drip", bytesPerSecond: 1 },
  duplicate: { kind: "duplicate", answer: "second" },
  reorder: { kind: "reorder" },
} as const satisfies Record<VerdictKind, Verdict>;

describe("faults", () => {
  const assumptions = { "click.repeat": "count" } as const;

  test.each(Object.values(faults))("through %j each ad view is recorded once", async (verdict) => {
    const rule = { match: { operation: "impression", times: 5 }, verdict } as const;
    const commands: Command[] = [{ kind: "fault", rule }, ...shows, flush, ...clicks, flush];
    const session = await runSession(createAdsDriver, commands, { assumptions });
    expect([...onRecord(session, "impression").values()].map(({ size }) => size)).toEqual([
      1, 1, 1,
    ]);
    expect([...onRecord(session, "click").values()].map(({ size }) => size)).toEqual([1, 1, 1]);
    expect(reportOf(session)).toEqual({ impressions: 0, clicks: 0 });
  });

  const once = Object.values(faults).filter(({ kind }) => kind !== "duplicate");
  test.each(once)(
    "through %j no click is recorded twice, and unanswered ones are reported",
    async (verdict) => {
      const rule = { match: { operation: "click", times: 2 }, verdict } as const;
      const commands: Command[] = [...shows, flush, { kind: "fault", rule }, ...clicks, flush];
      const session = await runSession(createAdsDriver, commands, { assumptions });
      const sizes = [...onRecord(session, "click").values()].map(({ size }) => size);
      expect(sizes.every((size) => size === 1)).toBe(true);
      const told = verdict.kind === "reorder" ? 0 : 2;
      expect(reportOf(session)).toEqual({ impressions: 0, clicks: told });
      expect(session.requests.filter(({ operation }) => operation === "click")).toHaveLength(3);
    },
  );

  test("a click that surely was not recorded is sent again", async () => {
    const { world, ads, over, surface, sent } = await started();
    const impression = ads.impression(surface, "a");
    await over(impression.recorded);
    world.sim.faults.add({ match: { times: 2 }, verdict: { kind: "respond", status: 425 } });
    const { recorded } = ads.click(impression);
    expect(await over(recorded)).toMatchObject({ ok: true, value: { ok: true } });
    expect(sent("click").map(({ status }) => status)).toEqual([425, 425, 200]);
  });
});

describe("de-duplication", () => {
  const keys = ["surface-ad-session", "session"] as const;
  const repeats = ["original-uncredited", "replay", "conflict", "count"] as const;
  const choices = keys.flatMap((key) => repeats.map((repeat) => [key, repeat] as const));

  test.each(choices)("%s, %s: a lost answer loses no ad view", async (key, repeat) => {
    const match = { operation: "impression", times: 1 } as const;
    const lost = { match, verdict: { kind: "lose-response" } } as const;
    const session = await runSession(
      createAdsDriver,
      [{ kind: "fault", rule: lost }, ...shows, ...clicks, flush],
      { assumptions: { "dedup.key": key, "dedup.repeat": repeat } },
    );
    const sizes = [...onRecord(session, "impression").values()].map(({ size }) => size);
    expect(sizes).toEqual([repeat === "count" ? 2 : 1, 1, 1]);
    // The first one's id came only with the answer that was lost.
    const unknown = repeat === "conflict" ? 1 : 0;
    expect(reportOf(session)).toEqual({ impressions: 0, clicks: unknown });
    const sessions = session.requests.map(({ values }) => values.session_id ?? "");
    expect(new Set(sessions.filter((id) => id !== "")).size).toBe(3);
  });

  test("an ad view or a click that is reported again is the same one", async () => {
    const { ads, over, surface, sent } = await started();
    const first = ads.impression(surface, "a");
    expect(ads.impression(surface, "a")).toBe(first);
    expect(ads.click(first)).toBe(ads.click(first));
    expect(await over(ads.flush())).toEqual({ delivered: 2, undelivered: [], unlisted: 0 });
    expect(ads.impression(surface, "a")).toBe(first);
    expect(ads.click(first)).toBe(ads.click(first));
    expect(await over(ads.close())).toEqual({ delivered: 0, undelivered: [], unlisted: 0 });
    expect([sent("impression").length, sent("click").length]).toEqual([1, 1]);
  });

  test("an ad view is the same one within the window; after it, it is another with its own clicks", async () => {
    const { world, ads, over, surface, sent } = await started({ dedupWindowMs: 60_000 });
    const first = ads.impression(surface, "a");
    await world.time.pass(59_999);
    expect(ads.impression(surface, "a")).toBe(first);
    await world.time.pass(1);
    const second = ads.impression(surface, "a");
    expect(second).not.toBe(first);
    expect(ads.impression(surface, "a")).toBe(second);
    expect(ads.click(first)).toBe(ads.click(first));
    expect(ads.click(second)).not.toBe(ads.click(first));
    expect(await over(ads.flush())).toMatchObject({ delivered: 4 });
    const ids = sent("impression").map(({ body }) => JSON.parse(body).session_id);
    expect(new Set(ids).size).toBe(2);
    expect(sent("click")).toHaveLength(2);
  });

  test("the window is half an hour, and a clock that was set back doesn't make it longer", async () => {
    let nowMs = 86_400_000;
    const { ads, surface } = await started({ clock: { ...still, now: () => nowMs } });
    const first = ads.impression(surface, "a");
    for (const sinceMs of [1_799_999, -1_799_999]) {
      nowMs = 86_400_000 + sinceMs;
      expect(ads.impression(surface, "a")).toBe(first);
    }
    nowMs = 86_400_000 - 1_800_000;
    const second = ads.impression(surface, "a");
    expect(second).not.toBe(first);
    nowMs += 1_800_000;
    expect(ads.impression(surface, "a")).not.toBe(second);
  });

  test("of 10,001 ad views the first is forgotten, so that memory is bounded", async () => {
    const surfaces = '{"surfaces":[{"id":"s","name":"S","status":"active","cpm_range":[1,2]}]}';
    const recorded = '{"ok":true,"impression_id":"i","revenue_credited_inr":0}';
    const headers = new Headers();
    // As much of a response as is read: making ten thousand whole ones takes a second.
    const fetch = async (_: unknown, init?: RequestInit) =>
      ({
        status: 200,
        headers,
        text: async () => (init?.method === "POST" ? recorded : surfaces),
      }) as Response;
    let nowMs = 0;
    const clock = { ...still, now: () => nowMs };
    const about = { baseUrl: "http://a.test", apiKey: "k", publisherId: "p", surfaces: ["S"] };
    const ads = createAds({ ...about, fetch, clock, queueSize: 10_000 });
    await ads.init();
    const [first, second] = [ads.impression("S", "1"), ads.impression("S", "2")];
    for (let ad = 3; ad <= 10_000; ad += 1) ads.impression("S", `${ad}`);
    await ads.flush();
    ads.impression("S", "10001");
    expect(ads.impression("S", "2")).toBe(second);
    expect(ads.impression("S", "1")).not.toBe(first);
    nowMs = 1_800_000;
    const third = ads.impression("S", "3");
    ads.impression("S", "10002");
    expect(ads.impression("S", "3")).toBe(third);
    expect(await ads.close()).toEqual({ delivered: 4, undelivered: [], unlisted: 0 });
  });

  test("nothing is repeated after the machine slept for longer than a service may remember", async () => {
    const { world, ads, over, surface, sent } = await started();
    world.sim.faults.add({ verdict: { kind: "lose-response" } });
    ads.impression(surface, "a");
    await world.time.settle();
    world.sim.faults.clear();
    world.sim.clock.advance("31m");
    const { undelivered } = await over(ads.flush());
    expect(undelivered).toMatchObject([{ why: "unreachable", mayHaveApplied: true }]);
    expect(sent("impression")).toHaveLength(1);
  });
});

describe("limits", () => {
  const statuses = ["429", "403", "503"] as const;
  const hints = ["seconds", "http-date", "absent"] as const;
  const choices = statuses.flatMap((status) => hints.map((hint) => [status, hint] as const));

  test.each(choices)(
    "%s, Retry-After as %s: all wait, and all get through",
    async (status, hint) => {
      const commands: Command[] = [
        { kind: "advance", byMs: 15_000 },
        { kind: "spend", left: 1, of: "recording" },
        { kind: "together", commands: [...shows, ...shows] },
        flush,
      ];
      const assumptions = { "limit.exceeded": status, "limit.retry-after": hint };
      const session = await runSession(createAdsDriver, commands, { assumptions });
      const sent = session.requests.filter(({ operation }) => operation === "impression");
      const refused = sent.filter(({ limit }) => limit !== undefined);
      const minuteMs = 60_000 * Math.ceil((sent[0]?.atMs ?? 0) / 60_000);
      const early = sent.filter(({ atMs }) => atMs < minuteMs).length;
      expect(onRecord(session, "impression").size).toBe(6);
      expect(reportOf(session)).toEqual({ impressions: 0, clicks: 0 });
      expect(refused.length).toBeGreaterThan(0);
      // With a hint, only the requests that were already under way come early.
      if (hint !== "absent") expect(early).toBeLessThanOrEqual(4);
      else expect(refused.length).toBeLessThanOrEqual(4 * 7);
    },
  );

  test("Retry-After delays every event, by up to a second more than it asks for", async () => {
    const { world, ads, over, surface, sent } = await started();
    const headers = { "retry-after": "90" };
    const verdict = { kind: "respond", status: 503, headers } as const;
    world.sim.faults.add({ match: { times: 1 }, verdict });
    ads.impression(surface, "a");
    await world.time.settle();
    ads.impression(surface, "b");
    const fromMs = world.sim.clock.now();
    expect(await over(ads.flush())).toMatchObject({ delivered: 2 });
    const waits = sent("impression").map(({ atMs }) => atMs - fromMs);
    expect(waits[0]).toBe(0);
    for (const wait of waits.slice(1)) {
      expect(wait).toBeGreaterThanOrEqual(90_000);
      expect(wait).toBeLessThanOrEqual(91_000);
    }
  });

  test("a Retry-After beyond the longest wait makes the client give up at once", async () => {
    const { world, ads, over, surface, sent } = await started();
    const headers = { "retry-after": "7200" };
    world.sim.faults.add({ verdict: { kind: "respond", status: 429, headers } });
    const fromMs = world.sim.clock.now();
    ads.impression(surface, "a");
    await over(ads.flush());
    ads.impression(surface, "b");
    const { undelivered } = await over(ads.flush());
    expect(undelivered).toMatchObject([
      { ad: "b", why: "limited", status: 429, mayHaveApplied: false },
    ]);
    expect([sent("impression").length, world.sim.clock.now() - fromMs]).toEqual([1, 0]);
  });
});

describe("outages", () => {
  test.each([
    [0, 0.5],
    [0.999, 0.9995],
  ])(
    "pauses double up to the longest; with the random number %d each is a share of %d",
    async (drawn, share) => {
      const random = (): number => drawn;
      const { world, ads, over, surface, sent } = await started({ random });
      world.sim.faults.add({ verdict: { kind: "reset" } });
      ads.impression(surface, "a");
      const { undelivered } = await over(ads.flush());
      expect(undelivered).toMatchObject([
        { kind: "impression", surface, ad: "a", why: "unreachable", mayHaveApplied: true },
      ]);
      const times = sent("impression").map(({ atMs }) => atMs);
      const pauses = times.slice(1).map((atMs, index) => (atMs - (times[index] ?? 0)) / 1000);
      const longest = [1, 2, 4, 8, 16, 32, 60, 60, 60];
      expect(pauses).toEqual(longest.map((seconds) => expect.closeTo(seconds * share, 2)));
      const bodies = new Set(sent("impression").map(({ body }) => body));
      expect(bodies.size).toBe(1);
    },
  );

  test("a clock that is set back makes no pause longer, neither one that began nor the next", async () => {
    let backMs = 0;
    const world = await openTestWorld();
    const { timers } = world.context;
    const clock = { ...timers, now: () => timers.now() - backMs };
    const surface = world.surfaces[0]?.id ?? "";
    const ads = createAds({ ...world.context, clock, random: () => 0, surfaces: [surface] });
    await ads.init();
    const verdict = { kind: "respond", status: 503, headers: { "retry-after": "10" } } as const;
    world.sim.faults.add({ match: { times: 1 }, verdict });
    ads.impression(surface, "a");
    await world.time.settle();
    backMs = 3_600_000;
    ads.impression(surface, "b");
    const fromMs = world.sim.clock.now();
    const done = ads.flush();
    await world.time.until(done);
    expect((await done).delivered).toBe(2);
    const sent = world.sim.journal.entries({ operation: "impression" });
    const waits = sent.map(({ at }) => Date.parse(at) - fromMs);
    expect(waits).toEqual([0, expect.closeTo(10_000, -2), expect.closeTo(10_000, -2)]);
  });

  test("a full queue refuses events, and takes them once there is room", async () => {
    const { world, ads, over, surface } = await started({ queueSize: 2 });
    const remove = world.sim.faults.add({ verdict: { kind: "reset" } });
    const first = ads.impression(surface, "a");
    ads.impression(surface, "b");
    const refused = ads.impression(surface, "c");
    expect(await refused.recorded).toMatchObject({
      undelivered: { kind: "impression", ad: "c", why: "queue-full", mayHaveApplied: false },
    });
    expect(await ads.click(first).recorded).toMatchObject({ undelivered: { why: "queue-full" } });
    remove();
    expect((await over(ads.flush())).delivered).toBe(2);
    expect(ads.impression(surface, "c")).not.toBe(refused);
    ads.click(first);
    expect(await over(ads.flush())).toEqual({ delivered: 2, undelivered: [], unlisted: 0 });
  });

  test("a report lists 10,000 undelivered events, and counts the others", async () => {
    const { world, ads, over, surface } = await started({ queueSize: 1 });
    world.sim.publishers.rotateKey(world.publisher.id);
    for (let ad = 0; ad < 10_003; ad += 1) ads.impression(surface, `${ad}`);
    const { undelivered, unlisted } = await over(ads.flush());
    expect([undelivered.length, unlisted]).toEqual([10_000, 3]);
    ads.impression(surface, "later");
    const next = await over(ads.close());
    expect([next.undelivered.map(({ ad }) => ad), next.unlisted]).toEqual([["later"], 0]);
  });

  test("a click on an unrecorded impression is reported, not sent", async () => {
    const { world, ads, over, surface, sent } = await started();
    world.sim.faults.add({ verdict: { kind: "respond", status: 410 } });
    ads.click(ads.impression(surface, "a"));
    const { undelivered } = await over(ads.flush());
    expect(undelivered.map(({ kind, why, status }) => [kind, why, status])).toEqual([
      ["impression", "refused", 410],
      ["click", "no-impression", undefined],
    ]);
    expect([sent("impression").length, sent("click").length]).toEqual([1, 0]);
  });

  test("after a key was refused nothing more is sent", async () => {
    const { world, ads, over, surface, sent } = await started();
    world.sim.publishers.rotateKey(world.publisher.id);
    ads.impression(surface, "a");
    const first = await over(ads.flush());
    ads.impression(surface, "b");
    const second = await over(ads.flush());
    const refused = { why: "refused", status: 401, mayHaveApplied: false };
    expect(first.undelivered).toMatchObject([{ ad: "a", ...refused }]);
    expect(second.undelivered).toMatchObject([{ ad: "b", ...refused }]);
    expect(sent("impression")).toHaveLength(1);
  });
});

describe("closing", () => {
  test.each([
    [undefined, 20_000],
    [{ withinMs: 3000 }, 3000],
    [{ withinMs: 0 }, 0],
  ])(
    "during an outage it gives up in time, and nothing is sent afterwards: %j",
    async (bound, takes) => {
      const pending = new Set<unknown>();
      const world = await openTestWorld();
      const { timers } = world.context;
      const clock = {
        now: timers.now,
        setTimeout(callback: () => void, delayMs: number) {
          const timer = timers.setTimeout(() => {
            pending.delete(timer);
            callback();
          }, delayMs);
          pending.add(timer);
          return timer;
        },
        clearTimeout(timer: ReturnType<typeof timers.setTimeout>) {
          pending.delete(timer);
          timers.clearTimeout(timer);
        },
      };
      const surface = world.surfaces[0]?.name ?? "";
      const ads = createAds({ ...world.context, clock, surfaces: [surface] });
      await ads.init();
      world.sim.faults.add({ verdict: { kind: "timeout" } });
      const impressions = [1, 2, 3, 4, 5].map((ad) => ads.impression(surface, `${ad}`));
      for (const impression of impressions.slice(0, 1)) ads.click(impression);
      const fromMs = clock.now();
      const closing = ads.close(bound);
      await world.time.until(closing);
      const { delivered, undelivered } = await closing;
      expect(clock.now() - fromMs).toBe(takes);
      expect(delivered).toBe(0);
      // The fifth had no place among the four that are under way.
      expect(undelivered.map(({ kind, ad, mayHaveApplied }) => [kind, ad, mayHaveApplied])).toEqual(
        expect.arrayContaining([
          ["impression", "1", true],
          ["impression", "4", true],
          ["impression", "5", false],
          ["click", "1", false],
        ]),
      );
      expect(undelivered).toHaveLength(6);
      expect(pending.size).toBe(0);
      const { total } = world.sim.journal;
      world.sim.faults.clear();
      await world.time.pass(3_600_000);
      expect(world.sim.journal.total).toBe(total);
    },
  );

  test("queued events are delivered first", async () => {
    const { ads, over, surface } = await started();
    for (let ad = 1; ad <= 30; ad += 1) ads.click(ads.impression(surface, `${ad}`));
    expect(await over(ads.close())).toEqual({ delivered: 60, undelivered: [], unlisted: 0 });
  });

  test("afterwards, nothing can be reported", async () => {
    const { ads, over, surface, sent } = await started();
    const impression = ads.impression(surface, "a");
    const first = ads.close();
    expect(() => ads.impression(surface, "b")).toThrow("closed");
    expect(() => ads.click(impression)).toThrow("closed");
    await expect(ads.init()).resolves.toBeUndefined();
    expect(await over(ads.close())).toBe(await first);
    expect(sent("impression")).toHaveLength(1);
  });

  test("a start under way ends with an error", async () => {
    const { world, ads, over } = await begun();
    world.sim.faults.add({ verdict: { kind: "timeout" } });
    const start = ads.init();
    start.catch(() => {});
    expect(await over(ads.close())).toEqual({ delivered: 0, undelivered: [], unlisted: 0 });
    await expect(start).rejects.toThrow("closed");
    await expect(ads.init()).rejects.toThrow("closed");
  });
});

describe("starting", () => {
  test("surfaces that aren't there, are ambiguous or aren't active are named", async () => {
    const { world, over } = await begun();
    const { publishers } = world.sim;
    const { id, apiKey, surfaces } = publishers.signUp({ surfaces: ["Twin", "Twin", "Off", "On"] });
    const [twin, , off, on] = surfaces;
    publishers.setSurface(id, off?.id ?? "", { status: "paused" });
    const given = { ...world.context, clock: world.context.timers, publisherId: id, apiKey };
    const wrong = createAds({ ...given, surfaces: ["Nowhere", "Twin", "Off", "On"] });
    const error: unknown = await over(wrong.init()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "InitError", status: undefined });
    expect(String(error)).toMatch(/"Nowhere" doesn't exist; "Twin" is ambiguous/);
    expect(String(error)).toMatch(/"Off" has the status "paused", not "active"\./);
    expect(String(error)).not.toContain(apiKey);
    const right = createAds({ ...given, surfaces: [twin?.id ?? "", "On"] });
    await over(right.init());
    expect(right.impression("On", "a").surface).toBe(on?.id);
    expect(right.impression(on?.id ?? "", "a")).toBe(right.impression("On", "a"));
    expect(() => right.impression("Twin", "a")).toThrow(TypeError);
    expect(() => right.impression("On", "")).toThrow("ad");
    const stranger = { surface: "On", ad: "a", recorded: new Promise<never>(() => {}) };
    expect(() => right.click(stranger)).toThrow("an impression of this client");
  });

  test("it is tried again after a passing failure, and not after a refusal", async () => {
    const { world, ads, over, surface, sent } = await begun();
    expect(() => ads.impression(surface, "a")).toThrow("init()");
    const remove = world.sim.faults.add({ verdict: { kind: "respond", status: 404 } });
    await expect(over(ads.init())).rejects.toMatchObject({ status: 404 });
    remove();
    world.sim.faults.add({ match: { times: 2 }, verdict: { kind: "garbage" } });
    await over(Promise.all([ads.init(), ads.init()]));
    expect(sent()).toHaveLength(4);
    expect(ads.impression(surface, "a")).toMatchObject({ surface, ad: "a" });
  });

  test.each([
    [{ publisherId: "" }, "publisherId"],
    [{ surfaces: [] }, "surfaces"],
    [{ surfaces: "Sidebar" }, "surfaces"],
    [{ apiKey: "" }, "apiKey"],
    [{ queueSize: 0 }, "queueSize"],
    [{ dedupWindowMs: 86_400_001 }, "dedupWindowMs"],
    [{ concurrency: 1.5 }, "concurrency"],
    [{ timeoutMs: 60_001 }, "timeoutMs"],
    [{ retry: { attempts: 0 } }, "retry.attempts"],
    [{ retry: { giveUpAfterMs: 30 * 60_000 } }, "retry.giveUpAfterMs"],
  ])("wrong options are named: %j", (wrong, name) => {
    const right = { baseUrl: "http://a.test", apiKey: "k", publisherId: "p", surfaces: ["s"] };
    // As from JavaScript, where nothing checks it.
    const options = { ...right, ...wrong } as AdsOptions;
    expect(() => createAds(options)).toThrow(TypeError);
    expect(() => createAds(options)).toThrow(name);
  });

  test("an invalid time limit of close is refused", async () => {
    const { ads } = await started();
    expect(() => ads.close({ withinMs: Number.NaN })).toThrow("withinMs");
  });
});

describe("a page that is left", () => {
  afterEach(() => void vi.unstubAllGlobals());

  test.each([
    ["what waits for its turn or for a retry is sent at once", {}, [503, 503, 200, 200]],
    ["a pause that the service asked for is kept", { "retry-after": "60" }, [503]],
  ])("%s", async (_, headers, statuses) => {
    const page = new EventTarget();
    const add = page.addEventListener.bind(page);
    vi.stubGlobal("addEventListener", add);
    const { world, ads, surface, sent } = await started({ concurrency: 1 });
    const verdict = { kind: "respond", status: 503, headers } as const;
    world.sim.faults.add({ match: { times: 2 }, verdict });
    for (const ad of ["a", "b"]) ads.impression(surface, ad);
    await world.time.settle();
    page.dispatchEvent(new Event("pagehide"));
    await world.time.settle();
    if (statuses.length > 1) page.dispatchEvent(new Event("pagehide"));
    await world.time.settle();
    expect(sent("impression").map(({ status }) => status)).toEqual(statuses);
  });
});
