/** Commands, requests and outcomes in words. They may contain API keys: remove those before printing. */

import { durationInWords } from "../../base/duration.ts";
import { oneLine } from "../../base/text.ts";
import type { Shown } from "../driver/driver.ts";
import type { Command } from "./command.ts";
import { adInWords, sessionInWords, viewInWords } from "./names.ts";
import { recordedIds } from "./sent.ts";
import type { Answer, Call, Outcome, Sent, Session } from "./session.ts";

/** Longer texts and values are cut, in characters. */
const MAX_SHOWN = 160;

/** A command on one line. `shown` is its ad view, if that exists already. */
export function commandInWords(command: Command | Call["command"], shown?: Shown): string {
  switch (command.kind) {
    case "open":
      return "the client is made";
    case "close":
      return "the client is closed";
    case "impression":
      return impressionInWords(command, shown);
    case "again":
      return `the same impression once more: ${shown === undefined ? `number ${command.impression}` : viewInWords(shown)}`;
    case "click":
      return `click on ${shown === undefined ? `impression ${command.impression}` : viewInWords(shown)}`;
    case "stats":
      return `stats${period(command)}${command.surface === undefined ? "" : ` of surface ${command.surface}`}`;
    case "payouts":
      return command.limit === undefined ? "payouts" : `payouts, limit ${command.limit}`;
    case "surfaces":
    case "flush":
      return command.kind;
    case "together":
      return `${apart(command)}: ${command.commands.map((one) => commandInWords(one)).join("; ")}`;
    case "advance":
      return `${durationInWords(command.byMs)} pass`;
    case "fault":
      return `a fault rule is added: ${JSON.stringify(command.rule)}`;
    case "heal":
      return "all fault rules are removed";
    case "spend":
      return `another program with the same key sends until the ${command.of} limit has ${command.left} left`;
  }
}

function impressionInWords(
  { surface, ad, spelling = "plain" }: Extract<Command, { kind: "impression" }>,
  shown: Shown | undefined,
): string {
  if (shown !== undefined) {
    const session = ad === undefined ? "" : ` in ${sessionInWords(shown.session)}`;
    return `impression of ${adInWords(shown.ad)} on ${shown.surface}${session}`;
  }
  const name = spelling === "plain" ? "" : ` of an ad whose name is ${spelling}`;
  return `impression on surface ${surface}${ad === undefined ? name : ` of the ad of impression ${ad}`}`;
}

function apart({ apartMs = 0 }: Extract<Command, { kind: "together" }>): string {
  return apartMs === 0 ? "at once" : `one every ${durationInWords(apartMs)}`;
}

function period({ from, to }: Extract<Command, { kind: "stats" }>): string {
  return `${from === undefined ? "" : ` from ${from}`}${to === undefined ? "" : ` to ${to}`}`;
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
  // JSON shows NaN and Infinity as null.
  if (typeof value === "number") return String(value);
  try {
    return jsonInWords(JSON.stringify(value) ?? String(value));
  } catch {
    // JSON has no bigints and no circular objects.
    return typeof value === "bigint" ? `${value}` : `an ${typeof value} that JSON can't show`;
  }
}

/** A long text is cut between two members. */
function jsonInWords(text: string): string {
  const line = oneLine(text, MAX_SHOWN);
  const end = text.length > MAX_SHOWN ? line.lastIndexOf(',"') : -1;
  return end < 0 ? line : `${line.slice(0, end)}, …`;
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
  return body === "" ? "" : ` ${jsonInWords(body)}`;
}

function faultInWords({ fault, served, got, operation }: Sent): string {
  if (fault === undefined) return "";
  const delay = fault.delayMs === 0 ? "" : `, delayed by ${durationInWords(fault.delayMs)}`;
  return ` (${fault.kind}, ${fault.rule}${delay}${didInWords()})`;

  function didInWords(): string {
    const [first, ...copies] = served;
    if (first === undefined) return ": the service did nothing";
    if (copies.length > 0) {
      const kind = operation === "click" ? "click" : "impression";
      return `: the service did it twice, as ${recordedIds({ served }, kind).join(" and ") || "nothing"}`;
    }
    return first === got ? "" : `: the service answered ${first.status}${bodyInWords(first)}`;
  }
}
