/** Code that must not compile: `npm run types` fails if an expected error is missing. */

import { expect, test } from "vitest";
import {
  createSimulator,
  type FaultFunction,
  type FaultMatch,
  type FaultRequest,
  type FaultRule,
  InputError,
  type Verdict,
} from "../../src/index.ts";

const delay = { from: "10ms", to: "1s", shape: "long-tailed" } as const;
const verdict: Verdict = { kind: "respond", status: 503, headers: { "retry-after": "1" }, delay };
const match: FaultMatch = { operation: ["impression", "click"], share: 0.1, per: "world" };
const rule: FaultRule = { id: "storm", match, verdict, ttl: "1h" };
const decide: FaultFunction = ({ number }: FaultRequest) => (number === 1 ? verdict : undefined);

test("rules are typed; values that bypass the compiler are refused at run time", () => {
  const { faults, handle } = createSimulator({ faults: [rule, decide] });
  // @ts-expect-error: no such kind
  expect(() => faults.add({ verdict: { kind: "dorp" } })).toThrow(InputError);
  // @ts-expect-error: a rule has a verdict
  expect(() => faults.add({ match })).toThrow(InputError);
  // @ts-expect-error: no such member of a match
  expect(() => faults.add({ verdict, match: { ntth: 1 } })).toThrow(InputError);
  // @ts-expect-error: no such member of a verdict
  expect(() => faults.add({ verdict: { kind: "drop", az: "reset" } })).toThrow(InputError);
  // @ts-expect-error: no such operation
  expect(() => faults.add({ verdict, match: { operation: "clicks" } })).toThrow(InputError);
  // @ts-expect-error: an answer needs a status
  expect(() => faults.add({ verdict: { kind: "respond" } })).toThrow(InputError);
  faults.clear();
  // @ts-expect-error: a rule must decide synchronously
  faults.add(async () => verdict);
  expect(() => handle({ method: "GET", path: "/" })).toThrow(InputError);
});
