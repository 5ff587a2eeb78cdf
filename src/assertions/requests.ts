/** Checks the requests that came: how many, and whether their client behaves well. */

import * as v from "valibot";
import { type FindingId, findingIds } from "../audit/findings/finding.ts";
import { counted } from "../base/counted.ts";
import { parseInput } from "../base/input.ts";
import { strictObject, wholeFrom } from "../base/schemas.ts";
import type { JournalEntry } from "../journal/entry.ts";
import { filterSchema, type JournalFilter } from "../journal/filter.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { errorKinds } from "../spec/errors.ts";
import {
  type After,
  afterSchema,
  assertJournalWhole,
  type Check,
  check,
  conditionsText,
  readSim,
  requestTable,
} from "./check.ts";

const requestMatch = strictObject({
  ...v.pick(filterSchema, ["operation", "publisher", "status"]).entries,
  /** The exact number of requests. @default at least one */
  times: v.optional(wholeFrom(0)),
  ...afterSchema.entries,
});

/** Requests to expect. Every given condition must hold. */
export interface RequestMatch extends v.InferOutput<typeof requestMatch> {}

export function received(value: unknown, match: RequestMatch = {}): Check {
  const { times, after, ...filter } = parseInput(requestMatch, match, "request");
  const sim = readSim(value, { publisher: filter.publisher, after });
  const found = requestsOf(sim, { ...filter, after });
  const count = found.length;
  assertJournalWhole(sim, { after, isCertain: count > (times ?? 0) });
  const others = count === 0 ? requestsOf(sim, { after }) : [];
  const wanted = times === undefined ? "a request" : counted(times, "request");
  const like = conditionsText({ ...filter, after });
  return check({
    pass: times === undefined ? count > 0 : count === times,
    expected: { ...filter, times: times ?? "at least 1" },
    actual: { ...filter, times: count },
    says: [`${wanted}${like}`, `${counted(count, "such request")} came`],
    lines: () => requestLines([...found, ...others].reverse()),
  });
}

/** A temporary refusal, or one as a duplicate, doesn't count. */
export function sentNoInvalidRequests(value: unknown, options: After = {}): Check {
  const range = parseInput(afterSchema, options, "options");
  return noRequest("wrong at any time", value, { ...range, isWrong: isInvalid });
}

export function usesValidKeys(value: unknown, options: After = {}): Check {
  const { after } = parseInput(afterSchema, options, "options");
  return noRequest("without a valid key, or with a key in its URL", value, {
    after,
    isWrong: ({ reason }) => reason === "unauthorized",
    findings: ["key-in-url"],
  });
}

const rateLimitOptions = strictObject({
  /** How many requests a limit may have refused, for tests that mean to reach a limit. @default 0 */
  refusals: v.optional(wholeFrom(0)),
  ...afterSchema.entries,
});

export interface RateLimitOptions extends v.InferOutput<typeof rateLimitOptions> {}

export function respectsRateLimits(value: unknown, options: RateLimitOptions = {}): Check {
  const { refusals = 0, after } = parseInput(rateLimitOptions, options, "options");
  const most = refusals === 0 ? "" : ` (${refusals} may be)`;
  return noRequest(`refused by a limit${most}, or sent before a Retry-After was over`, value, {
    after,
    isWrong: ({ limit }) => limit !== undefined,
    allowed: refusals,
    findings: ["before-retry-after"],
  });
}

const findingOptions = strictObject({
  /** Findings to allow. @default none */
  except: v.optional(v.pipe(v.array(v.picklist(findingIds)), v.readonly()), []),
});

export interface FindingOptions extends Partial<v.InferOutput<typeof findingOptions>> {}

/** What can't be judged, such as pauses on a frozen clock, passes. */
export function hasNoFindings(value: unknown, options: FindingOptions = {}): Check {
  const { except } = parseInput(findingOptions, options, "options");
  const findings = findingIds.filter((id) => !except.includes(id));
  return noRequest("with a finding", value, { findings });
}

interface Unwanted extends After {
  readonly isWrong?: (entry: JournalEntry) => boolean;
  /** How many may be wrong. @default 0 */
  readonly allowed?: number;
  readonly findings?: readonly FindingId[];
}

/** No request is wrong, or the reason for one of these findings of the client report. */
function noRequest(what: string, value: unknown, unwanted: Unwanted): Check {
  const { after, isWrong = () => false, allowed = 0, findings = [] } = unwanted;
  const sim = readSim(value, { after });
  const all = requestsOf(sim, { after });
  const report = sim.report();
  const wrong = all.filter(isWrong);
  const groups = [
    { id: "wrong", about: "wrong:", entries: wrong.length > allowed ? wrong : [] },
    ...report.findings
      .filter(({ id }) => findings.includes(id))
      .map(({ id, example, explanation, sequences }) => ({
        id,
        about: `${id}: ${example}\n  ${explanation}`,
        entries: all.filter(({ sequence }) => sequences.includes(sequence)),
      })),
  ].filter(({ entries }) => entries.length > 0);
  assertJournalWhole(sim, { after, isCertain: groups.length > 0 });
  const actual = groups.map(({ id, entries }) => [id, entries.map(({ sequence }) => sequence)]);
  const count = new Set(groups.flatMap(({ entries }) => entries)).size;
  return check({
    pass: count === 0,
    expected: {},
    actual: Object.fromEntries(actual),
    says: [`no request ${what}`, `found ${count} in ${counted(all.length, "request")}`],
    lines: () => [
      ...groups.flatMap(({ about, entries }) => [about, ...requestLines(entries)]),
      ...report.notes.map((note) => `Note: ${note}`),
    ],
  });
}

/** Leaves out second applications by fault rules, which no client sent. */
function requestsOf(sim: SimulatorCore, { after = 0, ...filter }: JournalFilter): JournalEntry[] {
  const entries = sim.journal.entries({ ...filter, after });
  return entries.filter(({ fault }) => fault?.application !== 2);
}

function requestLines(entries: readonly JournalEntry[]): string[] {
  return requestTable(
    entries.map((entry) => [entry, `${entry.request.method} ${entry.request.path}`]),
  );
}

/** Whether the same request would be wrong at any time: a limit, a time-out, a conflict or an age depends on the time. */
function isInvalid({ reason }: JournalEntry): boolean {
  const [, { status } = {}] = Object.entries(errorKinds).find(([code]) => code === reason) ?? [];
  return status !== undefined && ![408, 409, 410, "limit.exceeded"].includes(status);
}
