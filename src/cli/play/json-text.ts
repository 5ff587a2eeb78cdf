/** JSON that people wrote: what is wrong is said with its line and column. */

import { CommandFailure, exitCodes } from "../exit.ts";
import { repeatedMember } from "../../control/repeated-member.ts";

/** What the text holds. `what`: where it comes from. @throws CommandFailure. */
export function jsonIn(what: string, text: string): unknown {
  if (text.trim() === "") throw failure(what, "is empty.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw failure(what, `is not valid JSON: ${whereWrong(error, text)}`);
  }
  const repeated = repeatedMember(text);
  if (repeated === undefined) return value;
  throw failure(what, `${repeated} is there more than once. Keep the one that you mean.`);
}

function whereWrong(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : "";
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return "it breaks off before its end.";
  const before = text.slice(0, Number(position)).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `look at line ${before.length}, column ${column}.`;
}

function failure(what: string, why: string): CommandFailure {
  return new CommandFailure(exitCodes.wrongUsage, `${what}: ${why}`);
}
