/** What came to the service: a number of requests, and none that it had to refuse as wrong. */

import * as v from "valibot";
import { InputError, parseInput } from "../base/input.ts";
import { wholeFrom } from "../base/schemas.ts";
import { notes } from "../exchange/operations/outcome.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { JournalFilter } from "../journal/filter.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import { type ErrorCode, errorKinds } from "../spec/errors.ts";
import { type Check, cell, check, checkNames, counted, MAX_ROWS, readSim, table } from "./check.ts";
import { afterSchema } from "./event-filter.ts";

/** From where on requests are looked at. */
export interface After {
  /** The sequence of a journal entry: only what came after it. Such as `sim.journal.total` was. @default 0 */
  readonly after?: number | undefined;
}

/** Requests that are expected: all that is named holds. */
export interface RequestMatch
  extends After,
    Pick<JournalFilter, "operation" | "publisher" | "status"> {
  /** How many of them came, exactly. @default at least one */
  readonly times?: number | undefined;
}

const afterOnly = v.strictObject({ after: afterSchema });
/** The journal checks what the others are. It knows more of them, such as a limit, that would make a count mean nothing. */
const matchSchema = v.strictObject({
  operation: v.optional(v.any()),
  publisher: v.optional(v.any()),
  status: v.optional(v.any()),
  times: v.optional(wholeFrom(0)),
  after: afterSchema,
});

/** Requests that came, and reached the service or not. @throws InputError */
export function received(given: unknown, match: RequestMatch = {}): Check {
  const sim = readSim(given);
  const { times, after, ...filter } = parseInput(matchSchema, match, "request");
  const found = sent(sim.journal.entries({ ...filter, after: after ?? 0 }));
  checkNames(sim, { publisher: match.publisher, after });
  const pass = times === undefined ? found.length > 0 : found.length === times;
  const all = sent(sim.journal.entries({ after: after ?? 0 }));
  if (times !== undefined || !pass) assertJournalWhole(sim, after);
  const named = Object.entries(filter).map(([name, value]) => ` ${name} ${JSON.stringify(value)}`);
  const what = named.length === 0 ? "" : ` with${named.join(",")}`;
  const wanted = times === undefined ? "a request" : counted(times, "request");
  return check({
    pass,
    expected: { ...filter, times: times ?? "at least 1" },
    actual: { ...filter, times: found.length },
    describeFailure: () => [
      `Expected ${wanted}${what}: ${counted(found.length, "such request")} came.`,
      ...requestSection("Came and matching:", found),
      ...(found.length === 0 ? requestSection("Came instead, the latest last:", all) : []),
    ],
    describeSuccess: () => [
      `Expected not ${wanted}${what}: ${counted(found.length, "such request")} came.`,
      ...requestSection("Came:", found),
    ],
  });
}

/** No request that is wrong whenever it is sent. What is refused for now, or as a duplicate, isn't. @throws InputError */
export function sentNoInvalidRequests(given: unknown, options: After = {}): Check {
  const sim = readSim(given);
  const { after } = parseInput(afterOnly, options, "options");
  checkNames(sim, { after });
  const all = sent(sim.journal.entries({ after: after ?? 0 }));
  const invalid = all.filter(({ reason }) => isInvalid(reason));
  if (invalid.length === 0) assertJournalWhole(sim, after);
  return check({
    pass: invalid.length === 0,
    expected: [],
    actual: invalid.map(({ sequence, reason }) => ({ sequence, reason })),
    describeFailure: () => [
      `Expected no invalid request: ${counted(invalid.length, "request")} of ${all.length} ${invalid.length === 1 ? "is" : "are"} wrong whenever sent.`,
      ...requestSection("Wrong:", invalid),
      ...nearestLines(invalid),
      `To do: read the answer's body, sim.journal.entries({ after: ${(invalid[0]?.sequence ?? 1) - 1}, limit: 1 })[0].response.body, and change what is sent; don't send it again as it is.`,
    ],
    describeSuccess: () => [`Expected an invalid request: none of ${all.length} is.`],
  });
}

