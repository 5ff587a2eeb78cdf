/** Rewrites commander's errors about the command line, so that they say what to do. */

import type { Command } from "commander";
import { formatList, nearestName } from "../../base/did-you-mean.ts";
import { printable } from "../../base/text.ts";

/** Every option of the command with two dashes. */
export function optionsOf(command: Command): readonly string[] {
  return [...command.options.flatMap(({ long }) => long ?? []), "--help"];
}

/** `names`: the commands and options that may have been meant. Commander's own suggestions are too bold. */
export function usageErrors(command: Command, names: readonly string[]) {
  return (text: string, write: (text: string) => void): void => {
    const said = aboutArguments(command, text) ?? text.replace(/^error: /, "").trimEnd();
    write(`${printable(`adsim: ${said}`)}${nameHint(text, names)}\n`);
  };
}

function aboutArguments(command: Command, text: string): string | undefined {
  const known = command.registeredArguments;
  const missing = /missing required argument '(.+)'/.exec(text)?.[1];
  if (missing !== undefined) {
    const about = known.find((argument) => argument.name() === missing)?.description ?? "";
    return `${missing} is missing. Give ${about}.`;
  }
  if (!text.includes("too many arguments")) return undefined;
  const takes = known.map((argument) => argument.name()).join(" and ");
  const surplus = command.args.slice(known.length).map((word) => `'${word}'`);
  return `unexpected ${formatList(surplus)}: ${command.name()} takes ${takes === "" ? "no arguments" : `only ${takes}`}.`;
}

function nameHint(text: string, names: readonly string[]): string {
  const [, dashes = "", sent = ""] = /unknown (?:command|option) '(-*)([^='\n]+)/.exec(text) ?? [];
  const known = names.filter((name) => name.startsWith("-") === (dashes !== ""));
  const meant = nearestName(
    sent,
    known.map((name) => name.replace(/^-*/, "")),
  );
  return meant === undefined ? "" : `. Did you mean ${dashes === "" ? "" : "--"}${meant}?`;
}
