/** What the compiler knows of `adsim/testing`. Compiled with everything else, and never run. */

import fc from "fast-check";
import { expectTypeOf } from "vitest";
import type { ApiRequest } from "../../src/index.ts";
import {
  arbitraryCommands,
  arbitraryRequest,
  type Command,
  checkInvariants,
  clientContract,
  type Driver,
  runSession,
  type Session,
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
clientContract({ describe, it, driver: () => driver });
clientContract({
  describe,
  it,
  async driver({ baseUrl, apiKey, publisherId, surfaces, fetch, timers, random }) {
    expectTypeOf(surfaces).toEqualTypeOf<
      readonly { readonly id: string; readonly name: string }[]
    >();
    expectTypeOf(fetch).toEqualTypeOf<typeof globalThis.fetch>();
    expectTypeOf(timers.now()).toBeNumber();
    expectTypeOf(random()).toBeNumber();
    return { impression: () => `${baseUrl}${apiKey}${publisherId}`, click: () => undefined };
  },
  skip: { "pauses-grow": "it never repeats" },
  assumptions: { "limit.exceeded": "503" },
  onReport: ({ rules }) => expectTypeOf(rules[0]?.id).toEqualTypeOf<string | undefined>(),
});

// @ts-expect-error a driver has to report impressions
clientContract({ describe, it, driver: () => ({ click: () => undefined }) });
// @ts-expect-error there is no such choice
clientContract({ describe, it, driver: () => driver, assumptions: { "limit.exceeded": "418" } });
// @ts-expect-error a rule is skipped for a reason
clientContract({ describe, it, driver: () => driver, skip: { "pauses-grow": true } });
const wrong: Driver<Handle> = {
  impression: () => ({ number: 1 }),
  // @ts-expect-error what it is given back has no id
  click: ({ id }) => id,
};
expectTypeOf(wrong).toEqualTypeOf<Driver<Handle>>();

expectTypeOf(
  runSession(() => driver, [{ kind: "impression", surface: 0 }]),
).resolves.toEqualTypeOf<Session>();
// @ts-expect-error an advance says by how much
runSession(() => driver, [{ kind: "advance" }]);

fc.property(arbitraryCommands(), (commands) => {
  expectTypeOf(commands).toEqualTypeOf<readonly Command[]>();
});
fc.property(arbitraryRequest({ valid: false }), ({ request, flaw }) => {
  expectTypeOf(request).toEqualTypeOf<ApiRequest>();
  expectTypeOf(flaw?.parameter).toEqualTypeOf<string | undefined>();
});
expectTypeOf(checkInvariants).returns.items.toHaveProperty("result");
