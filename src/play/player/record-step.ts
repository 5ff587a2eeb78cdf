/** Records the outcome and output of each step. A step that is played several times has one result. */

import { formatInstant } from "../../base/calendar.ts";
import { lenientText, shortened } from "../../base/text.ts";
import { plainRequest } from "../../exchange/plain-request.ts";
import type { ClientExchange } from "../../invariants/client-exchange.ts";
import { Inconclusive } from "../../invariants/ensure.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { withoutSecrets } from "../../journal/secrets.ts";
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
  /** Why the target couldn't do the step. */
  readonly skipped?: string | undefined;
  /** Why the outcome can't be told. */
  readonly undecided?: string | undefined;
  /** What later steps get by the step's name. */
  readonly output?: StepOutput | undefined;
  readonly exchange?: ClientExchange | undefined;
  readonly tally?: TallySummary | undefined;
}

/** The outcome of a step that ended with {@link Inconclusive}. @throws anything else that was thrown. */
export function undecidedBy(thrown: unknown): StepOutcome {
  if (thrown instanceof Inconclusive) return { checks: [], undecided: thrown.message };
  throw thrown;
}

/** At most this many checks of a step are reported, and all that didn't pass. */
const MAX_CHECKS = 50;

/** Journal entries shown with a failed step. */
const JOURNAL_ENTRIES = 6;
/** Only the first failed steps have them, because a result may have thousands of steps. */
const MAX_WITH_JOURNAL = 50;

export async function record(
  run: Run,
  step: Step,
  path: string,
  outcome: StepOutcome,
): Promise<void> {
  const found = stepResultOf(run, step, path, excusedBySkip(run, outcome));
  const before = run.results.get(path);
  if (found.result === "skipped" && before === undefined)
    run.skipped.push({ path, why: found.why ?? "" });
  // Keep the result of the first round that didn't pass, unless a later one is worse.
  const stays = before !== undefined && rank(before) > 1 && rank(before) >= rank(found);
  run.results.set(path, { ...(stays ? before : found), times: (before?.times ?? 0) + 1 });
  if (step.as !== undefined) {
    const why =
      outcome.skipped !== undefined
        ? `was skipped: ${outcome.skipped}`
        : `is undecided: ${outcome.undecided ?? "it has no result"}`;
    run.outputs.set(step.as, outcome.output ?? { kind: "nothing", why });
  }
  for (const { result } of outcome.checks) run.digest.text(result);
  if (found.result === "failed" && !stays) await attachJournal(run, path);
}

/** Attaches the last journal entries to a step that has just failed. */
async function attachJournal(run: Run, path: string): Promise<void> {
  const { control } = run.target;
  const result = run.results.get(path);
  if (control === undefined || result === undefined || run.journalsShown >= MAX_WITH_JOURNAL)
    return;
  run.journalsShown += 1;
  const journal = (await control.journal(JOURNAL_ENTRIES)).map((entry) => ({
    ...entry,
    request: withShortBody(entry.request),
    response: withShortBody(entry.response),
  }));
  run.results.set(path, { ...result, journal });
}

function withShortBody<Part extends Pick<JournalEntry["request"], "body" | "bodyBase64">>(
  part: Part,
): Part {
  if (part.body.length <= MAX_BODY) return part;
  return { ...part, body: shortened(part.body, MAX_BODY), bodyBase64: undefined };
}

/** After a skipped step a failed expectation counts as undecided, because the skip may have caused it. */
function excusedBySkip({ skipped: [first] }: Run, outcome: StepOutcome): StepOutcome {
  if (first === undefined) return outcome;
  const why = `${first.path} was skipped, which may be the cause`;
  const checks = outcome.checks.map(
    (one): Check => (one.result === "failed" ? { ...one, result: "undecided", why } : one),
  );
  return { ...outcome, checks };
}

function rank({ result }: StepResult): number {
  return { done: 0, passed: 1, undecided: 2, skipped: 2, failed: 3 }[result];
}

function stepResultOf(run: Run, step: Step, path: string, outcome: StepOutcome): StepResult {
  const { checks, skipped, undecided, exchange, tally } = outcome;
  const { as, note } = step;
  const kind = kindOf(step);
  const judged = checks.length === 0 ? "done" : resultOf(checks);
  return {
    path,
    kind,
    title: `${kind}${as === undefined ? "" : ` as ${as}`}${note === undefined ? "" : `: ${note}`}`,
    at: formatInstant(exchange?.atMs ?? run.nowMs),
    times: 1,
    result: skipped !== undefined ? "skipped" : undecided !== undefined ? "undecided" : judged,
    why: skipped ?? undecided ?? checks.find((one) => one.result === "undecided")?.why,
    checks: checks.filter(({ result }, at) => result !== "passed" || at < MAX_CHECKS),
    exchange: exchange && shownExchange(exchange),
    tally,
  };
}

/** Longest body in a result, in characters. */
const MAX_BODY = 2000;

/** The exchange as reports show it: without credentials, and with short bodies. */
function shownExchange(exchange: ClientExchange): ShownExchange {
  const { operation, atMs, outcome, status, headers, text, latencyMs, why } = exchange;
  const { method, path, query, headers: sent, body } = plainRequest(exchange.request);
  return {
    operation,
    at: formatInstant(atMs),
    request: {
      method,
      path: shortened(path, MAX_BODY),
      query: shortened(query, MAX_BODY),
      headers: withoutSecrets(sent),
      body: shortened(lenientText(body), MAX_BODY),
    },
    outcome,
    status,
    headers: withoutSecrets(headers),
    body: shortened(text, MAX_BODY),
    latencyMs,
    ...(why !== undefined && { why }),
  };
}
