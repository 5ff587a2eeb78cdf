/** What the compiler knows of `adsim/testing` and `adsim/contract`. Compiled with everything else, and never run. */

import fc from "fast-check";
import { describe, expectTypeOf, it } from "vitest";
import { clientContract, type Driver, type Rule } from "../../src/contract.ts";
import { createSimulator } from "../../src/index.ts";
import { arbitraryCommands, arbitraryRequest, runSession } from "../../src/testing.ts";

/** What the client gives for an impression is what it is given back for a click. */
const driver: Driver<{ readonly number: number }> = {
  impression: ({ surface, ad, session }) => ({ number: (surface + ad + session).length }),
  click: ({ number }) => number,
};
const wrong: typeof driver = {
  ...driver,
  // @ts-expect-error what it is given back has no id
  click: ({ id }) => id,
};
const ownRule: Rule = {
  id: "at-most-two",
  says: "At most two",
  source: "us",
  judge({ events, requests }, came) {
    expectTypeOf(came).toEqualTypeOf<() => void>();
    expectTypeOf(requests[0]?.got.status).toEqualTypeOf<number | undefined>();
    for (const { name, sent } of events) if (sent.length > 2) return `${name} was sent thrice`;
    return undefined;
  },
  commands: arbitraryCommands({ kinds: ["impression"] }),
};
clientContract({ describe, it, driver: () => wrong, rules: [ownRule] });
clientContract({
  describe,
  it,
  async driver({ apiKey, fetch, timers }) {
    expectTypeOf(fetch).toEqualTypeOf<typeof globalThis.fetch>();
    expectTypeOf(timers.now()).toBeNumber();
    return { impression: () => apiKey, click: () => undefined };
  },
  // @ts-expect-error a rule is skipped for a reason
  skip: { "backs-off": true },
});
// @ts-expect-error a driver has to report impressions
clientContract({ describe, it, driver: () => ({ click: () => undefined }) });

// @ts-expect-error an advance says by how much
runSession(() => driver, [{ kind: "advance" }]);
fc.property(arbitraryRequest({ sim: createSimulator(), valid: false }), ({ flaw }) => {
  expectTypeOf(flaw?.parameter).toEqualTypeOf<string | undefined>();
});
