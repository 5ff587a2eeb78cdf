/** The past of a world: which moments can be rebuilt, the world around an entry of its journal, and what if it had been otherwise. */

import * as v from "valibot";
import { formatInstant } from "../base/calendar.ts";
import { InputError, renamingField, underName } from "../base/input.ts";
import { strictObject } from "../base/schemas.ts";
import { orUndefined } from "../base/text.ts";
import { compareAt } from "../choices/compare-choices.ts";
import { type Alteration, recordedQuestion, whatIf } from "../choices/what-if.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { Moment } from "../simulator/past.ts";
import { buildRequest } from "../spec/build-request.ts";
import type { RequestParts } from "../spec/messages.ts";
import { isEventKind, type OperationId } from "../spec/operations.ts";
import { shownChange } from "./listed-exchange.ts";
import { duration } from "./read-request.ts";
import { json } from "./responses.ts";
import { type ControlCall, type ControlRoute, route } from "./route.ts";

const request = strictObject({
  method: v.optional(v.string()),
  path: v.optional(v.string()),
  query: v.optional(v.string("must be a text such as publisher_id=pub_1")),
  headers: v.optional(v.record(v.string(), v.string("must be a string"))),
  body: v.optional(v.string("must be a text, as it is sent")),
});
const alteration = strictObject({
  // The rule's own schema checks it.
  fault: v.optional(v.unknown()),
  advance: v.optional(duration),
  request: v.optional(request),
});

export const historyRoutes: readonly ControlRoute[] = [
  route("GET history", {}, ({ world: { journal, past } }) => {
    const { first, whyNone } = past;
    const unavailable = whyNone && `No moment can be rebuilt: ${whyNone}.`;
    const changes = journal.changes().map(shownChange);
    return json({ first, total: journal.total, unavailable, changes });
  }),
  // The world right before and right after an entry, as one publisher sees it. 0 is the world's beginning.
  route("GET history/:sequence", { query: { publisher: v.string() } }, (call) => {
    const { world, query } = call;
    const sequence = sequenceIn(call);
    const publisher = query.publisher ?? publisherBehind(world, sequence);
    if (publisher !== undefined) world.publishers.get(publisher);
    const stateAt = (moment: Moment): object => {
      const script = world.past.scriptOf(moment);
      return shownState(world.rebuild(script), script.mode, publisher);
    };
    const after = underName("sequence", () => stateAt({ after: sequence }));
    // What leads to that moment may be gone.
    const before = sequence === 0 ? undefined : orUndefined(() => stateAt({ before: sequence }));
    return json({ sequence, publisher, before: before ?? null, after });
  }),
  // Without an alteration: the same request under every other choice. The world itself doesn't change.
  route("POST history/:sequence/what-if", { body: v.optional(alteration, {}) }, (call) => {
    const { world, body } = call;
    const sequence = sequenceIn(call);
    const asked = alterationIn(body);
    const found = renamingField(
      // The history has another name for the entry.
      (field) => (field === "before" ? "sequence" : field),
      () => (asked ? whatIf(world, sequence, asked) : compareAt(recordedQuestion(world, sequence))),
    );
    return json({ sequence, ...found });
  }),
];

/** The number in the path. @throws InputError for anything else. */
export function sequenceIn({ part }: Pick<ControlCall, "part">): number {
  const text = part("sequence");
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InputError("sequence", "must be the number of an entry of the journal", "not-found");
}

/** The publisher whose ledger an event changes, or whose key was sent with any other request. */
function publisherBehind(world: HostedCore, sequence: number): string | undefined {
  const record = world.journal.exchange(sequence)?.record;
  const concerned = isEventKind(record?.operation) ? record?.account?.id : undefined;
  return concerned ?? record?.publisher;
}

/** `world` is a copy for this answer alone. A publisher that isn't there yet has no state. */
function shownState(world: HostedCore, mode: string, publisherId = ""): object {
  const { assumptions, clock, faults, publishers } = world;
  const state = { now: formatInstant(clock.now()), mode, assumptions, faults: faults.list() };
  const found = orUndefined(() => publishers.get(publisherId));
  if (found === undefined) return { ...state, publisher: null };
  const { id, name, surfaces } = found;
  const figures = world.figuresOf(id);
  // Reads with a fresh key, so that a used-up quota doesn't refuse them.
  const { apiKey: key } = publishers.rotateKey(id);
  faults.clear();
  const read = (operation: OperationId, values = {}): object => {
    const request = buildRequest(operation, { publisher_id: id, ...values }, { key });
    const { status, body } = world.handle(request);
    return { status, body };
  };
  const answers = { stats: read("stats"), payouts: read("payouts", { limit: "100" }) };
  return { ...state, publisher: { id, name, surfaces, ...figures, ...answers } };
}

function alterationIn(body: v.InferOutput<typeof alteration>): Alteration | undefined {
  const [first, second] = Object.keys(body);
  if (second !== undefined) {
    throw new InputError(second, `can't be combined with ${first}: give only one of them`);
  }
  const { fault, advance, request } = body;
  if (first === "fault") return { kind: "fault", rule: fault };
  if (advance !== undefined) return { kind: "advance", by: advance };
  // The schema has checked each of them.
  return request && { kind: "request", members: request as Partial<RequestParts> };
}
