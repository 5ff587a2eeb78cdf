/** The choices of limit.algorithm, for tests of each. */

import { catalogue } from "../../../src/spec/assumptions/catalogue.ts";
import type { Algorithm } from "../../oracle/quotas.ts";

export const algorithmNames = Object.keys(
  catalogue["limit.algorithm"].choices,
) as readonly Algorithm[];
