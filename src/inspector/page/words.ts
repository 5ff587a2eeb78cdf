/** What happened, in words: one table for the rows, and the sentence that explains it in the panel. */

import { printable } from "../../base/text.ts";
import { errorKinds } from "../../spec/errors.ts";
import type { Row } from "./contract.ts";

/** `wrong` is what went wrong for the client. */
export type Tone = "good" | "quiet" | "again" | "refused" | "fault" | "wrong";

export interface Outcome {
  readonly tone: Tone;
  readonly sign: string;
  readonly words: string;
}

interface Told {
  readonly row: Row;
  /** What the service did, such as `recorded`. */
  readonly did: string;
  /** An earlier row about the same event. */
  readonly first: Row | undefined;
}

type Line = readonly [
  tone: Tone,
  sign: string,
  isSo: (told: Told) => unknown,
  words: (told: Told) => string,
];

/** The first line that is so counts. Status 0: the client got nothing. */
const outcomes: readonly Line[] = [
  [
    "fault",
    "⚡",
    ({ row }) => row.fault?.application === 2,
    ({ did }) => `carried out once more by the fault: ${did}`,
  ],
  [
    "wrong",
    "⚡",
    ({ row }) => isKept(row) && row.status === 0,
    () => "never reached the service, no answer",
  ],
  [
    "wrong",
    "⚡",
    ({ row }) => isKept(row) && row.status >= 400,
    () => "never reached the service: the fault answered",
  ],
  ["fault", "⚡", ({ row }) => isKept(row), () => "never reached the service: the fault answered"],
  [
    "wrong",
    "⚡",
    ({ row }) => row.fault?.received === "nothing",
    ({ did }) => `${did}, answer lost`,
  ],
  [
    "wrong",
    "⚡",
    ({ row }) => row.fault?.received === "part",
    ({ did, row }) =>
      `${did}, ${row.fault?.kind === "truncate" ? "answer cut off" : "answer unreadable"}`,
  ],
  [
    "wrong",
    "⚡",
    ({ row }) => row.fault?.kind === "wrong-body",
    ({ did }) => `${did}, wrong answer`,
  ],
  [
    "wrong",
    "⚡",
    ({ row }) => row.fault?.kind === "respond",
    ({ did }) => `${did}, but the fault answered`,
  ],
  ["wrong", "✕", ({ row }) => row.status === 0, ({ did }) => `${did}, client had left`],
  [
    "refused",
    "⊘",
    ({ row }) => row.producedBy === "limit",
    ({ row }) => `refused: ${limitText(row)}`,
  ],
  [
    "again",
    "↻",
    ({ row }) => row.effect === "suppressed",
    ({ first }) => `duplicate${first ? ` of #${first.sequence}` : ""}, not counted`,
  ],
  ["refused", "⊘", ({ row }) => row.effect === "refused", ({ did }) => did],
  ["wrong", "✕", ({ row }) => row.status >= 500, () => "failed"],
  [
    "again",
    "↻",
    ({ row, first }) => row.effect === "applied" && first?.effect === "applied",
    ({ first }) => `counted again: the same event as #${first?.sequence}`,
  ],
  [
    "fault",
    "⚡",
    ({ row }) => row.fault,
    ({ did, row }) => `${did}, ${lateWords[row.fault?.kind ?? ""] ?? "fault"}`,
  ],
  [
    "again",
    "✓",
    ({ row }) => row.effect === "applied" && row.reason !== "recorded",
    ({ row }) => row.reason,
  ],
  ["good", "✓", ({ row }) => row.effect === "applied", () => "recorded"],
  ["quiet", "·", ({ row }) => row.effect === "read", () => "read"],
  [
    "quiet",
    "·",
    () => true,
    ({ row }) => (row.reason === "preflight" ? "asked by the browser first" : row.reason),
  ],
];

const lateWords: Readonly<Record<string, string>> = {
  delay: "answered late",
  drip: "answered slowly",
  reorder: "answered out of order",
  duplicate: "carried out twice",
};

const dids: Readonly<Record<string, string>> = {
  applied: "recorded",
  suppressed: "duplicate, not counted",
  read: "read",
};

/** A rule kept it from the service. */
function isKept({ fault }: Row): boolean {
  return fault?.served === false;
}

