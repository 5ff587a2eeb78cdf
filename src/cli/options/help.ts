/** The help of the program and of each command, made from the table. */

import { wrapped } from "../../play/reports/lines.ts";
import { flagOf } from "../output/exit.ts";
import type { Command, Option } from "./option.ts";

type Row = readonly [term: string, says: string];

export function programHelp(commands: readonly Command[]): string {
  return `Usage: adsim COMMAND [options]

A deterministic in-memory simulator of a Publisher Advertising API.

Commands:
${columns(commands.map((one) => [`${one.name} ${needs(one)}`.trimEnd(), one.says]))}

Start with: npx adsim serve
Options of a command: npx adsim COMMAND --help
Version: npx adsim --version
Exit codes: 0 fine, 1 a check failed, 2 wrong usage, 3 could not run.
`;
}

export function commandHelp(command: Command): string {
  const { name, says, words, more } = command;
  const usage = ["Usage: adsim", name, ...neededOptions(command), "[options]", wordsOf(command)];
  return `${usage.join(" ").trimEnd()}

${says}
${words === undefined ? "" : `\n${columns([[words.name, words.says]])}\n`}
Options:
${columns([...optionRows(command), ["--help", "show help"]])}
${more === undefined ? "" : `\n${more}\n`}`;
}

/** Each option with what it says. */
export function optionRows({ options }: Command): readonly Row[] {
  return Object.entries(options).map(([key, option]) => {
    const { says, usual, variable } = option;
    const outside = usual === undefined ? variable : String(usual);
    return [termOf(key, option), outside === undefined ? says : `${says} (default: ${outside})`];
  });
}

/** What can't be left out. */
function needs(command: Command): string {
  return [...neededOptions(command), wordsOf(command)].join(" ").trim();
}

function neededOptions({ options }: Command): readonly string[] {
  const needed = Object.entries(options).filter(([, { isNeeded }]) => isNeeded === true);
  return needed.map(([key, option]) => termOf(key, option));
}

function wordsOf({ words }: Command): string {
  if (words === undefined) return "";
  if (words.kind === "command") return `-- ${words.name}`;
  const all = words.kind === "several" ? `${words.name}...` : words.name;
  return words.isOptional === true ? `[${all}]` : `<${all}>`;
}

function termOf(key: string, { takes = "", mayFollow }: Option): string {
  const value = mayFollow === undefined ? takes : `[${takes.slice(1, -1)}]`;
  return `${flagOf(key)} ${value}`.trimEnd();
}

const WIDEST_TERM = 26;

/** Two columns. A long term has a line of its own. */
function columns(rows: readonly Row[]): string {
  const width = Math.min(WIDEST_TERM, Math.max(...rows.map(([term]) => term.length)));
  const lines = rows.flatMap(([term, says]) => {
    const [first = "", ...others] = wrapped(says, " ".repeat(width + 4));
    if (term.length > width) return [`  ${term}`, first, ...others];
    return [`  ${term.padEnd(width)}  ${first.trimStart()}`, ...others];
  });
  return lines.join("\n");
}
