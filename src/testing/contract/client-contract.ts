/** The contract of a client as tests of any runner: one for each rule, and one that says what came of them all. */

import { formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import type { CreateDriver, Driver } from "../driver/driver.ts";
import type { TestWorldOptions } from "../driver/test-world.ts";
import { beginSession } from "../session/run-session.ts";
import { outcomeInWords } from "../session/words.ts";
import {
  type ClientContractOptions,
  type ContractSettings,
  type It,
  type Replay,
  readContract,
} from "./contract-options.ts";
import { failureOf } from "./failure.ts";
import { type ContractReport, type RuleVerdict, unknownText } from "./report.ts";
import type { Rule } from "./rules/rule.ts";
import { rules as allRules } from "./rules.ts";
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
    const why = `the driver has no ${formatList(missing, "and no")}`;
    verdicts.set(rule.id, { kind: "skipped", why });
    if (!skip(why)) untold.push(`${rule.id}: ${why}`);
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
      const came = reportOf(contract.name, rules, verdicts);
      onReport?.(came);
      if (untold.length > 0) {
        console.warn(
          `${contract.name}: these rules were not tried, so they passed\n${untold.join("\n")}`,
        );
      }
      if (contract.replay === undefined) refuseUnknown(came);
    };
    it("every rule was tried, or there is a reason why not", runnerTest(report, timeoutMs));
  });
}

/** A rule that is held. Notes what else came of it, and throws that. */
async function heldOrThrown<Impression>(
  rule: Rule,
  driver: CreateDriver<Impression>,
  contract: ContractSettings,
  stack: string,
  verdicts: Map<string, RuleVerdict>,
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
  if (tried.kind === "held") return tried;
  if (tried.kind === "broken") {
    const error = await failureOf(rule, tried, contract, stack);
    const { replay: again, file } = error;
    verdicts.set(rule.id, { kind: "broken", why: tried.broken.message, replay: again, file });
    throw error;
  }
  verdicts.set(rule.id, tried);
  // Of one sequence alone that is no news.
  if (replay !== undefined) return tried;
  throw withStack(new Error(unknownText(rule, tried.runs)), stack);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** fast-check's complaint about a path, as one about what was given to be replayed. */
function errorOfReplay(thrown: unknown, { rule }: Replay): unknown {
  if (!messageOf(thrown).startsWith("Unable to replay")) return thrown;
  return new InputError(
    "replay",
    `names a sequence that ${rule} doesn't have: the contract's options or adsim's version have changed since the failure`,
  );
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
  const life = await beginSession(async (context) => {
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
  throw new InputError("driver", "must return a driver: an object with at least impression()");
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
  throw new Error(
    `These rules were never tried, so their result is unknown: ${formatList(unknown)}.`,
  );
}

/** Tells the runner that the test is skipped, and why. May throw what the runner goes by. @returns whether it could. */
type Skip = (why: string) => boolean;

/** Without parameters: runners go by their number, and by how they are written. */
function runnerTest(test: (skip: Skip) => Promise<void>, timeoutMs: number): () => Promise<void> {
  return async function (this: unknown): Promise<void> {
    // biome-ignore lint/complexity/noArguments: a parameter would ask Jest and mocha for a callback.
    const [context] = arguments as unknown as readonly unknown[];
    // Mocha's way to say how long it takes.
    call(this, "timeout", timeoutMs);
    // vitest and node:test give it to the test, mocha has it as this.
    await test((why) => call(context, "skip", why) || call(this, "skip", why));
  };
}

/** @returns whether there is such a method. */
function call(on: unknown, name: string, given: unknown): boolean {
  // The context of vitest is a function with methods.
  if ((typeof on !== "object" && typeof on !== "function") || on === null) return false;
  const method: unknown = Reflect.get(on, name);
  if (typeof method !== "function") return false;
  method.call(on, given);
  return true;
}

/** A test that is known not to be tried. Its name says why. */
function skipTest(it: It, name: string): void {
  const nothing = async (): Promise<void> => undefined;
  if (typeof it.skip === "function") it.skip(name, nothing);
  else it(name, nothing);
}
