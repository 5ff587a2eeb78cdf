/** Describes a broken rule: both sides, the shortest session that breaks it, and how to replay it. */

import {
  failureFileName,
  traceInWords,
  writeFailureFile,
  writeFailureTrace,
} from "../../adapters/failure-files.ts";
import { formatInstant } from "../../base/calendar.ts";
import { adsimLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { playScenario } from "../../play/play-scenario.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import { defaultAssumptions, nonDefaultChoices } from "../../spec/assumptions/resolve.ts";
import type { TestWorldOptions } from "../driver/test-world.ts";
import type { Session } from "../session/session.ts";
import { commandInWords, outcomeInWords, sentInWords, timeInWords } from "../session/words.ts";
import { type ContractSettings, DEFAULT_NAME } from "./contract-options.ts";
import type { Rule } from "./rules/rule.ts";
import { scenarioOf } from "./scenario-of.ts";
import type { Found, Tried } from "./sessions.ts";

/** Thrown when a client breaks a rule of the contract. The message has all details, and no keys. */
export class ContractError extends Error {
  override readonly name = "ContractError";
  /** The rule's id. */
  readonly rule: string;
  /** What is wrong. */
  readonly why: string;
  /** The value of ADSIM_REPLAY that replays it. */
  readonly replay: string;
  /** The scenario's file, if one was written. */
  readonly file: string | undefined;

  constructor(message: string, about: Pick<ContractError, "rule" | "why" | "replay" | "file">) {
    super(message);
    this.rule = about.rule;
    this.why = about.why;
    this.replay = about.replay;
    this.file = about.file;
  }
}

/** Writes the scenario and the trace, and returns the error to throw. */
export async function failureOf(
  rule: Rule,
  { path, at }: Extract<Tried, { kind: "failed" }>,
  contract: ContractSettings,
): Promise<ContractError> {
  const { session, breach, trial } = at;
  const { timeZone = "UTC" } = trial;
  const { file, lines: files } = await writtenFiles(rule, at, contract);
  const replay = `${rule.id} ${contract.sequenceSeed} ${path}`;
  const lines = [
    `The client broke ${rule.id}: ${rule.says} (${rule.source})`,
    "",
    ...breach.why.split("\n").map((line) => `  ${line}`),
    "",
    `The shortest session found that breaks the rule, from ${formatInstant(session.world.startMs)} on:`,
    ...sessionLines(session, trial.commands.length),
    ...choiceLines(session),
    ...(timeZone === "UTC" ? [] : ["", `The machine's time zone: ${timeZone}`]),
    "",
    `See it again:  ADSIM_REPLAY="${replay}" npm test`,
    ...files,
  ];
  const withoutKey = (text: string): string =>
    text.replaceAll(session.world.publisher.apiKey, "[the key]");
  const why = withoutKey(breach.why);
  return new ContractError(withoutKey(lines.join("\n")), { rule: rule.id, why, replay, file });
}

/** `file`: the scenario's. `lines` say how to look at the files. */
async function writtenFiles(
  rule: Rule,
  found: Found,
  { name, failures, world }: ContractSettings,
): Promise<{ readonly file?: string | undefined; readonly lines: readonly string[] }> {
  if (failures === undefined) return { lines: [] };
  const words = name === DEFAULT_NAME ? rule.id : `${name} ${rule.id}`;
  const file = failureFileName(words, [name, rule.id]);
  const scenario = await failingScenario(file, rule, found, world);
  const written =
    scenario && (await writeFailureFile(failures, `${file}.json`, indentedJson(scenario)));
  const trace = await writeFailureTrace(found.sim, {
    file: `${file}.html`,
    title: `${name}: a client that broke ${rule.id}`,
    folder: failures,
  });
  const path = written?.path;
  return {
    file: path,
    lines: [
      ...(path === undefined ? [] : [`As a scenario: ${adsimLine(["play", path])}`]),
      ...(trace === undefined ? [] : [`In a browser:  ${traceInWords(trace)}`]),
    ],
  };
}

/** A scenario that fails as long as the client sends what it sent here. Undefined if what is wrong doesn't show on record. */
async function failingScenario(
  name: string,
  rule: Rule,
  { session, breach: { why, expectations } }: Found,
  world: TestWorldOptions,
): Promise<Scenario | undefined> {
  if (expectations === undefined) return undefined;
  const about = `What a client that broke the rule ${rule.id} sent, and the answers that it got. ${why}`;
  // In real time each session's world starts at the machine's time.
  const start = world.transport === "http" ? formatInstant(session.world.startMs) : world.start;
  const options = { name, about: about.slice(0, 9000), world: { ...world, start }, expectations };
  try {
    const scenario = scenarioOf(session, options);
    return (await playScenario(scenario)).result === "failed" ? scenario : undefined;
  } catch {
    // What can't be played isn't shown. The failure must be shown in any case.
    return undefined;
  }
}

function choiceLines({ assumptions }: Session): string[] {
  const defaults: Readonly<Record<string, string>> = defaultAssumptions;
  const choices = Object.entries(nonDefaultChoices(assumptions)).map(
    ([key, choice]) => `  ${key}=${choice} (default: ${defaults[key]})`,
  );
  return choices.length === 0 ? [] : ["", "Assumptions that are not the default:", ...choices];
}

/** Numbers the commands: what was asked of the client, what it sent, and what it said. */
function sessionLines(session: Session, count: number): string[] {
  const steps = Array.from({ length: count + 3 }, (_, place) => place - 1);
  const lines = steps.flatMap((step) => {
    const calls = session.calls.filter((one) => one.step === step);
    const sent = session.requests.filter((one) => one.step === step);
    const change = session.changes.find((one) => one.step === step);
    // The client is made before the first command, and closed and watched after the last.
    const isFrame = step < 0 || step >= count;
    const isUneventful = calls.every(
      ({ outcome }) => "value" in outcome && outcome.value === undefined,
    );
    const isQuiet = isFrame ? isUneventful : calls.length === 0 && change === undefined;
    if (isQuiet && sent.length === 0) return [];
    const says = calls.map(({ command, shown }) => commandInWords(command, shown));
    const [title = "later"] = change ? [commandInWords(change.command)] : says;
    return [
      `  ${isFrame ? "-" : `${step + 1}.`} ${says.length > 1 ? `${says.length} calls at once` : title}`,
      // No line may begin with "at": runners would take it for a stack frame.
      ...shortened(sent.map((one) => `${timeInWords(session, one.atMs)}: ${sentInWords(one)}`)),
      ...shortened(
        calls.map(({ outcome }, at) => {
          return (says.length > 1 ? `${says[at]}: ` : "") + outcomeInWords(outcome);
        }),
      ),
    ];
  });
  return lines.length > 0 ? lines : ["  (no commands)"];
}

/** Leaves out the middle: a client that floods the service sends hundreds of requests. */
function shortened(lines: readonly string[]): readonly string[] {
  const left = lines.length - 12;
  const shown = left <= 1 ? lines : [...lines.slice(0, 8), `… ${left} more …`, ...lines.slice(-4)];
  return shown.map((line) => `     ${line}`);
}
