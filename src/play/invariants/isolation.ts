/** The laws of isolation and keys (A1 to A5). */

import { type OperationId, operationIds } from "../../spec/operations.ts";
import { type Exchange, type Member, type Playing, perform } from "../player/effects.ts";
import {
  type Aside,
  asideOf,
  ask,
  freshKey,
  membersOf,
  outgoingOf,
  sendAside,
  signUpAside,
} from "./aside.ts";
import {
  type Evidence,
  elsewhere,
  type Invariant,
  invariant,
  notKnown,
  require,
} from "./evidence.ts";
import { differing } from "./stats.ts";

export const isolation: readonly Invariant[] = [
  invariant(
    "A1",
    "However two publishers' requests interleave, each gets the same bytes.",
    elsewhere("needs a second play in another order: the property tests do it"),
  ),
  invariant("A2", "A publisher more leaves the others' bytes unchanged.", anotherPublisher),
  invariant("A3", "401 comes before validation and depends on the key alone.", wrongKeys),
  invariant(
    "A4",
    "Where foreign publishers are masked with 404, they and nonexistent ones get the same bytes.",
    maskedPublishers,
  ),
  invariant("A5", "Worlds share nothing.", untouched),
];

const reads = ["stats", "surfaces", "payouts"] as const satisfies readonly OperationId[];

/** The same with a new key each time: the quota left is the same. */
export function* shownTo(aside: Aside, member: Member): Playing<string> {
  yield* freshKey(aside, member);
  const shown: string[] = [];
  for (const operation of reads) shown.push(bytesOf(yield* ask(aside, member, operation)));
  return shown.join("\n");
}

/** Status, headers that don't belong to the transport, and body. */
function bytesOf({ outcome, status, headers, text }: Exchange): string {
  if (outcome !== "answered") return notKnown(`a request aside was ${outcome}`);
  const kept = Object.entries(headers)
    .filter(([name]) => !ofTransport.includes(name))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `${status} ${JSON.stringify(kept)} ${text}`;
}

const ofTransport: readonly string[] = [
  "date",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "server",
];

function* anotherPublisher(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const members = membersOf(aside).slice(0, 2);
  const before: string[] = [];
  for (const member of members) before.push(yield* shownTo(aside, member));
  yield* signUpAside("Probe three");
  for (const [index, member] of members.entries()) {
    const after = yield* shownTo(aside, member);
    require(after === before[index], () =>
      `beside a publisher more, ${member.id}: ${differing(before[index] ?? "", after)}`);
  }
  return `what ${members.length} publishers read before and after a sign-up, aside`;
}

/** The key of nobody: it has the form of one. */
const NOBODYS = "key_0000000000000";

function* wrongKeys(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const expected = aside.readings["auth.failure"] === "403" ? 403 : 401;
  const [lab] = aside.labs;
  const nobody = { id: lab.id, apiKey: NOBODYS };
  let first: string | undefined;
  for (const operation of operationIds) {
    const valid = outgoingOf(nobody, operation);
    const wrong = outgoingOf({ ...nobody, id: "" }, operation, { from: "never", limit: "none" });
    for (const outgoing of [valid, wrong]) {
      const { status, text } = yield* sendAside(outgoing);
      require(status === expected, () =>
        `${operation} with the key of nobody was answered with ${status}, not ${expected}`);
      first ??= text;
      require(text === first, () =>
        `two requests with the key of nobody: ${differing(first ?? "", text)}`);
    }
  }
  return "every operation with the key of nobody, its parameters right and wrong, aside";
}

function* maskedPublishers(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const { readings, labs } = aside;
  if (readings["auth.foreign-publisher"] !== "404" || readings["auth.key-scope"] === "any")
    notKnown("foreign publishers aren't masked under the readings in force");
  const [lab, other] = labs;
  const last = other.id.slice(-1) === "0" ? "1" : "0";
  const nobody = other.id.slice(0, -1) + last;
  for (const operation of reads) {
    yield* freshKey(aside, lab);
    const foreign = bytesOf(yield* ask(aside, lab, operation, { publisher_id: other.id }));
    yield* freshKey(aside, lab);
    const nonexistent = bytesOf(yield* ask(aside, lab, operation, { publisher_id: nobody }));
    require(foreign === nonexistent, () =>
      `${operation} of a publisher that doesn't exist and of a foreign one: ${differing(nonexistent, foreign)}`);
  }
  return "three operations, aside";
}

/** Whatever was done aside until now, the played world knows nothing of it. */
export function* untouched(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const surface = aside.labs[0].surfaces[0]?.id ?? "none";
  yield* ask(aside, aside.labs[0], "impression", { surface, ad_id: "law A5" });
  const member = aside.members.find(({ surfaces }) => surfaces.length > 0);
  if (member !== undefined) {
    const own = member.surfaces[0]?.id ?? "none";
    yield* freshKey(aside, member);
    yield* ask(aside, member, "impression", { surface: own, ad_id: "law A5" });
  }
  const { at: _, ...before } = aside.before;
  const { at: __, ...after } = yield* perform<"audit">({ kind: "audit" });
  const [one, other] = [before, after].map((audit) => JSON.stringify(audit));
  require(one === other, () =>
    `the audit of the played world changed while a world aside was used: ${differing(one ?? "", other ?? "")}`);
  if (evidence.abilities.time.kind === "virtual") {
    const nowMs = yield* perform<"now">({ kind: "now" });
    require(nowMs === aside.beforeMs, () =>
      `the played world's clock moved by ${nowMs - aside.beforeMs} ms while a world aside was used`);
  }
  return "the played world's audit and clock, before and after a world aside was used";
}
