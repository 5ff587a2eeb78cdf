/** The contract that a runner runs in a process of its own. The environment chooses the client, which repeats clicks. */

import {
  type ClientContractOptions,
  clientContract,
  type Driver,
  type Rule,
} from "../../../../src/contract.ts";
import { createExampleClient } from "../example-client.ts";
import { createRandomClient } from "./random-client.ts";

const { EXAMPLE_FAILURES, EXAMPLE_RANDOM } = process.env;
const isRandom = EXAMPLE_RANDOM === "1";

const neverSeen: Rule = {
  id: "never-seen",
  says: "What never comes up is kept",
  source: "spec §0",
  judge: () => undefined,
};

export function exampleContract({
  describe,
  it,
}: Pick<ClientContractOptions, "describe" | "it">): void {
  clientContract<{ readonly impression_id: string }>({
    driver: (context): Driver<{ readonly impression_id: string }> =>
      isRandom ? createRandomClient(context) : createExampleClient(context, { clicksAgain: true }),
    globals: isRandom ? "replaced" : "kept",
    assumptions: { "click.repeat": "count" },
    describe,
    it,
    runs: 60,
    rules: [neverSeen],
    only: ["once", "spec-shape", "at-once", "never-seen"],
    skip: { "never-seen": "it can't" },
    failures: EXAMPLE_FAILURES ?? false,
  });
}
