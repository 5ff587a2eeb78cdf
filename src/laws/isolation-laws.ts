/** The laws of isolation and keys (A1 to A5). */

import { type OperationId, operationIds, operations } from "../spec/operations.ts";
import type { ClientExchange, Member } from "./client-exchange.ts";
import { ensure, ensureSame, inconclusive, type Law, type LawContext } from "./law.ts";
import { operationOf } from "./read-trace.ts";
import { ensureSameAnswers, groupsOf, type Rerun, rerunCheck } from "./rerun.ts";
import { newWorld } from "./rerun-plan.ts";
import {
  ask,
  auditText,
  copyOf,
  freshKey,
  membersOf,
  outgoingOf,
  sendIn,
  signUpIn,
  stateBeforeLaws,
  viewOf,
  type WorldCopy,
  worldOf,
} from "./world-copy.ts";

export const isolationLaws: readonly Law[] = [
  {
    id: "A1",
    says: "Each publisher gets the same bytes, however its requests interleave with another's.",
    checkRerun: rerunCheck(eachAlone),
    withoutRerun: "needs a second play in another order: the property tests do it",
  },
  {
    id: "A2",
    says: "Another publisher in the world doesn't change the others' bytes.",
    checkCopy: anotherPublisher,
    checkRerun: rerunCheck(withOneMore),
  },
  {
    id: "A3",
    says: "401 comes before validation and depends on the key alone.",
    checkCopy: wrongKeys,
  },
  {
    id: "A4",
    says: "If foreign publishers get 404, the bytes are those for a publisher that doesn't exist.",
    checkCopy: maskedPublishers,
  },
  {
    id: "A5",
    says: "Worlds share nothing.",
    checkCopy: playedWorldUntouched,
    checkRerun: rerunCheck(otherWorldUntouched),
  },
];

const reads = ["stats", "surfaces", "payouts"] as const satisfies readonly OperationId[];

/** Reads with a new key, so that answers that show the quota are comparable. */
export function readAs(copy: WorldCopy, member: Member): string {
  freshKey(copy, member);
  return reads.map((operation) => bytesOf(ask(copy, member, operation))).join("\n");
}

/** Status, headers and body. */
function bytesOf({ outcome, status, headers, text }: ClientExchange): string {
  if (outcome !== "answered")
    return inconclusive(`a request to a copy of the world was ${outcome}`);
  const sorted = Object.entries(headers).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `${status} ${JSON.stringify(sorted)} ${text}`;
}

/** A publisher whose bytes don't depend on what the others send gets the same bytes in every interleaving. */
function eachAlone(rerun: Rerun): string {
  const groups = groupsOf(rerun, "publisher").slice(0, rerun.played.sampleSize + 1);
  for (const only of groups) {
    const alone = rerun.playWith({ only });
    ensureSameAnswers(rerun, rerun.unchanged().answers, alone.answers, "without the others");
  }
  return `${groups.length} publishers, each alone and among the others`;
}

function anotherPublisher(played: LawContext): string {
  const copy = copyOf(played);
  const members = membersOf(copy).slice(0, 2);
  const before = members.map((member) => readAs(copy, member));
  signUpIn(copy.sim, "Probe three");
  for (const [index, member] of members.entries()) {
    ensureSame(
      before[index] ?? "",
      readAs(copy, member),
      `${member.id} with another publisher in the world`,
    );
  }
  return `what ${members.length} publishers read before and after a sign-up, in a copy of the world`;
}

function withOneMore(rerun: Rerun): string {
  const { options } = rerun.plan;
  const publishers = newWorld(rerun.plan).publishers.total + 1;
  const more = rerun.playWith({ options: { ...options, publishers } });
  ensureSameAnswers(
    rerun,
    rerun.unchanged().answers,
    more.answers,
    "with another publisher in the world",
  );
  return "with and without another publisher in the world";
}

/** Well-formed, but no publisher's key. */
const UNKNOWN_KEY = "key_0000000000000";
const TWO_WITH_UNKNOWN_KEY = "two requests with an unknown key";

