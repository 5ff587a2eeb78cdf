/** The oracle as a user has it: it checks a simulator, or an implementation of one's own, answer by answer. */

import { describe, expect, test } from "vitest";
import { type ApiResponse, createSimulator, InputError, type Simulator } from "../../src/index.ts";
import { type Call, oracleFor, plainCall, plainWay, requestOf } from "../../src/testing.ts";

const DAY_MS = 86_400_000;

function worldOf(options: Parameters<typeof createSimulator>[0] = {}) {
  const sim = createSimulator({ publishers: 3, ...options });
  const [publisher, other] = sim.publishers.list();
  const surface = publisher?.surfaces.find(({ status }) => status === "active");
  if (publisher === undefined || other === undefined || surface === undefined)
    throw new Error("This population has nobody to record for.");
  const impression = (session_id: string): Call =>
    plainCall("impression", {
      publisher_id: publisher.id,
      surface: surface.id,
      ad_id: "ad",
      session_id,
    });
  const stats = plainCall("stats", { publisher_id: publisher.id });
  return { sim, publisher, other, surface, impression, stats };
}

const idIn = ({ body }: ApiResponse): string => JSON.parse(body).impression_id;

/** A client's session, answered by the simulator. */
function session({ sim, publisher, other, impression, stats }: ReturnType<typeof worldOf>): number {
  const oracle = oracleFor(sim);
  const made = oracle.ask(impression("one"));
  oracle.ask(impression("one"));
  oracle.ask(plainCall("click", { impression_id: idIn(made) }));
  oracle.ask(plainCall("click", { impression_id: idIn(made) }));
  oracle.ask(plainCall("click", { impression_id: idIn(made) }), { apiKey: other.apiKey });
  oracle.ask(stats);
  sim.clock.advance(DAY_MS);
  oracle.ask(impression("one"));
  oracle.ask(plainCall("stats", { publisher_id: publisher.id, from: "2020-01-01" }));
  oracle.ask(plainCall("payouts", { publisher_id: publisher.id }));
  oracle.ask(plainCall("surfaces", { publisher_id: publisher.id }));
  oracle.ask({ ...stats, way: { ...plainWay("stats", "query"), scheme: undefined } });
  for (let sent = 0; sent < 70; sent += 1) oracle.ask(stats);
  return oracle.facts.impressions.length;
}

describe("a simulator as it is", () => {
  test.each([
    ["by default", {}],
    ["rounded to paise", { "money.precision": "paise" }],
    ["by India's days, a day late", { "date.timezone": "ist", "stats.today": "next-day" }],
    ["with a token bucket", { "limit.algorithm": "token-bucket" }],
    ["with extra members", { "response.extra-fields": "present", "errors.body": "envelope" }],
    ["with future days refused", { "date.future": "reject", "stats.surfaces": "with-traffic" }],
  ] as const)("agrees with the oracle %s", (_, assumptions) => {
    expect(session(worldOf({ assumptions }))).toBe(2);
  });

  test("is followed after changes by hand", () => {
    const { sim, publisher, surface, impression, stats } = worldOf();
    const oracle = oracleFor(sim);
    oracle.ask(stats);
    const { apiKey } = sim.publishers.rotateKey(publisher.id);
    expect(oracle.ask(stats).status).toBe(200);
    expect(oracle.ask(stats, { apiKey: publisher.apiKey }).status).toBe(401);
    sim.publishers.setSurface(publisher.id, surface.id, { status: "paused" });
    expect(oracle.ask(impression("one"), { apiKey }).status).toBe(409);
    sim.publishers.setSurface(publisher.id, surface.id, { status: "active", cpmRange: [7, 7] });
    expect(JSON.parse(oracle.ask(impression("one")).body).revenue_credited_inr).toBe(0.007);
    const { id } = sim.publishers.signUp({ surfaces: ["Home"] });
    expect(oracle.ask(plainCall("stats", { publisher_id: id })).status).toBe(200);
  });
});

