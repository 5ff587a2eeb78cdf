/** The result of `adsim replay`, as JSON and as text. */

import { counted } from "../../base/counted.ts";
import { printable } from "../../base/text.ts";
import type { RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import type { PlayResult, StepResult } from "../../play/player/result.ts";
import type { RecordedScenario } from "../../play/recording/scenario-of-recording.ts";
import { leftOutGroups, leftOutInWords } from "../record/left-out.ts";

/** `most`: how many differences it shows. */
export function resultOf(
  recording: Recording,
  made: RecordedScenario,
  played: PlayResult,
  most: number,
) {
  const steps = played.steps.flatMap((step) => {
    const entry = made.entries.get(step.path);
    return entry === undefined ? [] : [{ step, entry }];
  });
  const having = (results: RegExp) => steps.filter(({ step }) => results.test(step.result));
  const [different, undecided] = [having(/failed/), having(/undecided|skipped/)];
  // Their requests have ids from elsewhere.
  const notCompared = having(/done/).length;
  return {
    form: recording.form,
    requests: recording.entries.length,
    sent: steps.length,
    same: steps.length - different.length - undecided.length - notCompared,
    different: different.length,
    // For example because an earlier request had another answer.
    undecided: undecided.length,
    leftOut: leftOutGroups(made.leftOut),
    differences: [...different, ...undecided]
      .slice(0, most)
      .map(({ entry, step }) => differenceOf(entry, step)),
    notes: notesOn(recording, notCompared),
  };
}

/** What limits the comparison. */
function notesOn({ entries, byAdsim }: Recording, notCompared: number): readonly string[] {
  const notes: string[] = [];
  const missing = byAdsim ? (entries.at(-1)?.sequence ?? 0) - entries.length : 0;
  if (notCompared > 0)
    notes.push(
      `${counted(notCompared, "answer")} not compared: the requests have ids from elsewhere`,
    );
  if (missing > 0)
    notes.push(`the recording lacks ${missing} of the world's requests: what they did is missing`);
  return notes;
}

/** What differs, or why it can't be compared. */
function differenceOf({ place, sequence, request }: RecordedEntry, step: StepResult) {
  const failed = step.checks.filter(({ result }) => result === "failed");
  // Another status comes with another body.
  const status = failed.filter(({ about }) => about.endsWith(" status"));
  const parts = (status.length > 0 ? status : failed).map(({ about, expected, found }) => {
    return { about: about.replace(/^\S+ /, ""), recorded: expected, now: found };
  });
  const { method, path } = request;
  return { entry: place, sequence, method, path, parts, why: step.exchange?.why ?? step.why };
}

export function resultText(
  result: ReturnType<typeof resultOf>,
  target: string | undefined,
): string {
  const { sent, same, different, undecided, leftOut, differences, notes } = result;
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
