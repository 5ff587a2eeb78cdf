/** Checks the requests that came to the service: how many, whether they were valid, and whether they had valid keys. */

import * as v from "valibot";
import { counted } from "../base/counted.ts";
import { InputError, parseInput } from "../base/input.ts";
import { wholeFrom } from "../base/schemas.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { JournalFilter } from "../journal/filter.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { type ErrorCode, errorKinds } from "../spec/errors.ts";
import { type Check, cell, check, checkNames, MAX_ROWS, readSim, table } from "./check.ts";
import { afterSchema } from "./event-filter.ts";

/** Where to start looking. */
export interface After {
  /** Only requests after this journal entry, such as an earlier `sim.journal.total`. @default 0 */
  readonly after?: number | undefined;
}

/** Requests to expect. Every given condition must hold. */
export interface RequestMatch
  extends After,
    Pick<JournalFilter, "operation" | "publisher" | "status"> {
  /** The exact number of requests. @default at least one */
  readonly times?: number | undefined;
}

const afterOnly = v.strictObject({ after: afterSchema });
/** The journal checks the values. Its other filters, such as `limit`, would make a count meaningless. */
const matchSchema = v.strictObject({
  operation: v.optional(v.any()),
  publisher: v.optional(v.any()),
  status: v.optional(v.any()),
  times: v.optional(wholeFrom(0)),
  after: afterSchema,
});

/** Counts the requests that came, whether or not they reached the service. @throws InputError */
export function received(given: unknown, match: RequestMatch = {}): Check {
  const sim = readSim(given);
  const { times, after, ...filter } = parseInput(matchSchema, match, "request");
  const found = withoutCopies(sim.journal.entries({ ...filter, after: after ?? 0 }));
  checkNames(sim, { publisher: match.publisher, after });
  const pass = times === undefined ? found.length > 0 : found.length === times;
  const all = withoutCopies(sim.journal.entries({ after: after ?? 0 }));
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
      ...requestSection("Came and match:", found),
      ...(found.length === 0 ? requestSection("Came instead, the latest last:", all) : []),
    ],
    describeSuccess: () => [
      `Expected not ${wanted}${what}: ${counted(found.length, "such request")} came.`,
      ...requestSection("Came:", found),
    ],
  });
}

/** No request is always wrong. A temporary refusal, or one as a duplicate, doesn't count. @throws InputError */
export function sentNoInvalidRequests(given: unknown, options: After = {}): Check {
  const sim = readSim(given);
  const { after } = parseInput(afterOnly, options, "options");
  checkNames(sim, { after });
  const all = withoutCopies(sim.journal.entries({ after: after ?? 0 }));
  const invalid = all.filter(({ reason }) => isInvalid(reason));
  if (invalid.length === 0) assertJournalWhole(sim, after);
  return check({
    pass: invalid.length === 0,
    expected: [],
    actual: invalid.map(({ sequence, reason }) => ({ sequence, reason })),
    describeFailure: () => [
      `Expected no invalid request: ${counted(invalid.length, "request")} of ${all.length} ${invalid.length === 1 ? "is" : "are"} wrong at any time.`,
      ...requestSection("Wrong:", invalid),
      ...nearestLines(invalid),
      `To do: read the answer's body, sim.journal.entries({ after: ${(invalid[0]?.sequence ?? 1) - 1}, limit: 1 })[0].response.body, and change the request; don't send it again unchanged.`,
    ],
    describeSuccess: () => [`Expected an invalid request: none of ${all.length} is.`],
  });
}

/** Every request had a valid key, and none had a key in its path or query. @throws InputError */
export function usesValidKeys(given: unknown, options: After = {}): Check {
  const sim = readSim(given);
  const { after = 0 } = parseInput(afterOnly, options, "options");
  checkNames(sim, { after });
  const all = withoutCopies(sim.journal.entries({ after }));
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

/** Drops the second applications by fault rules, which no client sent. */
export function withoutCopies(entries: readonly JournalEntry[]): JournalEntry[] {
  return entries.filter(({ fault }) => fault?.application !== 2);
}

/** @throws InputError if the journal no longer holds every request after `after`. */
export function assertJournalWhole({ journal }: SimulatorCore, after = 0): void {
  const forgotten = journal.total - journal.kept;
  if (forgotten <= after) return;
  throw new InputError(
    "journal",
    `no longer holds the first ${forgotten} of ${journal.total} requests, so this can't be checked: it is off, was cleared, or holds only the latest (journalEntries). Raise its limit, or pass \`after: ${forgotten}\` to check only later requests`,
    "conflict",
  );
}

/** The last requests with their answers. */
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

/** Temporary refusals, and those of duplicates or late events: sending the request wasn't wrong. */
const rightAtOtherTimes: ReadonlySet<string> = new Set<ErrorCode>([
  "request_timeout",
  "surface_inactive",
  "duplicate_impression",
  "duplicate_click",
  "click_too_late",
  "rate_limited",
]);

/** Whether the same request would always be wrong. */
function isInvalid(reason: string): boolean {
  return Object.hasOwn(errorKinds, reason) && !rightAtOtherTimes.has(reason);
}

const UNAUTHORIZED: ErrorCode = "unauthorized";
