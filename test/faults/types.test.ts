/** Code that must not compile: `npm run types` fails if an expected error is missing. */

import { expect, test } from "vitest";
import { createSimulator, type FaultMatch, type FaultRule, type Verdict } from "../../src/index.ts";

const delay = { from: "10ms", to: "1s", shape: "long-tailed" } as const;
const verdict: Verdict = { kind: "respond", status: 503, headers: { "retry-after": "1" }, delay };
const match: FaultMatch = { operation: ["impression", "click"], share: 0.1, per: "world" };
const rule: FaultRule = { id: "storm", match, verdict, ttl: "1h" };

test("rules are typed", () => {
  const { faults } = createSimulator({ faults: [rule, ({ number }) => [verdict][number]] });
  const wrong = [
    // @ts-expect-error: no such kind
    () => faults.add({ verdict: { kind: "dorp" } }),
    // @ts-expect-error: a rule has a verdict
    () => faults.add({ match }),
    // @ts-expect-error: no such member of a match
    () => faults.add({ verdict, match: { ntth: 1 } }),
    // @ts-expect-error: no such member of a verdict
    () => faults.add({ verdict: { kind: "drop", az: "reset" } }),
    // @ts-expect-error: no such operation
    () => faults.add({ verdict, match: { operation: "clicks" } }),
    // @ts-expect-error: an answer needs a status
    () => faults.add({ verdict: { kind: "respond" } }),
  ];
  for (const add of wrong) expect(add).toThrow(expect.objectContaining({ name: "InputError" }));
  // @ts-expect-error: a rule must decide synchronously
  faults.add(async () => verdict);
});
