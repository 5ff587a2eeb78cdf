/** The result of `adsim replay`, as JSON and as text. */

import { counted } from "../../base/counted.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import type { PlayResult, StepResult } from "../../play/player/result.ts";
import type { RecordedScenario } from "../../play/recording/scenario-of-recording.ts";
import { leftOutGroups, leftOutInWords } from "../record/left-out.ts";
import type { ReplayFlags } from "./replay-options.ts";

export type ReplayResult = ReturnType<typeof resultOf>;

export interface ResultParts {
  readonly file: string;
  readonly flags: Pick<ReplayFlags, "target" | "load" | "differences">;
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
    // Why they may differ even if the service answers the same.
    notes: [
      ...notComparedIn(played, made),
      ...(shown.length === 0 ? [] : notesOn(recording, made, flags)),
    ],
  };
}

function notComparedIn({ steps }: PlayResult, { entries }: RecordedScenario): readonly string[] {
  const unknown = steps.filter(({ path, result }) => entries.has(path) && result === "done");
  const bodiless = [...entries.values()].filter(({ response }) => response.body === undefined);
  return [
    ...(unknown.length === 0
      ? []
      : [
          `${counted(unknown.length, "answer")} not compared: the requests have ids from elsewhere, or lost parameters that the API does not have`,
        ]),
    ...(bodiless.length === 0
      ? []
      : [`no body is recorded for ${counted(bodiless.length, "answer")}, so it isn't compared`]),
  ];
}

function differenceOf({ checks, exchange, why }: StepResult, entry: RecordedEntry) {
  const { place, sequence, request } = entry;
  const all = checks.filter(({ result }) => result === "failed");
  // Another status comes with another body.
  const status = all.filter(({ about }) => about.endsWith(" status"));
  const failed = status.length > 0 ? status : all;
  const parts = failed.map(({ about, expected: recorded, found: now }) => {
    return { about: about.replace(/^\S+ /, ""), recorded, now };
  });
  return {
    ...{ entry: place, sequence },
    ...{ method: oneLine(request.method, 100), path: oneLine(request.path, 100), parts },
    why: exchange?.why ?? why,
  };
}

function notesOn(
  { entries, byAdsim }: Recording,
  { publishers }: RecordedScenario,
  { load }: ResultParts["flags"],
): readonly string[] {
  const notes: string[] = [];
  if (publishers.some(({ ref }) => typeof ref === "string")) {
    notes.push(
      "publishers that the world doesn't begin with signed up first. Only the statuses of their answers were compared: a recording doesn't have their history, names and prices",
    );
  }
  if (!byAdsim || load !== undefined) return notes;
  const numbers = entries.flatMap(({ sequence }) => sequence ?? []);
  const [first = 1] = numbers;
  if (first > 1) {
    notes.push(
      `the recording begins with request ${first}, so what requests 1 to ${first - 1} did is missing. Replay it from a snapshot that was taken before request ${first}, with --load`,
    );
  }
  const missing = (numbers.at(-1) ?? 0) - first + 1 - numbers.length;
  if (missing > 0) {
    notes.push(
      `${missing} requests between the first and the last are not in the recording, so what they did is missing. Export it without a filter`,
    );
  }
  notes.push(
    "a journal doesn't have what happened outside the API: a rotated key, a changed surface, a restored snapshot. Take a snapshot after it, and replay from that with --load",
  );
  return notes;
}

export function resultText(result: ReplayResult): string {
  const { target, sent, same, different, undecided, leftOut, differences, notes } = result;
  const where = target === undefined ? "in process" : `to ${target}`;
  const others = undecided === 0 ? "" : `, ${undecided} can't be compared`;
  const lines = [
    `adsim: ${counted(sent, "request")} sent again ${where}: ${same} ${same === 1 ? "answer is" : "answers are"} the same, ${different} ${different === 1 ? "is" : "are"} different${others}`,
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
