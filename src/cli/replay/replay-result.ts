/** The result of `adsim replay`, as JSON and as text. */

import { counted } from "../../base/counted.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import type { PlayResult, StepResult } from "../../play/player/result.ts";
import type { RecordedScenario } from "../../play/recording/scenario-of-recording.ts";
import { leftOutGroups, leftOutInWords } from "../record/left-out.ts";

interface ResultParts {
  readonly file: string;
  readonly flags: { readonly target?: string; readonly differences: number };
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
    notes: notesOn(recording, steps.filter(({ step }) => step.result === "done").length),
  };
}

/** What limits the comparison. */
function notesOn({ entries, byAdsim }: Recording, notCompared: number): readonly string[] {
  const missing = byAdsim ? (entries.at(-1)?.sequence ?? 0) - entries.length : 0;
  return [
    ...(notCompared === 0
      ? []
      : [`${counted(notCompared, "answer")} not compared: the requests have ids from elsewhere`]),
    ...(missing <= 0
      ? []
      : [
          `${missing} of the world's requests are not in the recording, so what they did is missing`,
        ]),
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
  const lines = [
    `adsim: ${counted(sent, "request")} sent again ${where}: ${counted(same, "answer")} the same, ${different} different${others}`,
    ...(leftOut.length > 0 ? [`  left out: ${leftOutInWords(leftOut)}`] : []),
    ...differences.flatMap(({ entry, method, path, parts, why }) => [
      "",
      `${entry}: ${method} ${path}`,
      ...parts.map(({ about, recorded, now }) => `  ${about}: recorded ${recorded}, now ${now}`),
      ...(why === undefined ? [] : [`  ${why}`]),
    ]),
  ];
  const more = different + undecided - differences.length;
  if (more > 0)
    lines.push("", `${more} more; --differences ${different + undecided} shows them all.`);
  if (notes.length > 0) lines.push("", ...notes.map((note) => `Note: ${note}.`));
  return `${lines.map(printable).join("\n")}\n`;
}
