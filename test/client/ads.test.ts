/** The queueing client in a simulated world, in virtual time: each event on record once, or reported. */

import { afterEach, describe, expect, test, vi } from "vitest";
import { type AdsOptions, createAds } from "../../src/client.ts";
import { begun, started } from "./started.ts";

describe("what may be on record", () => {
  test("an ad view is sent again as the same one", async () => {
    const { world, ads, over, surface, sent } = await started();
    world.sim.faults.add({ match: { times: 2 }, verdict: { kind: "lose-response" } });
    ads.impression(surface, "a");
    expect(await over(ads.flush())).toEqual({ delivered: 1, undelivered: [], unlisted: 0 });
    const bodies = sent("impression").map(({ body }) => body);
    expect(bodies).toEqual(Array(3).fill(bodies[0]));
    expect(world.sim.audit().total.impressions.applied).toBe(1);
  });

  test("a click is not sent again, but reported", async () => {
    const { world, ads, over, surface, sent } = await started();
    const impression = ads.impression(surface, "a");
    await over(impression.recorded);
    world.sim.faults.add({ verdict: { kind: "lose-response" } });
    ads.click(impression);
    const { delivered, undelivered } = await over(ads.flush());
    expect(delivered).toBe(1);
    expect(undelivered).toMatchObject([
      { kind: "click", why: "unreachable", mayHaveApplied: true },
    ]);
    expect(sent("click")).toHaveLength(1);
  });

  test("a click that surely was not recorded is sent again", async () => {
    const { world, ads, over, surface, sent } = await started();
    const impression = ads.impression(surface, "a");
    await over(impression.recorded);
    world.sim.faults.add({ match: { times: 2 }, verdict: { kind: "respond", status: 425 } });
    const { recorded } = ads.click(impression);
    expect(await over(recorded)).toMatchObject({ ok: true, value: { ok: true } });
    expect(sent("click").map(({ status }) => status)).toEqual([425, 425, 200]);
  });

  test("nothing is repeated after the machine slept for longer than a service may remember", async () => {
    const { world, ads, over, surface, sent } = await started();
    world.sim.faults.add({ match: { times: 1 }, verdict: { kind: "lose-response" } });
    ads.impression(surface, "a");
    await world.time.settle();
    world.sim.clock.advance("31m");
    const { undelivered } = await over(ads.flush());
    expect(undelivered).toMatchObject([{ why: "unreachable", mayHaveApplied: true }]);
    expect(sent("impression")).toHaveLength(1);
  });
});

describe("de-duplication", () => {
  test("an ad view is the same one within the window, delivered or not; after it, it is another", async () => {
    const { world, ads, over, surface, sent } = await started({ dedupWindowMs: 60_000 });
    const first = ads.impression(surface, "a");
    expect(ads.impression(surface, "a")).toBe(first);
    expect(ads.click(first)).toBe(ads.click(first));
    expect(await over(ads.flush())).toEqual({ delivered: 2, undelivered: [], unlisted: 0 });
    await world.time.pass(59_999);
    expect(ads.impression(surface, "a")).toBe(first);
    await world.time.pass(1);
    const second = ads.impression(surface, "a");
    expect(second).not.toBe(first);
    expect(ads.click(second)).not.toBe(ads.click(first));
    expect(await over(ads.close())).toEqual({ delivered: 2, undelivered: [], unlisted: 0 });
    const ids = sent("impression").map(({ body }) => JSON.parse(body).session_id);
    expect([ids.length, new Set(ids).size, sent("click").length]).toEqual([2, 2, 2]);
  });

  test("the window is half an hour, and a clock that was set back doesn't make it longer", async () => {
    let offMs = 0;
    const { ads, surface } = await started(({ context: { timers } }) => ({
      clock: { ...timers, now: () => timers.now() + offMs },
    }));
    const first = ads.impression(surface, "a");
    for (offMs of [1_799_999, -1_799_999]) expect(ads.impression(surface, "a")).toBe(first);
    offMs = -1_800_000;
    const second = ads.impression(surface, "a");
    expect(second).not.toBe(first);
    offMs = 0;
    expect(ads.impression(surface, "a")).not.toBe(second);
  });

  test("of 10,001 ad views the first is forgotten, so that memory is bounded", async () => {
    const { world, ads, over, surface } = await started({ queueSize: 10_000 });
    const first = ads.impression(surface, "1");
    await over(first.recorded);
    world.sim.faults.add({ verdict: { kind: "timeout" } });
    const second = ads.impression(surface, "2");
    for (let ad = 3; ad <= 10_001; ad += 1) ads.impression(surface, `${ad}`);
    expect(ads.impression(surface, "2")).toBe(second);
    expect(ads.impression(surface, "1")).not.toBe(first);
  });
});

