/** Checks that an impression or a click is on record, whatever answer its client got. */

import { counted } from "../base/counted.ts";
import { InputError } from "../base/input.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { EventKind } from "../spec/operations.ts";
import { type Check, check, checkNames, quoted, readSim } from "./check.ts";
import {
  byCloseness,
  type ClickMatch,
  comparedFields,
  differingFields,
  type EventFilter,
  filterText,
  type ImpressionMatch,
  memberOf,
  readEventFilter,
} from "./event-filter.ts";
import { eventTable, notRecordedLines } from "./event-table.ts";
import { type EventRequest, eventsOf, journalGapOf } from "./events.ts";

/** An impression on record: at least one that matches, or `times` of them. @throws InputError */
export function recordedImpression(given: unknown, match: ImpressionMatch = {}): Check {
  return recorded("impression", readSim(given), match);
}

/** A click on record: at least one that matches, or `times` of them. @throws InputError */
export function recordedClick(given: unknown, match: ClickMatch = {}): Check {
  return recorded("click", readSim(given), match);
}

interface EventMatches {
  readonly kind: EventKind;
  readonly filter: EventFilter;
  readonly matching: readonly EventRequest[];
  /** On record but not matching, the closest first. */
  readonly others: readonly EventRequest[];
  /** Requests that match but aren't on record. */
  readonly missed: readonly EventRequest[];
  /** How many requests of this kind came. */
  readonly arrived: number;
}

function recorded(kind: EventKind, sim: SimulatorCore, match: unknown): Check {
  const filter = readEventFilter(kind, match);
  checkNames(sim, { ...filter.wanted, after: filter.after });
  const all = eventsOf(sim);
  const found = findIn(kind, filter, all);
  const { times } = filter;
  const count = found.matching.length;
  const gap = journalGapOf(sim, all, filter);
  // A match is certain even if the journal lacks other requests, but not if a restore may have undone it.
  const isSure =
    gap === undefined || (gap.kind === "forgotten" && count > 0 && times === undefined);
  if (!isSure) throw new InputError("journal", gap.text, "conflict");
  const pass = times === undefined ? count > 0 : count === times;
  const closest = found.matching[0] ?? found.others[0];
  const shown = closest === undefined ? undefined : wantedFieldsOf(filter, closest);
  return check({
    pass,
    expected: { ...filter.wanted, ...(times === undefined ? {} : { times }) },
    actual: times === undefined ? shown : { ...(count === 0 ? {} : shown), times: count },
    describeFailure: () => failure(found),
    describeSuccess: () => [
      `Expected no ${kind}${countText(filter)} on record${filterText(filter)}: there ${count === 1 ? "is one" : `are ${count}`}.`,
      ...eventTable(kind, found.matching),
    ],
  });
}

function findIn(kind: EventKind, filter: EventFilter, all: readonly EventRequest[]): EventMatches {
  const looked = all.filter((event) => event.kind === kind && filter.isInTime(event));
  const onRecord = looked.filter((one) => one.recorded !== undefined);
  const isMatching = (event: EventRequest): boolean => differingFields(filter, event).length === 0;
  const missed = looked.filter((event) => {
    const others = differingFields(filter, event).filter((name) => name !== "id");
    return event.recorded === undefined && others.length === 0;
  });
  return {
    kind,
    filter,
    matching: onRecord.filter(isMatching),
    others: byCloseness(
      filter,
      onRecord.filter((event) => !isMatching(event)),
    ),
    missed,
    arrived: looked.length,
  };
}

function wantedFieldsOf(
  filter: EventFilter,
  event: EventRequest,
): Readonly<Record<string, unknown>> {
  const names = comparedFields.filter((name) => filter.wanted[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, memberOf(event, name)]));
}

function countText({ times }: EventFilter): string {
  return times === undefined ? "" : ` (${times} of them)`;
}

function failure(found: EventMatches): string[] {
  const { kind, filter, matching, others, missed, arrived } = found;
  const { times = 1 } = filter;
  const wanted = filter.times === undefined ? `an ${kind}` : counted(times, kind);
  const article = kind === "click" ? wanted.replace(/^an /, "a ") : wanted;
  const there = matching.length === 0 ? "there is none" : `there ${isOrAre(matching.length)}`;
  return [
    `Expected ${article} on record${filterText(filter)}: ${there}.`,
    ...section("Matches on record:", eventTable(kind, matching), matching.length),
    ...(matching.length < times
      ? section(
          `On record instead (${counted(others.length, kind)}, the closest first):`,
          eventTable(kind, others),
          others.length,
        )
      : []),
    ...section("Came, but isn't on record:", notRecordedLines(missed), missed.length),
    ...adviceOn(found, arrived).map((advice) => `To do: ${advice}`),
  ];
}

function isOrAre(count: number): string {
  return count === 1 ? "is 1" : `are ${count}`;
}

function section(title: string, lines: readonly string[], count: number): string[] {
  return count === 0 ? [] : [title, ...lines];
}

function adviceOn(found: EventMatches, arrived: number): string[] {
  const { kind, filter, matching, others, missed } = found;
  if (arrived === 0) {
    return [
      `no ${kind} request came. Check that the client uses this world's base URL or fetch, and that the test waits until the client has sent: await it, or flush it.`,
    ];
  }
  if (filter.times !== undefined && matching.length > filter.times) {
    return [
      "compare the first two. A retry counts once only with the same session_id, surface and ad_id. A click that may be on record must not be sent again.",
    ];
  }
  if (missed.length > 0) {
    return [
      "the client sent it. The reason above says what answer it got and whether it may retry.",
    ];
  }
  const [closest] = others;
  if (closest === undefined) {
    return [`see sim.journal.entries({ operation: "${kind}" }) for what came instead.`];
  }
  const names = differingFields(filter, closest).map(
    (name) => `${name} ${quoted(memberOf(closest, name) ?? "none")}`,
  );
  return [`the closest, #${closest.sequence}, has ${names.join(" and ")}.`];
}
