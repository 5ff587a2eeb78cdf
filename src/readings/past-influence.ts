/**
 * Which assumptions can have decided what earlier requests left behind: books, quotas, memory of duplicates. For all others a
 * copy of the present world is exact under another choice; for these the past has to be repeated.
 */

import { jsonObjectIn } from "../base/parse-json.ts";
import { headerOf } from "../exchange/headers.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
import type { RequestParts } from "../spec/messages.ts";
import { operations } from "../spec/operations.ts";
import { isClick, type PastToRepeat } from "./past-under.ts";
import { assumedIn } from "./relevant-past.ts";

/** What happened so far, as far as it matters here. When unsure, a member is true. */
interface Past {
  readonly hasPosts: boolean;
  /** POST requests that aren't read from JSON, or may be read in several ways. */
  readonly hasOtherPosts: boolean;
  readonly hasClicks: boolean;
  readonly hasRepeatedClicks: boolean;
  /** Clicks so late that some choice of click.window refuses them. */
  readonly hasLateClicks: boolean;
  /** Whether only the answer to a duplicate told an id that was clicked later. */
  readonly tellsByDuplicates: boolean;
  /** Impressions of one session: under some choice they are duplicates. The request that is asked counts, too. */
  readonly sharesSessions: boolean;
  /** Impressions on a surface that wasn't active. */
  readonly hasInactive: boolean;
  /** Parameters with unknown names, empty values or other types than text, or an unusual encoding. */
  readonly hasUnusualParameters: boolean;
  readonly hasReportsBesidesStats: boolean;
}

/** `choices`: the one in force and the other one. */
type Influence = (past: Past, choices: readonly string[]) => boolean;

/** Whether another choice may have led to another state. A new key has to be added here; `always` is never wrong. */
const influences: Readonly<Record<AssumptionKey, Influence>> = {
  "request.encoding": ({ hasPosts, hasOtherPosts }, choices) =>
    choices.every((choice) => choice === "any" || choice === "json") ? hasOtherPosts : hasPosts,
  "request.values": ({ hasUnusualParameters }) => hasUnusualParameters,
  "auth.failure": never,
  "auth.key-scope": always,
  "errors.body": never,
  "errors.invalid": never,
  "http.cors": never,
  "limit.algorithm": always,
  "limit.exceeded": never,
  "limit.retry-after": never,
  "limit.recording-pool": ({ hasClicks }) => hasClicks,
  "limit.reporting-endpoints": ({ hasReportsBesidesStats }) => hasReportsBesidesStats,
  "dedup.key": ({ sharesSessions }) => sharesSessions,
  "dedup.window": ({ sharesSessions }) => sharesSessions,
  "dedup.repeat": ({ sharesSessions, tellsByDuplicates }, choices) =>
    sharesSessions && (choices.includes("count") || tellsByDuplicates),
  "click.unknown": never,
  "click.repeat": ({ hasRepeatedClicks }, choices) =>
    hasRepeatedClicks && choices.includes("count"),
  "click.window": ({ hasLateClicks }) => hasLateClicks,
  "surface.unknown": never,
  "surface.inactive": ({ hasInactive }) => hasInactive,
  "surface.statuses": ({ hasPosts }) => hasPosts,
  "payout.statuses": never,
  "payout.limit-over-max": never,
  "payout.order": never,
  // A copy can't change it once any publisher has events.
  "date.timezone": always,
  "date.inverted-range": never,
  "stats.today": never,
  "stats.surfaces": never,
  // The same events under other names.
  "ids.format": never,
  "money.precision": never,
  "response.form": never,
};

function never(): boolean {
  return false;
}

function always(): boolean {
  return true;
}

/** Tells for which readings the past has to be repeated before `asked`. */
export function influenceOf(
  repeated: PastToRepeat,
  asked: RequestParts,
): (key: AssumptionKey, choice: string) => boolean {
  const { from, steps } = repeated;
  const { assumptions } = from.copy.state;
  const changed = assumedIn(steps);
  const tellsByDuplicates = steps.some(
    (step) => step.kind === "request" && step.tells !== undefined && isDuplicate(step.record),
  );
  const past = { ...pastOf(repeated, asked), tellsByDuplicates };
  // A choice that was in force for a while isn't the same as one that was in force all the time.
  const wasChanged = (key: AssumptionKey): boolean =>
    changed.some((choices) => choices[key] !== undefined);
  return (key, choice) =>
    wasChanged(key) || influences[key](past, [assumptions[key] ?? "", choice]);
}

