/** Answers that are well-formed and wrong: the service's own, changed in one way, or one made up for a request that it never got. */

import { isPlainObject } from "../base/input.ts";
import { utf8Length } from "../base/text.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { isEventKind, type OperationId } from "../spec/operations.ts";

export const wrongWays = [
  "ok-false",
  "missing-ok",
  "missing-id",
  "null-id",
  "empty-id",
  "id-as-number",
  "foreign-id",
  "missing-list",
  "empty-list",
  "short-list",
  "null-rows",
  "missing-numbers",
  "null-numbers",
  "numbers-as-text",
  "null-body",
  "status-202",
  "status-204",
] as const;

/** A way in which an answer can be wrong. */
export type WrongWay = (typeof wrongWays)[number];

/** With these, the answer to an event doesn't say that it is recorded. With the others, its client can't notice anything. */
export const unconfirmedWays: readonly WrongWay[] = [
  "ok-false",
  "missing-ok",
  "missing-id",
  "null-id",
  "empty-id",
  "id-as-number",
  "null-body",
  "status-202",
  "status-204",
];

/** How an answer is wrong. */
export interface Wrong {
  readonly wrong: WrongWay;
  /** Only members of this name are wrong. @default all that can be */
  readonly member?: string | undefined;
}

interface Way {
  /** What becomes of the body. */
  readonly change: (body: unknown, member: string | undefined) => unknown;
  /** Names of the members that can be wrong alone. */
  readonly members: readonly string[];
}

const kept = (body: unknown): unknown => body;

const ways: Readonly<Record<WrongWay, Way>> = {
  // The answers to reads have no `ok`.
  "ok-false": bodyAs((body) =>
    isPlainObject(body) && "ok" in body ? { ...body, ok: false } : { ok: false },
  ),
  "missing-ok": bodyAs((body) => (isPlainObject(body) ? { ...body, ok: undefined } : body)),
  "missing-id": idsAs(() => undefined),
  "null-id": idsAs(() => null),
  "empty-id": idsAs(() => ""),
  // Ids of digits become that number, as in a program that parses them.
  "id-as-number": idsAs((id) => Number(id) || 1),
  "foreign-id": idsAs(neighbourOf),
  "missing-list": listsAs(() => undefined),
  "empty-list": listsAs(() => []),
  "short-list": listsAs((list) => list.slice(0, -1)),
  "null-rows": listsAs((list) => list.map(() => null)),
  "missing-numbers": numbersAs(() => undefined),
  "null-numbers": numbersAs(() => null),
  "numbers-as-text": numbersAs(String),
  "null-body": bodyAs(() => null),
  "status-202": bodyAs(kept),
  "status-204": bodyAs(kept),
};

/** Names of the members that alone can be wrong in this way. */
export function membersWrongBy(wrong: WrongWay): readonly string[] {
  return ways[wrong].members;
}

/** Errors, and answers that have nothing of the kind, stay as they are. @returns the same object then. */
export function wrongAnswer(own: ApiResponse, how: Wrong): ApiResponse {
  if (own.status !== 200 || own.body === "") return own;
  const status = statusOf(how);
  const body = textOf(JSON.parse(own.body), how);
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
  how: Wrong,
): { readonly status: number; readonly body?: unknown } | undefined {
  if (!isEventKind(operation)) return undefined;
  const own = { ok: true, [`${operation}_id`]: "unknown-0", revenue_credited_inr: 0 };
  const text = textOf(own, how);
  const status = statusOf(how);
  if (text === undefined) return undefined;
  return text === "" ? { status } : { status, body: JSON.parse(text) };
}

function statusOf({ wrong }: Wrong): number {
  if (wrong === "status-202") return 202;
  return wrong === "status-204" ? 204 : 200;
}

/** Undefined if nothing changes. */
function textOf(body: unknown, { wrong, member }: Wrong): string | undefined {
  if (wrong === "status-204") return "";
  const before = JSON.stringify(body);
  const after = JSON.stringify(ways[wrong].change(body, member));
  return after === before && wrong !== "status-202" ? undefined : after;
}

function bodyAs(change: (body: unknown) => unknown): Way {
  return { change, members: [] };
}

function idsAs(change: (id: string) => unknown): Way {
  const members = ["id", "impression_id", "click_id", "publisher_id"];
  return membersAs(members, (value, name) =>
    members.includes(name) && typeof value === "string" ? change(value) : value,
  );
}

function listsAs(change: (list: readonly unknown[]) => unknown): Way {
  const members = ["surfaces", "payouts"];
  return membersAs(members, (value, name) =>
    members.includes(name) && Array.isArray(value) ? change(value) : value,
  );
}

/** Members that the spec doesn't list may be numbers, too. */
function numbersAs(change: (value: number) => unknown): Way {
  const members = [
    "revenue_credited_inr",
    "impressions",
    "clicks",
    "revenue_inr",
    "revenue",
    "cpm_range",
    "amount_inr",
    "pending_inr",
  ];
  return membersAs(members, (value) => (typeof value === "number" ? change(value) : value));
}

/** What becomes of a member. Undefined leaves it out. Elements of a list have the list's name. */
type Change = (value: unknown, name: string) => unknown;

/** Applies a change to all members, or to those of one name, the innermost first. */
function membersAs(members: readonly string[], change: Change): Way {
  const changed = (value: unknown, name: string, only: string | undefined): unknown => {
    const now = inside(value, name, only);
    return only === undefined || only === name ? change(now, name) : now;
  };
  const inside = (value: unknown, name: string, only: string | undefined): unknown => {
    if (Array.isArray(value)) {
      return value.map((one) => changed(one, name, only)).filter((one) => one !== undefined);
    }
    if (!isPlainObject(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([of, one]) => [of, changed(one, of, only)]));
  };
  return { change: (body, only) => inside(body, "", only), members };
}

/** The id with its last letter or digit replaced by another one. Part of an id is a checksum, so no event has the result. */
function neighbourOf(id: string): string {
  return id.replace(/[0-9a-z](?=[^0-9a-z]*$)/i, (last) => {
    if (last === "9") return "0";
    // A UUID has no letters after f.
    return /[fz]/i.test(last) ? "a" : String.fromCharCode(last.charCodeAt(0) + 1);
  });
}
