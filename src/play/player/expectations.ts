/** What is expected, held against what an answer, a tally, the service's own figures, the audit or an invariant says. */

import { InputError } from "../../base/input.ts";
import type { Exchange } from "../../laws/seen-exchange.ts";
import type { AnswerExpectation, Cast, Expectation, RequestStep } from "../language/scenario.ts";
import { type Playing, perform, performAside } from "./effects.ts";
import { judgeInvariants } from "./judge-invariants.ts";
import { check, match, notKnown } from "./matching.ts";
import { contentOf, type Found, found, jsonBody, memberAt, unknown } from "./names.ts";
import { outgoingOf } from "./requests.ts";
import type { Check } from "./result.ts";
import { castOf, type Run, scopeOf } from "./run.ts";
import { whyNoAnswer } from "./values.ts";

export function* checkExpectation(run: Run, expectation: Expectation): Playing<readonly Check[]> {
  if ("of" in expectation) {
    const content = contentAt(run, expectation.of);
    if (content.kind === "unknown") return [notKnown(expectation.of, content.why)];
    return yield* match(expectation.is, content.value, expectation.of, scopeOf(run));
  }
  if ("audit" in expectation) {
    if (!run.abilities.control) return [notKnown("audit", "only an adsim tells its audit")];
    const audit = yield* perform({ kind: "audit" });
    return yield* match(expectation.audit, audit, "audit", scopeOf(run));
  }
  if ("invariant" in expectation) return yield* checkInvariant(run, expectation.invariant);
  if ("is" in expectation) return yield* checkReported(run, expectation);
  const { answer } = expectation;
  if (answer === undefined) {
    if (run.last === undefined) return [notKnown("answer", "no request was sent before")];
    return yield* checkAnswer(run, expectation, run.last, "answer");
  }
  const named = run.names.get(answer);
  if (named?.kind !== "answer") return [notKnown(answer, whyNoAnswer(answer, named))];
  return yield* checkAnswer(run, expectation, named.exchange, answer);
}

/** `id`: of one, or "all". */
function* checkInvariant(run: Run, id: string): Playing<readonly Check[]> {
  const results = yield* judgeInvariants(run, id === "all" ? undefined : [id]);
  // Of all of them, those that there was nothing to look at for say nothing against the others.
  const known = id === "all" ? results.filter(({ verdict }) => verdict !== "unknown") : results;
  return (known.length === 0 ? results : known).map(
    ({ id: judged, says, verdict, why }): Check => ({
      verdict,
      about: `invariant ${judged}`,
      expected: says,
      found: why ?? "it holds",
      ...(verdict === "unknown" && { why }),
    }),
  );
}

function contentAt(run: Run, ref: string): Found {
  const [name = "", ...path] = ref.split(".");
  const content = contentOf(name, run.names.get(name));
  return content.kind === "unknown" ? content : memberAt(content.value, path, ref);
}

/** `about`: what the answer is called. */
export function* checkAnswer(
  run: Run,
  expectation: AnswerExpectation,
  exchange: Exchange,
  about: string,
): Playing<readonly Check[]> {
  const { outcome = "answered", status, headers, body, text } = expectation;
  const scope = scopeOf(run);
  const allowed: readonly string[] = typeof outcome === "string" ? [outcome] : outcome;
  const asExpected = allowed.includes(exchange.outcome);
  const checks: Check[] = [
    check(
      asExpected ? "held" : "broken",
      `${about} outcome`,
      allowed.join(" or "),
      exchange.outcome,
    ),
  ];
  if (!asExpected) return checks;
  const isAnswer = exchange.outcome === "answered" || exchange.outcome === "cut";
  const expectsAnswer = [status, headers, body, text].some((matcher) => matcher !== undefined);
  if (!isAnswer && expectsAnswer) {
    return [...checks, notKnown(about, `no answer came: it was ${exchange.outcome}`)];
  }
  if (status !== undefined) {
    checks.push(...(yield* match(status, exchange.status, `${about} status`, scope)));
  }
  for (const [name, matcher] of Object.entries(headers ?? {})) {
    const value = exchange.headers[name.toLowerCase()];
    checks.push(...(yield* match(matcher, value, `${about} header ${name}`, scope)));
  }
  if (body !== undefined) {
    const content = jsonBody(about, exchange);
    checks.push(
      ...(content.kind === "unknown"
        ? [check("broken", `${about} body`, "JSON", content.why)]
        : yield* match(body, content.value, `${about} body`, scope)),
    );
  }
  if (text !== undefined) {
    checks.push(...(yield* match(text, exchange.text, `${about} text`, scope)));
  }
  return checks;
}

/** Asks what the service reports: aside where that's possible, with a quota of its own and no faults on the way. */
function* checkReported(
  run: Run,
  expectation: Extract<
    Expectation,
    { stats: unknown } | { surfaces: unknown } | { payouts: unknown }
  >,
): Playing<readonly Check[]> {
  const { is, publisher, ...asked } = expectation;
  const [about = "stats"] = Object.keys(asked);
  const reported = yield* ask(run, asked as RequestStep, publisher);
  if (reported.kind === "unknown") return [notKnown(about, reported.why)];
  const body = jsonBody(about, reported.value);
  if (body.kind === "unknown") return [check("broken", about, "JSON", body.why)];
  if (reported.value.status !== 200) {
    return [check("broken", about, "status 200", `status ${reported.value.status}`)];
  }
  return yield* match(is, body.value, about, scopeOf(run));
}

function* ask(run: Run, step: RequestStep, cast: Cast | undefined): Playing<Found<Exchange>> {
  const member = yield* castOf(run, cast);
  if (member === undefined) return unknown(`there is no publisher ${cast ?? 0}`);
  if (!run.abilities.control) {
    const outgoing = yield* outgoingOf(step, member, scopeOf(run));
    if (outgoing.kind === "unknown") return outgoing;
    return found(yield* perform({ kind: "send", outgoing: outgoing.value }));
  }
  if (!run.hasFreshAside) {
    const why = yield* whyNotFork();
    if (why !== undefined) return unknown(why);
    yield* performAside({ kind: "heal", ids: undefined });
    run.hasFreshAside = true;
  }
  // A new key has a reporting quota of its own.
  const renewed = yield* performAside({ kind: "rotateKey", publisher: member.id });
  const outgoing = yield* outgoingOf(step, renewed, scopeOf(run));
  if (outgoing.kind === "unknown") return outgoing;
  return found(yield* performAside({ kind: "send", outgoing: outgoing.value }));
}

/** Makes the world aside. A state that contradicts itself can't be gone on from: invariant R3 says that it is broken. */
function* whyNotFork(): Playing<string | undefined> {
  try {
    yield* perform({ kind: "fork" });
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return `the world can't be gone on from: ${error.message}`;
    throw error;
  }
}
