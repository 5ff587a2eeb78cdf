/** Registers the client contract with a test runner: one test a rule. */

import { counted } from "../../base/counted.ts";
import {
  type ClientContractOptions,
  type ContractSettings,
  type RuleResult,
  readContract,
} from "./contract-options.ts";
import { failureOf } from "./failure.ts";
import type { Rule } from "./rules/rule.ts";
import { type Tried, tryRules } from "./sessions.ts";

/**
 * Registers a test for each rule that the API's documentation sets for its clients, and with `onReport` a last one that reports.
 * The sessions run once for all rules, with the first of the tests.
 *
 * @throws InputError for an invalid option, or an invalid value of ADSIM_REPLAY.
 */
export function clientContract<Impression>(options: ClientContractOptions<Impression>): void {
  const { describe, it, driver, onReport } = options;
  const contract = readContract(options);
  const { name, rules, world, runs, sequenceSeed, replay } = contract;
  const settings = { ...world, runs, sequenceSeed, path: replay?.path };
  const results = new Map<string, Result>();
  const toTry = rules.filter((rule) => contract.skipReason(rule) === undefined);
  let trying: ReturnType<typeof tryRules> | undefined;

  async function trial(rule: Rule, context: TestContext): Promise<void> {
    trying ??= inTurn(world.globals, () => tryRules(toTry, driver, settings));
    const tried = (await trying).get(rule.id) ?? { kind: "undecided" };
    const { error, ...result } = await resultOf(rule, tried, contract);
    results.set(rule.id, result);
    if (error !== undefined) throw error;
    if (tried.kind === "skipped") context.skip?.(tried.why);
  }

  async function report(): Promise<void> {
    const unknown = { result: "undecided", why: "its test didn't come to an end" } as const;
    const list = rules.map(({ id, says, source }) => {
      return { id, says, source, ...(results.get(id) ?? unknown) };
    });
    onReport?.({ name, rules: list });
  }

  // All sessions run in one of the tests.
  const timeoutMs = world.transport === "http" || (world.patienceMs ?? 0) > 0 ? 1_800_000 : 300_000;
  describe(name, () => {
    for (const rule of rules) {
      const title = `${rule.id}: ${rule.says} (${rule.source})`;
      const why = contract.skipReason(rule);
      if (why === undefined) {
        it(
          title,
          inRunner(timeoutMs, (context) => trial(rule, context)),
          timeoutMs,
        );
        continue;
      }
      results.set(rule.id, { result: "skipped", why });
      const skipped = `${title}, skipped: ${why}`;
      if (it.skip === undefined) it(skipped, async () => undefined);
      else it.skip(skipped, async () => undefined);
    }
    if (onReport !== undefined) it("the results are reported", report);
  });
}

type Result = Omit<RuleResult, "id" | "says" | "source">;

/** `error`: what the rule's test fails with. */
async function resultOf(
  rule: Rule,
  tried: Tried,
  contract: ContractSettings,
): Promise<Result & { readonly error?: Error }> {
  if (tried.kind === "failed") {
    const error = await failureOf(rule, tried, contract);
    return { result: "failed", why: error.why, replay: error.replay, file: error.file, error };
  }
  if (tried.kind === "skipped") return { result: "skipped", why: tried.why };
  // A replay runs one session: it proves nothing if the rule doesn't come up there.
  if (tried.kind === "passed" || contract.replay !== undefined) return { result: tried.kind };
  const why =
    `The result of ${rule.id} is undecided: nothing in ${counted(contract.runs, "session")} concerned it. ` +
    'If that is so for most rules, the requests don\'t arrive: use the `fetch` and `timers` that are given, or globals: "replaced". ' +
    `If the client comes there seldom, raise \`runs\`. If it never does, say why:\n  skip: { "${rule.id}": "…" }`;
  return { result: "undecided", why, error: new Error(why) };
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

/** What a test is given: by vitest and node:test as its argument, by mocha as `this`. Jest gives nothing of this. */
interface TestContext {
  skip?(why: string): unknown;
  timeout?(ms: number): unknown;
}

/** A test without parameters: one would ask Jest and mocha for a callback, and vitest reads their names. */
function inRunner(
  timeoutMs: number,
  test: (context: TestContext) => Promise<void>,
): () => Promise<void> {
  return async function (this: TestContext | undefined): Promise<void> {
    // biome-ignore lint/complexity/noArguments: see above.
    const [context = this ?? {}] = arguments as unknown as readonly [TestContext?];
    context.timeout?.(timeoutMs);
    await test(context);
  };
}
