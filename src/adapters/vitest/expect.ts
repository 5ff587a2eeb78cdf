/** vitest's `expect` with the matchers of a simulator, registered and typed. */

import { expect as base, type ExpectStatic } from "vitest";
import { matchers, type SimMatchers } from "../../assertions/assertions.ts";

declare module "vitest" {
  // Without type parameters, because they differ between vitest 4 and 5; all of them have defaults.
  interface Matchers extends SimMatchers {}
}

/** vitest's own `expect`. Loading this module adds the matchers to it. */
export const expect: ExpectStatic = withMatchers();

function withMatchers(): ExpectStatic {
  base.extend(matchers);
  return base;
}
