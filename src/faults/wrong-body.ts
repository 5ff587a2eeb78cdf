/** Answers that are well-formed and wrong: the service's own, changed in one way, or one made up for a request that it never got. */

import { utf8Length } from "../base/text.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { isEventKind, type OperationId } from "../spec/operations.ts";

/** Makes another body of a body, both in JSON. */
type Change = (body: string) => string;

const ids: readonly string[] = ["id", "impression_id", "click_id", "publisher_id"];
const lists: readonly string[] = ["surfaces", "payouts"];

const ways = {
  // The answers to reads have no `ok`.
  "ok-false": body((own) => ("ok" in own ? { ...own, ok: false } : { ok: false })),
  "missing-ok": body((own) => ({ ...own, ok: undefined })),
  "missing-id": everyId(() => undefined),
  "null-id": everyId(() => null),
  "empty-id": everyId(() => ""),
  // Ids of digits become that number, as in a program that parses them.
  "id-as-number": everyId((id) => Number(id) || 1),
  "foreign-id": everyId(neighbourOf),
  "missing-list": everyList(() => undefined),
  "empty-list": everyList(() => []),
  "short-list": everyList((list) => list.slice(0, -1)),
  "null-rows": everyList((list) => list.map(() => null)),
  "missing-numbers": everyNumber(() => undefined),
  "null-numbers": everyNumber(() => null),
  "numbers-as-text": everyNumber(String),
  "null-body": body(() => null),
  "status-202": body((own) => own),
  "status-204": () => "",
} as const satisfies Readonly<Record<string, Change>>;

/** A way in which an answer can be wrong. */
export type WrongWay = keyof typeof ways;

export const wrongWays = Object.keys(ways) as WrongWay[];

/** With these, the answer to an event doesn't say that it is recorded. With the others, its client can't notice anything. */
export const unconfirmedWays: readonly WrongWay[] = wrongWays.filter(
  (way) => !/^foreign-id$|list$|rows$|numbers/.test(way),
);

/** Errors, and answers that have nothing of the kind, stay as they are. @returns the same object then. */
export function wrongAnswer(own: ApiResponse, wrong: WrongWay): ApiResponse {
  if (own.status !== 200 || own.body === "") return own;
  const body = ways[wrong](own.body);
  const status = Number(/^status-(\d+)$/.exec(wrong)?.[1] ?? 200);
  if (status === 200 && body === JSON.stringify(JSON.parse(own.body))) return own;
  const { "content-type": _, "content-length": __, ...others } = own.headers;
  const whole = { ...own.headers, "content-length": String(utf8Length(body)) };
  return { status, headers: status === 204 ? others : whole, body };
}

/**
 * The answer to an event that the service doesn't record. Undefined if answers to this operation can't be wrong in this way,
 * and for operations that only read.
 */
export function unservedAnswer(
  operation: OperationId | undefined,
  wrong: WrongWay,
): { readonly status: number; readonly body?: unknown } | undefined {
  if (!isEventKind(operation)) return undefined;
  const members = { ok: true, [`${operation}_id`]: "unknown-0", revenue_credited_inr: 0 };
  const right: ApiResponse = { status: 200, headers: {}, body: JSON.stringify(members) };
  const { status, body } = wrongAnswer(right, wrong);
  if (status === 200 && body === right.body) return undefined;
  return body === "" ? { status } : { status, body: JSON.parse(body) };
}

function body(change: (own: Readonly<Record<string, unknown>>) => unknown): Change {
  return (own) => JSON.stringify(change(JSON.parse(own)));
}

function everyId(change: (id: string) => unknown): Change {
  return everyMember((value, name) =>
    ids.includes(name) && typeof value === "string" ? change(value) : value,
  );
}

function everyList(change: (list: readonly unknown[]) => unknown): Change {
  return everyMember((value, name) =>
    lists.includes(name) && Array.isArray(value) ? change(value) : value,
  );
}

function everyNumber(change: (value: number) => unknown): Change {
  return everyMember((value) => (typeof value === "number" ? change(value) : value));
}

/** Changes all members and elements, the innermost first. Undefined leaves one out. */
function everyMember(change: (value: unknown, name: string) => unknown): Change {
  // A list has a hole where an element was left out.
  const closed = (value: unknown) => (Array.isArray(value) ? value.filter(() => true) : value);
  return (own) => JSON.stringify(JSON.parse(own, (name, value) => change(closed(value), name)));
}

/** The id with its last letter or digit replaced by another one. Part of an id is a checksum, so no event has the result. */
function neighbourOf(id: string): string {
  return id.replace(/[0-9a-z](?=[^0-9a-z]*$)/i, (last) => {
    if (last === "9") return "0";
    // A UUID has no letters after f.
    return /[fz]/i.test(last) ? "a" : String.fromCharCode(last.charCodeAt(0) + 1);
  });
}
