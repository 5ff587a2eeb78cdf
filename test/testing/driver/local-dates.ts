/** Asks Date about local time. As a program it reads the questions, and answers by the machine's own time zone. */

import { argv, stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

export interface LocalDateQuestions {
  readonly instants: readonly number[];
  /** Year, month, day, hour and minute of local times. */
  readonly parts: readonly (readonly number[])[];
  readonly changes: readonly DateChange[];
  readonly texts: readonly string[];
}

export interface DateChange {
  readonly instant: number;
  readonly method: (typeof setters)[number];
  readonly values: readonly number[];
}

export const setters = [
  "setDate",
  "setFullYear",
  "setHours",
  "setMilliseconds",
  "setMinutes",
  "setMonth",
  "setSeconds",
] as const;

export function answersOn(questions: LocalDateQuestions): unknown {
  const { instants, parts, changes, texts } = questions;
  return JSON.parse(
    JSON.stringify({
      zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      instants: instants.map((instant) => [instant, ...readings(new Date(instant))]),
      parts: parts.map(([year = 0, month = 0, ...others]) => [
        [year, month, ...others],
        new Date(year, month, ...others).getTime(),
      ]),
      changes: changes.map((change) => [change, changed(change)]),
      texts: texts.map((one) => [one, Date.parse(one), new Date(one).getTime()]),
    }),
  );
}

function changed({ instant, method, values }: DateChange): number[] {
  const date = new Date(instant);
  return [Reflect.apply(date[method], date, values), date.getTime()];
}

function readings(date: Date): unknown[] {
  const numbers = [
    date.getFullYear(),
    date.getMonth(),
    date.getDate(),
    date.getDay(),
    date.getHours(),
    date.getMinutes(),
    date.getSeconds(),
    date.getMilliseconds(),
    date.getTimezoneOffset(),
  ];
  const texts = [
    String(date),
    date.toDateString(),
    date.toTimeString(),
    date.toLocaleString("en-US"),
    date.toLocaleDateString("en-CA"),
    date.toLocaleTimeString("de"),
    new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "full" }).format(date),
  ];
  // The name of a zone may be any text (ECMAScript), and Node writes that of a far year in another way.
  return [...numbers, ...texts.map((one) => one.replace(/(GMT[+-]\d{4}) \(.*\)/, "$1"))];
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) {
  stdout.write(JSON.stringify(answersOn(JSON.parse(await text(stdin)))));
}
