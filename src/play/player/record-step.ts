/** Records the outcome and output of each step. A step that is played several times has one result. */

import { formatInstant } from "../../base/calendar.ts";
import { lenientText, shortened } from "../../base/text.ts";
import { plainRequest } from "../../exchange/plain-request.ts";
import type { ClientExchange } from "../../invariants/client-exchange.ts";
import { Inconclusive } from "../../invariants/ensure.ts";
import { withoutSecrets } from "../../journal/shown-entry.ts";
import type { TallySummary } from "../measure/tally.ts";
import { kindOf } from "../scenario/step-kind.ts";
import type { Step } from "../scenario/types.ts";
import { resultOf } from "./matching.ts";
import type { Check, ShownExchange, StepResult } from "./result.ts";
import type { Run } from "./run.ts";
import type { StepOutput } from "./values.ts";

/** The outcome of a step. */
export interface StepOutcome {
  /** Empty if nothing was expected. */
  readonly checks: readonly Check[];
  /** If the target couldn't do the step, or its outcome can't be told. */
  readonly result?: "skipped" | "undecided" | undefined;
  readonly why?: string | undefined;
  /** What later steps get by the step's name. */
  readonly output?: StepOutput | undefined;
  readonly exchange?: ClientExchange | undefined;
  readonly tally?: TallySummary | undefined;
}

/** The outcome of a step that ended with {@link Inconclusive}. @throws anything else that was thrown. */
export function undecidedBy(thrown: unknown): StepOutcome {
  if (!(thrown instanceof Inconclusive)) throw thrown;
  return { checks: [], result: "undecided", why: thrown.message };
}

/** Journal entries shown with a failed step. */
const JOURNAL_ENTRIES = 6;

export async function record(
  run: Run,
  step: Step,
  path: string,
  outcome: StepOutcome,
): Promise<void> {
  const { checks, result, why = "", output } = outcome;
  for (const check of checks) run.digest.text(check.result);
  if (step.as !== undefined) {
    const ended = result === "skipped" ? "was skipped" : "is undecided";
    run.outputs.set(step.as, output ?? { kind: "nothing", why: `${ended}: ${why}` });
  }
  const before = run.results.get(path);
  const times = (before?.times ?? 0) + 1;
  const found = resultOfRound(run, step, path, outcome);
  if (result === "skipped" && before === undefined) run.skipped.push({ path, why });
  // Of several rounds the first that didn't pass stays, unless a later one is worse.
  if (before !== undefined && severity[before.result] >= Math.max(severity[found.result], 1)) {
    run.results.set(path, { ...before, times });
    return;
  }
  run.results.set(path, { ...found, times });
  if (found.result === "failed" && run.journalsLeft > 0) {
    run.journalsLeft -= 1;
    const journal = await run.target.control?.journal(JOURNAL_ENTRIES);
    run.results.set(path, { ...found, times, journal });
  }
}

const severity = { done: 0, passed: 0, skipped: 1, undecided: 1, failed: 2 } as const;

/** At most this many checks of a step are reported, and all that didn't pass. */
const MAX_CHECKS = 50;

function resultOfRound(run: Run, step: Step, path: string, outcome: StepOutcome): StepResult {
  const { exchange, tally, result, why } = outcome;
  const checks = excusedBySkip(run, outcome.checks);
  const kind = kindOf(step);
  const name = step.as === undefined ? "" : ` as ${step.as}`;
  const note = step.note === undefined ? "" : `: ${step.note}`;
  return {
    path,
    kind,
    title: `${kind}${name}${note}`,
    at: formatInstant(exchange?.atMs ?? run.nowMs),
    times: 1,
    result: result ?? (checks.length === 0 ? "done" : resultOf(checks)),
    why: why ?? checks.find((one) => one.result === "undecided")?.why,
    checks: checks.filter((one, at) => one.result !== "passed" || at < MAX_CHECKS),
    exchange: exchange && shownExchange(exchange),
    tally,
  };
}

/** After a skipped step a failed expectation counts as undecided, because the skip may have caused it. */
function excusedBySkip({ skipped: [first] }: Run, checks: readonly Check[]): readonly Check[] {
  if (first === undefined) return checks;
  const why = `${first.path} was skipped, which may be the cause`;
  return checks.map((one) =>
    one.result === "failed" ? { ...one, result: "undecided", why } : one,
  );
}

/** Longest body in a result, in characters. */
const MAX_BODY = 2000;

/** The exchange as reports show it: without credentials, and with short bodies. */
function shownExchange({ atMs, request, headers, text, ...same }: ClientExchange): ShownExchange {
  const { method, path, query, headers: sent, body } = plainRequest(request);
  const shownBody = shortened(lenientText(body), MAX_BODY);
  return {
    ...same,
    at: formatInstant(atMs),
    request: { method, path, query, headers: withoutSecrets(sent), body: shownBody },
    headers: withoutSecrets(headers),
    body: shortened(text, MAX_BODY),
  };
}
