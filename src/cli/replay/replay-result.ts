/** The result of `adsim replay`, as JSON and as text. */

import { counted } from "../../base/counted.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { Difference, Sides } from "../../choices/compare-answers.ts";
import type { Recording } from "../../journal/recorded-entry.ts";
import type { Outcome, Replay, ReplayedEntry } from "../../play/replay/replay.ts";
import { type LeftOutGroup, leftOutGroups } from "./left-out.ts";

export interface ReplayResult {
  readonly file: string;
  readonly form: Recording["form"];
  /** Undefined in process. */
  readonly target: string | undefined;
  /** The number of requests in the recording. */
  readonly requests: number;
  readonly sent: number;
  readonly same: number;
  readonly different: number;
  readonly skipped: number;
  /** How many were skipped for each reason, in words. */
  readonly skippedFor: Readonly<Record<string, number>>;
  /** The same with the requests. */
  readonly leftOut: readonly LeftOutGroup[];
  /** The first differences. */
  readonly differences: readonly ShownDifference[];
  /** Possible causes of differences other than the service. */
  readonly notes: readonly string[];
}

type ShownDifference = Partial<Difference> & {
  /** The place of the recorded request in the file. */
  readonly entry: string;
  readonly sequence: number | undefined;
  readonly method: string;
  readonly path: string;
  /** Why there was no answer. */
  readonly unanswered?: string | undefined;
};

export interface ResultParts {
  readonly file: string;
  readonly target: string | undefined;
  readonly recording: Recording;
  readonly replay: Replay;
  /** Why the answers may differ even if the service is right. */
  readonly caveats: readonly string[];
  /** At most this many differences are shown. */
  readonly maxDifferences: number;
}

export function resultOf(parts: ResultParts): ReplayResult {
  const { file, target, recording, replay, caveats, maxDifferences } = parts;
  const { replayed } = replay;
  const of = (...kinds: readonly Outcome["kind"][]): readonly ReplayedEntry[] =>
    replayed.filter(({ outcome }) => kinds.includes(outcome.kind));
  const leftOut = leftOutGroups(
    replayed.flatMap(({ entry, outcome }) =>
      outcome.kind === "skipped" ? [{ entry, why: outcome.why }] : [],
    ),
  );
  const skipped = of("skipped").length;
  const different = of("different", "unanswered");
  return {
    file,
    form: recording.form,
    target,
    requests: replayed.length,
    sent: replayed.length - skipped,
    same: of("same").length,
    different: different.length,
    skipped,
    skippedFor: Object.fromEntries(leftOut.map(({ reason, count }) => [reason, count])),
    leftOut,
    differences: different.slice(0, maxDifferences).map(shownDifference),
    notes: different.length === 0 ? replay.notes : [...replay.notes, ...caveats],
  };
}

/** Longer methods and paths are cut, in characters. */
const MAX_SHOWN = 100;

function shownDifference({ entry, outcome }: ReplayedEntry): ShownDifference {
  const { place, sequence, request } = entry;
  return {
    entry: place,
    sequence,
    method: oneLine(request.method, MAX_SHOWN),
    path: oneLine(request.path, MAX_SHOWN),
    ...(outcome.kind === "different" ? outcome.difference : {}),
    ...(outcome.kind === "unanswered" ? { unanswered: outcome.why } : {}),
  };
}

export function resultText(result: ReplayResult): string {
  const { target, sent, same, different, skipped, leftOut, differences, notes } = result;
  const where = target === undefined ? "in process" : `to ${target}`;
  const lines = [
    `adsim: ${counted(sent, "request")} sent again ${where}: ${same} ${same === 1 ? "answer is" : "answers are"} the same, ${different} ${different === 1 ? "is" : "are"} different`,
  ];
  if (skipped > 0) {
    const reasons = leftOut.map(
      ({ reason, count, which }) => `${reason} (${count}${which && `: ${which}`})`,
    );
    lines.push(`  ${skipped} not sent again: ${reasons.join("; ")}`);
  }
  for (const difference of differences) lines.push("", ...differenceLines(difference));
  const more = different - differences.length;
  if (more > 0) lines.push("", `${more} more; --differences ${different} shows them all.`);
  if (notes.length > 0) lines.push("", ...notes.map((note) => `Note: ${note}.`));
  return `${lines.map(printable).join("\n")}\n`;
}

function differenceLines(shown: ShownDifference): readonly string[] {
  const number = shown.sequence === undefined ? "" : `, request ${shown.sequence}`;
  const lines = [`${shown.entry}${number}: ${shown.method} ${shown.path}`];
  if (shown.unanswered !== undefined) lines.push(`  no answer: ${shown.unanswered}`);
  const { status, headers = [], body } = shown;
  if (status !== undefined) lines.push(`  status: recorded ${status.recorded}, now ${status.now}`);
  for (const { name, ...sides } of headers) lines.push(`  header ${name}: ${inLine(sides)}`);
  if (body === undefined) return lines;
  return [
    ...lines,
    `  body from byte ${body.byte} on:`,
    `    recorded  ${body.recorded}`,
    `    now       ${body.now}`,
  ];
}

function inLine({ recorded, now }: Sides): string {
  return `recorded ${recorded ?? "(none)"}, now ${now ?? "(none)"}`;
}
