/** What must not compile: `npm run types` fails where one of the expected errors doesn't come. */

import { expect, test } from "vitest";
import {
  createSimulator,
  type Delay,
  type Delivery,
  type FaultFunction,
  type FaultMatch,
  type FaultRequest,
  type FaultRule,
  type Faults,
  InputError,
  type InstalledRule,
  type Verdict,
} from "../../src/index.ts";

const delay: Delay = { from: "10ms", to: "1s", shape: "long-tailed" };
const verdict: Verdict = { kind: "respond", status: 503, headers: { "retry-after": "1" }, delay };
const match: FaultMatch = { operation: ["impression", "click"], share: 0.1, per: "world" };
const rule: FaultRule = { id: "storm", match, verdict, ttl: "1h" };
const decide: FaultFunction = ({ number }: FaultRequest) => (number === 1 ? verdict : undefined);

test("rules are typed; what slips past the compiler is refused at run time", () => {
  const sim = createSimulator({ faults: [rule, decide] });
  const faults: Faults = sim.faults;
  const { id }: InstalledRule = faults.get("storm");
  const how: Delivery["kind"] | undefined = sim.handle({ method: "GET", path: "/" }).delivery?.kind;
  expect([id, how]).toEqual(["storm", "whole"]);

  // @ts-expect-error: no such kind
  expect(() => faults.add({ verdict: { kind: "dorp" } })).toThrow(InputError);
  // @ts-expect-error: a rule has a verdict
  expect(() => faults.add({ match })).toThrow(InputError);
  // @ts-expect-error: nothing is known by this name
  expect(() => faults.add({ verdict, wen: match })).toThrow(InputError);
  // @ts-expect-error: nor in a match
  expect(() => faults.add({ verdict, match: { ntth: 1 } })).toThrow(InputError);
  // @ts-expect-error: nor in a verdict
  expect(() => faults.add({ verdict: { kind: "drop", az: "reset" } })).toThrow(InputError);
  // @ts-expect-error: no such operation
  expect(() => faults.add({ verdict, match: { operation: "clicks" } })).toThrow(InputError);
  // @ts-expect-error: no such loss
  expect(() => faults.add({ verdict: { kind: "drop", as: "rst" } })).toThrow(InputError);
  // @ts-expect-error: an answer has a status
  expect(() => faults.add({ verdict: { kind: "respond" } })).toThrow(InputError);
  // @ts-expect-error: a cut has a place
  expect(() => faults.add({ verdict: { kind: "truncate" } })).toThrow(InputError);
  // @ts-expect-error: a delay has a length
  expect(() => faults.add({ verdict: { kind: "delay" } })).toThrow(InputError);
  // @ts-expect-error: no such shape
  expect(() => faults.add({ verdict: { ...verdict, delay: { ...delay, shape: "bell" } } })).toThrow(
    InputError,
  );
  faults.clear();
  // @ts-expect-error: a rule decides at once
  faults.add(async () => verdict);
  expect(() => sim.handle({ method: "GET", path: "/" })).toThrow(InputError);
});
