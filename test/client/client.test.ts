/** One call, one result: every operation, every way it can fail, under every assumption that affects it. */

import { describe, expect, test } from "vitest";
import { type Client, createClient } from "../../src/client.ts";
import type { Verdict, VerdictKind } from "../../src/faults/verdict.ts";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { type Assumptions, catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { openTestWorld, type TestWorld } from "../../src/testing.ts";

const baseUrl = "http://ads.test";
type Fetch = typeof globalThis.fetch;

interface Setting {
  readonly sim: Simulator;
  readonly client: Client;
  readonly publisher_id: string;
  readonly surface: string;
}

function setting(assumptions: Partial<Assumptions> = {}): Setting {
  const sim = createSimulator({ publishers: 2, assumptions });
  const { id: publisher_id, apiKey, surfaces } = sim.publishers.at(0);
  const clock = { ...still, now: () => sim.clock.now() };
  const client = createClient({ baseUrl, apiKey, fetch: sim.fetch, clock });
  const surface = surfaces.find(({ status }) => status === "active")?.id ?? "";
  return { sim, client, publisher_id, surface };
}

/** Timers that never fire. */
const still = { now: () => 0, setTimeout: () => 0, clearTimeout: () => {} };

function answering(
  status: number,
  body: string | null,
  headers: Record<string, string> = {},
): Client {
  const fetch: Fetch = async () => new Response(body, { status, headers });
  const clock = { ...still, now: () => Date.UTC(2026, 0, 15) };
  return createClient({ baseUrl, apiKey: "key_secret", fetch, clock });
}

const adView = { publisher_id: "p", surface: "s", ad_id: "a" };

async function errorOf(result: ReturnType<Client[keyof Client]>) {
  const settled = await result;
  if (settled.ok) throw new Error("It went well.");
  return settled.error;
}

async function wentWell<Value>(
  result: Promise<{ readonly ok: true; readonly value: Value } | { readonly ok: false }>,
): Promise<Value> {
  const settled = await result;
  if (!settled.ok) throw new Error(JSON.stringify(settled));
  return settled.value;
}

describe("answers", () => {
  /** Every choice about the form of answers. */
  const forms = (["ids.format", "response.form", "money.precision"] as const).flatMap((key) =>
    Object.keys(catalogue[key].choices).map((choice) => ({ [key]: choice })),
  );

  test.each([
    {},
    { "surface.statuses": "extended", "payout.statuses": "extended" },
    { "payout.statuses": "extended-without-txn" },
    ...forms,
  ] as Partial<Assumptions>[])(
    "every operation gives the spec's answer: %j",
    async (assumptions) => {
      const { client, publisher_id, surface } = setting(assumptions);
      const impression = await client.impression({ publisher_id, surface, ad_id: "a+b &c" });
      const { impression_id } = await wentWell(Promise.resolve(impression));
      expect(impression).toMatchObject({ ok: true, remaining: 9999 });
      expect(await client.click({ impression_id })).toMatchObject({ ok: true, remaining: 9998 });
      const stats = await wentWell(client.stats({ publisher_id, surface, to: undefined }));
      expect(stats).toMatchObject({ publisher_id, surfaces: [{ id: surface }] });
      expect((await wentWell(client.surfaces({ publisher_id }))).surfaces[0]).toHaveProperty(
        "status",
      );
      const { payouts } = await wentWell(client.payouts({ publisher_id, limit: 2 }));
      expect(payouts.length).toBeLessThanOrEqual(2);
    },
  );

  test("a path of the base URL is kept", async () => {
    const urls: unknown[] = [];
    const fetch: Fetch = async (url) => {
      urls.push(url);
      return new Response();
    };
    const client = createClient({ baseUrl: "http://ads.test/@world/", apiKey: "k", fetch });
    await client.surfaces({ publisher_id: "a+b" });
    expect(urls).toEqual(["http://ads.test/@world/v1/publisher/surfaces?publisher_id=a%2Bb"]);
  });
});

describe("encodings", () => {
  test.each([
    ["any", 0],
    ["json", 0],
    ["form", 1],
    ["query", 2],
  ] as const)("%s is found out with %i refusals, and remembered", async (encoding, refusals) => {
    const { sim, client, publisher_id, surface } = setting({ "request.encoding": encoding });
    const first = { publisher_id, surface, ad_id: "ä+&=", session_id: "one" };
    const { impression_id } = await wentWell(client.impression(first));
    const second = await wentWell(client.impression({ ...first, session_id: "two" }));
    expect(second.impression_id).not.toBe(impression_id);
    await wentWell(client.click({ impression_id }));
    const statuses = sim.journal.entries({}).map(({ response }) => response.status);
    expect(statuses).toEqual([...Array(refusals).fill(415), 200, 200, 200]);
    expect(await wentWell(client.impression(first))).toMatchObject({ impression_id });
  });

  test("if the service reads none of them, the result is its 415", async () => {
    let calls = 0;
    const fetch: Fetch = async () => {
      calls += 1;
      return new Response(null, { status: 415 });
    };
    const client = createClient({ baseUrl, apiKey: "k", fetch });
    const error = await errorOf(client.impression(adView));
    expect(error).toMatchObject({ kind: "refused", status: 415, mayHaveApplied: false });
    expect(calls).toBe(3);
    expect(await errorOf(client.stats({ publisher_id: "p" }))).toMatchObject({ status: 415 });
    expect(calls).toBe(4);
  });
});

describe("refusals", () => {
  test.each([
    ["problem", "surface_not_found"],
    ["envelope", "surface_not_found"],
    ["flat", undefined],
    ["list", "surface_not_found"],
    ["text", undefined],
    ["html", undefined],
    ["empty", undefined],
  ] as const)("an error body of the shape %s is understood", async (shape, code) => {
    const { client, publisher_id } = setting({ "errors.body": shape });
    const error = await errorOf(client.impression({ publisher_id, surface: "no", ad_id: "a" }));
    expect(error).toMatchObject({ kind: "refused", status: 404, code, mayHaveApplied: false });
    expect(error.message).toMatch(shape === "empty" ? /^The service answered 404\.$/ : /surface/i);
    expect(error.message).not.toMatch(/[<{]/);
  });

  test("a rotated key is refused, and not shown", async () => {
    const { sim, client, publisher_id } = setting();
    sim.publishers.rotateKey(publisher_id);
    expect(await errorOf(client.stats({ publisher_id }))).toMatchObject({
      kind: "refused",
      status: 401,
      retryAfterMs: undefined,
      mayHaveApplied: false,
    });
    const echoing = answering(400, '{"error":"Bearer key_secret is wrong"}');
    expect((await errorOf(echoing.click({ impression_id: "i" }))).message).toBe(
      "Bearer … is wrong",
    );
  });

  test.each([
    [400, "refused", false],
    [408, "unavailable", false],
    [409, "refused", true],
    [410, "refused", false],
    [425, "unavailable", false],
    [429, "limited", false],
    [500, "unavailable", true],
  ])("%i is %s; may have been applied: %s", async (status, kind, mayHaveApplied) => {
    const headers = { "x-ratelimit-remaining": "7" };
    const client = answering(status, null, headers);
    const error = await errorOf(client.click({ impression_id: "i" }));
    expect(error).toMatchObject({ kind, status, mayHaveApplied });
    const reading = await errorOf(client.stats({ publisher_id: "p" }));
    expect(reading).toMatchObject({ kind, mayHaveApplied: false });
  });
});

describe("limits", () => {
  const statuses = ["429", "403", "503"] as const;
  const hints = ["seconds", "http-date", "absent"] as const;
  test.each(statuses.flatMap((status) => hints.map((hint) => [status, hint] as const)))(
    "%s with Retry-After as %s is recognised as a limit",
    async (status, hint) => {
      const choices = { "limit.exceeded": status, "limit.retry-after": hint } as const;
      const { sim, client, publisher_id } = setting(choices);
      sim.clock.advance(20_000);
      for (let left = 60; left > 0; left -= 1) await wentWell(client.stats({ publisher_id }));
      expect(await errorOf(client.stats({ publisher_id }))).toMatchObject({
        kind: "limited",
        status: Number(status),
        retryAfterMs: hint === "absent" ? undefined : 40_000,
      });
    },
  );

  test.each([
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "Thu, 15 Jan 2026 00:00:07 GMT" }, 7000],
    [{ "retry-after": "Wed, 14 Jan 2026 00:00:07 GMT" }, 0],
    [
      { "retry-after": "Mon, 05 May 2031 00:00:07 GMT", date: "Mon, 05 May 2031 00:00:02 GMT" },
      5000,
    ],
    [{ "retry-after": "Thu, 15 Jan 2026 00:00:07 GMT", date: "just now" }, 7000],
    [{ "retry-after": "3", date: "Mon, 05 May 2031 00:00:02 GMT" }, 3000],
    [{ "retry-after": "soon" }, undefined],
    [{ ratelimit: '"p";r=0;t=9', "x-ratelimit-reset": "9" }, undefined],
  ])("%j asks to wait %s ms", async (headers, expected) => {
    const error = await errorOf(answering(429, null, headers).stats({ publisher_id: "p" }));
    expect(error.retryAfterMs).toBe(expected);
  });
});

