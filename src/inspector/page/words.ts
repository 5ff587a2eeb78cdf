/** What happened, in words: for the rows, and the sentences that explain it in the panel. */

import { printable } from "../../base/text.ts";
import type { VerdictKind } from "../../faults/verdict.ts";
import type { Row } from "./contract.ts";

/** `wrong` is what went wrong for the client. */
type Tone = "good" | "quiet" | "again" | "refused" | "fault" | "wrong";

export interface Outcome {
  readonly tone: Tone;
  readonly sign: string;
  readonly words: string;
}

/** What a fault does, by its kind: how a row ends that the service got, and what the panel says. */
const faults: Readonly<Record<VerdictKind, readonly [ending: string, did: string]>> = {
  respond: ["but the fault answered", "answered in place of the service"],
  "lose-response": ["answer lost", "dropped the answer"],
  drop: ["answer lost", "kept the request from the service and closed the connection"],
  timeout: ["answer lost", "kept the request from the service, and no answer ever came"],
  reset: ["answer lost", "kept the request from the service and reset the connection"],
  empty: ["answer lost", "closed the connection without a byte"],
  truncate: ["answer cut off", "cut the answer off"],
  garbage: ["answer unreadable", "replaced the answer by random bytes"],
  "wrong-body": ["wrong answer", "changed the answer into a wrong one"],
  drip: ["answered slowly", "slowed the answer down"],
  duplicate: ["carried out twice", "let the service carry it out twice"],
  reorder: ["answered out of order", "sent later answers first"],
  delay: ["answered late", "delayed the answer"],
};

/** `first`: an earlier row about the same event. Status 0: the client got nothing. */
export function outcomeOf(row: Row, first: Row | undefined): Outcome {
  const { fault, status, effect } = row;
  const did = didOf(row);
  const ending = fault && faults[fault.kind][0];
  if (fault?.application === 2) return told("fault", "⚡", `carried out once more: ${did}`);
  if (fault?.served === false) {
    if (status === 0) return told("wrong", "⚡", "never reached the service, no answer");
    const tone = status >= 400 ? "wrong" : "fault";
    return told(tone, "⚡", "never reached the service: the fault answered");
  }
  if (fault?.received === "nothing") return told("wrong", "⚡", `${did}, answer lost`);
  if (fault?.received === "part" || fault?.kind === "wrong-body" || fault?.kind === "respond")
    return told("wrong", "⚡", `${did}, ${ending}`);
  if (status === 0) return told("wrong", "✕", `${did}, client had left`);
  if (effect === "refused") return told("refused", "⊘", did);
  if (effect === "suppressed")
    return told("again", "↻", first ? `duplicate of #${first.sequence}, not counted` : did);
  if (status >= 500) return told("wrong", "✕", "failed");
  if (effect === "applied" && first?.effect === "applied")
    return told("again", "↻", `counted again: the same event as #${first.sequence}`);
  if (fault !== undefined) return told("fault", "⚡", `${did}, ${ending}`);
  if (effect === "applied") return told("good", "✓", did);
  return told("quiet", "·", row.reason === "preflight" ? "asked by the browser first" : did);
}

function told(tone: Tone, sign: string, words: string): Outcome {
  return { tone, sign, words: printable(words) };
}

/** What the service did. Its reasons are words: recorded, read, duplicate, not counted. */
function didOf(row: Row): string {
  // The panel shows the other sentences of a refusal.
  if (row.effect === "refused") return `refused: ${refusalOf(row).replace(/\. .*$/s, "")}`;
  return row.effect === undefined ? "nothing done" : row.reason;
}

/** Why it was refused, to go on a sentence with, without a full stop. Names of parameters are lower case already. */
function refusalOf(row: Row): string {
  if (row.producedBy === "limit") return limitText(row);
  const text = row.detail ?? row.reason.replaceAll("_", " ");
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
}

function limitText(row: Row): string {
  const isRecording = row.limit === "recording";
  const what = isRecording ? "10,000 recordings a minute used up" : "60 reads a minute used up";
  const seconds = waitSeconds(row);
  return seconds === undefined ? what : `${what}, wait ${seconds} s`;
}

/** From `Retry-After`, which may be seconds or a date. */
function waitSeconds({ retryAfter = "", at }: Row): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const seconds = Math.ceil((Date.parse(retryAfter) - Date.parse(at)) / 1000);
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** Whether the row says all with its operation. */
export function isPlain({ tone, words }: Outcome): boolean {
  return tone === "quiet" || words === "recorded";
}

export function targetOf({ path, query }: Pick<Row, "path" | "query">): string {
  return query === "" ? path : `${path}?${query}`;
}

/** The operation as a word; what no operation is shows its request line. */
export function operationText(row: Row): string {
  return row.operation ?? printable(`${row.method} ${targetOf(row)}`);
}

/** What the request is about, in full. */
export function subjectsOf(row: Row): readonly string[] {
  const { operation, event = {}, query } = row;
  if (operation === undefined) return [];
  if (operation === "click") return [event.impression_id ?? ""];
  if (operation === "impression")
    return [event.surface, event.ad_id, event.session_id].map((id) => id ?? "");
  const asked = [...new URLSearchParams(query)].filter(([name]) => name !== "publisher_id");
  return asked.map(([name, value]) => `${name}=${value}`);
}

/** A long id without its middle. */
export function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}

/** An amount, exactly as the number prints. */
export function inr(amount: number): string {
  return `₹${amount}`;
}

/** The sentences with which the panel opens: what the service did, what a fault did, and what the client got. */
export function explanationOf(row: Row, first: Row | undefined): string {
  const { fault, status } = row;
  const sentences = [serviceSentence(row)];
  if (first !== undefined) sentences.push(`It is about the same event as #${first.sequence}.`);
  if (fault !== undefined) {
    const [, did] = faults[fault.kind];
    const delay = fault.delayMs ? ` (after ${fault.delayMs / 1000} s)` : "";
    sentences.push(`The fault ${fault.rule} ${did}${delay}.`);
  }
  if (fault?.application === 2) sentences.push("The client got the answer to the other one.");
  else if (status === 0) sentences.push("The client got no answer.");
  return printable(sentences.join(" "));
}

function serviceSentence(row: Row): string {
  const { effect, operation, creditInr } = row;
  switch (effect) {
    case "applied":
      return `The service recorded the ${operation}${creditInr === undefined ? "" : ` and credited ${inr(creditInr)}`}.`;
    case "suppressed":
      return "The service took it for a duplicate and counted nothing.";
    case "refused":
      return `The service refused it: ${refusalOf(row)}.`;
    case "read":
      return `The service read the ${operation}, and changed nothing.`;
    default:
      return "The service did nothing.";
  }
}
