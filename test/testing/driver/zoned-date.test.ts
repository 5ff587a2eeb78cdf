/** Dates in a world whose time zone isn't the machine's are those of a process that runs in that zone. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deriveKey, drawBetween } from "../../../src/base/random.ts";
import { openTestWorld } from "../../../src/testing/driver/test-world.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { someOf } from "../../budget.ts";
import { answersOn, type LocalDateQuestions, setters } from "./local-dates.ts";

const key = deriveKey("zoned dates", "test");
let drawn = 0;
function between(least: number, most: number): number {
  drawn += 1;
  return drawBetween(key, drawn, least, most);
}

const YEAR_MS = 31_556_952_000;
const far = (years: number): number => between(-years * YEAR_MS, years * YEAR_MS);

/** Clocks change on some of these days, and two zones skipped one of them. */
const nights = [
  [2026, 2, 8],
  [2026, 3, 5],
  [2026, 9, 4],
  [2026, 10, 1],
  [1994, 11, 31],
  [1995, 0, 1],
  [2011, 11, 30],
].flatMap((day) => Array.from({ length: 16 }, (_, half) => [...day, 0, half * 30]));

const questions: LocalDateQuestions = {
  instants: Array.from({ length: 200 }, (_, at) => far([20, 60, 200, 9000][at % 4] ?? 0)),
  parts: [
    ...nights,
    ...Array.from({ length: 300 }, () => [
      between(1880, 2040),
      between(-1, 13),
      between(0, 33),
      between(-1, 25),
      between(0, 60),
    ]),
    [70, 0],
    [2026, 0, 15, 5, 30, 1, 2],
  ],
  changes: setters.flatMap((method) =>
    Array.from({ length: 20 }, () => ({
      instant: far(60),
      method,
      values: method === "setFullYear" ? [between(1980, 2040)] : [between(-5, 70)],
    })),
  ),
  texts: [
    "2026-01-15",
    "2026-01",
    "+012026-01-15",
    "2026-01-15T00:00",
    "2026-01-15T24:00",
    "2026-01-15t00:00:00.5",
    "2026-01-15T00:00Z",
    "2026-01-15T00:00+05:30",
    "2026-01-15 00:00",
    "2026-01-15 00:00:10 -0500",
    "2026-1-5",
    "2026/1/15",
    "1/15/2026, 5:30:00 AM",
    "Jan 15 2026",
    "15-Jan-2026",
    "Jan 15 2026 10:00 (local time)",
    "Thu, 15 Jan 2026 05:30:00 GMT",
    "Thu Jan 15 2026 05:30:00 GMT+0530 (India Standard Time)",
    "2026-03-08T02:30",
    "2026-11-01T01:30",
    "2026-11-01 01:30 PST",
    "not a date",
    "",
  ],
};

const zones = [
  // It skipped a day, and changed its clocks later than most.
  "Pacific/Apia",
  "UTC",
  "Asia/Kolkata",
  "America/Los_Angeles",
  "Pacific/Kiritimati",
  "Australia/Lord_Howe",
  "Europe/Dublin",
];

test.each(someOf(zones))("dates in %s are those of a process that runs there", async (timeZone) => {
  const world = await openTestWorld({ globals: "replaced", timeZone });
  let answers: unknown;
  try {
    answers = answersOn(questions);
  } finally {
    await world.close();
  }
  const child = spawnSync(
    process.execPath,
    ["--no-warnings", join(import.meta.dirname, "local-dates.ts")],
    { input: JSON.stringify(questions), env: { ...process.env, TZ: timeZone }, encoding: "utf8" },
  );
  expect(child.stderr).toBe("");
  expect(answers).toEqual(JSON.parse(child.stdout));
});

test("the machine's own dates are back once the world is closed", async () => {
  const few = { ...questions, instants: questions.instants.slice(0, 20) };
  const before = answersOn(few);
  const world = await openTestWorld({ globals: "replaced", timeZone: "Pacific/Kiritimati" });
  expect(answersOn(few)).not.toEqual(before);
  await world.close();
  expect(answersOn(few)).toEqual(before);
});

test("a client's dates follow the zone, however it makes them", async () => {
  const seen: unknown[] = [];
  await runSession(
    () => {
      const now = new Date();
      const Maker = now.constructor as DateConstructor;
      class Later extends Date {}
      seen.push(
        now.getHours(),
        new Maker().getHours(),
        new Later().getHours(),
        Date().slice(16, 24),
      );
      seen.push(new Date(now).getTime() === now.getTime(), new Date(Number.NaN).getHours());
      seen.push(String(new Date(Number.NaN)), new Date(Number.NaN).setHours(1));
      seen.push(Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23" }).format(now));
      seen.push(now.toLocaleTimeString("en", { timeZone: "UTC" }));
      return { impression: () => undefined };
    },
    [],
    { globals: "replaced", timeZone: "Asia/Kolkata" },
  );
  expect(seen).toEqual([
    5,
    5,
    5,
    "05:30:00",
    true,
    Number.NaN,
    "Invalid Date",
    Number.NaN,
    "05",
    expect.stringMatching(/^12:00:00\sAM$/),
  ]);
});

test.each([
  [{ timeZone: "Asia/Tokio", globals: "replaced" }, 'Did you mean "Asia/Tokyo"?'],
  [
    { timeZone: 330, globals: "replaced" },
    'must be the name of a time zone, such as "Asia/Kolkata"',
  ],
  [{ timeZone: "Asia/Kolkata" }, 'timeZone needs globals: "replaced"'],
])("%o is rejected with a hint", async (options, message) => {
  await expect(openTestWorld(options as object)).rejects.toThrow(message);
});
