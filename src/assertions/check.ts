/**
 * The result of every check of a world: whether it passes, both sides, and a text for a test's output.
 */

import { InputError } from "../base/input.ts";
import { oneLine } from "../base/text.ts";
import type { SimulatorCore } from "../simulator/core.ts";

/** The result of a check, in the form that Jest and vitest expect from a matcher. */
export interface Check {
  readonly pass: boolean;
  /** If it fails: what was expected, and what is on record instead. If it passes: why its negation (`.not`) fails. */
  message(): string;
  readonly expected: unknown;
  readonly actual: unknown;
}

interface Sides {
  readonly pass: boolean;
  readonly expected: unknown;
  readonly actual: unknown;
  /** The message if the check was expected to pass but failed. */
  readonly describeFailure: () => readonly string[];
  /** The message if the check was expected to fail (`.not`) but passed. */
  readonly describeSuccess: () => readonly string[];
}

export function check({ pass, expected, actual, describeFailure, describeSuccess }: Sides): Check {
  return {
    pass,
    message: () => (pass ? describeSuccess() : describeFailure()).join("\n"),
    expected,
    actual,
  };
}

/** @throws InputError for anything that isn't a simulator. */
export function readSim(value: unknown): SimulatorCore {
  const names = ["handle", "fork", "audit", "report"] as const;
  const isSim =
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof Reflect.get(value, name) === "function");
  if (isSim) return value as SimulatorCore;
  throw new InputError(
    "sim",
    "must be a simulator: from createSimulator, a server's worlds.get(…), or the fixture `sim`",
  );
}

/** Refuses unknown names: nothing is ever recorded under a misspelt one. @throws InputError */
export function checkNames(
  { publishers, journal }: SimulatorCore,
  {
    publisher,
    surface,
    after = 0,
  }: {
    readonly publisher?: string | undefined;
    readonly surface?: string | undefined;
    readonly after?: number | undefined;
  },
): void {
  if (after > journal.total) {
    throw new InputError("after", `is beyond the journal's latest entry, #${journal.total}`);
  }
  if (publisher === undefined) return;
  const { surfaces } = publishers.get(publisher);
  if (surface === undefined || surfaces.some(({ id }) => id === surface)) return;
  throw new InputError("surface", "names no surface of this publisher", "not-found");
}

/** A text from a request, quoted, on one line, shortened. */
export function quoted(text: string): string {
  return JSON.stringify(oneLine(text, MAX_SHOWN));
}

/** A text for a table, on one line, shortened. */
export function cell(text: string | undefined): string {
  return text === undefined ? "–" : oneLine(text, MAX_SHOWN);
}

const MAX_SHOWN = 48;

/** Longer lists are cut. */
export const MAX_ROWS = 10;

/** Aligns rows in columns with two spaces in between, indented by two. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, text] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
  }
  return rows.map((row) =>
    `  ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd(),
  );
}
