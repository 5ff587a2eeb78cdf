/** Checks that clients kept to the request limits (spec §8) and to Retry-After. */

import * as v from "valibot";
import { eventValues } from "../audit/findings/client-event.ts";
import { retryAtMsOf } from "../audit/findings/retry-after.ts";
import { counted } from "../base/counted.ts";
import { parseInput } from "../base/input.ts";
import { wholeFrom } from "../base/schemas.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { type Check, check, checkNames, MAX_ROWS, readSim, table } from "./check.ts";
import { afterSchema } from "./event-filter.ts";
import { msOf } from "./events.ts";
import { type After, assertJournalWhole, requestSection, withoutCopies } from "./requests.ts";

export interface RateLimitOptions extends After {
  /** How many requests a limit may have refused, for tests that mean to reach a limit. @default 0 */
  readonly refusals?: number | undefined;
}

const schema = v.strictObject({ refusals: v.optional(wholeFrom(0), 0), after: afterSchema });

/** A limit refused at most `refusals` requests, and none came before a Retry-After was over. @throws InputError */
export function respectsRateLimits(given: unknown, options: RateLimitOptions = {}): Check {
  const sim = readSim(given);
  const { refusals, after } = parseInput(schema, options, "options");
  checkNames(sim, { after });
  const all = withoutCopies(sim.journal.entries({ after: after ?? 0, secrets: "shown" }));
  const refused = all.filter(({ limit }) => limit !== undefined);
  const early = earlyRequests(sim, all);
  const pass = refused.length <= refusals && early.length === 0;
  if (pass) assertJournalWhole(sim, after);
  const allowed = refusals === 0 ? "none" : `at most ${refusals}`;
  return check({
    pass,
    expected: { refusedByLimit: refusals === 0 ? 0 : `at most ${refusals}`, early: [] },
    actual: { refusedByLimit: refused.length, early: early.map(({ entry }) => entry.sequence) },
    describeFailure: () => [
      `Expected ${allowed} of ${counted(all.length, "request")} to be refused by a limit, and none to come before a Retry-After was over: ${refused.length} and ${early.length} did.`,
      ...requestSection("Refused by a limit:", refused),
      ...earlySection(early),
      ...adviceOn(refused.length > refusals, early, sim),
    ],
    describeSuccess: () => [
      `Expected a request limit to be broken: ${refused.length} of ${counted(all.length, "request")} ${refused.length === 1 ? "was" : "were"} refused by one (${allowed} may be), and none came before a Retry-After was over.`,
    ],
  });
}

/** A request that came too early, and why it counts as early. */
interface EarlyRequest {
  readonly entry: JournalEntry;
  readonly why: string;
}

/**
 * The early requests of the client report, and those that are certain even while the clock is frozen: an event that was sent
 * again although its own answer asked to wait. Without a session it may be another event, so those don't count.
 */
function earlyRequests(sim: SimulatorCore, all: readonly JournalEntry[]): EarlyRequest[] {
  const finding = sim.report().findings.find(({ id }) => id === "before-retry-after");
  const reported = new Set(finding?.sequences);
  const latestByEvent = new Map<string, JournalEntry>();
  return all.flatMap((entry): EarlyRequest[] => {
    const key = eventKey(entry);
    const before = key === undefined ? undefined : latestByEvent.get(key);
    if (key !== undefined) latestByEvent.set(key, entry);
    const untilMs = before && retryAtMs(before);
    const isEarly = untilMs !== undefined && msOf(entry) < untilMs;
    if (isEarly)
      return [
        {
          entry,
          why: `#${before?.sequence} asked to wait for ${(untilMs - msOf(entry)) / 1000} s more`,
        },
      ];
    return reported.has(entry.sequence) ? [{ entry, why: "before the wait was over" }] : [];
  });
}

function eventKey({ operation, request }: JournalEntry): string | undefined {
  const values = eventValues({ ...request, operation });
  const isOneEvent = operation === "click" || values?.session_id !== undefined;
  if (values === undefined || !isOneEvent) return undefined;
  return JSON.stringify([request.headers.authorization, operation, request.query, request.body]);
}

/** Until when it asked to wait. Leaves out the limit's own refusals, because an early retry is counted as one more refusal. */
function retryAtMs(entry: JournalEntry): number | undefined {
  if (entry.limit !== undefined) return undefined;
  return retryAtMsOf({ nowMs: msOf(entry), response: entry.response });
}

function earlySection(early: readonly EarlyRequest[]): string[] {
  if (early.length === 0) return [];
  const rows = early
    .slice(0, MAX_ROWS)
    .map(({ entry, why }) => [
      `#${entry.sequence}`,
      entry.at,
      String(entry.operation ?? "none"),
      why,
    ]);
  return ["Before a Retry-After was over:", ...table(rows)];
}

function adviceOn(
  isRefused: boolean,
  early: readonly EarlyRequest[],
  { clock }: SimulatorCore,
): string[] {
  return [
    ...(isRefused
      ? [
          "To do: read X-RateLimit-Remaining and slow down before it is 0. If the test means to reach the limit, pass the number of refusals to allow: { refusals }.",
        ]
      : []),
    ...(early.length > 0
      ? [
          `To do: wait as long as Retry-After says.${clock.mode === "frozen" ? " The world's clock is frozen: move it during the client's pauses (sim.clock.advance), or let it flow (clock: \"flowing\")." : ""}`,
        ]
      : []),
  ];
}