describe("no usable answer", () => {
  const record = '{"ok":true,"impression_id":"i","revenue_credited_inr":0.5}';
  test.each([
    ["a page", 200, "<html>Welcome</html>"],
    ["half of it", 200, record.slice(0, 30)],
    ["nothing", 200, null],
    ["ok: false", 200, record.replace("true", "false")],
    ["an id that is a number", 200, record.replace('"i"', "12")],
    ["an amount that is a text", 200, record.replace("0.5", '"0.5"')],
    ["a missing field", 200, record.replace('"ok":true,', "")],
    ["201", 201, record],
  ])("%s is unreadable", async (_, status, body) => {
    const error = await errorOf(answering(status, body).impression(adView));
    expect(error).toMatchObject({ kind: "unreadable", status, mayHaveApplied: true });
  });

  test.each([
    ["stats", '{"publisher_id":"p"}'],
    ["surfaces", '{"surfaces":[{"id":"s","name":"S","status":"active","cpm_range":[1]}]}'],
    ["payouts", '{"payouts":{},"pending_inr":1}'],
  ] as const)("%s of another form are unreadable, and nothing was applied", async (id, body) => {
    const error = await errorOf(answering(200, body)[id]({ publisher_id: "p" }));
    expect(error).toMatchObject({ kind: "unreadable", mayHaveApplied: false });
  });

  test.each([
    ["ECONNRESET", true],
    ["UND_ERR_SOCKET", true],
    ["ECONNREFUSED", false],
    ["ENOTFOUND", false],
  ])("after %s it may have been applied: %s", async (code, mayHaveApplied) => {
    const cause = Object.assign(new Error(`socket: ${code}`), { code });
    const fetch: Fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
    const client = createClient({ baseUrl, apiKey: "k", fetch });
    const error = await errorOf(client.impression(adView));
    expect(error).toMatchObject({ kind: "unreachable", status: undefined, mayHaveApplied });
    expect(error.message).toContain(code);
  });

  test("a call that was aborted before it was sent is not sent", async () => {
    const { sim, client, publisher_id, surface } = setting();
    const given = { publisher_id, surface, ad_id: "a" };
    const error = await errorOf(client.impression(given, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ kind: "aborted", mayHaveApplied: false });
    expect(sim.journal.total).toBe(0);
  });

  test("a call that is aborted under way ends, whatever fetch does about its signal", async () => {
    const controller = new AbortController();
    const fetch: Fetch = () => new Promise(() => {});
    const client = createClient({ baseUrl, apiKey: "k", fetch, clock: still });
    const error = errorOf(client.impression(adView, { signal: controller.signal }));
    controller.abort();
    expect(await error).toMatchObject({ kind: "aborted", mayHaveApplied: true });
  });
});

