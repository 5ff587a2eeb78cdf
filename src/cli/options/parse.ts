/** Parses the arguments of a command: its words and its options, or what is wrong with them. */

import { parseArgs } from "node:util";
import { nearestName } from "../../base/did-you-mean.ts";
import { printable } from "../../base/text.ts";
import { flagOf, wrongUsage } from "../output/exit.ts";
import type { HostProcess } from "../processes/host-process.ts";
import type { Call, Command, Option } from "./option.ts";

/** @returns `help` if that is asked for. @throws CommandFailure in one line that says what to do. */
export function parse(
  command: Command,
  args: readonly string[],
  host: HostProcess,
): Call<never> | "help" {
  const { options, words: takes } = command;
  const wrong = (what: string): Error =>
    wrongUsage(`${what} Options: npx adsim ${command.name} --help`);
  const keys = new Map(Object.keys(options).map((key) => [flagOf(key), key]));
  const tokens = tokensOf(options, args);
  const words: string[] = [];
  const flags: Record<string, unknown> = {};
  const given: { readonly key: string; readonly shown: readonly string[] }[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "option") {
      // The rest of the arguments is CMD.
      if (takes?.kind === "command") {
        words.push(...args.slice(token.kind === "positional" ? token.index : token.index + 1));
        break;
      }
      if (token.kind === "positional") words.push(token.value);
      continue;
    }
    const { rawName } = token;
    if (rawName === "--help") return "help";
    const key = keys.get(rawName) ?? "";
    const option = options[key];
    if (option === undefined) {
      const value = token.inlineValue ? `=${token.value}` : "";
      throw wrong(unknownOption(`${rawName}${value}`, [...keys.keys(), "--help"]));
    }
    let { value } = token;
    const { takes: takenAs = "", must, mayFollow, isSecret, into = key } = option;
    if (mayFollow !== undefined && value === undefined) {
      const next = tokens[at + 1];
      const isGiven = next?.kind === "positional" && mayFollow.includes(next.value);
      value = isGiven ? next.value : mayFollow[0];
      if (isGiven) tokens.splice(at + 1, 1);
    }
    const isFlag = takenAs === "";
    if (isFlag && value !== undefined) throw wrong(`${rawName} takes no value.`);
    if (!isFlag && (value === undefined || value === "--"))
      throw wrong(`${rawName} needs a value: ${rawName} ${takenAs}.`);
    flags[into] = option.read(value ?? "", flags[into]);
    if (flags[into] === undefined)
      throw wrong(`${rawName} ${must}, not ${printable(`'${value}'`)}.`);
    const shown = isFlag ? [] : [isSecret === true ? "…" : (value ?? "")];
    given.push({ key, shown: [rawName, ...shown] });
  }
  for (const [key, option] of Object.entries(options)) {
    const { variable = "", usual, isNeeded, takes: takenAs } = option;
    flags[key] ??= host.env[variable] || usual;
    if (flags[key] === undefined && isNeeded) throw wrong(`${flagOf(key)} ${takenAs} is missing.`);
  }
  const surplus = checkWords(command, words);
  if (surplus !== undefined) throw wrong(surplus);
  // The flags have the types of the options that read them.
  return {
    words,
    flags: flags as never,
    given: (names) => given.flatMap(({ key, shown }) => (names.includes(key) ? shown : [])),
    host,
  };
}

function tokensOf(options: Command["options"], args: readonly string[]) {
  const types = Object.entries(options).map(([key, { takes, mayFollow }]: [string, Option]) => {
    const isAlone = takes === undefined || mayFollow !== undefined;
    return [flagOf(key).slice(2), { type: isAlone ? "boolean" : "string" }] as const;
  });
  const described = Object.fromEntries(types);
  return parseArgs({ args: [...args], options: described, strict: false, tokens: true }).tokens;
}

function unknownOption(sent: string, known: readonly string[]): string {
  const [name = ""] = sent.split("=");
  const meant = sent.startsWith("--") ? nearestName(name, known) : undefined;
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return `unknown option '${printable(sent)}'.${hint}`;
}

/** @returns what is wrong with them. @throws CommandFailure if they are missing. */
function checkWords({ name, words: takes }: Command, words: readonly string[]): string | undefined {
  if (takes !== undefined && takes.isOptional !== true && words.join("") === "") {
    throw wrongUsage(`${takes.name} is missing. Give ${takes.says}.`);
  }
  const most = takes === undefined ? 0 : takes.kind === "one" ? 1 : words.length;
  const surplus = words.slice(most).map((word) => `'${word}'`);
  if (surplus.length === 0) return undefined;
  const only = takes === undefined ? "no arguments" : `only ${takes.name}`;
  return `unexpected ${printable(surplus.join(" "))}: ${name} takes ${only}.`;
}
