/** What all checks share: the result, the input, the rule about gaps in the journal, and the table in messages. */

import * as v from "valibot";
import { counted } from "../base/counted.ts";
import { formatList } from "../base/did-you-mean.ts";
import { InputError } from "../base/input.ts";
import { given } from "../base/plain-data.ts";
import { strictObject, wholeFrom } from "../base/schemas.ts";
import { oneLine } from "../base/text.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { SimulatorCore } from "../simulator/core.ts";

/** The result of a check, in the form that Jest and vitest expect from a matcher. */
export interface Check {
  readonly pass: boolean;
  /** If it fails: what was expected, and what is there instead. If it passes: why its negation (`.not`) fails. */
  message(): string;
  readonly expected: unknown;
  readonly actual: unknown;
}

interface Sides extends Omit<Check, "message"> {
  /** What the check expects, and what is there. */
  readonly says: readonly [wanted: string, found: string];
  /** Shows what is there, whichever of both was unwanted. */
  readonly lines: () => readonly string[];
}

export function check({ says: [wanted, found], lines, ...sides }: Sides): Check {
  const first = `${sides.pass ? "Not expected:" : "Expected"} ${wanted}: ${found}.`;
  return { ...sides, message: () => [first, ...lines()].join("\n") };
}

export const afterSchema = strictObject({
  /** Only requests after this journal entry, such as an earlier `sim.journal.total`. @default 0 */
  after: v.optional(wholeFrom(0, ": the sequence of a journal entry")),
});

/** Where to start looking. */
export interface After extends v.InferOutput<typeof afterSchema> {}

type Names = After & { publisher?: string | undefined; surface?: string | undefined };

/** Nothing is on record under a wrong name. @throws InputError for one, and for anything that isn't a simulator. */
export function readSim(value: unknown, { publisher, surface, after = 0 }: Names = {}) {
  const members = ["handle", "fork", "audit", "report"];
  if (!members.every((name) => typeof Reflect.get(Object(value), name) === "function")) {
    throw new InputError("sim", "must be a simulator, such as from createSimulator");
  }
  const sim = value as SimulatorCore;
  if (after > sim.journal.total) {
    throw new InputError("after", `is beyond the journal's latest entry, #${sim.journal.total}`);
  }
  const surfaces = publisher === undefined ? undefined : sim.publishers.get(publisher).surfaces;
  if (surface !== undefined && surfaces?.every(({ id }) => id !== surface)) {
    throw new InputError("surface", "names no surface of this publisher", "not-found");
  }
  return sim;
}

interface Seen extends After {
  /** For a check of events on record: how many of them the journal holds. */
  readonly inJournal?: number;
  /** Whether the result is the same whatever the missing requests were. */
  readonly isCertain: boolean;
}

/** A check passes, or counts, only if the journal has all that it looks at. @throws InputError if it hasn't. */
export function assertJournalWhole({ journal, audit }: SimulatorCore, seen: Seen): void {
  const { after, inJournal, isCertain } = seen;
  let missing = journal.total - journal.kept <= (after ?? 0) ? 0 : journal.total - journal.kept;
  // A fork has events on record that its journal never had; after a restore it can be the other way round.
  if (inJournal !== undefined && (missing > 0 || after === undefined)) {
    const { impressions, clicks } = audit().total;
    missing = impressions.applied + clicks.applied - inJournal;
  }
  if (missing === 0 || (missing > 0 && isCertain)) return;
  const many = counted(Math.abs(missing), "request");
  const what = missing > 0 ? `lacks ${many}` : `has ${many} too many`;
  throw new InputError(
    "journal",
    `${what}, so this can't be checked: it is off, was cleared, keeps only the latest (journalEntries), or the world is a fork or was restored. Pass \`after\`, such as an earlier sim.journal.total, to check only later requests`,
    "conflict",
  );
}

/** ` with ad "a" and after 12`, or nothing. */
export function conditionsText(conditions: object): string {
  const all = Object.entries(given(conditions));
  const texts = all.map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return texts.length === 0 ? "" : ` with ${formatList(texts)}`;
}

/** Requests with what the client got, and why. Of each it shows these texts, too. */
export function requestTable(
  rows: readonly (readonly [entry: JournalEntry, ...texts: (string | undefined)[]])[],
): string[] {
  return table(
    rows.map(([{ sequence, at, response, reason, limit, fault, nearest }, ...texts]) => {
      const answer = response.status === 0 ? "no answer" : String(response.status);
      const by = limit === undefined ? "" : `, ${limit} limit`;
      const rule = fault === undefined ? "" : ` (rule "${fault.rule}")`;
      const closest = nearest === undefined ? "" : `; the closest is ${nearest.closest}`;
      return [`#${sequence}`, at, ...texts, `${answer}, ${reason}${by}${rule}${closest}`];
    }),
  );
}

const MAX_ROWS = 10;
const MAX_SHOWN = 120;

/** Aligns the first rows in columns. Texts from requests are cut and kept on one line. */
export function table(rows: readonly (readonly (string | undefined)[])[]): string[] {
  const cells = rows
    .slice(0, MAX_ROWS)
    .map((row) => row.map((text = "–") => oneLine(text, MAX_SHOWN)));
  const widthOf = (at: number): number => Math.max(...cells.map((row) => row[at]?.length ?? 0));
  const lines = cells.map((row) => row.map((text, at) => text.padEnd(widthOf(at))).join("  "));
  const more = rows.length > MAX_ROWS ? [`and ${rows.length - MAX_ROWS} more`] : [];
  return [...lines, ...more].map((line) => `  ${line}`.trimEnd());
}