/** One of each kind, and the kind of the client's error. */
const faults = {
  delay: [{ kind: "delay", delay: 20_000 }, "timed-out"],
  respond: [{ kind: "respond", status: 502, applied: true }, "unavailable"],
  drop: [{ kind: "drop", as: "reset" }, "unreachable"],
  "lose-response": [{ kind: "lose-response" }, "unreachable"],
  timeout: [{ kind: "timeout" }, "timed-out"],
  reset: [{ kind: "reset" }, "unreachable"],
  empty: [{ kind: "empty" }, "unreachable"],
  truncate: [{ kind: "truncate", atByte: 10 }, "unreadable"],
  garbage: [{ kind: "garbage" }, "unreadable"],
  "wrong-body": [{ kind: "wrong-body", wrong: "empty-id" }, "unreadable"],
  drip: [{ kind: "drip", bytesPerSecond: 1 }, "timed-out"],
  duplicate: [{ kind: "duplicate" }, undefined],
  reorder: [{ kind: "reorder" }, undefined],
} as const satisfies Record<VerdictKind, readonly [Verdict, string | undefined]>;

describe("faults", () => {
  test.each(Object.values(faults))("%j gives %s", async (verdict, kind) => {
    const world = await openTestWorld();
    world.sim.faults.add({ verdict });
    const given = { publisher_id: world.publisher.id, surface: world.surfaces[0]?.id ?? "" };
    const result = await answered(world, (client) => client.impression({ ...given, ad_id: "a" }));
    // The client must not say that nothing was applied when it may have been.
    if (kind === undefined) expect(result.ok).toBe(true);
    else expect(result).toMatchObject({ error: { kind, mayHaveApplied: true } });
  });

  test("statistics of another publisher are unreadable", async () => {
    const { sim, client, publisher_id } = setting();
    await wentWell(client.stats({ publisher_id }));
    sim.faults.add({ verdict: { kind: "wrong-body", wrong: "foreign-id" } });
    expect(await errorOf(client.stats({ publisher_id }))).toMatchObject({ kind: "unreadable" });
  });
});

