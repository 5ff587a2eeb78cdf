/** Run by vitest in a process of its own. */

import { describe, it } from "vitest";
import { exampleContract } from "./contract.ts";

exampleContract({ describe, it });
