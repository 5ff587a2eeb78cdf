/** Dates that take another time zone for the machine's. `process.env.TZ` can't do that in worker threads and in Jest. */

import * as v from "valibot";
import { didYouMean } from "../../base/did-you-mean.ts";
import { DAY_MS } from "../../base/duration.ts";

/** Read before a world can replace them. */
const RealDate = Date;
const { DateTimeFormat } = Intl;

/** The last instant of a Date; the first is as far before 1970. */
const LAST_MS = 8.64e15;

const ZONE_EXPECTED = 'must be the name of a time zone, such as "Asia/Kolkata".';

export const timeZoneName: v.GenericSchema = v.pipe(
  v.string(ZONE_EXPECTED),
  v.check(isTimeZone, ({ input }) => {
    return ZONE_EXPECTED + didYouMean(input, Intl.supportedValuesOf("timeZone"));
  }),
);

function isTimeZone(timeZone: string): boolean {
  try {
    DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}

type Method = (this: Date, ...given: readonly unknown[]) => unknown;
type Methods = Readonly<Record<string, Method>>;

/** How the local time of a zone and UTC differ. Instants and local times are in milliseconds since 1970. */
interface Zone {
  readonly timeZone: string;
  /** Its name at an instant, such as "India Standard Time". */
  nameAt(date: Date): string;
  /** What to add to UTC for the local time. */
  offsetAt(instantMs: number): number;
  /** A date whose UTC is this date's local time. */
  toLocal(date: Date): Date;
  /** As in ECMAScript, a local time that was skipped or came twice is read with the offset before the change. */
  toInstant(localMs: number): number;
}

/** Formatters take long to make. */
const zones = new Map<string, Zone>();

/** @param timeZone A valid name, such as Asia/Kolkata. */
function zoneOf(timeZone: string): Zone {
  const zone = zones.get(timeZone) ?? newZone(timeZone);
  zones.set(timeZone, zone);
  return zone;
}

function newZone(timeZone: string): Zone {
  const format = new DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const named = new DateTimeFormat(undefined, { timeZone, timeZoneName: "long" });
  const offsetAt = (instantMs: number): number => {
    if (Number.isNaN(instantMs)) return Number.NaN;
    const text = format.format(Math.max(-LAST_MS, Math.min(LAST_MS, instantMs)));
    // Such as GMT+05:30, or GMT-07:52:58 in times before there were time zones.
    const [, sign, hours, minutes, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
    if (sign === undefined) return 0;
    const offsetS = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return (sign === "-" ? -1000 : 1000) * offsetS;
  };
  return {
    timeZone,
    nameAt(date) {
      const name = named.formatToParts(date).find(({ type }) => type === "timeZoneName");
      return name?.value ?? timeZone;
    },
    offsetAt,
    toLocal: (date) => new RealDate(date.getTime() + offsetAt(date.getTime())),
    toInstant(localMs) {
      // No offset is as long as a day.
      const before = localMs - offsetAt(localMs - DAY_MS);
      if (before + offsetAt(before) === localMs) return before;
      const after = localMs - offsetAt(localMs + DAY_MS);
      return after + offsetAt(after) === localMs ? after : before;
    },
  };
}

const fields = ["Date", "FullYear", "Hours", "Milliseconds", "Minutes", "Month", "Seconds"];

/** The methods of Date.prototype that depend on the time zone. */
function methodsIn(zone: Zone): Methods {
  const methods: Record<string, Method> = {};
  for (const field of [...fields, "Day"]) {
    const get: Method = Reflect.get(RealDate.prototype, `getUTC${field}`);
    methods[`get${field}`] = function () {
      return get.call(zone.toLocal(this));
    };
  }
  for (const field of fields) {
    const set: Method = Reflect.get(RealDate.prototype, `setUTC${field}`);
    methods[`set${field}`] = function (...given) {
      const local = zone.toLocal(this);
      set.call(local, ...given);
      return this.setTime(zone.toInstant(local.getTime()));
    };
  }
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    const format: Method = Reflect.get(RealDate.prototype, name);
    methods[name] = function (locales, options) {
      return format.call(this, locales, withZone(zone, options));
    };
  }
  return {
    ...methods,
    getYear() {
      return this.getFullYear() - 1900;
    },
    getTimezoneOffset() {
      return 0 - Math.trunc(zone.offsetAt(this.getTime()) / 60_000);
    },
    ...textsIn(zone),
  };
}

function textsIn(zone: Zone): Methods {
  const day = (date: Date): string => {
    const [weekday = "", dayOfMonth, month, year] = zone.toLocal(date).toUTCString().split(" ");
    return `${weekday.replace(",", "")} ${month} ${dayOfMonth} ${year}`;
  };
  const time = (date: Date): string => {
    const [clock] = zone.toLocal(date).toUTCString().split(" ").slice(-2);
    const minutes = Math.trunc(zone.offsetAt(date.getTime()) / 60_000);
    const ofDay = Math.abs(minutes);
    const offset = String(Math.trunc(ofDay / 60) * 100 + (ofDay % 60)).padStart(4, "0");
    return `${clock} GMT${minutes < 0 ? "-" : "+"}${offset} (${zone.nameAt(date)})`;
  };
  const written = (text: (date: Date) => string): Method =>
    function () {
      return Number.isNaN(this.getTime()) ? "Invalid Date" : text(this);
    };
  return {
    toDateString: written(day),
    toTimeString: written(time),
    toString: written((date) => `${day(date)} ${time(date)}`),
  };
}

function withZone({ timeZone }: Zone, options: unknown): Intl.DateTimeFormatOptions {
  const given: Intl.DateTimeFormatOptions = Object(options ?? {});
  return { ...given, timeZone: given.timeZone ?? timeZone };
}

/** ECMAScript reads a day without a time as UTC. */
const ONLY_DAY = /^(?:\d{4}|[+-]\d{6})(?:-\d\d){0,2}$/;
/** Such as Z, GMT, PDT or +05:30. */
const NAMES_ZONE =
  /(?:^|[^a-z])(?:z|utc?|gmt|[ecmp][sd]t)(?![a-z])|(?:\s|\d:\d\d(?::\d\d(?:\.\d+)?)?)[+-]\d/i;

function parseIn(zone: Zone, text: string): number {
  const instantMs = RealDate.parse(text);
  const isExact = ONLY_DAY.test(text) || NAMES_ZONE.test(text.replaceAll(/\([^)]*\)/g, " "));
  if (isExact || Number.isNaN(instantMs)) return instantMs;
  return zone.toInstant(RealDate.parse(`${text}${/T\d/i.test(text) ? "" : " "}Z`));
}