/** Every request had a valid key, and none had one where keys are seen: in the path or the query. @throws InputError */
export function usesValidKeys(given: unknown, options: After = {}): Check {
  const sim = readSim(given);
  const { after = 0 } = parseInput(afterOnly, options, "options");
  checkNames(sim, { after });
  const all = sent(sim.journal.entries({ after }));
  const unauthorized = all.filter(({ reason }) => reason === UNAUTHORIZED);
  const inUrl = sim.report().findings.find(({ id }) => id === "key-in-url")?.sequences ?? [];
  const exposed = all.filter(({ sequence }) => inUrl.includes(sequence));
  const pass = unauthorized.length === 0 && exposed.length === 0;
  if (pass) assertJournalWhole(sim, after);
  return check({
    pass,
    expected: { unauthorized: [], keyInUrl: [] },
    actual: {
      unauthorized: unauthorized.map(({ sequence }) => sequence),
      keyInUrl: exposed.map(({ sequence }) => sequence),
    },
    describeFailure: () => [
      "Expected every request to have a valid key in its Authorization header, and nowhere else.",
      ...requestSection("Without a valid key:", unauthorized),
      ...nearestLines(unauthorized),
      ...requestSection("With a key in the URL:", exposed),
      "To do: send `Authorization: Bearer KEY` with the key of a publisher of this world, such as sim.publishers.at(0).apiKey; after a 401 send nothing more with that key.",
    ],
    describeSuccess: () => [`Expected a request without a valid key: all ${all.length} have one.`],
  });
}

/** Requests as clients sent them: without those that a rule made the service do once more. */
export function sent(entries: readonly JournalEntry[]): JournalEntry[] {
  return entries.filter(({ fault }) => fault?.application !== 2);
}

/** @throws InputError where the journal has forgotten something that came after `after`. */
export function assertJournalWhole({ journal }: SimulatorCore, after = 0): void {
  const forgotten = journal.total - journal.kept;
  if (forgotten <= after) return;
  throw new InputError(
    "journal",
    `has forgotten the first ${forgotten} of ${journal.total} requests, so it can't be told: it is off, was cleared, or keeps only the latest (journalEntries, journalBytes). Keep more, or say \`after: ${forgotten}\` to look only at what came since`,
    "conflict",
  );
}

/** Requests with their answers, the last ones. */
export function requestSection(title: string, entries: readonly JournalEntry[]): string[] {
  if (entries.length === 0) return [];
  const rows = entries
    .slice(-MAX_ROWS)
    .map(({ sequence, at, request, response, reason, limit }) => {
      const answer = response.status === 0 ? "no answer" : String(response.status);
      const why = limit === undefined ? reason : `${reason}, ${limit} limit`;
      return [`#${sequence}`, at, cell(`${request.method} ${request.path}`), answer, why];
    });
  const earlier = entries.length - rows.length;
  return [title, ...(earlier > 0 ? [`  ${earlier} earlier ones, and`] : []), ...table(rows)];
}

function nearestLines(entries: readonly JournalEntry[]): string[] {
  const explained = entries.find(({ nearest }) => nearest !== undefined);
  if (explained?.nearest === undefined) return [];
  const { sequence, nearest } = explained;
  return [`  #${sequence} sent ${nearest.sent}; the closest that exists is ${nearest.closest}`];
}

/** Refused for now, as a duplicate, or for what a clock does: sending it wasn't wrong. */
const rightAtOtherTimes: ReadonlySet<string> = new Set<ErrorCode>([
  "request_timeout",
  "surface_inactive",
  "duplicate_impression",
  "duplicate_click",
  "click_too_late",
  "rate_limited",
]);

/** Whether sending the same again can't be right. */
function isInvalid(reason: string): boolean {
  if (reason === notes.unknownImpression) return true;
  return Object.hasOwn(errorKinds, reason) && !rightAtOtherTimes.has(reason);
}

const UNAUTHORIZED: ErrorCode = "unauthorized";
