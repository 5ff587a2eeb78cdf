/** Commands, requests and outcomes in words. They may contain API keys: remove those before printing. */

import { durationInWords } from "../../base/duration.ts";
import { given } from "../../base/plain-data.ts";
import { oneLine } from "../../base/text.ts";
import type { Shown } from "../driver/driver.ts";
import type { WorldCommand } from "./command.ts";
import { viewInWords } from "./names.ts";
import type { Answer, Call, Outcome, Sent, Session } from "./session.ts";

/** Longer texts and values are cut, in characters. */
const MAX_SHOWN = 160;

/** A command on one line. `shown` is the ad view that it is about. */
export function commandInWords(command: WorldCommand | Call["command"], shown?: Shown): string {
  const view = shown === undefined ? "" : viewInWords(shown);
  switch (command.kind) {
    case "open":
      return "the client is made";
    case "close":
      return "the client is closed";
    case "impression":
      return `impression of ${view || "an ad"}`;
    case "again":
      return `the same impression once more${view && `: ${view}`}`;
    case "click":
      return `click on ${view || "an ad"}`;
    case "advance":
      return `${durationInWords(command.byMs)} pass`;
    case "fault":
      return `a fault rule is added: ${JSON.stringify(command.rule)}`;
    case "heal":
      return "all fault rules are removed";
    case "spend":
      return `another program with the same key sends until the ${command.of} limit has ${command.left} left`;
    default: {
      const { kind, ...query } = command;
      const parts = Object.entries(given(query)).map(([name, value]) => `${name} ${value}`);
      return [kind, ...parts].join(", ");
    }
  }
}

/** How long after the session's start, such as "+1 min 30 s". */
export function timeInWords({ world }: Pick<Session, "world">, atMs: number): string {
  return `+${durationInWords(atMs - world.startMs)}`;
}

export function outcomeInWords(outcome: Outcome): string {
  switch (outcome.kind) {
    case "done":
      return outcome.value === undefined
        ? "the client reported success"
        : `the client reported success: ${valueInWords(outcome.value)}`;
    case "failed":
      return `the client reported an error: ${errorInWords(outcome.error)}`;
    case "stuck":
      return "the client waits for something that can no longer happen";
    case "endless":
      return "the client was still waiting when the longest wait was over";
    case "flooded":
      return "the client sends requests without end";
  }
}

/** The error's name and message, and its `status` if it has one. */
export function errorInWords(error: unknown): string {
  if (!(error instanceof Error)) return valueInWords(error);
  const status: unknown = Reflect.get(error, "status");
  const of = typeof status === "number" ? ` (status ${status})` : "";
  return `${oneLine(`${error.name}: ${error.message}`, MAX_SHOWN)}${of}`;
}

export function valueInWords(value: unknown): string {
  if (typeof value === "string") return oneLine(value, MAX_SHOWN);
  // JSON shows NaN and Infinity as null, and has no bigints.
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  try {
    return oneLine(JSON.stringify(value) ?? String(value), MAX_SHOWN);
  } catch {
    return "an object that JSON can't show";
  }
}

/** The request, the answer that the client got, and what the service did if that differs. */
export function sentInWords(sent: Sent): string {
  const { request, values } = sent;
  const parameters = Object.entries(values)
    .filter(([name]) => name !== "publisher_id")
    .map(([name, value]) => `${name}=${value}`);
  const asked = oneLine([request.method, request.path, ...parameters].join(" "), MAX_SHOWN);
  return `${asked} → ${gotInWords(sent)}${faultInWords(sent)}`;
}

function gotInWords({ got, fault, limit }: Sent): string {
  if (got.status === 0) return "no answer";
  const refused = limit === undefined ? "" : `, refused by the ${limit} limit`;
  const pause = got.headers["retry-after"];
  const wait = pause === undefined ? "" : `, Retry-After: ${pause}`;
  const isCut = fault?.received === "part" && fault.kind === "truncate";
  return `${got.status}${refused}${wait}${isCut ? ", cut off" : ""}${bodyInWords(got)}`;
}

/** Begins with a space; nothing if there is no body. */
function bodyInWords({ body }: Answer): string {
  return body === "" ? "" : ` ${oneLine(body, MAX_SHOWN)}`;
}

function faultInWords({ fault, served, got }: Sent): string {
  if (fault === undefined) return "";
  const delay = fault.delayMs === 0 ? "" : `, delayed by ${durationInWords(fault.delayMs)}`;
  return ` (${fault.kind}, ${fault.rule}${delay}${didInWords(served, got)})`;
}

function didInWords([first, copy]: Sent["served"], got: Answer): string {
  if (first === undefined) return ": the service did nothing";
  if (copy !== undefined) return ": the service did it twice";
  return first === got ? "" : `: the service answered ${first.status}${bodyInWords(first)}`;
}
