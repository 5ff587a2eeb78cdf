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
import type { ApiResponse, RequestParts } from "../spec/messages.ts";
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
  route("GET history", {}, listMoments),
  route("GET history/:sequence", { query: { publisher: v.string() } }, (call) =>
    showMoment(call, call.query.publisher),
  ),
  route("POST history/:sequence/what-if", { body: v.optional(alteration, {}) }, (call) =>
    askWhatIf(call, alterationIn(call.body)),
  ),
];

/** Which moments can be rebuilt, and what was done by hand meanwhile. */
function listMoments({ world }: ControlCall): ApiResponse {
  const { journal, past } = world;
  const { first, whyNone } = past;
  const unavailable = whyNone && `No moment can be rebuilt: ${whyNone}.`;
  const changes = journal.changes().map(shownChange);
  return json({ first, total: journal.total, unavailable, changes });
}

/** The number in the path. @throws InputError for anything else. */
export function sequenceIn({ part }: Pick<ControlCall, "part">): number {
  const text = part("sequence");
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InputError("sequence", "must be the number of an entry of the journal", "not-found");
}

/** The world right before and right after an entry, as one publisher sees it. 0 is the world's beginning. */
function showMoment(call: ControlCall, asked: string | undefined): ApiResponse {
  const { world } = call;
  const sequence = sequenceIn(call);
  const publisher = asked ?? publisherBehind(world, sequence);
  if (publisher !== undefined) world.publishers.get(publisher);
  const stateAt = (moment: Moment): object => {
    const script = world.past.scriptOf(moment);
    return shownState(world.rebuild(script), script.mode, publisher);
  };
  const after = underName("sequence", () => stateAt({ after: sequence }));
  // What leads to that moment may be gone.
  const before = sequence === 0 ? undefined : orUndefined(() => stateAt({ before: sequence }));
  return json({ sequence, publisher, before: before ?? null, after });
}

/** The publisher whose books an event changes, or whose key was sent with any other request. */
function publisherBehind(world: HostedCore, sequence: number): string | undefined {
  const record = world.journal.exchange(sequence)?.record;
  const concerned = isEventKind(record?.operation) ? record?.account?.id : undefined;
  return concerned ?? record?.publisher;
}

/** `world` is a copy for this answer alone. A publisher that isn't there yet has no state. */
function shownState(world: HostedCore, mode: string, id: string | undefined): object {
  const { assumptions, clock, faults, publishers } = world;
  const found = orUndefined(() => publishers.get(id ?? ""));
  return {
    now: formatInstant(clock.now()),
    mode,
    assumptions,
    faults: faults.list(),
    // Last, because it changes the copy.
    publisher: found === undefined ? null : publisherState(world, found),
  };
}

function publisherState(
  world: HostedCore,
  { id, name, surfaces }: ReturnType<HostedCore["publishers"]["get"]>,
): object {
  const figures = world.figuresOf(id);
  // Reads with a fresh key, so that a used-up quota doesn't refuse them.
  const { apiKey } = world.publishers.rotateKey(id);
  world.faults.clear();
  const read = (operation: OperationId): object => {
    const values = { publisher_id: id, ...(operation === "payouts" ? { limit: "100" } : {}) };
    const { status, body } = world.handle(buildRequest(operation, values, { key: apiKey }));
    return { status, body };
  };
  return { id, name, surfaces, ...figures, stats: read("stats"), payouts: read("payouts") };
}

/** Without an alteration: the same request under every other choice. The world itself doesn't change. */
function askWhatIf(call: ControlCall, alteration: Alteration | undefined): ApiResponse {
  const { world } = call;
  const sequence = sequenceIn(call);
  const found = renamingField(
    // The history has another name for the entry.
    (field) => (field === "before" ? "sequence" : field),
    () =>
      alteration === undefined
        ? compareAt(recordedQuestion(world, sequence))
        : whatIf(world, sequence, alteration),
  );
  return json({ sequence, ...found });
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
