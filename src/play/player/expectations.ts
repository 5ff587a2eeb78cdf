/** Compares expectations with an answer, a tally, the service's reports, the audit or an invariant. */

import type { ClientExchange, Member } from "../../invariants/client-exchange.ts";
import { Inconclusive, inconclusive } from "../../invariants/ensure.ts";
import { type InvariantResult, judgeInvariants } from "../../invariants/invariants.ts";
import { isReport, kindOf, type ReportExpectation } from "../scenario/step-kind.ts";
import type { AnswerExpectation, Expectation, Matcher, RequestStep } from "../scenario/types.ts";
import { type Control, type PlayedWorld, sendWhenAllowed } from "../targets/target.ts";
import { worldTarget } from "../targets/world-target.ts";
import { check, match, undecidedCheck } from "./matching.ts";
import { outgoingOf } from "./requests.ts";
import type { Check } from "./result.ts";
import { publisherOf, type Run } from "./run.ts";
import { answerOf, jsonBody, referenceTo, type Scope } from "./values.ts";

/** @throws Inconclusive (as a rejection) if what it is about never happened. */
export async function checkExpectation(
  run: Run,
  expectation: Expectation,
): Promise<readonly Check[]> {
  if ("invariant" in expectation) return await checkInvariant(run, expectation.invariant);
  if (isReport(expectation)) return await checkReported(run, expectation);
  if ("of" in expectation) {
    const { of, is } = expectation;
    return match(is, { actual: referenceTo(of, run), about: of, scope: run });
  }
  if ("audit" in expectation) {
    const { control } = run.target;
    if (control === undefined) return inconclusive("only an adsim has an audit");
    const audit = (await control.world()).audit();
    return match(expectation.audit, { actual: audit, about: "audit", scope: run });
  }
  const { answer } = expectation;
  const exchange = answer === undefined ? run.last : answerOf(answer, run);
  if (exchange === undefined) return inconclusive("no request was sent before");
  return checkAnswer(expectation, exchange, answer ?? "answer", run);
}

/** `id`: one invariant's id, or "all". */
async function checkInvariant(run: Run, id: string): Promise<readonly Check[]> {
  const results = await judgeRun(run, id === "all" ? undefined : [id]);
  // With "all", undecided invariants are left out unless nothing else is known.
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

/** The invariants are tried on at most this many publishers. */
const MAX_MEMBERS = 3;

/** Judges the invariants by what is known of a run so far. `ids`: which. @default all */
export async function judgeRun(
  { target, trace, members, turns }: Run,
  ids?: readonly string[],
): Promise<readonly InvariantResult[]> {
  const world = await worldOf(target.control);
  const results: InvariantResult[] = [];
  const played = {
    trace,
    members: Array.from(members.values()).slice(0, MAX_MEMBERS),
    isExactTime: target.time.kind === "virtual",
    assumptions: typeof world === "string" ? undefined : world.assumptions,
    world,
  };
  for (const result of judgeInvariants(played, ids)) {
    results.push(result);
    await turns();
  }
  return results;
}

/** The world, or why there is none. */
async function worldOf(control: Control | undefined): Promise<PlayedWorld | string> {
  if (control === undefined) return "the target can't make a copy of the world to try it in";
  try {
    return await control.world();
  } catch (thrown) {
    if (thrown instanceof Inconclusive) return thrown.message;
    throw thrown;
  }
}

/** `about`: the answer's name in the checks. */
export function checkAnswer(
  expectation: AnswerExpectation,
  exchange: ClientExchange,
  about: string,
  scope: Scope,
): readonly Check[] {
  const { outcome: expected = "answered", status, headers = {}, body, text } = expectation;
  const { outcome } = exchange;
  const allowed: readonly string[] = [expected].flat();
  const isExpected = allowed.includes(outcome);
  const found = check(isExpected, `${about} outcome`, allowed.join(" or "), outcome);
  if (!isExpected) return [found];
  if (outcome === "lost" || outcome === "timed-out") {
    const isAll = Object.keys(expectation).every((key) => key === "outcome" || key === "answer");
    const why = `no answer came: it was ${outcome}`;
    return isAll ? [found] : [found, undecidedCheck({ about, actual: undefined }, why)];
  }
  const ofPart = (matcher: Matcher | undefined, part: string, actual: unknown): readonly Check[] =>
    matcher === undefined ? [] : match(matcher, { actual, about: `${about} ${part}`, scope });
  return [
    found,
    ...ofPart(status, "status", exchange.status),
    ...Object.entries(headers).flatMap(([name, matcher]) =>
      ofPart(matcher, `header ${name}`, exchange.headers[name]),
    ),
    ...(body === undefined ? [] : checkBody(body, exchange, `${about} body`, scope)),
    ...ofPart(text, "text", exchange.text),
  ];
}

function checkBody(
  matcher: Matcher,
  exchange: ClientExchange,
  about: string,
  scope: Scope,
): readonly Check[] {
  const { value: actual, instead } = jsonBody(exchange);
  if (instead !== undefined) return [check(false, about, "JSON", instead)];
  return match(matcher, { actual, about, scope });
}

/** Checks a report of the service. If possible it is read in a copy, with its own quota and without faults. */
async function checkReported(
  run: Run,
  { is, publisher, ...asked }: ReportExpectation,
): Promise<readonly Check[]> {
  const about = kindOf(asked);
  const member = publisherOf(run, publisher);
  const { control } = run.target;
  const reported =
    control === undefined
      ? await sendWhenAllowed(run.target, outgoingOf(run, asked, member))
      : await readInCopy(run, control, asked, member);
  const { outcome, status } = reported;
  if (outcome === "answered" && status !== 200)
    return [check(false, about, "status 200", `status ${status}`)];
  return checkBody(is, reported, about, run);
}

async function readInCopy(
  run: Run,
  control: Control,
  asked: RequestStep,
  member: Member,
): Promise<ClientExchange> {
  const copy = (await control.world()).fork();
  copy.faults.clear();
  // A new key has its own reporting quota.
  const { apiKey } = copy.publishers.rotateKey(member.id);
  const outgoing = outgoingOf(run, asked, { ...member, apiKey });
  return await worldTarget(copy, run.turns).send(outgoing);
}
