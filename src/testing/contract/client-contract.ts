/** Registers the client contract with a test runner: one test a rule, and one that fails if the client was never tried. */

import { counted } from "../../base/counted.ts";
import { formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { driverMethods } from "../driver/driver.ts";
import {
  type ClientContractOptions,
  type ContractSettings,
  type It,
  readContract,
} from "./contract-options.ts";
import { ContractError, failureOf } from "./failure.ts";
import type { RuleResult } from "./report.ts";
import type { Rule } from "./rules/rule.ts";
import { rules as allRules } from "./rules.ts";
import { type Tried, tryRules } from "./sessions.ts";

/**
 * Registers a test for each rule that the API's documentation sets for its clients, and a last one that reports. The sessions run
 * once for all rules, with the first of the tests. `onReport` gets the result of each rule.
 *
 * @throws InputError for an invalid option, or an invalid value of ADSIM_REPLAY.
 */
export function clientContract<Impression>(options: ClientContractOptions<Impression>): void {
  registerRules(allRules, options);
}

/** @param ours The rules besides those of the options. */
export function registerRules<Impression>(
  ours: readonly Rule[],
  options: ClientContractOptions<Impression>,
): void {
  const contract = readContract(ours, options);
  const { describe, it, driver, onReport } = options;
  const { name, rules, world } = contract;
  const results = new Map<string, Omit<RuleResult, "id" | "says" | "source">>();
  const notSkipped: string[] = [];
  const meant = rules.filter((rule) => contract.skipReason(rule) === undefined);
  // All sessions run in one of the tests.
  const timeoutMs = world.transport === "http" || (world.patienceMs ?? 0) > 0 ? 1_800_000 : 300_000;
  let tried: ReturnType<typeof tryRules> | undefined;
  const tryOnce = (): ReturnType<typeof tryRules> => {
    const { runs, sequenceSeed, replay } = contract;
    const settings = { ...world, runs, sequenceSeed, path: replay?.path };
    tried ??= inTurn(world.globals, () => tryRules(meant, driver, settings));
    return tried;
  };

  async function trial(rule: Rule, skip: Skip): Promise<void> {
    const byRule = await tryOnce().catch((error: unknown) => {
      throw contract.replay === undefined ? error : errorOfReplay(error, contract.replay.rule);
    });
    const came = byRule.get(rule.id);
    const error = await errorOf(rule, came, contract);
    results.set(rule.id, resultOf(error, came));
    if (came?.kind === "skipped" && !skip(came.why)) notSkipped.push(`${rule.id}: ${came.why}`);
    // A replay runs one session: it proves nothing if the rule doesn't come up there.
    if (error !== undefined) throw error;
  }

  describe(name, () => {
    for (const rule of rules) {
      const title = `${rule.id}: ${rule.says} (${rule.source})`;
      const why = contract.skipReason(rule);
      if (why === undefined) {
        it(
          title,
          runnerTest((skip) => trial(rule, skip), timeoutMs),
          timeoutMs,
        );
      } else {
        results.set(rule.id, { result: "skipped", why });
        skipTest(it, `${title}, skipped: ${why}`);
      }
    }
    const report = async (): Promise<void> => {
      const notRun = { result: "undecided", why: "its test wasn't run" } as const;
      const list = rules.map(({ id, says, source }) => ({
        id,
        says,
        source,
        ...(results.get(id) ?? notRun),
      }));
      onReport?.({ name, rules: list });
      if (notSkipped.length > 0)
        console.warn(
          `${name}: these rules were not tried, so they passed\n${notSkipped.join("\n")}`,
        );
      const undecided = list.filter(
        ({ result, why }) => result === "undecided" && why !== notRun.why,
      );
      if (undecided.length > 0 && contract.replay === undefined)
        throw new Error(
          `Nothing in the sessions concerned these rules: ${formatList(undecided.map(({ id }) => id))}.`,
        );
    };
    it(
      "every rule was tried, or there is a reason why not",
      runnerTest(report, timeoutMs),
      timeoutMs,
    );
  });
}

async function errorOf(
  rule: Rule,
  tried: Tried | undefined,
  contract: ContractSettings,
): Promise<unknown> {
  if (tried?.kind === "failed") return await failureOf(rule, tried, contract);
  if (tried?.kind === "error") return tried.error;
  if (tried?.kind !== "undecided" || contract.replay !== undefined) return undefined;
  return new Error(undecidedText(rule, contract.runs));
}

function resultOf(
  error: unknown,
  tried: Tried | undefined,
): Omit<RuleResult, "id" | "says" | "source"> {
  if (tried?.kind === "skipped") return { result: "skipped", why: tried.why };
  if (error === undefined) return { result: tried?.kind === "undecided" ? "undecided" : "passed" };
  if (error instanceof ContractError) {
    const { why, replay, file } = error;
    return { result: "failed", why, replay, file };
  }
  const why = error instanceof Error ? error.message : String(error);
  return { result: tried?.kind === "undecided" ? "undecided" : "failed", why };
}

function undecidedText({ id, needs = [] }: Rule, runs: number): string {
  const methods = ["impression", ...needs.filter((name) => driverMethods.includes(name))];
  return [
    `The result of ${id} is undecided: nothing in ${counted(runs, "session")} concerned it.`,
    `The driver's ${methods.map((name) => `${name}()`).join(", ")} must make the client send what the rule is about.`,
    "If it does, but seldom, raise `runs`. If this client never does it, say why:",
    `  skip: { "${id}": "…" }`,
  ].join("\n");
}

/** Turns fast-check's error about a path into one about the `replay` option. */
function errorOfReplay(thrown: unknown, rule: string): unknown {
  if (!(thrown instanceof Error) || !thrown.message.startsWith("Unable to replay")) return thrown;
  return new InputError(
    "replay",
    `names a session that ${rule} doesn't have: the contract's options or adsim's version have changed since the failure`,
  );
}

let turn: Promise<unknown> = Promise.resolve();

/** Contracts that replace the globals run one after the other, even if the runner runs tests in parallel. */
function inTurn<Value>(
  globals: "kept" | "replaced" | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  if (globals !== "replaced") return work();
  const mine = turn.then(work);
  turn = mine.catch(() => undefined);
  return mine;
}

/** Makes the runner skip the test; some runners do that by an exception. @returns false if the runner can't. */
type Skip = (why: string) => boolean;

/** A test without parameters: runners inspect their number and names. */
function runnerTest(test: (skip: Skip) => Promise<void>, timeoutMs: number): () => Promise<void> {
  return async function (this: unknown): Promise<void> {
    // biome-ignore lint/complexity/noArguments: a parameter would ask Jest and mocha for a callback.
    const [context] = arguments as unknown as readonly unknown[];
    // Mocha's way to set a timeout.
    call(this, "timeout", timeoutMs);
    // vitest and node:test pass the context as an argument, mocha as `this`.
    await test((why) => call(context, "skip", why) || call(this, "skip", why));
  };
}

/** @returns whether the method exists. */
function call(on: unknown, name: string, given: unknown): boolean {
  // vitest's context is a function with methods.
  if ((typeof on !== "object" && typeof on !== "function") || on === null) return false;
  const method: unknown = Reflect.get(on, name);
  if (typeof method !== "function") return false;
  method.call(on, given);
  return true;
}

/** Registers a test as skipped. Its name says why. */
function skipTest(it: It, name: string): void {
  const nothing = async (): Promise<void> => undefined;
  if (typeof it.skip === "function") it.skip(name, nothing);
  else it(name, nothing);
}