export function outcomeOf(row: Row, first: Row | undefined): Outcome {
  const did =
    dids[row.effect ?? ""] ?? (row.effect === "refused" ? refusedText(row) : "nothing done");
  const told = { row, did, first };
  const line = outcomes.find(([, , isSo]) => isSo(told));
  if (line === undefined) return { tone: "quiet", sign: "·", words: row.reason };
  const [tone, sign, , words] = line;
  return { tone, sign, words: printable(words(told)) };
}

function refusedText(row: Row): string {
  return row.producedBy === "limit"
    ? `refused: ${limitText(row)}`
    : `refused: ${lowered(firstSentence(row.detail ?? titleOf(row)))}`;
}

function titleOf({ reason }: Pick<Row, "reason">): string {
  const kinds: Readonly<Record<string, { readonly title: string }>> = errorKinds;
  const title = Object.hasOwn(kinds, reason) ? kinds[reason]?.title : undefined;
  return title ?? reason;
}

/** The panel shows the others. */
function firstSentence(text: string): string {
  return text.replace(/\.( .*)?$/s, "");
}

/** A sentence goes on with it. Names of parameters are lower case already. */
function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function limitText(row: Row): string {
  const { limit, retryAfter } = row;
  const what =
    limit === "recording" ? "10,000 recordings a minute used up" : "60 reads a minute used up";
  const seconds = waitSeconds(row);
  return seconds === undefined || retryAfter === undefined ? what : `${what}, wait ${seconds} s`;
}

/** From `Retry-After`, which may be seconds or a date. */
function waitSeconds({ retryAfter, at }: Row): number | undefined {
  if (retryAfter === undefined) return undefined;
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
  return row.operation ?? `${printable(row.method)} ${printable(targetOf(row))}`;
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

const SHORT = 14;

/** A long id without its middle. */
export function shortId(id: string): string {
  return id.length <= SHORT ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}

/** An amount, exactly as the number prints. */
export function inr(amount: number): string {
  return `₹${amount}`;
}

/** Such as `60 s` or `2 ms` of real time. */
function msText(ms: number): string {
  return ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`;
}

const effects: Readonly<Record<string, (row: Row) => string>> = {
  applied: ({ operation, creditInr }) =>
    `The service recorded the ${operation}${creditInr === undefined ? "" : ` and credited ${inr(creditInr)}`}.`,
  suppressed: () => "The service took it for a duplicate and counted nothing.",
  refused: (row) =>
    `The service refused it: ${printable(row.producedBy === "limit" ? limitText(row) : lowered(titleOf(row)))}.`,
  read: ({ operation }) => `The service read the ${operation}, and changed nothing.`,
};

/** What a fault did, by its kind. */
const faultDid: Readonly<Record<string, string>> = {
  respond: "answered in place of the service",
  "lose-response": "dropped the answer",
  drop: "kept the request from the service and closed the connection",
  timeout: "kept the request from the service, and no answer ever came",
  reset: "kept the request from the service and reset the connection",
  empty: "kept the request from the service and closed the connection without a byte",
  truncate: "cut the answer off",
  garbage: "replaced the answer by random bytes",
  "wrong-body": "changed the answer into a wrong one",
  drip: "slowed the answer down",
  duplicate: "let the service carry it out twice",
  reorder: "sent later answers first",
  delay: "delayed the answer",
};

/** The explanation with which the panel opens: what the service did, what a fault did, and what the client got. */
export function explanationOf(row: Row, first: Row | undefined): string {
  const { fault, status, effect } = row;
  const service = effect === undefined ? undefined : effects[effect]?.(row);
  const again = first === undefined ? "" : ` It is about the same event as #${first.sequence}.`;
  const detail =
    effect === "refused" && row.detail !== undefined ? ` ${printable(row.detail)}` : "";
  const delay = fault?.delayMs ? ` after ${msText(fault.delayMs)}` : "";
  const acted =
    fault === undefined
      ? ""
      : ` The fault ${fault.rule} ${faultDid[fault.kind] ?? "acted"}${delay}.`;
  const got =
    status === 0
      ? fault?.application === 2
        ? " The client got the answer to the other one."
        : " The client got no answer."
      : "";
  return `${service ?? "The service did nothing."}${detail}${again}${acted}${got}`;
}
