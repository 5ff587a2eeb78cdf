/** Code that must not compile: `npm run types` fails if an expected error is missing. */

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

test("rules are typed; values that bypass the compiler are refused at run time", () => {
  const sim = createSimulator({ faults: [rule, decide] });
  const faults: Faults = sim.faults;
  const { id }: InstalledRule = faults.get("storm");
  const how: Delivery["kind"] | undefined = sim.handle({ method: "GET", path: "/" }).delivery?.kind;
  expect([id, how]).toEqual(["storm", "whole"]);

  // @ts-expect-error: no such kind
  expect(() => faults.add({ verdict: { kind: "dorp" } })).toThrow(InputError);
  // @ts-expect-error: a rule has a verdict
  expect(() => faults.add({ match })).toThrow(InputError);
  // @ts-expect-error: no such member of a rule
  expect(() => faults.add({ verdict, wen: match })).toThrow(InputError);
  // @ts-expect-error: no such member of a match
  expect(() => faults.add({ verdict, match: { ntth: 1 } })).toThrow(InputError);
  // @ts-expect-error: no such member of a verdict
  expect(() => faults.add({ verdict: { kind: "drop", az: "reset" } })).toThrow(InputError);
  // @ts-expect-error: no such operation
  expect(() => faults.add({ verdict, match: { operation: "clicks" } })).toThrow(InputError);
  // @ts-expect-error: no such loss
  expect(() => faults.add({ verdict: { kind: "drop", as: "rst" } })).toThrow(InputError);
  // @ts-expect-error: an answer needs a status
  expect(() => faults.add({ verdict: { kind: "respond" } })).toThrow(InputError);
  // @ts-expect-error: a delay needs a length
  expect(() => faults.add({ verdict: { kind: "delay" } })).toThrow(InputError);
  // @ts-expect-error: no such shape
  expect(() => faults.add({ verdict: { ...verdict, delay: { ...delay, shape: "bell" } } })).toThrow(
    InputError,
  );
  faults.clear();
  // @ts-expect-error: a rule must decide synchronously
  faults.add(async () => verdict);
  expect(() => sim.handle({ method: "GET", path: "/" })).toThrow(InputError);
});
