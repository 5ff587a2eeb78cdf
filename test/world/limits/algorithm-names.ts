/** The choices of limit.algorithm, for tests of each. */

import type { Algorithm } from "../../../src/laws/quotas.ts";
import { catalogue } from "../../../src/spec/assumptions/catalogue.ts";

export const algorithmNames = Object.keys(
  catalogue["limit.algorithm"].choices,
) as readonly Algorithm[];
