/** The help of the program and of each command, made from the table. */

import { wrapped } from "../../play/reports/lines.ts";
import { flagOf } from "../output/exit.ts";
import type { Command, Option } from "./option.ts";

export function programHelp(commands: readonly Command[]): string {
  return `Usage: adsim COMMAND [options]

A deterministic in-memory simulator of a Publisher Advertising API.

Commands:
${rows(commands.map((one) => [`${one.name} ${needs(one)}`.trimEnd(), one.says]))}

Start with: npx adsim serve
Options of a command: npx adsim COMMAND --help
Version: npx adsim --version
Exit codes: 0 fine, 1 a check failed, 2 wrong usage, 3 could not run.
`;
}

export function commandHelp(command: Command): string {
  const { name, says, words, more } = command;
  const about = words === undefined ? "" : `\n${rows([[words.name, words.says]])}\n`;
  return `Usage: adsim ${[name, ...neededOptions(command), "[options]", wordsOf(command)].join(" ").trimEnd()}

${says}
${about}
Options:
${rows([...optionRows(command), ["--help", "show help"]])}
${more === undefined ? "" : `\n${more}\n`}`;
}

/** Each option that help shows, with what it says. */
export function optionRows({
  options,
}: Command): readonly (readonly [term: string, says: string])[] {
  return Object.entries(options)
    .filter(([, { isHidden }]) => isHidden !== true)
    .map(([key, option]) => [termOf(key, option), saysOf(option)]);
}

/** Without options that can be left out. */
export function needs(command: Command): string {
  return [...neededOptions(command), wordsOf(command)].join(" ").trim();
}

function neededOptions({ options }: Command): readonly string[] {
  return Object.entries(options)
    .filter(([, { isNeeded }]) => isNeeded === true)
    .map(([key, option]) => termOf(key, option));
}

function wordsOf({ words }: Command): string {
  if (words === undefined) return "";
  if (words.kind === "command") return `-- ${words.name}`;
  const all = words.kind === "several" ? `${words.name}...` : words.name;
  return words.isOptional === true ? `[${all}]` : `<${all}>`;
}

function termOf(key: string, { takes, mayFollow }: Option): string {
  const value = mayFollow === undefined ? takes : `[${takes?.slice(1, -1)}]`;
  return [flagOf(key), ...(value === undefined ? [] : [value])].join(" ");
}

function saysOf({ says, usual, variable }: Option): string {
  const from = variable === undefined ? "" : ` (default: the variable ${variable})`;
  return `${says}${usual === undefined ? from : ` (default: ${String(usual)})`}`;
}

const WIDEST_TERM = 26;

/** Two columns. A long term has a line of its own. */
function rows(all: readonly (readonly [term: string, says: string])[]): string {
  const width = Math.min(WIDEST_TERM, Math.max(...all.map(([term]) => term.length)));
  const indent = " ".repeat(width + 4);
  return all
    .flatMap(([term, says]) => {
      const lines = wrapped(says, indent);
      if (term.length > width) return [`  ${term}`, ...lines];
      const [first = "", ...others] = lines;
      return [`  ${term.padEnd(width)}  ${first.trimStart()}`, ...others];
    })
    .join("\n");
}
