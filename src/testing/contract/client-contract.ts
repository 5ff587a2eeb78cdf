/** The contract of a client as tests of any runner: one for each rule, and one that says what came of them all. */

import { listed } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import type { CreateDriver, Driver } from "../driver/driver.ts";
import type { TestWorldOptions } from "../driver/test-world.ts";
import { beginLife } from "../session/live.ts";
import { outcomeInWords } from "../session/words.ts";
import { type ClientContractOptions, type ReadContract, readContract } from "./contract-options.ts";
import { failureOf } from "./failure.ts";
import { type ContractReport, type RuleVerdict, unknownText } from "./report.ts";
import type { Rule } from "./rule.ts";
import { rules as allRules } from "./rules.ts";
import { runnerTest, type Skip, skipTest } from "./runner-test.ts";
import { stackFrom, withStack } from "./stack.ts";
import { type Tried, tryRule } from "./try-rule.ts";

/**
 * Registers a test for each rule that the API's documentation sets its clients, and one that fails where a rule never came
 * up: of that nothing is known. Which rules there are, `onReport` tells.
 *
 * @throws InputError for an option that is wrong, and for a value of ADSIM_REPLAY that is.
 */
export function clientContract<Impression>(options: ClientContractOptions<Impression>): void {
  registerRules(allRules, options, stackFrom(clientContract));
}

/** @param stack Where a failure is said to be: where the contract was asked for. */
export function registerRules<Impression>(
  rules: readonly Rule[],
  options: ClientContractOptions<Impression>,
  stack: string = stackFrom(registerRules),
): void {
  const contract = readContract(rules, options);
  const { describe, it, driver, onReport } = options;
  const verdicts = new Map<string, RuleVerdict>();
  const untold: string[] = [];
  const { transport, patienceMs = 0 } = contract.world;
  // Both take the machine's time.
  const timeoutMs = transport === "http" || patienceMs > 0 ? 600_000 : 60_000;
  let methods: Promise<ReadonlySet<string>> | undefined;

  async function trial(rule: Rule, skip: Skip): Promise<void> {
    methods ??= methodsOf(driver, contract.world);
    const known = await methods;
    const missing = (rule.needs ?? []).filter((name) => !known.has(name));
    if (missing.length === 0) {
      verdicts.set(rule.id, await heldOrThrown(rule, driver, contract, stack, verdicts));
      return;
    }
    const why = `the driver has no ${listed(missing, "and no")}`;
    verdicts.set(rule.id, { kind: "skipped", why });
    if (!skip(why)) untold.push(`${rule.id}: ${why}`);
  }

  describe(contract.name, () => {
    for (const rule of rules) {
      const name = `${rule.id}: ${rule.says} (${rule.source})`;
      const whyNot = contract.whyNot(rule);
      if (whyNot === undefined) {
        const tried = (skip: Skip) => inTurn(contract.world, () => trial(rule, skip));
        it(name, runnerTest(tried, timeoutMs), timeoutMs);
      } else {
        verdicts.set(rule.id, { kind: "skipped", why: whyNot });
        skipTest(it, `${name}, skipped: ${whyNot}`);
      }
    }
    const report = async (): Promise<void> => {
      const came = reportOf(contract.name, rules, verdicts);
      onReport?.(came);
      if (untold.length > 0) {
        console.warn(`${contract.name}: not tried, and passed all the same\n${untold.join("\n")}`);
      }
      if (contract.replay === undefined) refuseUnknown(came);
    };
    it("every rule came up, or there is a reason why not", runnerTest(report, timeoutMs));
  });
}

/** A rule that is held. Notes what else came of it, and throws that. */
async function heldOrThrown<Impression>(
  rule: Rule,
  driver: CreateDriver<Impression>,
  contract: ReadContract,
  stack: string,
  verdicts: Map<string, RuleVerdict>,
): Promise<RuleVerdict> {
  let tried: Tried;
  try {
    tried = await replayable(contract, () =>
      tryRule(rule, driver, {
        ...contract.world,
        runs: contract.runs,
        sequenceSeed: contract.sequenceSeed,
        path: contract.replay?.path,
      }),
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    verdicts.set(rule.id, { kind: "failed", why });
    throw error;
  }
  if (tried.kind === "held") return tried;
  if (tried.kind === "broken") {
    const error = await failureOf(rule, tried, contract, stack);
    const { replay, file } = error;
    verdicts.set(rule.id, { kind: "broken", why: tried.broken.message, replay, file });
    throw error;
  }
  verdicts.set(rule.id, tried);
  // Of one sequence alone that is no news.
  if (contract.replay !== undefined) return tried;
  throw withStack(new Error(unknownText(rule, tried.runs)), stack);
}

/** fast-check's complaint about a path, as one about what was given to be replayed. */
async function replayable<Result>(
  { replay }: ReadContract,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isPath = error instanceof Error && error.message.startsWith("Unable to replay");
    if (replay === undefined || !isPath) throw error;
    throw new InputError(
      "replay",
      `names a sequence that ${replay.rule} doesn't have: the contract's options, or adsim's version, are not those of the failure`,
    );
  }
}

/**
 * The names of the methods that the driver has.
 *
 * @throws Error where it can't be made in a world in which nothing goes wrong.
 */
async function methodsOf<Impression>(
  create: CreateDriver<Impression>,
  world: TestWorldOptions,
): Promise<ReadonlySet<string>> {
  let made: Driver<Impression> | undefined;
  const life = await beginLife(async (context) => {
    made = await create(context);
    return made;
  }, world);
  const { steps } = await life.end();
  const outcome = steps[0]?.outcome ?? { kind: "stuck" };
  if (outcome.kind !== "done") {
    const cause = outcome.kind === "failed" ? outcome.error : undefined;
    throw new Error(`The driver can't be made: ${outcomeInWords(outcome)}.`, { cause });
  }
  const of: object = Object(made);
  const names = ["impression", "click", "stats", "surfaces", "payouts", "flush", "close"];
  const known = new Set(names.filter((name) => typeof Reflect.get(of, name) === "function"));
  if (known.has("impression")) return known;
  throw new InputError("driver", "must give a driver: an object with impression() at least");
}

let turn: Promise<unknown> = Promise.resolve();

/** The machine has its globals once: tests that replace them wait for each other, whatever the runner does. */
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
  throw new Error(`Never came up, so that nothing is known of them: ${listed(unknown)}.`);
}
