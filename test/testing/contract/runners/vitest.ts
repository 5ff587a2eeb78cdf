/** Run by vitest in a process of its own. Its client repeats clicks. */

import { describe, it } from "vitest";
import { registerRules } from "../../../../src/testing/contract/client-contract.ts";
import { createExampleClient } from "../example-client.ts";
import { exampleRules } from "../example-rules.ts";

registerRules(Object.values(exampleRules), {
  driver: (context) => createExampleClient(context, { clicksAgain: true }),
  describe,
  it,
  runs: 10,
  skip: { "never-seen": "it can't" },
  failures: false,
});