describe("limits", () => {
  test.each([
    ["Retry-After", 503, { "retry-after": "90" }, [90_000, 91_000]],
    ["a limit without it", 429, {}, [500, 1000]],
  ] as const)("%s delays every event", async (_, status, headers, [leastMs, mostMs]) => {
    const { world, ads, over, surface, sent } = await started();
    world.sim.faults.add({ match: { times: 1 }, verdict: { kind: "respond", status, headers } });
    ads.impression(surface, "a");
    await world.time.settle();
    ads.impression(surface, "b");
    const fromMs = world.sim.clock.now();
    expect(await over(ads.flush())).toMatchObject({ delivered: 2 });
    const [first, ...others] = sent("impression").map(({ atMs }) => atMs - fromMs);
    expect([first, others.length]).toEqual([0, 2]);
    expect(Math.min(...others)).toBeGreaterThanOrEqual(leastMs);
    expect(Math.max(...others)).toBeLessThanOrEqual(mostMs + 1);
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
  ])("pauses double up to the longest; drawn %d, each is a share of %d", async (drawn, share) => {
    const { world, ads, over, surface, sent } = await started({ random: () => drawn });
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
  });

  test("a clock that is set back makes no pause longer, neither one that began nor the next", async () => {
    let backMs = 0;
    const { world, ads, over, surface, sent } = await started(({ context: { timers } }) => ({
      clock: { ...timers, now: () => timers.now() - backMs },
      random: () => 0,
    }));
    const verdict = { kind: "respond", status: 503, headers: { "retry-after": "10" } } as const;
    world.sim.faults.add({ match: { times: 1 }, verdict });
    ads.impression(surface, "a");
    await world.time.settle();
    backMs = 3_600_000;
    ads.impression(surface, "b");
    const fromMs = world.sim.clock.now();
    expect((await over(ads.flush())).delivered).toBe(2);
    const waits = sent("impression").map(({ atMs }) => atMs - fromMs);
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
      const { world, ads, over, surface, sent } = await started();
      world.sim.faults.add({ verdict: { kind: "timeout" } });
      const [first] = [1, 2, 3, 4, 5].map((ad) => ads.impression(surface, `${ad}`));
      if (first !== undefined) ads.click(first);
      const fromMs = world.sim.clock.now();
      const { delivered, undelivered } = await over(ads.close(bound));
      expect(world.sim.clock.now() - fromMs).toBe(takes);
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
      expect(world.time.pendingTimers()).toEqual([]);
      const before = sent().length;
      world.sim.faults.clear();
      await world.time.pass(3_600_000);
      expect(sent()).toHaveLength(before);
    },
  );

  test("afterwards, nothing can be reported", async () => {
    const { ads, over, surface, sent } = await started();
    const impression = ads.impression(surface, "a");
    const first = ads.close();
    expect(() => ads.impression(surface, "b")).toThrow("closed");
    expect(() => ads.click(impression)).toThrow("closed");
    await expect(ads.init()).resolves.toBeUndefined();
    expect(await over(ads.close())).toBe(await first);
    expect(() => ads.close({ withinMs: Number.NaN })).toThrow("withinMs");
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

  // A page isn't told more if the service's CORS headers don't allow it.
  const silent = new TypeError("Failed to fetch");
  const told = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });

  test.each([
    [
      "without a reason",
      [silent],
      3,
      "listed: There was no answer: TypeError: Failed to fetch (CORS?)",
    ],
    ["with a reason", [told], 10, "(connect ECONNREFUSED)"],
    ["with a reason every other time", [told, silent], 6, "(CORS?)"],
  ])("if fetch fails %s it ends after %3$i attempts", async (_, errors, attempts, message) => {
    let asked = 0;
    const { ads, over } = await begun({
      async fetch() {
        asked += 1;
        throw errors[(asked - 1) % errors.length];
      },
    });
    await expect(over(ads.init())).rejects.toThrow(message);
    expect(asked).toBe(attempts);
  });

  test.each([
    [{ publisherId: "" }, "publisherId"],
    [{ surfaces: [] }, "surfaces"],
    [{ surfaces: "Sidebar" }, "surfaces"],
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