describe("an implementation that is wrong", () => {
  /** Answers as the simulator does, save for what is changed in the text. */
  function wrong(sim: Simulator, call: Call, apiKey: string, change: (body: string) => string) {
    const oracle = oracleFor(sim.fork());
    const right = oracleFor(sim).ask(call, { apiKey });
    const body = change(right.body);
    const length = String(new TextEncoder().encode(body).length);
    const headers = { ...right.headers, "content-length": length };
    return () => oracle.see(call, { ...right, headers, body }, { apiKey });
  }

  test("gets an error with the expected and the actual value", () => {
    const { sim, publisher, stats } = worldOf();
    const see = wrong(sim, stats, publisher.apiKey, (body) =>
      body.replace(/"clicks":\d+/, '"clicks":7'),
    );
    expect(see).toThrow(/^Expected clicks to be \d+, got 7\.$/);
  });

  test("is caught by a credit outside the surface's range", () => {
    const { sim, publisher, impression } = worldOf();
    const see = wrong(sim, impression("one"), publisher.apiKey, (body) =>
      body.replace(/"revenue_credited_inr":[\d.]+/, '"revenue_credited_inr":9'),
    );
    expect(see).toThrow(/Expected a credit of \d+ to \d+ micros, got 9000000/);
  });

  test("is caught when it counts a repeat", () => {
    const { sim, impression } = worldOf();
    const oracle = oracleFor(sim);
    oracle.ask(impression("one"));
    const fresh = sim.fork();
    fresh.assume({ "dedup.repeat": "count" });
    const [publisher] = sim.publishers.list();
    const counted = fresh.handle({
      method: "POST",
      path: "/v1/impression",
      headers: {
        authorization: `Bearer ${publisher?.apiKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(impression("one").values),
    });
    expect(() => oracle.see(impression("one"), counted)).toThrow("impression_id of a repeat");
  });
});

describe("the oracle refuses, with advice,", () => {
  test.each<[string, () => unknown, string]>([
    [
      "a simulator that has answered before",
      () => {
        const { sim, stats } = worldOf();
        oracleFor(sim).ask(stats);
        return oracleFor(sim);
      },
      "sim has answered 1 requests that the oracle hasn't seen: make the oracle first, or reset the simulator",
    ],
    [
      "a fork of one that has recorded",
      () => {
        const { sim, impression } = worldOf();
        oracleFor(sim).ask(impression("one"));
        return oracleFor(sim.fork());
      },
      "sim has answered 1 requests",
    ],
    [
      "a call that names nobody",
      () => oracleFor(worldOf().sim).ask(plainCall("stats", { publisher_id: "pub_nobody" })),
      "apiKey must be given: the call names a publisher that the oracle doesn't know",
    ],
    [
      "assumptions that changed",
      () => {
        const { sim, stats } = worldOf();
        const oracle = oracleFor(sim);
        sim.assume({ "stats.surfaces": "with-traffic" });
        return oracle.ask(stats);
      },
      "assumptions differ from those that the oracle was made for: make a new oracle",
    ],
    [
      "time that went back",
      () => {
        const { sim, stats } = worldOf();
        const oracle = oracleFor(sim);
        sim.clock.advance(1000);
        oracle.ask(stats);
        sim.reset();
        return oracle.ask(stats);
      },
      "clock went back",
    ],
  ])("%s", (_, attempt, why) => {
    expect(attempt).toThrow(InputError);
    expect(attempt).toThrow(why);
  });
});

test("an error never shows a key or a UPI id", () => {
  const { sim, publisher } = worldOf();
  const { id, apiKey, upiId } = publisher;
  const call = plainCall("payouts", { publisher_id: id });
  const payouts = sim.fork().handle(requestOf(call, apiKey));
  const body = `${payouts.body} ${apiKey.toUpperCase()}`;
  expect(body).toContain(upiId);
  const missing = plainCall("payouts", { publisher_id: "pub_nobody" });
  let message = "";
  try {
    oracleFor(sim).see(missing, { ...payouts, body }, { apiKey });
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(/^Expected status 404, got 200: .*"upi_id":"…@….* key_…/s);
  expect(message).not.toContain(upiId);
  expect(message.toLowerCase()).not.toContain(apiKey);
});