function isDuplicate({ effect }: JournalRecord): boolean {
  return effect === "suppressed";
}

function pastOf(
  { from, steps }: PastToRepeat,
  asked: RequestParts,
): Omit<Past, "tellsByDuplicates"> {
  // Impressions before a saved state may have had the same sessions.
  const isDistinct = distinctSessions(from.isStart);
  const past = {
    hasPosts: false,
    hasOtherPosts: false,
    hasClicks: false,
    hasRepeatedClicks: false,
    hasLateClicks: false,
    sharesSessions: isImpression(asked) && !isDistinct(parametersIfUsual(asked)),
    hasInactive: false,
    hasUnusualParameters: false,
    hasReportsBesidesStats: false,
  };
  for (const step of steps) {
    if (step.kind === "change") continue;
    const { record } = step;
    const { path } = record;
    const parameters = parametersIfUsual(record);
    past.hasUnusualParameters ||= parameters === undefined;
    past.hasRepeatedClicks ||= record.shapedBy.includes("click.repeat");
    past.hasLateClicks ||= record.shapedBy.includes("click.window");
    past.hasInactive ||= record.shapedBy.includes("surface.inactive");
    past.sharesSessions ||= isImpression(record) && !isDistinct(parameters);
    if (isClick(record) || isImpression(record)) {
      past.hasPosts = true;
      past.hasOtherPosts ||= parameters === undefined || !isOnlyJson(record);
    }
    past.hasClicks ||= isClick(record);
    past.hasReportsBesidesStats ||= reportsBesidesStats.some((one) => path.startsWith(one));
  }
  return past;
}

/** Tells of impressions whether each has no session, or one that none before had. */
function distinctSessions(isFromStart: boolean): (parameters: Parameters | undefined) => boolean {
  const sessions = new Set<unknown>();
  return (parameters) => {
    if (parameters === undefined) return false;
    const session = parameters.find(([name]) => name === "session_id")?.[1];
    if (session === undefined) return true;
    const isDistinct = isFromStart && !sessions.has(session);
    sessions.add(session);
    return isDistinct;
  };
}

const reportsBesidesStats: readonly string[] = [operations.surfaces.path, operations.payouts.path];

function isImpression({ path }: RequestParts): boolean {
  return path.startsWith(operations.impression.path);
}

/** Whether it is a JSON body and nothing else. */
function isOnlyJson({ query, headers }: JournalRecord): boolean {
  const type = headerOf(headers, "content-type");
  return query === "" && (type === undefined || type === "application/json");
}

const parameterNames: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.values(operations).map(({ path, parameters }) => [path, new Set(Object.keys(parameters))]),
);

type Parameters = readonly (readonly [name: string, value: unknown])[];

/** Its parameters; undefined unless they are the operation's own, each with a text. */
function parametersIfUsual({ path, query, headers, body }: RequestParts): Parameters | undefined {
  const names = parameterNames.get(path.replace(/\/+$/, ""));
  if (names === undefined) return [];
  if (query !== "" && body !== "") return undefined;
  const isJson = headerOf(headers, "content-type")?.startsWith("application/json") ?? true;
  const sent = query === "" ? membersOf(isJson ? body : "(another type)") : pairsOf(query);
  const isUsual = sent?.every(([name, value]) => names.has(name) && isText(value)) === true;
  return isUsual ? sent : undefined;
}

function pairsOf(query: string): [string, unknown][] {
  return [...new URLSearchParams(query)];
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function membersOf(body: string | Uint8Array): [string, unknown][] | undefined {
  if (body === "") return [];
  const members = typeof body === "string" ? jsonObjectIn(body) : undefined;
  return members && Object.entries(members);
}
