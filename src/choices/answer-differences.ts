/** What differs between two answers to one request, in words. */

import { jsonIn } from "../base/parse-json.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { receivedOf } from "./answer.ts";
import { differenceOf, type Sides } from "./compare-answers.ts";

/** These say which assumptions or rules shaped an answer. They aren't the service's own. */
const ownHeaders: ReadonlySet<string> = new Set(["x-adsim-assumptions", "x-adsim-fault"]);

/** Whether two texts are one id in two formats. */
export type SameId = (left: string, right: string) => boolean;

/** Equal for equal answers. */
export function answerKey(response: ApiResponse): string {
  const { status, headers, body } = response;
  const fields = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  return JSON.stringify([status, fields.sort(), body, receivedOf(response)]);
}

/** A sentence for each difference of `now` from `before`, such as `status: 409 instead of 200`. */
export function differencesInWords(
  before: ApiResponse,
  now: ApiResponse,
  isSameId: SameId = () => false,
): readonly string[] {
  const found = differenceOf(before, now);
  const bodies =
    found?.body === undefined ? [] : bodyDifferences(before, now, found.body, isSameId);
  // The length of the body follows from the body.
  const fields = (found?.headers ?? []).filter(
    ({ name }) => name !== "content-length" || bodies.length === 0,
  );
  const [receivedBefore, receivedNow] = [receivedOf(before), receivedOf(now)];
  return [
    ...(found?.status === undefined ? [] : [line("status", now.status, before.status)]),
    ...(receivedBefore === receivedNow
      ? []
      : [`received: ${receivedNow} instead of ${receivedBefore}`]),
    ...fields.map(({ name, ...sides }) => sidesInWords(`header ${name}`, sides)),
    ...bodies,
  ];
}

function line(name: string, now: unknown, before: unknown): string {
  return `${name}: ${shown(now)} instead of ${shown(before)}`;
}

function sidesInWords(name: string, { recorded, now }: Sides): string {
  return line(name, now, recorded);
}

/** Longest shown value, in characters. */
const MAX_SHOWN = 80;

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Most differences of a body that are named. */
const MAX_NAMED = 20;

function bodyDifferences(
  before: ApiResponse,
  now: ApiResponse,
  asText: Sides,
  isSameId: SameId,
): readonly string[] {
  const [left, right] = [jsonIn(before.body), jsonIn(now.body)];
  if (!haveCommonMembers(left, right)) return [sidesInWords("body", asText)];
  const members: string[] = [];
  let hasOtherIds = false;
  compare(left, right, "body");
  if (hasOtherIds) members.unshift("body: ids in another format");
  if (members.length === 0) return ["body: the same members in another order"];
  const more = members.length - MAX_NAMED;
  return more > 0 ? [...members.slice(0, MAX_NAMED), `and ${more} more members`] : members;

  function compare(one: unknown, other: unknown, path: string): void {
    if (one === other) return;
    if (typeof one === "string" && typeof other === "string" && isSameId(one, other)) {
      hasOtherIds = true;
      return;
    }
    const isList = Array.isArray(one);
    if (!(isObject(one) && isObject(other)) || isList !== Array.isArray(other)) {
      members.push(line(path, other, one));
      return;
    }
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const inner = isList ? `${path}[${name}]` : `${path}.${name}`;
      compare(memberOf(one, name), memberOf(other, name), inner);
    }
  }
}

/** A success and an error have nothing in common, so comparing their members says nothing. */
function haveCommonMembers(left: unknown, right: unknown): boolean {
  if (!(isObject(left) && isObject(right))) return false;
  return Object.keys(left).some((name) => Object.hasOwn(right, name));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function memberOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
