/** Right requests are accepted, wrong ones are refused without a trace, under any assumptions. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSimulator, InputError, type Simulator } from "../../../src/index.ts";
import { operationIds, operations } from "../../../src/spec/operations.ts";
import { flawKinds } from "../../../src/testing/arbitraries/request-flaws.ts";
import {
  type ArbitraryRequestOptions,
  arbitraryAssumptions,
  arbitraryRequest,
  type RequestCase,
} from "../../../src/testing.ts";
import { runsOf } from "../../budget.ts";
import { createMarks } from "../../marks.ts";
import { ask } from "../../properties/ask.ts";
import { stateOf } from "../../properties/run.ts";

/** What the state of the world may refuse a right request for. */
const refusalsByState = [
  "click_too_late",
  "duplicate_click",
  "duplicate_impression",
  "rate_limited",
  "surface_inactive",
];

/** A world with an impression of the first publisher on record. */
function worldOf(assumptions: Simulator["assumptions"]): Simulator {
  const sim = createSimulator({ publishers: 3, profile: "tiny", assumptions });
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  ask(sim, { id, apiKey }, "impression", { surface: surfaces[0]?.id, ad_id: "ad" });
  // A publisher is part of the state from its first request on.
  for (const one of sim.publishers.list()) ask(sim, one, "stats");
  return sim;
}

const worlds = arbitraryAssumptions({ fixed: { "click.unknown": "404" } }).map(worldOf);

function casesIn(
  options: Omit<ArbitraryRequestOptions, "sim">,
): fc.Arbitrary<{ sim: Simulator; one: RequestCase }> {
  return worlds.chain((sim) => arbitraryRequest({ sim, ...options }).map((one) => ({ sim, one })));
}

test("every right request is accepted, or refused because of the world's state", () => {
  const marks = createMarks();
  fc.assert(
    fc.property(casesIn({ valid: true }), ({ sim, one }) => {
      const { status } = sim.handle(one.request);
      const [entry] = sim.journal.entries({ limit: 1 });
      if (status !== 200) expect(refusalsByState).toContain(entry?.reason);
      expect(entry?.operation).toBe(one.operation);
      expect(one.flaw).toBeUndefined();
      const { body, query, headers = {} } = one.request;
      marks.sometimes(`200 of ${one.operation}`, status === 200);
      marks.sometimes("a form", headers["content-type"]?.includes("form") === true);
      const all = `${String(query)}${JSON.stringify(body)}`;
      marks.sometimes("a period", all.includes("from=") && all.includes("to="));
      marks.sometimes("an end without a start", !all.includes("from=") && all.includes("to="));
      marks.sometimes("a limit", all.includes("limit="));
    }),
    { seed: 1, numRuns: 300 },
  );
  marks.expectReached();
});

test("every wrong request is refused with a 4xx, and leaves the state as it was", () => {
  const marks = createMarks();
  fc.assert(
    fc.property(casesIn({ valid: false }), ({ sim, one }) => {
      const before = stateOf(sim);
      const { status } = sim.handle(one.request);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(stateOf(sim)).toBe(before);
      expect(sim.journal.entries({ limit: 1 })[0]?.limit).toBeUndefined();
      marks.sometimes(one.flaw?.kind ?? "right");
    }),
    { seed: 2, numRuns: runsOf(400, 300) },
  );
  marks.expectReached(flawKinds);
});

describe("all of the contract's table is covered", () => {
  const sim = worldOf(createSimulator().assumptions);
  const flawed = fc.sample(arbitraryRequest({ sim, valid: false }), { seed: 1, numRuns: 1000 });
  const right = fc.sample(arbitraryRequest({ sim, valid: true }), { seed: 1, numRuns: 300 });

  test.each(operationIds)("%s: every parameter is sent, and is at fault", (id) => {
    const names = Object.keys(operations[id].parameters);
    const ofIt = (cases: RequestCase[]): RequestCase[] =>
      cases.filter(({ operation }) => operation === id);
    const sent = ofIt(right).map(({ request: { query, body } }) => JSON.stringify([query, body]));
    const atFault = new Set(ofIt(flawed).map(({ flaw }) => flaw?.parameter));
    for (const name of names) {
      expect(sent.some((text) => text.includes(name))).toBe(true);
      expect([...atFault]).toContain(name);
    }
  });
});

test("a request made without a simulator is right for a service with those publishers", () => {
  const sim = createSimulator({ start: "2026-03-01T00:00:00Z" });
  const publishers = sim.publishers.credentials(2);
  const requests = arbitraryRequest({ publishers, now: "2026-03-01T00:00:00Z", valid: true });
  const operations = fc.sample(requests, { seed: 1, numRuns: 50 }).map(({ request, operation }) => {
    expect(sim.fork().handle(request).status).toBe(200);
    return operation;
  });
  // Nothing is known to click on.
  expect([...new Set(operations)].sort()).toEqual(["impression", "payouts", "stats", "surfaces"]);
});

test("a failure shrinks to the first publisher and plain values", () => {
  const sim = worldOf(createSimulator().assumptions);
  const shrunk = (fails: (one: RequestCase) => boolean): RequestCase | undefined => {
    const property = fc.property(arbitraryRequest({ sim }), (one) => !fails(one));
    return fc.check(property, { seed: 4, numRuns: 500 }).counterexample?.[0];
  };
  const { id, apiKey } = sim.publishers.at(0);
  expect(shrunk(({ operation }) => operation === "stats")).toEqual({
    operation: "stats",
    publisher: id,
    request: {
      method: "GET",
      path: "/v1/publisher/stats",
      query: `publisher_id=${id}`,
      headers: { authorization: `Bearer ${apiKey}` },
    },
  });
  const click = shrunk(({ operation, flaw }) => operation === "click" && flaw !== undefined);
  expect(click?.flaw).toEqual({ kind: "missing-parameter", parameter: "impression_id" });
});

test("a seed and a path give the same request again", () => {
  const sim = worldOf(createSimulator().assumptions);
  const property = fc.property(
    arbitraryRequest({ sim }),
    ({ flaw }) => flaw?.kind !== "wrong-route",
  );
  const first = fc.check(property, { seed: 6, numRuns: 500 });
  const path = first.counterexamplePath ?? "";
  const again = fc.check(property, { seed: 6, path });
  expect(first.failed && again.counterexample).toEqual(first.counterexample);
});

test("the kinds of flaws can be chosen", () => {
  const sim = createSimulator();
  const some = arbitraryRequest({ sim, valid: false, flaws: ["wrong-key", "wrong-value"] });
  const kinds = fc.sample(some, { seed: 1, numRuns: 100 }).map(({ flaw }) => flaw?.kind);
  expect([...new Set(kinds)].sort()).toEqual(["wrong-key", "wrong-value"]);
});

test.each<[string, object, string]>([
  ["no sender", {}, "publishers must have a publisher"],
  ["no publishers", { publishers: [] }, "publishers must have a publisher"],
  ["no such flaw", { flaws: ["typo"] }, "flaws.0 must be one of missing-parameter, "],
  ["nothing to click on", { operation: "click", valid: true }, "impressions must have"],
  ["no such flaw of it", { operation: "surfaces", valid: false, flaws: ["wrong-body"] }, "flaws"],
  ["an unknown option", { operations: ["click"] }, "operations is not an option."],
])("options are refused by name: %s", (what, options, message) => {
  const sim = createSimulator();
  const needsSim = /click on|flaw of it/.test(what);
  const make = (): unknown => arbitraryRequest({ ...(needsSim ? { sim } : {}), ...options });
  expect(make).toThrow(InputError);
  expect(make).toThrow(message);
});
