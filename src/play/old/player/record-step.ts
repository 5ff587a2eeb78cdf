/** Records the outcome and output of each step. A step that is played several times has one result. */

import { formatInstant } from "../../../base/calendar.ts";
import { lenientText, shortened } from "../../../base/text.ts";
import { plainRequest } from "../../../exchange/plain-request.ts";
import type { ClientExchange } from "../../../invariants/client-exchange.ts";
import { Inconclusive } from "../../../invariants/ensure.ts";
import type { JournalEntry } from "../../../journal/entry.ts";
import { withoutSecrets } from "../../../journal/secrets.ts";
import type { TallySummary } from "../../measure/tally.ts";
import { kindOf, type StepKind } from "../../scenario/step-kind.ts";
import type { Step } from "../../scenario/types.ts";
import { resultOf } from "./matching.ts";
import type { Check, ShownExchange, StepResult } from "./result.ts";
import type { Run } from "./run.ts";
import type { StepOutput } from "./step-output.ts";

/** The outcome of a step. */
export interface StepOutcome {
  /** Empty if nothing was expected. */
  readonly checks: readonly Check[];
  /** Why the target couldn't do the step. */
  readonly skipped?: string | undefined;
  /** Why the outcome can't be told. */
  readonly unknown?: string | undefined;
  /** What later steps get by the step's name. */
  readonly output?: StepOutput | undefined;
  readonly exchange?: ClientExchange | undefined;
  readonly tally?: TallySummary | undefined;
}

/** The outcome of a step that ended with {@link Inconclusive}. @throws anything else that was thrown. */
export function unknownBy(thrown: unknown): StepOutcome {
  if (thrown instanceof Inconclusive) return { checks: [], unknown: thrown.message };
  throw thrown;
}

/** At most this many checks of a step are reported. */
const MAX_CHECKS = 50;

export function record(run: Run, step: Step, path: string, outcome: StepOutcome): void {
  const result = stepResultOf(run, step, path, excusedBySkip(run, outcome));
  if (result.result === "skipped" && !run.results.has(path)) {
    run.skipped.push({ path, why: result.why ?? "" });
  }
  const before = run.results.get(path);
  // Keep the result of the first round that wasn't held, unless a later one is worse.
  const stays = before !== undefined && rank(before) > 1 && rank(before) >= rank(result);
  run.results.set(path, { ...(stays ? before : result), times: (before?.times ?? 0) + 1 });
  if (result.result === "failed" && !stays) run.newlyBroken.push(path);
  nameOutput(run, step, outcome);
  for (const { result } of outcome.checks) run.digest.text(result);
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
  const { checks, skipped, unknown, exchange, tally } = outcome;
  const kind = kindOf(step);
  const result = checks.length === 0 ? "done" : resultOf(checks);
  return {
    path,
    kind,
    title: titleOf(kind, step),
    at: formatInstant(exchange?.atMs ?? run.nowMs),
    times: 1,
    result: skipped !== undefined ? "skipped" : unknown !== undefined ? "undecided" : result,
    why: skipped ?? unknown ?? checks.find((one) => one.result === "undecided")?.why,
    checks: checks.slice(0, MAX_CHECKS),
    exchange: exchange && shownExchange(exchange),
    tally,
  };
}

function titleOf(kind: StepKind, { as, note }: Step): string {
  return `${kind}${as === undefined ? "" : ` as ${as}`}${note === undefined ? "" : `: ${note}`}`;
}

function nameOutput(
  { stepOutputs }: Run,
  { as }: Step,
  { output, skipped, unknown }: StepOutcome,
): void {
  if (as === undefined) return;
  const why = skipped ?? unknown ?? "it has no result";
  stepOutputs.set(as, output ?? { kind: "nothing", why });
}

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

/** A journal entry as results show it: with short bodies. */
export function shownEntry(entry: JournalEntry): JournalEntry {
  const { request, response } = entry;
  return { ...entry, request: withShortBody(request), response: withShortBody(response) };
}

function withShortBody<Part extends Pick<JournalEntry["request"], "body" | "bodyBase64">>(
  part: Part,
): Part {
  if (part.body.length <= MAX_BODY) return part;
  return { ...part, body: shortened(part.body, MAX_BODY), bodyBase64: undefined };
}
