/** Playwright's `expect` with the matchers of a simulator. */

import { expect as base, type Expect } from "@playwright/test";
import { type Matchers, matchers } from "../../assertions/assertions.ts";

/** Playwright's `expect`, which also has the matchers of `expect(sim)`. */
export const expect: Expect<Matchers> = base.extend(matchers);
