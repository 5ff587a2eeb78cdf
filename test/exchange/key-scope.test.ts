/** One key for all publishers: which account a request acts on, and which limit it spends. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Publisher, type Simulator } from "../../src/index.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { createParsingClient, type ParsingClient } from "./parsing-client.ts";

interface World {
  readonly sim: Simulator;
  /** The publisher whose key is sent. */
  readonly caller: Publisher;
  /** The publisher that the request names. */
  readonly named: Publisher;
  readonly asks: ParsingClient;
  /** The named publisher with its own key. */
  readonly itself: ParsingClient;
}

function world(assumptions: Partial<Assumptions> = {}): World {
  const sim = createSimulator({ assumptions: { "auth.key-scope": "any", ...assumptions } });
  const [caller, named] = [sim.publishers.at(0), sim.publishers.at(1)];
  return {
    sim,
    caller,
    named,
    asks: createParsingClient(sim, caller),
    itself: createParsingClient(sim, named),
  };
}

const shown = ({ id, surfaces }: Publisher) => ({
  publisher_id: id,
  surface: surfaces[0]?.id,
  ad_id: "ad",
  session_id: "s",
});

describe("any key", () => {
  test.each(["stats", "surfaces", "payouts"] as const)(
    "reads the %s of the named publisher, byte for byte as with that publisher's own key",
    (what) => {
      const { asks, itself, named, caller } = world();
      const answer = asks.get(what, { publisher_id: named.id });
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(itself.get(what, { publisher_id: named.id }).text);
      expect(answer.text).not.toBe(asks.get(what, { publisher_id: caller.id }).text);
    },
  );

  test("records impressions for the named publisher, and clicks for the impression's publisher", () => {
    const { sim, caller, named, asks, itself } = world();
    const { impression_id } = asks.post("impression", shown(named)).body;
    expect(itself.post("impression", shown(named)).body).toMatchObject({
      impression_id,
      revenue_credited_inr: 0,
    });
    const { click_id } = asks.post("click", { impression_id }).body;
    expect(itself.post("click", { impression_id }).body).toMatchObject({
      click_id,
      revenue_credited_inr: 0,
    });
    const today = { from: "2026-01-15" };
    const of = ({ id }: Publisher) =>
      createParsingClient(sim, named).get("stats", { publisher_id: id, ...today }).body;
    expect(of(named)).toMatchObject({ impressions: 1, clicks: 1 });
    expect(of(caller)).toMatchObject({ impressions: 0, clicks: 0 });
  });

  test("works for a sign-up as for a seeded publisher", () => {
    const { sim, asks } = world();
    const publisher = sim.publishers.signUp();
    const { impression_id } = asks.post("impression", shown(publisher)).body;
    expect(asks.post("click", { impression_id }).status).toBe(200);
  });

  test("gets 404 for an unknown publisher or impression", () => {
    const { asks } = world();
    const none = asks.get("stats", { publisher_id: "pub_0000000000000" });
    expect([none.status, none.body.code]).toEqual([404, "publisher_not_found"]);
    expect(asks.post("click", { impression_id: "never" }).status).toBe(404);
  });

  test("must still be valid", () => {
    const { sim, named } = world();
    const nobody = createParsingClient(sim, { ...named, apiKey: "made-up" });
    expect(nobody.get("stats", { publisher_id: named.id }).status).toBe(401);
  });

  test("its publisher is the journal entry's, and its answers are shaped by key-scope", () => {
    const { asks, caller, named } = world();
    const foreign = asks.get("stats", { publisher_id: named.id });
    expect(foreign.publisher).toBe(caller.id);
    expect(foreign.shapedBy).toContain("auth.key-scope");
  });
});

describe("the recording limit", () => {
  test("is the limit of the publisher that is acted on, whichever key is sent", () => {
    const { asks, itself, caller, named } = world();
    const { impression_id } = asks.post("impression", shown(named)).body;
    expect(itself.post("impression", shown(named)).remaining).toBe(9998);
    expect(asks.post("click", { impression_id }).remaining).toBe(9997);
    expect(asks.post("impression", { ...shown(named), surface: "nowhere" }).remaining).toBe(9996);
    expect(asks.post("impression", shown(caller)).remaining).toBe(9999);
  });

  test("is the limit of the key's publisher if the request doesn't say whose it is", () => {
    const { asks, named, itself } = world();
    const untold: readonly (readonly [
      "impression" | "click",
      Readonly<Record<string, unknown>>,
    ])[] = [
      ["impression", { ...shown(named), ad_id: "" }],
      ["impression", { ...shown(named), publisher_id: "nobody" }],
      ["click", { impression_id: "never" }],
      ["click", {}],
    ];
    expect(untold.map(([what, body]) => asks.post(what, body).remaining)).toEqual([
      9999, 9998, 9997, 9996,
    ]);
    expect(itself.post("click", {}).remaining).toBe(9999);
  });

  test("gives 429 once that publisher's quota is used up, shaped by key-scope", () => {
    const { asks, itself, caller, named } = world();
    for (let sent = 0; sent < 10_000; sent += 1) itself.post("click", {});
    const { status, shapedBy } = asks.post("impression", shown(named));
    expect(status).toBe(429);
    expect(shapedBy).toContain("auth.key-scope");
    expect(asks.post("impression", shown(caller)).status).toBe(200);
  });
});

test("the reporting limit belongs to the key", () => {
  const { asks, itself, named } = world();
  expect(asks.get("stats", { publisher_id: named.id }).remaining).toBe(59);
  expect(asks.get("surfaces", { publisher_id: named.id }).remaining).toBe(58);
  expect(itself.get("stats", { publisher_id: named.id }).remaining).toBe(59);
});

test("with a key for one publisher, a click on another's impression is shaped by key-scope", () => {
  const { asks, itself, named } = world({ "auth.key-scope": "publisher" });
  const { impression_id } = itself.post("impression", shown(named)).body;
  const foreign = asks.post("click", { impression_id });
  expect(foreign.status).toBe(404);
  expect(foreign.shapedBy).toContain("auth.key-scope");
  // The answer must not tell whether the impression exists.
  expect(asks.post("click", { impression_id: "never" }).shapedBy).toEqual(foreign.shapedBy);
});
