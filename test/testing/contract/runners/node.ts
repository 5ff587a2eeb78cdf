/** Run by node:test in a process of its own. The environment chooses the client's defect. */

import { describe, it } from "node:test";
import { registerRules } from "../../../../src/testing/contract/client-contract.ts";
import { createExampleClient } from "../example-client.ts";
import { exampleRules } from "../example-rules.ts";
import { createRandomClient } from "./random-client.ts";

const { EXAMPLE_CLICKS_AGAIN, EXAMPLE_FAILURES, EXAMPLE_RANDOM } = process.env;

registerRules(Object.values(exampleRules), {
  driver: (context) =>
    EXAMPLE_RANDOM === "1"
      ? createRandomClient(context)
      : createExampleClient(context, { clicksAgain: EXAMPLE_CLICKS_AGAIN === "1" }),
  globals: EXAMPLE_RANDOM === "1" ? "replaced" : "kept",
  describe,
  it,
  runs: 10,
  skip: { "never-seen": "it can't" },
  failures: EXAMPLE_FAILURES ?? false,
  command: "node --test test/testing/contract/runners/node.ts",
});
