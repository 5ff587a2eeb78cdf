/** Describes a broken rule: both sides, the shortest sequence that breaks it, and how to replay it. Without keys. */

import {
  failureFileName,
  traceInWords,
  type WriteResult,
  writeFailureFile,
  writeFailureTrace,
} from "../../adapters/failure-files.ts";
import { formatInstant } from "../../base/calendar.ts";
import { adsimLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { parseScenario } from "../../play/scenario/parse-scenario.ts";
import { defaultAssumptions, nonDefaultChoices } from "../../spec/assumptions/resolve.ts";
import { isOfClient } from "../session/command.ts";
import type { Session, Step } from "../session/session.ts";
import {
  commandInWords,
  errorInWords,
  exchangeInWords,
  outcomeInWords,
  timeInWords,
} from "../session/words.ts";
import { type ContractSettings, DEFAULT_NAME } from "./contract-options.ts";
import type { Rule } from "./rules/rule.ts";
import { scenarioOf } from "./scenario-of.ts";
import type { BrokenTrial } from "./try-rule.ts";

/** Thrown when a client breaks a rule of the contract. The message has all details. */
export class ContractError extends Error {
  override readonly name = "ContractError";
  /** The rule's id. */
  readonly rule: string;
  /** The value of ADSIM_REPLAY that replays it. */
  readonly replay: string;
  /** The scenario's file, if one was written. */
  readonly file: string | undefined;

  constructor(message: string, about: Pick<ContractError, "rule" | "replay" | "file">) {
    super(message);
    this.rule = about.rule;
    this.replay = about.replay;
    this.file = about.file;
  }
}

/** Writes the scenario and the trace, and returns the error to throw. */
export async function failureOf(
  rule: Rule,
  trial: BrokenTrial,
  contract: ContractSettings,
): Promise<ContractError> {
  const file = fileNameOf(rule, contract);
  const scenario = await writtenScenario(file, rule, trial, contract);
  const trace = await writtenTrace(file, rule, trial, contract);
  const replay = `${rule.id} ${trial.sequenceSeed} ${trial.path}`;
  const lines = [
    `The client broke ${rule.id}: ${rule.says} (${rule.source})`,
    "",
    ...trial.broken.message.split("\n").map((line) => `  ${line}`),
    "",
    ...sessionLines(rule, trial),
    "",
    `See it again:  ADSIM_REPLAY="${replay}" ${contract.command}`,
    ...scenarioLines(scenario),
    ...(trace === undefined ? [] : [`In a browser:  ${traceInWords(trace)}`]),
  ];
  const path = scenario?.kind === "written" ? scenario.path : undefined;
  const about = { rule: rule.id, replay, file: path };
  return new ContractError(lines.join("\n"), about);
}

async function writtenScenario(
  file: string,
  rule: Rule,
  { broken, session }: BrokenTrial,
  { world, failures }: ContractSettings,
): Promise<WriteResult | undefined> {
  if (failures === undefined) return undefined;
  const about =
    `What a client that broke the rule ${rule.id} sent, and the answers that it got. ` +
    `The rule: ${rule.says} (${rule.source}) What was wrong: ${broken.message}`;
  const { expectations } = broken;
  // In real time each session's world starts at the machine's time.
  const start =
    world.transport === "http" ? formatInstant(session.steps[0]?.atMs ?? 0) : world.start;
  try {
    const scenario = scenarioOf(session, {
      name: file,
      about: about.slice(0, 9000),
      world: { ...world, start },
      expectations,
    });
    parseScenario(scenario);
    const text = indentedJson(scenario);
    return await writeFailureFile(failures, `${file}.json`, text);
  } catch (error) {
    // The failure must be shown in any case.
    return { kind: "not-written", why: `it isn't a valid scenario: ${errorInWords(error)}` };
  }
}

/** The same sequence in the inspector. */
async function writtenTrace(
  file: string,
  rule: Rule,
  { session }: BrokenTrial,
  { name, failures }: ContractSettings,
): Promise<WriteResult | undefined> {
  if (failures === undefined) return undefined;
  return await writeFailureTrace(session.sim, {
    file: `${file}.html`,
    title: `${name}: a client that broke ${rule.id}`,
    folder: failures,
  });
}

/** Without an ending. Contracts with different names have different files. */
function fileNameOf({ id }: Rule, { name }: ContractSettings): string {
  const words = name === DEFAULT_NAME ? id : `${name} ${id}`;
  return failureFileName(words, [name, id]);
}

function sessionLines(rule: Rule, { session, timeZone }: BrokenTrial): string[] {
  const choices = choiceLines(session);
  return [
    `The shortest sequence found that breaks the rule, from ${formatInstant(session.steps[0]?.atMs ?? 0)} on:`,
    ...sequenceLines(rule, session),
    ...(choices.length > 0 ? ["", "Assumptions that are not the default:", ...choices] : []),
    ...zoneLines(timeZone),
  ];
}

/** Sequences shrink to UTC unless another time zone matters. */
function zoneLines(timeZone: string | undefined): string[] {
  return timeZone === undefined || timeZone === "UTC"
    ? []
    : ["", `The machine's time zone: ${timeZone}`];
}

function scenarioLines(scenario: WriteResult | undefined): string[] {
  if (scenario === undefined) return [];
  if (scenario.kind === "not-written") return [`As a scenario: not written: ${scenario.why}.`];
  return [`As a scenario: ${adsimLine(["play", scenario.path])}`];
}

function choiceLines({ assumptions }: Session): string[] {
  const defaults: Readonly<Record<string, string>> = defaultAssumptions;
  return Object.entries(nonDefaultChoices(assumptions)).map(
    ([key, choice]) => `  ${key}=${choice} (default: ${defaults[key]})`,
  );
}

/**
 * Numbers the commands. Opening, the last closing and the hour after that are shown only if something happened there; the
 * last closing also if the rule is about it, or the client sends something later.
 */
function sequenceLines({ needs = [] }: Pick<Rule, "needs">, session: Session): string[] {
  const isAboutClosing =
    needs.includes("close") || (session.steps.at(-1)?.exchanges.length ?? 0) > 0;
  let number = 0;
  const lines = session.steps.flatMap((step, at) => {
    const { kind } = step.command;
    const isEnd = kind === "afterwards" || session.steps[at + 1]?.command.kind === "afterwards";
    const isCommand = kind !== "open" && !(isEnd && (kind === "close" || kind === "afterwards"));
    const isShown = kind === "close" && isAboutClosing && step.outcome.kind !== "skipped";
    if (!isCommand && !isShown && !isEventful(step)) return [];
    number += isCommand ? 1 : 0;
    return stepLines(step, isCommand ? `${number}.` : "-", session);
  });
  return number > 0 ? lines : ["  (no commands)", ...lines];
}

/** Whether the client sent or returned something, or failed. */
function isEventful({ outcome, exchanges }: Step): boolean {
  if (exchanges.length > 0) return true;
  return outcome.kind === "done" ? outcome.value !== undefined : outcome.kind !== "skipped";
}

/** The command, then the requests, then what the client said. */
function stepLines(step: Step, mark: string, session: Session): string[] {
  const { command, exchanges, outcome, parts, shown } = step;
  // No line may begin with "at": runners would take it for a stack frame.
  const sent = exchanges.map(
    (one) => `     ${timeInWords(session, one.atMs)}: ${exchangeInWords(one)}`,
  );
  const said =
    parts === undefined
      ? isOfClient(command) || command.kind === "open"
        ? [`     ${outcomeInWords(outcome)}`]
        : []
      : parts.map(
          (part) =>
            `     ${commandInWords(part.command, part.shown)}: ${outcomeInWords(part.outcome)}`,
        );
  return [
    `  ${mark} ${commandInWords(command, shown)}`,
    ...shortened(sent, "     "),
    ...shortened(said, "     "),
  ];
}

const FIRST = 8;
const LAST = 4;

/** Leaves out the middle: a client that floods the service sends hundreds of requests. */
function shortened(lines: readonly string[], indent: string): readonly string[] {
  const left = lines.length - FIRST - LAST;
  if (left <= 1) return lines;
  return [...lines.slice(0, FIRST), `${indent}… ${left} more …`, ...lines.slice(-LAST)];
}
