/** The contract that a runner runs in a process of its own. The environment chooses the client, which repeats clicks. */

import {
  type ClientContractOptions,
  clientContract,
  type DriverContext,
  type Rule,
} from "../../../../src/contract.ts";
import { createExampleClient, type ExampleClient, type Receipt } from "../example-client.ts";

const { EXAMPLE_FAILURES, EXAMPLE_RANDOM } = process.env;
const isRandom = EXAMPLE_RANDOM === "1";

/** It draws its session ids and its pauses from the machine's random functions. */
function createRandomClient(context: DriverContext): ExampleClient {
  const client = createExampleClient(context, { clicksAgain: true });
  const name = crypto.getRandomValues(new Uint16Array(4)).join("-");
  return {
    ...client,
    async impression(shown) {
      await new Promise((resolve) => setTimeout(resolve, 1000 * Math.random()));
      return await client.impression({ ...shown, session: `${name}-${crypto.randomUUID()}` });
    },
  };
}

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
  clientContract<Receipt>({
    driver: (context) =>
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