function wrongKeys(played: LawContext): string {
  const copy = copyOf(played);
  const expected = copy.readings["auth.failure"] === "403" ? 403 : 401;
  const [probe] = copy.probes;
  const nobody = { id: probe.id, apiKey: UNKNOWN_KEY };
  let first: string | undefined;
  for (const operation of operationIds) {
    const valid = outgoingOf(nobody, operation);
    const wrong = outgoingOf({ ...nobody, id: "" }, operation, { from: "never", limit: "none" });
    for (const outgoing of [valid, wrong]) {
      const { status, text } = sendIn(copy.sim, outgoing);
      ensure(
        status === expected,
        () => `${operation} with an unknown key was answered with ${status}, not ${expected}`,
      );
      first ??= text;
      ensureSame(first, text, TWO_WITH_UNKNOWN_KEY);
    }
  }
  const count = played.gap === undefined ? resendWithUnknownKey(played, copy, expected) : 0;
  const sent = count === 0 ? "" : `, and ${count} requests of the run`;
  return `every operation with an unknown key, with right and wrong parameters${sent}, in a copy of the world`;
}

/** Sends the run's requests with an unknown key. Answers show the quota, so only those of one quota must be alike. */
function resendWithUnknownKey(
  { trace, sampleSize }: LawContext,
  copy: WorldCopy,
  expected: number,
): number {
  const answers = new Map<string, string>();
  const headers = { authorization: `Bearer ${UNKNOWN_KEY}` };
  // The service checks keys only on the path of an operation.
  const routed = trace.kept.filter((exchange) => operationOf(exchange) !== undefined);
  for (const exchange of routed.slice(0, sampleSize * 5)) {
    const { method, path, query, body } = exchange;
    const operation = operationOf(exchange);
    const isApart = copy.readings["limit.recording-pool"] === "separate";
    const limit = operation && operations[operation].limit;
    const like = `${isApart ? operation : limit} ${method}`;
    const answer = sendIn(copy.sim, {
      operation,
      request: { method, path, query, body, headers },
      timeoutMs: 10_000,
    });
    const before = answers.get(like) ?? bytesOf(answer);
    answers.set(like, before);
    ensure(
      answer.status === expected,
      () =>
        `${method} ${path} with an unknown key was answered with ${answer.status}, not ${expected}`,
    );
    ensureSame(before, bytesOf(answer), TWO_WITH_UNKNOWN_KEY);
  }
  return Math.min(routed.length, sampleSize * 5);
}

function maskedPublishers(played: LawContext): string {
  const copy = copyOf(played);
  const { readings, probes } = copy;
  if (readings["auth.foreign-publisher"] !== "404" || readings["auth.key-scope"] === "any")
    inconclusive("foreign publishers don't get 404 under the assumptions in force");
  const [probe, other] = probes;
  for (const member of [probe, ...copy.members.slice(0, Math.max(0, played.sampleSize - 4))]) {
    const last = other.id.slice(-1) === "0" ? "1" : "0";
    const nobody = other.id.slice(0, -1) + last;
    for (const operation of reads) {
      freshKey(copy, member);
      const foreign = bytesOf(ask(copy, member, operation, { publisher_id: other.id }));
      freshKey(copy, member);
      const nonexistent = bytesOf(ask(copy, member, operation, { publisher_id: nobody }));
      const what = `${operation} of a publisher that doesn't exist and of a foreign one`;
      ensureSame(nonexistent, foreign, what);
    }
  }
  return "three operations, in a copy of the world";
}

/** Checks that nothing done in a copy so far shows in the played world. */
export function playedWorldUntouched(played: LawContext): string {
  const copy = copyOf(played);
  const [probe] = copy.probes;
  ask(copy, probe, "impression", viewOf(probe, "law A5"));
  const member = copy.members.find(({ surfaces }) => surfaces.length > 0);
  if (member !== undefined) {
    freshKey(copy, member);
    ask(copy, member, "impression", viewOf(member, "law A5"));
  }
  const world = worldOf(played);
  const { audit, nowMs } = stateBeforeLaws(played);
  const changed = "the audit of the played world changed while a copy of it was used";
  ensureSame(auditText(audit), auditText(world.audit()), changed);
  if (world.clock.mode === "frozen") {
    const now = world.clock.now();
    ensure(
      now === nowMs,
      () =>
        `the played world's clock moved by ${now - nowMs} ms while a copy of the world was used`,
    );
  }
  return "the played world's audit and clock, before and after a copy of the world was used";
}

function otherWorldUntouched({ plan, playWith }: Rerun): string {
  const other = newWorld(plan);
  const before = JSON.stringify(other.snapshot());
  playWith({});
  ensure(
    JSON.stringify(other.snapshot()) === before && other.journal.total === 0,
    () => "what was done in one world changed another that was made next to it",
  );
  return "next to another new world";
}