/** What to replace: the members of these objects, by name. */
export type Replacements = readonly (readonly [
  target: object,
  members: Readonly<Record<string, unknown>>,
])[];

/**
 * `Date` with another clock. With a time zone also what depends on the machine's: the methods of dates, and the default
 * of `Intl.DateTimeFormat`.
 */
export function datesOf(now: () => number, timeZone: string | undefined): Replacements {
  const zone = timeZone === undefined ? undefined : zoneOf(timeZone);
  const NewDate = dateOf(now, zone);
  return [
    [globalThis, { Date: NewDate }],
    [RealDate.prototype, { constructor: NewDate, ...(zone && methodsIn(zone)) }],
    [Intl, { DateTimeFormat: zone === undefined ? DateTimeFormat : dateTimeFormatIn(zone) }],
  ];
}

function dateOf(now: () => number, zone: Zone | undefined): DateConstructor {
  const parse = (text: unknown): number =>
    zone === undefined ? RealDate.parse(String(text)) : parseIn(zone, String(text));
  const valuesOf = (given: readonly unknown[]): readonly unknown[] => {
    if (given.length === 0) return [now()];
    if (given.length === 1) return typeof given[0] === "string" ? [parse(given[0])] : given;
    return zone === undefined
      ? given
      : [zone.toInstant(Reflect.apply(RealDate.UTC, undefined, given))];
  };
  return new Proxy(RealDate, {
    construct: (real, given, made) => Reflect.construct(real, valuesOf(given), made),
    apply: (real) => new real(now()).toString(),
    get(real, name) {
      if (name === "now") return now;
      return name === "parse" ? parse : Reflect.get(real, name);
    },
  });
}

function dateTimeFormatIn(zone: Zone): typeof Intl.DateTimeFormat {
  const zoned = ([locales, options]: readonly unknown[]): readonly unknown[] => [
    locales,
    withZone(zone, options),
  ];
  return new Proxy(DateTimeFormat, {
    construct: (real, given, made) => Reflect.construct(real, zoned(given), made),
    apply: (real, self, given) => Reflect.apply(real, self, zoned(given)),
  });
}
