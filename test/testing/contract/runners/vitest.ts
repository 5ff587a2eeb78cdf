/** Run by vitest in a process of its own. Its clients repeat clicks; the environment chooses one. */

import { describe, it } from "vitest";
import { registerRules } from "../../../../src/testing/contract/client-contract.ts";
import { createExampleClient } from "../example-client.ts";
import { exampleRules } from "../example-rules.ts";
import { createRandomClient } from "./random-client.ts";

const { EXAMPLE_FAILURES, EXAMPLE_RANDOM } = process.env;

registerRules(Object.values(exampleRules), {
  driver: (context) =>
    EXAMPLE_RANDOM === "1"
      ? createRandomClient(context)
      : createExampleClient(context, { clicksAgain: true }),
  globals: EXAMPLE_RANDOM === "1" ? "replaced" : "kept",
  describe,
  it,
  runs: 10,
  skip: { "never-seen": "it can't" },
  failures: EXAMPLE_FAILURES ?? false,
});
