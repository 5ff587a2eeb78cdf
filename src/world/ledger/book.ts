/**
 * One publisher's recorded events, as plain data. Only this file records events; callers decide what may be recorded. Impressions
 * stand in typed columns that double, 14 bytes a row; the row number is the impression's serial.
 */

import type { Day } from "../../base/calendar.ts";
import { copyOfJson } from "../../base/plain-data.ts";
import { noTotals, type Totals } from "../publishers/seeded-publisher.ts";

export interface BookState {
  /** How many impressions were recorded. The columns have room for more. */
  count: number;
  surface: Uint8Array<ArrayBuffer>;
  /** What was credited, in micro-INR. */
  micros: Uint32Array<ArrayBuffer>;
  /** When it was recorded, in milliseconds since 1970. */
  time: Float64Array<ArrayBuffer>;
  /** 1 once it was clicked. */
  clicked: Uint8Array<ArrayBuffer>;
  /** By the index of the surface: its days with an event, in order. */
  readonly days: RunningTotals[][];
  /** The serial of each impression that may still be repeated, oldest first, by what its duplicates have in common. */
  readonly sessions: Map<string, number>;
}

/** Sums over a day and all days before it, so that a period of any length costs two look-ups. */
export interface RunningTotals {
  readonly day: Day;
  impressions: number;
  clicks: number;
  micros: number;
}

/** An instant and the day that it falls on. */
export interface Moment {
  readonly nowMs: number;
  readonly today: Day;
}

/** A row stores its surface in a byte. */
export const MAX_SURFACES = 255;

export function createBook(): BookState {
  return { count: 0, ...columnsFor(0), days: [], sessions: new Map() };
}

function columnsFor(rows: number) {
  return {
    surface: new Uint8Array(rows),
    micros: new Uint32Array(rows),
    time: new Float64Array(rows),
    clicked: new Uint8Array(rows),
  };
}

/** A copy for another world. */
export function copyOfBook(book: BookState): BookState {
  return {
    count: book.count,
    surface: book.surface.slice(),
    micros: book.micros.slice(),
    time: book.time.slice(),
    clicked: book.clicked.slice(),
    days: copyOfJson(book.days),
    sessions: new Map(book.sessions),
  };
}

/** Records and credits an impression. @returns its serial. */
export function recordImpression(
  book: BookState,
  surfaceIndex: number,
  micros: number,
  { nowMs, today }: Moment,
): number {
  const serial = book.count;
  if (serial === book.surface.length) makeRoom(book);
  book.surface[serial] = surfaceIndex;
  book.micros[serial] = micros;
  book.time[serial] = nowMs;
  book.count = serial + 1;
  const sums = sumsOf(book, surfaceIndex, today);
  sums.impressions += 1;
  sums.micros += micros;
  return serial;
}

function makeRoom(book: BookState): void {
  const { surface, micros, time, clicked } = book;
  Object.assign(book, columnsFor(Math.max(8, 2 * surface.length)));
  book.surface.set(surface);
  book.micros.set(micros);
  book.time.set(time);
  book.clicked.set(clicked);
}

/** Records a click on an impression and credits it to the day of the click. */
export function recordClick(
  book: BookState,
  serial: number,
  micros: number,
  { today }: Moment,
): void {
  const sums = sumsOf(book, surfaceIndexOf(book, serial), today);
  sums.clicks += 1;
  sums.micros += micros;
  book.clicked[serial] = 1;
}

/** The surface's sums up to today. */
function sumsOf({ days }: BookState, surfaceIndex: number, today: Day): RunningTotals {
  while (days.length <= surfaceIndex) days.push([]);
  const own = days[surfaceIndex] ?? [];
  const last = own.at(-1);
  if (last?.day === today) return last;
  const { impressions, clicks, micros } = last ?? noTotals;
  const opened = { day: today, impressions, clicks, micros };
  own.push(opened);
  return opened;
}

export function surfaceIndexOf(book: BookState, serial: number): number {
  return book.surface[serial] ?? 0;
}

/** What an impression was credited, in micro-INR. */
export function creditOf(book: BookState, serial: number): number {
  return book.micros[serial] ?? 0;
}

/** When an impression was recorded, in milliseconds since 1970. */
export function recordedMs(book: BookState, serial: number): number {
  return book.time[serial] ?? 0;
}

export function isClicked(book: BookState, serial: number): boolean {
  return book.clicked[serial] === 1;
}

/** The impression with the same key that was recorded less than `windowMs` before `nowMs`. */
export function findOriginal(
  book: BookState,
  key: string,
  nowMs: number,
  windowMs: number,
): number | undefined {
  const serial = book.sessions.get(key);
  return serial !== undefined && nowMs - recordedMs(book, serial) < windowMs ? serial : undefined;
}

/** Remembers an impression, so that {@link findOriginal} finds it. */
export function remember({ sessions }: BookState, key: string, serial: number): void {
  // Setting a key that is there would leave it in its old place.
  sessions.delete(key);
  sessions.set(key, serial);
}

/**
 * Frees the memory of what has left the window. No answer depends on when it is called. Not for every request: what was
 * deleted at the front of a `Map` is skipped again and again until the map grows.
 */
export function forgetSessions(book: BookState, nowMs: number, windowMs: number): void {
  for (const [key, serial] of book.sessions) {
    if (nowMs - recordedMs(book, serial) < windowMs) return;
    book.sessions.delete(key);
  }
}

/** Recorded totals of one surface from `from` to `to`, both included. */
export function totalsBetween(book: BookState, surfaceIndex: number, from: Day, to: Day): Totals {
  const days = book.days[surfaceIndex] ?? [];
  const end = days.findLast((sums) => sums.day <= to) ?? noTotals;
  const before = days.findLast((sums) => sums.day < from) ?? noTotals;
  return {
    impressions: end.impressions - before.impressions,
    clicks: end.clicks - before.clicks,
    micros: end.micros - before.micros,
  };
}

/** The totals of every surface over all days, by its index. */
export function lifetimeTotals({ days }: BookState): Totals[] {
  return days.map((own) => own.at(-1) ?? noTotals);
}

/** How many clicks were recorded. */
export function clicksIn(book: BookState): number {
  return lifetimeTotals(book).reduce((sum, { clicks }) => sum + clicks, 0);
}

/** The last day on which anything was recorded. */
export function lastDayOf({ days }: BookState): Day | undefined {
  const lastDays = days.flatMap((own) => own.at(-1)?.day ?? []);
  return lastDays.sort((one, other) => one - other).at(-1);
}
