/** Registers the client contract with a test runner: one test a rule, and one that fails if a rule never came up. */

import { formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import type { CreateDriver } from "../driver/driver.ts";
import type { TestWorldOptions } from "../driver/test-world.ts";
import {
  type ClientContractOptions,
  type ContractSettings,
  type It,
  type Replay,
  readContract,
} from "./contract-options.ts";
import { type DriverMembers, membersOf, unmetNeeds } from "./driver-members.ts";
import { failureOf } from "./failure.ts";
import { type ContractReport, type RuleVerdict, unknownText } from "./report.ts";
import type { Rule } from "./rules/rule.ts";
import { rules as allRules } from "./rules.ts";
import { type Tried, tryRule } from "./try-rule.ts";

/**
 * Registers a test for each rule that the API's documentation sets for its clients, and a last one that fails if a rule
 * never came up. `onReport` gets the list of rules.
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
  const { rules } = contract;
  const { describe, it, driver, onReport } = options;
  const verdicts = new Map<string, RuleVerdict>();
  const trials: Trials<Impression> = { driver, contract, verdicts };
  const notSkipped: string[] = [];
  const { transport, patienceMs = 0 } = contract.world;
  // Both take real time.
  const timeoutMs = transport === "http" || patienceMs > 0 ? 600_000 : 60_000;
  let members: Promise<DriverMembers> | undefined;

  async function trial(rule: Rule, skip: Skip): Promise<void> {
    members ??= membersOf(driver, contract.world);
    const why = unmetNeeds(rule, await members);
    const verdict: RuleVerdict =
      why === undefined ? await heldOrThrown(rule, trials) : { kind: "skipped", why };
    verdicts.set(rule.id, verdict);
    if (verdict.kind === "skipped" && !skip(verdict.why))
      notSkipped.push(`${rule.id}: ${verdict.why}`);
  }

  describe(contract.name, () => {
    for (const rule of rules) {
      const name = `${rule.id}: ${rule.says} (${rule.source})`;
      const skipReason = contract.skipReason(rule);
      if (skipReason === undefined) {
        const tried = (skip: Skip) => inTurn(contract.world, () => trial(rule, skip));
        it(name, runnerTest(tried, timeoutMs), timeoutMs);
      } else {
        verdicts.set(rule.id, { kind: "skipped", why: skipReason });
        skipTest(it, `${name}, skipped: ${skipReason}`);
      }
    }
    const report = async (): Promise<void> => {
      const contractReport = reportOf(contract.name, rules, verdicts);
      onReport?.(contractReport);
      if (notSkipped.length > 0) {
        const list = notSkipped.join("\n");
        console.warn(`${contract.name}: these rules were not tried, so they passed\n${list}`);
      }
      if (contract.replay === undefined) refuseUnknown(contractReport);
    };
    it("every rule was tried, or there is a reason why not", runnerTest(report, timeoutMs));
  });
}

interface Trials<Impression> {
  readonly driver: CreateDriver<Impression>;
  readonly contract: ContractSettings;
  readonly verdicts: Map<string, RuleVerdict>;
}

/** Tries the rule. Any other verdict than `held` and `skipped` is recorded and thrown. */
async function heldOrThrown<Impression>(
  rule: Rule,
  { driver, contract, verdicts }: Trials<Impression>,
): Promise<RuleVerdict> {
  const { world, runs, sequenceSeed, replay } = contract;
  let tried: Tried;
  try {
    tried = await tryRule(rule, driver, { ...world, runs, sequenceSeed, path: replay?.path });
  } catch (thrown) {
    const error = replay === undefined ? thrown : errorOfReplay(thrown, replay);
    verdicts.set(rule.id, { kind: "failed", why: messageOf(error) });
    throw error;
  }
  if (tried.kind === "held" || tried.kind === "skipped") return tried;
  if (tried.kind === "broken") {
    const error = await failureOf(rule, tried, contract);
    const why = tried.broken.message;
    verdicts.set(rule.id, { kind: "broken", why, replay: error.replay, file: error.file });
    throw error;
  }
  verdicts.set(rule.id, tried);
  // A replay runs one sequence: it proves nothing if the rule doesn't come up there.
  if (replay !== undefined) return tried;
  throw new Error(unknownText(rule, tried.runs));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Turns fast-check's error about a path into one about the `replay` option. */
function errorOfReplay(thrown: unknown, { rule }: Replay): unknown {
  if (!messageOf(thrown).startsWith("Unable to replay")) return thrown;
  return new InputError(
    "replay",
    `names a sequence that ${rule} doesn't have: the contract's options or adsim's version have changed since the failure`,
  );
}

let turn: Promise<unknown> = Promise.resolve();

/** Tests that replace the globals run one after the other, even if the runner runs tests in parallel. */
function inTurn({ globals }: TestWorldOptions, work: () => Promise<void>): Promise<void> {
  if (globals !== "replaced") return work();
  const mine = turn.then(work);
  turn = mine.catch(() => undefined);
  return mine;
}

function reportOf(
  name: string,
  rules: readonly Rule[],
  verdicts: ReadonlyMap<string, RuleVerdict>,
): ContractReport {
  return {
    name,
    rules: rules.map(({ id, says, source }) => {
      const verdict: RuleVerdict = verdicts.get(id) ?? { kind: "not-run" };
      return { id, says, source, verdict };
    }),
  };
}

function refuseUnknown({ rules }: ContractReport): void {
  const unknown = rules.filter(({ verdict }) => verdict.kind === "unknown").map(({ id }) => id);
  if (unknown.length === 0) return;
  throw new Error(
    `These rules were never tried, so their result is unknown: ${formatList(unknown)}.`,
  );
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
