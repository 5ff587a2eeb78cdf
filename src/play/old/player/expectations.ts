/** Compares expectations with an answer, a tally, the service's reports, the audit or an invariant. */

import { InputError } from "../../../base/input.ts";
import type { ClientExchange } from "../../../invariants/client-exchange.ts";
import { Inconclusive, inconclusive } from "../../../invariants/ensure.ts";
import { isReport, type ReportExpectation } from "../../scenario/step-kind.ts";
import type {
  AnswerExpectation,
  Expectation,
  Matcher,
  PublisherRef,
  RequestStep,
} from "../../scenario/types.ts";
import { type EffectGenerator, perform, performInScratch } from "./effects.ts";
import { judgeRun } from "./judge-invariants.ts";
import { check, match, unknownCheck } from "./matching.ts";
import { outgoingOf } from "./outgoing-of.ts";
import type { Check } from "./result.ts";
import { isOverLimit, quotaBackMs } from "./retry-after.ts";
import { type Run, scopeFor, senderOf } from "./run.ts";
import { jsonBody } from "./step-output.ts";
import { answerOf, referenceTo, type Scope } from "./values.ts";

export function* checkExpectation(
  run: Run,
  expectation: Expectation,
): EffectGenerator<readonly Check[]> {
  try {
    return yield* checksOf(run, expectation);
  } catch (thrown) {
    if (thrown instanceof Inconclusive) return [unknownCheck(aboutOf(expectation), thrown.message)];
    throw thrown;
  }
}

function aboutOf(expectation: Expectation): string {
  if ("of" in expectation) return expectation.of;
  const key = (["audit", "stats", "surfaces", "payouts"] as const).find(
    (one) => one in expectation,
  );
  return key ?? ("answer" in expectation ? expectation.answer : undefined) ?? "answer";
}

function* checksOf(run: Run, expectation: Expectation): EffectGenerator<readonly Check[]> {
  if ("invariant" in expectation) return yield* checkInvariant(run, expectation.invariant);
  if (isReport(expectation)) return yield* checkReported(run, expectation);
  const scope = yield* scopeFor(run, expectation);
  if ("of" in expectation) {
    const content = referenceTo(expectation.of, scope);
    return match(expectation.is, content, expectation.of, scope);
  }
  if ("audit" in expectation) {
    if (!run.capabilities.control) return inconclusive("only an adsim has an audit");
    return match(expectation.audit, yield* perform({ kind: "audit" }), "audit", scope);
  }
  const { answer } = expectation;
  const exchange = answer === undefined ? run.last : answerOf(answer, scope);
  if (exchange === undefined) return inconclusive("no request was sent before");
  return checkAnswer(expectation, exchange, answer ?? "answer", scope);
}

/** `id`: one invariant's id, or "all". */
function* checkInvariant(run: Run, id: string): EffectGenerator<readonly Check[]> {
  const results = yield* judgeRun(run, id === "all" ? undefined : [id]);
  // With "all", unknown invariants are left out unless nothing else is known.
  const known = id === "all" ? results.filter(({ result }) => result !== "undecided") : results;
  return (known.length === 0 ? results : known).map(
    ({ id: judged, says, result, why }): Check => ({
      result,
      about: `invariant ${judged}`,
      invariant: judged,
      expected: says,
      found: why ?? "it holds",
      ...(result === "undecided" && { why }),
    }),
  );
}

/** `about`: the answer's name in the checks. */
export function checkAnswer(
  expectation: AnswerExpectation,
  exchange: ClientExchange,
  about: string,
  scope: Scope,
): readonly Check[] {
  const { outcome = "answered", status, headers, body, text } = expectation;
  const allowed: readonly string[] = typeof outcome === "string" ? [outcome] : outcome;
  const asExpected = allowed.includes(exchange.outcome);
  const checks: Check[] = [
    check(
      asExpected ? "passed" : "failed",
      `${about} outcome`,
      allowed.join(" or "),
      exchange.outcome,
    ),
  ];
  if (!asExpected) return checks;
  const isAnswer = exchange.outcome === "answered" || exchange.outcome === "cut";
  const expectsAnswer = [status, headers, body, text].some((matcher) => matcher !== undefined);
  if (!isAnswer && expectsAnswer) {
    return [...checks, unknownCheck(about, `no answer came: it was ${exchange.outcome}`)];
  }
  if (status !== undefined) {
    checks.push(...match(status, exchange.status, `${about} status`, scope));
  }
  for (const [name, matcher] of Object.entries(headers ?? {})) {
    const value = exchange.headers[name.toLowerCase()];
    checks.push(...match(matcher, value, `${about} header ${name}`, scope));
  }
  if (body !== undefined) {
    checks.push(...matchBody(body, jsonBody(about, exchange), `${about} body`, scope));
  }
  if (text !== undefined) checks.push(...match(text, exchange.text, `${about} text`, scope));
  return checks;
}

function matchBody(
  matcher: Matcher,
  { value, why }: ReturnType<typeof jsonBody>,
  about: string,
  scope: Scope,
): readonly Check[] {
  if (why !== undefined) return [check("failed", about, "JSON", why)];
  return match(matcher, value, about, scope);
}

/** Checks a report of the service. If possible it is read in a scratch copy, with its own quota and without faults. */
function* checkReported(
  run: Run,
  expectation: ReportExpectation,
): EffectGenerator<readonly Check[]> {
  const { is, publisher, ...asked } = expectation;
  const about = aboutOf(expectation);
  const reported = yield* ask(run, asked as RequestStep, publisher);
  const body = jsonBody(about, reported);
  if (body.why === undefined && reported.status !== 200) {
    return [check("failed", about, "status 200", `status ${reported.status}`)];
  }
  return matchBody(is, body, about, yield* scopeFor(run, is));
}

function* ask(
  run: Run,
  step: RequestStep,
  publisherRef: PublisherRef | undefined,
): EffectGenerator<ClientExchange> {
  const member = yield* senderOf(run, publisherRef);
  const scope = yield* scopeFor(run, step);
  if (!run.capabilities.control) {
    const outgoing = outgoingOf(step, member, scope, run.sending);
    const answer = yield* perform<"send">({ kind: "send", outgoing });
    // This request isn't the scenario's: it waits until the scenario's own requests don't matter any more.
    if (!isOverLimit(answer)) return answer;
    yield* perform({ kind: "wait", ms: quotaBackMs(answer, answer.atMs) });
    return yield* perform({ kind: "send", outgoing });
  }
  if (!run.hasFreshScratch) {
    yield* fork();
    yield* performInScratch({ kind: "heal", ids: undefined });
    run.hasFreshScratch = true;
  }
  // A new key has its own reporting quota.
  const renewed = yield* performInScratch({ kind: "rotateKey", publisher: member.id });
  const outgoing = outgoingOf(step, renewed, scope, run.sending);
  return yield* performInScratch({ kind: "send", outgoing });
}

/** Makes the scratch copy. A contradictory state can't be copied. */
function* fork(): EffectGenerator<void> {
  try {
    yield* perform({ kind: "fork" });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    inconclusive(`the world can't be copied: ${error.message}`);
  }
}
