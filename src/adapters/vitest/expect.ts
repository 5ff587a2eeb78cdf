/** vitest's `expect` with the matchers of a simulator, registered and typed. */

import { expect as base, type ExpectStatic } from "vitest";
import { matchers, type SimMatchers } from "../../assertions/matchers.ts";

declare module "vitest" {
  // Without type parameters, for vitest 4 and 5 have others; all of them have defaults.
  interface Matchers extends SimMatchers {}
}

/** vitest's own, which has the matchers from then on that this module is loaded. */
export const expect: ExpectStatic = withMatchers();

function withMatchers(): ExpectStatic {
  base.extend(matchers);
  return base;
}
