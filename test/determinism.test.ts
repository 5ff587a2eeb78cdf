/** R1: the same bytes in every process, whatever its time zone and locale. Node versions: determinism/across-node-versions.ts. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { coveringArray, createSimulator } from "../src/index.ts";
import { someOf } from "./budget.ts";
import { play } from "./determinism/play.ts";

const script = join(import.meta.dirname, "determinism", "print-digest.ts");

async function digestUnder(environment: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { PATH: process.env.PATH ?? "", ...environment },
  });
  return stdout.trim();
}

const digest = play(createSimulator, coveringArray);

test("another seed gives another digest", () => {
  const other = play((options) => createSimulator({ ...options, seed: "another" }), coveringArray);
  expect(other).not.toBe(digest);
});

const places = [
  ["Asia/Kolkata", "tr_TR.UTF-8"],
  ["America/St_Johns", "de_DE.UTF-8"],
  ["Pacific/Apia", "C"],
  ["UTC", "C"],
] as const;

test.each(someOf(places))(
  "a process in the time zone %s with the locale %s gives the same digest",
  { timeout: 30_000 },
  async (TZ, locale) => {
    expect(await digestUnder({ TZ, LANG: locale, LC_ALL: locale })).toBe(digest);
  },
);
