/** What the compiler knows of `adsim/testing` and `adsim/contract`. Compiled with everything else, and never run. */

import fc from "fast-check";
import { expectTypeOf } from "vitest";
import { clientContract, type Driver, type Rule, type Session } from "../../src/contract.ts";
import { type ApiRequest, createSimulator } from "../../src/index.ts";
import {
  arbitraryCommands,
  arbitraryRequest,
  type Command,
  runSession,
} from "../../src/testing.ts";

declare const describe: (name: string, define: () => void) => void;
declare const it: (name: string, test: () => Promise<void>) => void;

/** What the client gives for an impression is what it is given back for a click. */
interface Handle {
  readonly number: number;
}
const driver: Driver<Handle> = {
  impression: ({ surface, ad, session }) => ({ number: (surface + ad + session).length }),
  click: ({ number }) => number,
};
const ownRule: Rule = {
  id: "at-most-two",
  says: "At most two",
  source: "us",
  needs: ["close"],
  judge({ events, requests }, came) {
    expectTypeOf(came).toEqualTypeOf<() => void>();
    expectTypeOf(requests[0]?.got.status).toEqualTypeOf<number | undefined>();
    for (const { name, sent } of events) if (sent.length > 2) return `${name} was sent thrice`;
    return undefined;
  },
  commands: arbitraryCommands({ kinds: ["impression"] }),
};
clientContract({ describe, it, driver: () => driver, rules: [ownRule] });
clientContract({
  describe,
  it,
  async driver({ apiKey, surfaces, fetch, timers }) {
    expectTypeOf(surfaces[0]?.name).toEqualTypeOf<string | undefined>();
    expectTypeOf(fetch).toEqualTypeOf<typeof globalThis.fetch>();
    expectTypeOf(timers.now()).toBeNumber();
    return { impression: () => apiKey, click: () => undefined };
  },
  skip: { "backs-off": "it never repeats" },
  assumptions: { "limit.exceeded": "503" },
  onReport: ({ rules }) => expectTypeOf(rules[0]?.id).toEqualTypeOf<string | undefined>(),
});

// @ts-expect-error a driver has to report impressions
clientContract({ describe, it, driver: () => ({ click: () => undefined }) });
// @ts-expect-error a rule is skipped for a reason
clientContract({ describe, it, driver: () => driver, skip: { "backs-off": true } });
const wrong: Driver<Handle> = {
  impression: () => ({ number: 1 }),
  // @ts-expect-error what it is given back has no id
  click: ({ id }) => id,
};
expectTypeOf(wrong).toEqualTypeOf<Driver<Handle>>();

// @ts-expect-error an advance says by how much
runSession(() => driver, [{ kind: "advance" }]).then((session: Session) => session.calls);
fc.property(arbitraryCommands(), (commands) => {
  expectTypeOf(commands).toEqualTypeOf<readonly Command[]>();
});
fc.property(arbitraryRequest({ sim: createSimulator(), valid: false }), ({ request, flaw }) => {
  expectTypeOf(request).toEqualTypeOf<ApiRequest>();
  expectTypeOf(flaw?.parameter).toEqualTypeOf<string | undefined>();
});
