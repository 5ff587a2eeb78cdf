/** The result of `adsim replay`, as JSON and as text. */

import { counted } from "../../base/counted.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import type { PlayResult, StepResult } from "../../play/player/result.ts";
import type { RecordedScenario } from "../../play/recording/scenario-of-recording.ts";
import { leftOutGroups, leftOutInWords } from "../record/left-out.ts";

interface ResultParts {
  readonly file: string;
  readonly flags: {
    readonly target?: string;
    readonly load?: string;
    readonly differences: number;
  };
  readonly recording: Recording;
  readonly made: RecordedScenario;
  readonly played: PlayResult;
}

export function resultOf({ file, flags, recording, made, played }: ResultParts) {
  const steps = played.steps.flatMap((step) => {
    const entry = made.entries.get(step.path);
    return entry === undefined ? [] : [{ step, entry }];
  });
  const different = steps.filter(({ step }) => step.result === "failed");
  const undecided = steps.filter(({ step: { result } }) => /undecided|skipped/.test(result));
  const shown = [...different, ...undecided].slice(0, flags.differences);
  const notCompared = steps.filter(({ step }) => step.result === "done").length;
  return {
    file,
    form: recording.form,
    target: flags.target,
    requests: recording.entries.length,
    sent: steps.length,
    same: steps.length - different.length - undecided.length,
    different: different.length,
    // For example because an earlier request had another answer.
    undecided: undecided.length,
    leftOut: leftOutGroups(made.leftOut),
    // The first ones, with what differs or why they can't be compared.
    differences: shown.map(({ step, entry }) => differenceOf(step, entry)),
    // Why they may differ even if the service answers the same.
    notes: [
      ...(notCompared === 0
        ? []
        : [`${counted(notCompared, "answer")} not compared: the requests have ids from elsewhere`]),
      ...(shown.length === 0 || flags.load !== undefined ? [] : missingIn(recording)),
    ],
  };
}

/** What the world did that isn't in the recording. */
function missingIn({ entries, byAdsim }: Recording): readonly string[] {
  const missing = (entries.at(-1)?.sequence ?? 0) - entries.length;
  if (!byAdsim || missing <= 0) return [];
  return [
    `${missing} of the world's requests are not in the recording, so what they did is missing. Export the journal without a filter, or replay from a snapshot with --load`,
  ];
}

function differenceOf({ checks, exchange, why }: StepResult, entry: RecordedEntry) {
  const { place, sequence, request } = entry;
  const failed = checks.filter(({ result }) => result === "failed");
  // Another status comes with another body.
  const status = failed.filter(({ about }) => about.endsWith(" status"));
  const parts = (status.length > 0 ? status : failed).map(({ about, expected, found }) => {
    return { about: about.replace(/^\S+ /, ""), recorded: expected, now: found };
  });
  return {
    ...{ entry: place, sequence },
    ...{ method: oneLine(request.method, 100), path: oneLine(request.path, 100), parts },
    why: exchange?.why ?? why,
  };
}

export function resultText(result: ReturnType<typeof resultOf>): string {
  const { target, sent, same, different, undecided, leftOut, differences, notes } = result;
  const where = target === undefined ? "in process" : `to ${target}`;
  const others = undecided === 0 ? "" : `, ${undecided} can't be compared`;
  const verb = (count: number): string => (count === 1 ? "is" : "are");
  const lines = [
    `adsim: ${counted(sent, "request")} sent again ${where}: ${counted(same, "answer")} ${verb(same)} the same, ${different} ${verb(different)} different${others}`,
  ];
  if (leftOut.length > 0) lines.push(`  left out: ${leftOutInWords(leftOut)}`);
  for (const { entry, sequence, method, path, parts, why } of differences) {
    const number = sequence === undefined ? "" : `, request ${sequence}`;
    lines.push("", `${entry}${number}: ${method} ${path}`);
    for (const { about, recorded, now } of parts)
      lines.push(`  ${about}: recorded ${recorded}, now ${now}`);
    if (why !== undefined) lines.push(`  ${why}`);
  }
  const more = different + undecided - differences.length;
  if (more > 0)
    lines.push("", `${more} more; --differences ${different + undecided} shows them all.`);
  if (notes.length > 0) lines.push("", ...notes.map((note) => `Note: ${note}.`));
  return `${lines.map(printable).join("\n")}\n`;
}
