/** Run by node:test in a process of its own. */

import { describe, it } from "node:test";
import { exampleContract } from "./contract.ts";

exampleContract({ describe, it });
