/** Right requests are accepted, wrong ones are refused without a trace, under any assumptions. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createSimulator, InputError, type Simulator } from "../../../src/index.ts";
import { operationIds, operations } from "../../../src/spec/operations.ts";
import { flawKinds } from "../../../src/testing/arbitraries/request.ts";
import { arbitraryAssumptions, arbitraryRequest, type RequestCase } from "../../../src/testing.ts";
import { runsOf } from "../../budget.ts";
import { createMarks } from "../../marks.ts";
import { ask } from "../../properties/ask.ts";
import { stateOf } from "../../properties/run.ts";

/** What the state of the world may refuse a right request for. */
const byState =
  /^(?:click_too_late|duplicate_click|duplicate_impression|rate_limited|surface_inactive)$/;

/** A world with an impression of the first publisher on record. */
function worldOf(assumptions?: Simulator["assumptions"]): Simulator {
  const sim = createSimulator({ publishers: 3, profile: "tiny", assumptions });
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  ask(sim, { id, apiKey }, "impression", { surface: surfaces[0]?.id, ad_id: "ad" });
  // A publisher is part of the state from its first request on.
  for (const one of sim.publishers.list()) ask(sim, one, "stats");
  return sim;
}

const cases = (valid: boolean): fc.Arbitrary<{ sim: Simulator; one: RequestCase }> =>
  arbitraryAssumptions({ fixed: { "click.unknown": "404" } })
    .map(worldOf)
    .chain((sim) => arbitraryRequest({ sim, valid }).map((one) => ({ sim, one })));

test("every right request is accepted, or refused because of the world's state", () => {
  const marks = createMarks();
  fc.assert(
    fc.property(cases(true), ({ sim, one }) => {
      const { status } = sim.handle(one.request);
      const [entry] = sim.journal.entries({ limit: 1 });
      if (status !== 200) expect(entry?.reason).toMatch(byState);
      expect(entry?.operation).toBe(one.operation);
      expect(one.flaw).toBeUndefined();
      const all = JSON.stringify(one.request);
      marks.sometimes(`200 of ${one.operation}`, status === 200);
      marks.sometimes("a form", all.includes("form"));
      marks.sometimes("an end without a start", !all.includes("from=") && all.includes("to="));
      for (const name of Object.keys(operations[one.operation].parameters)) {
        marks.sometimes(`${one.operation} with ${name}`, all.includes(name));
      }
    }),
    { seed: 1, numRuns: runsOf(300, 100) },
  );
  marks.expectReached(operationIds.map((id) => `200 of ${id}`));
});

test("every wrong request is refused with a 4xx, and leaves the state as it was", () => {
  const marks = createMarks();
  fc.assert(
    fc.property(cases(false), ({ sim, one }) => {
      const before = stateOf(sim);
      const { status } = sim.handle(one.request);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(stateOf(sim)).toBe(before);
      expect(sim.journal.entries({ limit: 1 })[0]?.limit).toBeUndefined();
      marks.sometimes(one.flaw?.kind ?? "right");
    }),
    { seed: 2, numRuns: runsOf(400, 100) },
  );
  marks.expectReached(flawKinds);
});

test("every parameter is at fault now and then", () => {
  const wrong = arbitraryRequest({ sim: worldOf(), valid: false });
  const seen = new Set(
    fc
      .sample(wrong, { seed: 1, numRuns: 1000 })
      .map(({ operation, flaw }) => `${operation} ${flaw?.parameter}`),
  );
  for (const id of operationIds) {
    const names = Object.keys(operations[id].parameters);
    expect([...seen]).toEqual(expect.arrayContaining(names.map((name) => `${id} ${name}`)));
  }
});

test("a failure shrinks to the first publisher and plain values", () => {
  const sim = worldOf();
  const shrunk = (fails: (one: RequestCase) => boolean): RequestCase | undefined => {
    const property = fc.property(arbitraryRequest({ sim }), (one) => !fails(one));
    return fc.check(property, { seed: 4, numRuns: 500 }).counterexample?.[0];
  };
  const { id, apiKey } = sim.publishers.at(0);
  const { path } = operations.stats;
  const headers = { authorization: `Bearer ${apiKey}` };
  expect(shrunk(({ operation }) => operation === "stats")).toEqual({
    ...{ operation: "stats", publisher: id },
    request: { method: "GET", path, query: `publisher_id=${id}`, headers },
  });
  const click = shrunk(({ operation, flaw }) => operation === "click" && flaw !== undefined);
  expect(click?.flaw).toEqual({ kind: "missing-parameter", parameter: "impression_id" });
});

test.each<[string, object]>([
  ["sim must be a simulator", { sim: undefined }],
  ["flaws.0 must be one of missing-parameter, ", { flaws: ["typo"] }],
  ["sim must have an impression", { operation: "click", valid: true }],
  ["flaws must have", { operation: "surfaces", valid: false, flaws: ["wrong-body"] }],
  ["operations is not an option.", { operations: ["click"] }],
])("wrong options are refused: %s", (message, options) => {
  const make = (): unknown => arbitraryRequest({ sim: createSimulator(), ...options });
  expect(make).toThrow(InputError);
  expect(make).toThrow(message);
});
