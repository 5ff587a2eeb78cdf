/** Random traces of events as data: impressions, repeats, clicks, reads, and waits, most of which end near an edge. */

import fc from "fast-check";
import * as v from "valibot";
import { LAST_INSTANT_MS } from "../../base/calendar.ts";
import { given } from "../../base/given.ts";
import { parseInput } from "../../base/input.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import { documentedLimits } from "../../spec/operations.ts";
import {
  DEFAULT_START,
  instant,
  lengthFrom,
  msOf,
  simulator,
  someOf,
} from "../arbitrary-options.ts";
import { anyWait, createWaits, type Edge, edges, type Wait } from "./edges.ts";
import { sequenceOf } from "./sequence.ts";

/** Indexes of publishers, surfaces and impressions wrap around, so any part of a trace is valid too. */
export type TraceEvent =
  /** `surface` is an index into the publisher's active surfaces. Without a session the impression can't be repeated. */
  | {
      readonly kind: "impression";
      readonly publisher: number;
      readonly surface: number;
      readonly ad: string;
      readonly session?: string | undefined;
    }
  /** Reports an impression again, unchanged. `ago`: 0 for the latest, 1 for the one before. */
  | { readonly kind: "repeat"; readonly ago: number }
  | { readonly kind: "click"; readonly ago: number }
  /** The publisher with this index reads its stats `times` times in a row. */
  | { readonly kind: "read"; readonly publisher: number; readonly times: number }
  /** `edge`: the edge near which it ends. */
  | { readonly kind: "wait"; readonly byMs: number; readonly edge?: Edge | undefined };

export interface ArbitraryTraceOptions {
  /** The waits begin at this simulator's current time. It is only read. @default none */
  readonly sim?: SimulatorCore | undefined;
  /** The instant at which the waits begin, in ISO 8601. Ignored if there is a `sim`. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** The number of publishers that take part, from the first on. @default 2 */
  readonly publishers?: number | undefined;
  /** @default 1 */
  readonly minLength?: number | undefined;
  /** In turns. A turn is an event, or a wait with the event after it. @default 12 */
  readonly maxLength?: number | undefined;
  /** The edges near which waits end. @default all of them */
  readonly edges?: readonly Edge[] | undefined;
}

const schema = v.strictObject({
  sim: v.optional(simulator),
  start: v.optional(instant, DEFAULT_START),
  publishers: v.optional(lengthFrom(1), 2),
  minLength: v.optional(lengthFrom(0), 1),
  maxLength: v.optional(lengthFrom(0), 12),
  edges: v.optional(someOf(edges), edges),
});

/** An event, or a wait with the event after it. */
type Turn = readonly (Exclude<TraceEvent, { kind: "wait" }> | { kind: "wait"; wait: Wait })[];

/**
 * Traces for {@link playTrace}. Repeats and clicks often come a millisecond before, at or after the end of a window
 * that begins with the latest impression. A failure shrinks to few events and short waits.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryTrace(
  options: ArbitraryTraceOptions = {},
): fc.Arbitrary<readonly TraceEvent[]> {
  const about = parseInput(schema, options, "options");
  const { sim, start, publishers, minLength, maxLength, edges: near } = about;
  return sequenceOf(anyTurn(publishers, near), { minLength, maxLength }).map((turns) =>
    resolveWaits(turns.flat(), sim?.clock.now() ?? msOf(start)),
  );
}

function anyTurn(publishers: number, near: readonly Edge[]): fc.Arbitrary<Turn> {
  const publisher = fc.nat(publishers - 1);
  const ago = fc.nat(3);
  const waitNear = (some: readonly Edge[]) =>
    anyWait(some, LAST_INSTANT_MS).map((wait) => ({ kind: "wait" as const, wait }));
  const windows = near.filter((edge) => edge.startsWith("window-"));
  const wait = waitNear(near);
  const windowWait = waitNear(windows.length > 0 ? windows : near);
  const shown = fc
    .record({
      publisher,
      surface: fc.nat(2),
      ad: fc.constantFrom("ad-1", "ad-2"),
      session: fc.constantFrom("session-1", "session-2", undefined),
    })
    .map(({ session, ...rest }) => ({
      kind: "impression" as const,
      ...rest,
      ...given({ session }),
    }));
  const repeat = ago.map((one) => ({ kind: "repeat" as const, ago: one }));
  const click = ago.map((one) => ({ kind: "click" as const, ago: one }));
  const { requests } = documentedLimits.reporting;
  const read = fc.record({
    kind: fc.constant("read" as const),
    publisher,
    times: fc.constantFrom(1, 2, requests - 1, requests, requests + 1),
  });
  const alone = <Event extends Turn[number]>(of: fc.Arbitrary<Event>): fc.Arbitrary<Turn> =>
    of.map((event) => [event]);
  const late = <Event extends Turn[number]>(of: fc.Arbitrary<Event>): fc.Arbitrary<Turn> =>
    fc
      .tuple(fc.option(windowWait, { nil: undefined }), of)
      .map(([before, event]) => (before === undefined ? [event] : [before, event]));
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 10, arbitrary: alone(shown) },
    { weight: 6, arbitrary: alone(click) },
    { weight: 4, arbitrary: alone(repeat) },
    { weight: 5, arbitrary: alone(wait) },
    { weight: 3, arbitrary: alone(read) },
    { weight: 4, arbitrary: late(repeat) },
    { weight: 4, arbitrary: late(click) },
  );
}

function resolveWaits(events: Turn, startMs: number): TraceEvent[] {
  const waits = createWaits(startMs, LAST_INSTANT_MS);
  return events.map((event): TraceEvent => {
    if (event.kind === "impression") waits.beginWindow();
    if (event.kind !== "wait") return event;
    const { byMs, edge } = waits.next(event.wait);
    return { kind: "wait", byMs, ...given({ edge }) };
  });
}
