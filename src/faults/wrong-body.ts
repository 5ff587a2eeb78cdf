/** Answers that are well-formed and wrong: the service's own, changed in one way, or one made up for a request that it never got. */

import { utf8Length } from "../base/text.ts";
import type { ApiResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";

export const wrongWays = [
  "ok-false",
  "missing-id",
  "null-id",
  "empty-id",
  "id-as-number",
  "foreign-id",
  "missing-list",
  "empty-list",
  "short-list",
  "null-numbers",
  "numbers-as-text",
  "status-202",
  "status-204",
] as const;

/** A way in which an answer can be wrong. */
export type WrongWay = (typeof wrongWays)[number];

/** With these, the answer to an event doesn't say that it is recorded. With the others, its client can't notice anything. */
export const unconfirmedWays: readonly WrongWay[] = [
  "ok-false",
  "missing-id",
  "null-id",
  "empty-id",
  "id-as-number",
  "status-202",
  "status-204",
];

/** What becomes of the body. */
const ways: Readonly<Record<WrongWay, (body: unknown) => unknown>> = {
  // The answers to reads have no `ok`.
  "ok-false": (body) => (isObject(body) && "ok" in body ? { ...body, ok: false } : { ok: false }),
  "missing-id": idsAs(() => undefined),
  "null-id": idsAs(() => null),
  "empty-id": idsAs(() => ""),
  // Ids of digits become that number, as in a program that parses them.
  "id-as-number": idsAs((id) => Number(id) || 1),
  "foreign-id": idsAs(neighbourOf),
  "missing-list": listsAs(() => undefined),
  "empty-list": listsAs(() => []),
  "short-list": listsAs((list) => list.slice(0, -1)),
  "null-numbers": numbersAs(() => null),
  "numbers-as-text": numbersAs(String),
  "status-202": (body) => body,
  "status-204": (body) => body,
};

/** Errors, and answers that have nothing of the kind, stay as they are. @returns the same object then. */
export function wrongAnswer(own: ApiResponse, wrong: WrongWay): ApiResponse {
  if (own.status !== 200 || own.body === "") return own;
  const status = statusOf(wrong);
  const body = textOf(JSON.parse(own.body), wrong);
  if (body === undefined) return own;
  const { "content-length": _length, "content-type": type = "", ...headers } = own.headers;
  const about = { "content-type": type, "content-length": String(utf8Length(body)) };
  return { ...own, status, headers: status === 204 ? headers : { ...about, ...headers }, body };
}

/**
 * The answer to an event that the service doesn't record. Undefined if answers to this operation can't be wrong in this way,
 * and for operations that only read.
 */
export function unservedAnswer(
  operation: OperationId | undefined,
  wrong: WrongWay,
): { readonly status: number; readonly body?: unknown } | undefined {
  if (operation !== "impression" && operation !== "click") return undefined;
  const own = { ok: true, [`${operation}_id`]: "unknown-0", revenue_credited_inr: 0 };
  const text = textOf(own, wrong);
  const status = statusOf(wrong);
  if (text === undefined) return undefined;
  return text === "" ? { status } : { status, body: JSON.parse(text) };
}

function statusOf(wrong: WrongWay): number {
  if (wrong === "status-202") return 202;
  return wrong === "status-204" ? 204 : 200;
}

/** Undefined if nothing changes. */
function textOf(body: unknown, wrong: WrongWay): string | undefined {
  if (wrong === "status-204") return "";
  const before = JSON.stringify(body);
  const after = JSON.stringify(ways[wrong](body));
  return after === before && statusOf(wrong) === 200 ? undefined : after;
}

/** What becomes of a member. Undefined leaves it out. Elements of lists have no name. */
type Change = (value: unknown, name: string) => unknown;

const ids: ReadonlySet<string> = new Set(["id", "impression_id", "click_id", "publisher_id"]);
const lists: ReadonlySet<string> = new Set(["surfaces", "payouts"]);

function idsAs(change: (id: string) => unknown): (body: unknown) => unknown {
  return changed((value, name) =>
    ids.has(name) && typeof value === "string" ? change(value) : value,
  );
}

function listsAs(change: (list: readonly unknown[]) => unknown): (body: unknown) => unknown {
  return changed((value, name) =>
    lists.has(name) && Array.isArray(value) ? change(value) : value,
  );
}

function numbersAs(change: (value: number) => unknown): (body: unknown) => unknown {
  return changed((value) => (typeof value === "number" ? change(value) : value));
}

/** Applies a change to all members, the innermost first. */
function changed(change: Change): (body: unknown) => unknown {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => change(inside(one), ""));
    if (!isObject(value)) return value;
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([name, one]) => [name, change(inside(one), name)]));
  };
  return inside;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The id with its last letter or digit replaced by another one. Ids have a check part, so nobody has that one. */
function neighbourOf(id: string): string {
  return id.replace(/[0-9a-z](?=[^0-9a-z]*$)/i, (last) => {
    if (last === "9") return "0";
    // A UUID has no letters after f.
    return /[fz]/i.test(last) ? "a" : String.fromCharCode(last.charCodeAt(0) + 1);
  });
}
