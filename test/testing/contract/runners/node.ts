/** Run by node:test in a process of its own. The environment chooses the client's defect. */

import { describe, it } from "node:test";
import { registerRules } from "../../../../src/testing/contract/client-contract.ts";
import { createExampleClient } from "../example-client.ts";
import { exampleRules } from "../example-rules.ts";

const { EXAMPLE_CLICKS_AGAIN, EXAMPLE_FAILURES } = process.env;

registerRules(Object.values(exampleRules), {
  driver: (context) => createExampleClient(context, { clicksAgain: EXAMPLE_CLICKS_AGAIN === "1" }),
  describe,
  it,
  runs: 10,
  skip: { "never-seen": "it can't" },
  failures: EXAMPLE_FAILURES ?? false,
  command: "node --test test/testing/contract/runners/node.ts",
});
