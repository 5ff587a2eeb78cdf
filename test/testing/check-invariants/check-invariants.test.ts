/** The invariants, checked on a simulator that a test has used: all hold, and a lying journal breaks them. */

import { expect, test } from "vitest";
import {
  type ApiResponse,
  createSimulator,
  InputError,
  type Simulator,
  type SimulatorOptions,
} from "../../../src/index.ts";
import { WorldJournal } from "../../../src/journal/journal.ts";
import { checkInvariants, invariants } from "../../../src/testing.ts";
import { plainCall, requestOf } from "../../oracle/calls.ts";

/** What a test of a client leaves behind: events and their repeats, clicks, a used up quota, payouts listed twice. */
function used(options: SimulatorOptions = {}): Simulator {
  const sim = createSimulator({ publishers: 3, ...options });
  for (const { id, apiKey, surfaces } of sim.publishers.list({ limit: 2 })) {
    const ask = (...call: Parameters<typeof plainCall>): ApiResponse =>
      sim.handle(requestOf(plainCall(...call), apiKey));
    const surface = surfaces.find(({ status }) => status === "active")?.id;
    for (const session_id of ["one", "two", "one"]) {
      const { body } = ask("impression", { publisher_id: id, surface, ad_id: "ad", session_id });
      ask("click", { impression_id: /"impression_id":"([^"]+)"/.exec(body)?.[1] ?? "imp_lost" });
      ask("click", { impression_id: "imp_nobody" });
      sim.clock.advance(1000);
    }
    for (let sent = 0; sent < 61; sent += 1) ask("stats", { publisher_id: id });
    sim.clock.advance(86_400_000);
    ask("payouts", { publisher_id: id });
    ask("payouts", { publisher_id: id });
  }
  return sim;
}

function idsOf(sim: Simulator, result: "passed" | "failed" | "undecided"): string[] {
  return checkInvariants(sim).flatMap((one) => (one.result === result ? [one.id] : []));
}

const healthy = used();

test("a simulator that was used obeys all that can be checked, says why, and isn't changed", () => {
  const before = JSON.stringify([healthy.snapshot(), healthy.journal.total]);
  const results = checkInvariants(healthy);
  expect(idsOf(healthy, "failed")).toEqual([]);
  expect(idsOf(healthy, "undecided")).toEqual(["A4"]);
  expect(results.map(({ id, says }) => ({ id, says }))).toEqual(invariants);
  for (const { why } of results) expect(why).toMatch(/\w/);
  expect(JSON.stringify([healthy.snapshot(), healthy.journal.total])).toBe(before);
});

test("it does so under other choices, after faults and changes by hand, with a flowing clock", () => {
  const sim = used({
    assumptions: { "auth.key-scope": "publisher-hidden", "money.precision": "paise" },
    clock: "flowing",
    wallClock: () => 0,
    faults: [
      { match: { operation: "impression", nth: 2 }, verdict: { kind: "lose-response" } },
      { match: { operation: "click", nth: 1 }, verdict: { kind: "duplicate" } },
      { match: { operation: "click", nth: 2 }, verdict: { kind: "respond", status: 502 } },
      () => undefined,
    ],
  });
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  sim.publishers.rotateKey(id);
  sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { cpmRange: [900, 901] });
  sim.publishers.signUp({ surfaces: ["Home"] });
  sim.assume({ "ids.format": "uuid" });
  sim.handle(requestOf(plainCall("stats", { publisher_id: id }), apiKey));
  expect(idsOf(sim, "failed")).toEqual([]);
});

test.each<[string, () => Simulator]>([
  ["forgotten 94 of 144 requests", () => used({ journalEntries: 50 })],
  ["forgotten 144 of 144 requests", () => used({ journalEntries: 0 })],
  ["the world is a fork, or a snapshot was restored", () => healthy.fork()],
  [
    "the world is a fork, or a snapshot was restored",
    () => {
      const sim = used();
      sim.restore(createSimulator({ publishers: 3 }).snapshot());
      return sim;
    },
  ],
])("an invariant about the journal is undecided if it has a gap: %s", (why, make) => {
  const results = checkInvariants(make());
  expect(results.filter(({ result }) => result === "failed")).toEqual([]);
  const rests = ["M2", "M3", "M4", "S2", "D3", "L7", "H1"];
  for (const one of results.filter(({ id }) => rests.includes(id))) {
    expect(one).toMatchObject({ result: "undecided", why: expect.stringContaining(why) });
  }
});

test("an unknown id is refused", () => {
  const attempt = (): unknown => checkInvariants(healthy, { ids: ["M1", "M7"] });
  expect(attempt).toThrow(InputError);
  expect(attempt).toThrow("ids.1 must be one of M1, M2");
});

type Lie = (response: ApiResponse) => ApiResponse;
const saying =
  (pattern: RegExp, by: string): Lie =>
  (response) => ({ ...response, body: response.body.replace(pattern, by) });
test.each<[string, Lie]>([
  ["M2", saying(/"revenue_credited_inr":[\d.]+/, '"revenue_credited_inr":0.009')],
  ["D3", saying(/"imp_\w+"/, '"imp_1"')],
  ["L7", (response) => ({ ...response, headers: {} })],
  ["H1", (response) => ({ ...response, status: 500 })],
])("%s: a journal with wrong answers breaks it, and no key gets into the text", (id, lie) => {
  const liar = used();
  const { journal } = liar;
  if (!(journal instanceof WorldJournal)) throw new Error("It has another journal.");
  for (const { record } of journal.exchanges()) record.response = lie(record.response);
  const [found] = checkInvariants(liar, { ids: [id] });
  expect(found?.result).toBe("failed");
  expect(found?.why).not.toMatch(/key_\w/);
});
