/** Parses the arguments of a command: its words and its options, or what is wrong with them. */

import { parseArgs } from "node:util";
import { nearestName } from "../../base/did-you-mean.ts";
import { printable } from "../../base/text.ts";
import { flagOf, wrongUsage } from "../output/exit.ts";
import type { Command, Option, Parsed } from "./option.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** @returns `help` if that is asked for. @throws CommandFailure in one line that says what to do. */
export function parse(
  command: Command,
  args: readonly string[],
  env: Environment,
): Parsed | "help" {
  const { options, words: takes, name } = command;
  const byFlag = new Map(Object.keys(options).map((key) => [flagOf(key), key]));
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Array.from(byFlag, ([long, key]) => [long.slice(2), { type: typeOf(options[key]) }]),
    ),
    strict: false,
    tokens: true,
  });
  const words: string[] = [];
  const flags: Record<string, unknown> = {};
  const given: (readonly [key: string, ...words: string[]])[] = [];
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
    const { rawName, inlineValue } = token;
    if (rawName === "--help") return "help";
    const key = byFlag.get(rawName);
    const option = key === undefined ? undefined : options[key];
    if (key === undefined || option === undefined) {
      throw unknown(command, `${rawName}${inlineValue ? `=${token.value}` : ""}`);
    }
    let { value } = token;
    const next = tokens[at + 1];
    if (option.mayFollow !== undefined && value === undefined) {
      const follows = next?.kind === "positional" && next.index === token.index + 1;
      // Without words of its own, the command can only mean this option.
      const isTaken = follows && (takes === undefined || option.mayFollow.includes(next.value));
      value = isTaken ? next.value : option.mayFollow[0];
      if (isTaken) tokens.splice(at + 1, 1);
    }
    flags[key] = takenFrom(command, option, token, value, flags[key]);
    given.push([key, rawName, ...shownValue(option, value)]);
  }
  for (const [key, { variable, usual, isNeeded, takes: what }] of Object.entries(options)) {
    const outside = variable === undefined ? usual : env[variable] || usual;
    if (flags[key] === undefined && outside !== undefined) flags[key] = outside;
    if (flags[key] !== undefined || isNeeded !== true) continue;
    throw wrongUsage(`${flagOf(key)} ${what} is missing. ${allOptions(name)}`);
  }
  checkWords(command, words);
  return {
    words,
    flags,
    given: (names) =>
      given.flatMap(([key, ...one]) => (names === undefined || names.includes(key) ? one : [])),
  };
}

function typeOf({ takes, mayFollow }: Option = { says: "", read: () => true }) {
  return takes === undefined || mayFollow !== undefined
    ? ("boolean" as const)
    : ("string" as const);
}

function shownValue({ takes, isSecret }: Option, value: string | undefined): readonly string[] {
  return takes === undefined ? [] : [isSecret === true ? "…" : (value ?? "")];
}

function takenFrom(
  { name }: Command,
  { takes, must, read }: Option,
  { rawName, index }: { readonly rawName: string; readonly index: number },
  value: string | undefined,
  before: unknown,
): unknown {
  const wrong = (what: string): Error => wrongUsage(`${rawName} ${what}. ${allOptions(name)}`);
  if (takes === undefined) {
    if (value !== undefined) throw wrong("takes no value");
    return true;
  }
  if (value === undefined || value === "--") throw wrong(`needs a value: ${rawName} ${takes}`);
  const taken = read(value, before, index);
  if (taken === undefined) throw wrong(`${must}, not ${printable(`'${value}'`)}`);
  return taken;
}

function unknown({ name, options }: Command, given: string): Error {
  const flags = [...Object.keys(options).map(flagOf), "--help"].map((one) => one.slice(2));
  const [sent = ""] = given.replace(/^-+/, "").split("=");
  const meant = nearestName(sent, flags);
  const hint = meant === undefined || !given.startsWith("-") ? "" : ` Did you mean --${meant}?`;
  return wrongUsage(`unknown option '${printable(given)}'.${hint} ${allOptions(name)}`);
}

function checkWords({ name, words: takes }: Command, words: readonly string[]): void {
  const least = takes?.isOptional === true ? 0 : 1;
  const most = takes?.kind === "one" ? 1 : Number.POSITIVE_INFINITY;
  if (takes !== undefined && words.filter((word) => word !== "").length < least) {
    throw wrongUsage(`${takes.name} is missing. Give ${takes.says}.`);
  }
  const surplus = words.slice(takes === undefined ? 0 : most).map((word) => `'${word}'`);
  if (surplus.length === 0) return;
  const only = takes === undefined ? "no arguments" : `only ${takes.name}`;
  throw wrongUsage(
    `unexpected ${printable(surplus.join(" "))}: ${name} takes ${only}. ${allOptions(name)}`,
  );
}

function allOptions(name: string): string {
  return `Options: npx adsim ${name} --help`;
}