/** Lets a client ask in virtual time, until it has an answer. */
async function answered<Value>(
  { context, time }: TestWorld,
  ask: (client: Client) => Promise<Value>,
  timeoutMs?: number,
): Promise<Value> {
  const { baseUrl, apiKey, fetch, timers: clock } = context;
  const call = ask(createClient({ baseUrl, apiKey, fetch, clock, timeoutMs }));
  expect(await time.until(call)).toEqual({ kind: "over" });
  return await call;
}

test.each([
  [undefined, 10_000],
  [250, 250],
])("with a timeoutMs of %s a call ends after %i ms without an answer", async (timeoutMs, takes) => {
  const world = await openTestWorld();
  const { sim, context } = world;
  sim.faults.add({ match: { times: 1 }, verdict: { kind: "timeout" } });
  const fromMs = sim.clock.now();
  const given = { publisher_id: context.publisherId };
  const error = await errorOf(answered(world, (client) => client.stats(given), timeoutMs));
  expect(error).toMatchObject({ kind: "timed-out", mayHaveApplied: false });
  expect(sim.clock.now() - fromMs).toBe(takes);
  await wentWell(answered(world, (client) => client.stats(given)));
  expect(world.time.pendingTimers()).toEqual([]);
});

test.each([
  [{ baseUrl: "ads.test" }, "baseUrl"],
  [{ baseUrl: "http://ads.test?x" }, "baseUrl"],
  [{ baseUrl: "http://a b" }, "baseUrl"],
  [{ baseUrl: "http://user:secret@ads.test" }, "baseUrl"],
  [{ apiKey: "key_secret\n" }, "apiKey"],
  [{ apiKey: undefined }, "apiKey"],
  [{ timeoutMs: 0 }, "timeoutMs"],
  [{ timeoutMs: 2 ** 31 }, "timeoutMs"],
])("wrong options are named without their values: %j", (wrong, name) => {
  // As from JavaScript, where nothing checks it.
  const options = { baseUrl, apiKey: "key_secret", ...wrong } as {
    baseUrl: string;
    apiKey: string;
  };
  expect(() => createClient(options)).toThrow(TypeError);
  expect(() => createClient(options)).toThrow(name);
  expect(() => createClient(options)).not.toThrow("key_secret");
});
