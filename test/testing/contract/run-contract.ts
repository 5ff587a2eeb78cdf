/** Runs a contract without a runner, as a runner of some kind would. */

import { expect, vi } from "vitest";
import {
  type ClientContractOptions,
  type ContractReport,
  clientContract,
} from "../../../src/contract.ts";
import { createExampleClient, type Receipt } from "./example-client.ts";

export interface ContractOptions extends Partial<ClientContractOptions<Receipt>> {
  /** The value of ADSIM_REPLAY. */
  readonly replay?: string | undefined;
}

/** How a test skips itself: by its context, by `this`, by `it.skip` alone, or not at all. */
export type Runner = "context" | "this" | "jest" | "bare";

export interface Ran {
  readonly suite: string;
  /** By the rule's id, without the tests that were skipped as `only` leaves them out. */
  readonly tests: Readonly<Record<string, "passed" | "skipped" | Error>>;
  readonly report: ContractReport | undefined;
  readonly timeouts: readonly unknown[];
}

const skipped = new Error("skipped");

export async function runContract(
  { replay, ...options }: ContractOptions = {},
  runner: Runner = "context",
): Promise<Ran> {
  const registered: [name: string, test: () => Promise<void>, isSkipped: boolean][] = [];
  const timeouts: unknown[] = [];
  let [suite, report]: [string, ContractReport | undefined] = ["", undefined];
  const it: ClientContractOptions["it"] = (name, test, timeoutMs) => {
    // A parameter asks for a callback, and vitest reads how it is written.
    expect(test.length).toBe(0);
    expect(String(test)).toMatch(/^async (function\s*\w*)?\(\)/);
    registered.push([name, test, false]);
    timeouts.push(timeoutMs);
  };
  if (runner !== "bare")
    it.skip = (name, test) => {
      if (!name.endsWith("skipped: only leaves it out")) registered.push([name, test, true]);
    };
  vi.stubEnv("ADSIM_REPLAY", replay);
  try {
    clientContract<Receipt>({
      driver: (context) => createExampleClient(context),
      describe(name, define) {
        suite = name;
        define();
      },
      it,
      runs: 5,
      failures: false,
      onReport(came) {
        report = came;
      },
      ...options,
    });
  } finally {
    vi.unstubAllEnvs();
  }
  const tests: Record<string, "passed" | "skipped" | Error> = {};
  const skip = (): never => {
    throw skipped;
  };
  const given = runner === "context" ? [Object.assign(() => undefined, { skip })] : [];
  const self = runner === "this" ? { skip, timeout: (ms: number) => timeouts.push(ms) } : undefined;
  for (const [name, body, isSkipped] of registered) {
    const outcome = isSkipped
      ? skipped
      : await Reflect.apply(body, self, given).catch((error: unknown) => error);
    const id = name.split(":")[0] ?? "";
    tests[id] = outcome === undefined ? "passed" : outcome === skipped ? "skipped" : outcome;
  }
  return { suite, tests, report, timeouts };
}
