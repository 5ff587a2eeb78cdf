/** The contract that node:test or vitest runs in a process of its own, on a client that repeats clicks. */

import {
  type ClientContractOptions,
  clientContract,
  type DriverContext,
} from "../../../../src/contract.ts";
import { createExampleClient, type ExampleClient, type Receipt } from "../example-client.ts";

const { EXAMPLE_FAILURES, EXAMPLE_RANDOM, VITEST } = process.env;
const isRandom = EXAMPLE_RANDOM === "1";
const runner: Pick<ClientContractOptions, "describe" | "it"> =
  VITEST === undefined ? await import("node:test") : await import("vitest");

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

clientContract<Receipt>({
  describe: runner.describe,
  it: runner.it,
  driver: (context) =>
    isRandom ? createRandomClient(context) : createExampleClient(context, { clicksAgain: true }),
  globals: isRandom ? "replaced" : "kept",
  assumptions: { "click.repeat": "count" },
  runs: 20,
  only: ["once", "spec-shape", "at-once", "closed"],
  skip: { closed: "it can't" },
  failures: EXAMPLE_FAILURES ?? false,
});
