/**
 * Turns decisions into responses: status, headers, body text. Every response has X-RateLimit-Remaining (spec §8). Under
 * `response.form=evolved` it adds fields that the spec doesn't list, and changes the order of the keys.
 */

import { formatHttpDate } from "../base/calendar.ts";
import { isPlainObject } from "../base/input.ts";
import { deriveKey, drawsFrom, type NextDraw, textKey } from "../base/random.ts";
import { utf8Length } from "../base/text.ts";
import type { Injected } from "../faults/plan.ts";
import type { Choice } from "../spec/assumptions/catalogue.ts";
import { errorBodies, statusesOf } from "../spec/errors.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { challengeOf, successTypeOf } from "../spec/responses.ts";
import type { Refusal } from "./operations/outcome.ts";
import type { ShapedBy } from "./shaped-by.ts";
import type { World } from "./world.ts";

type Headers = Readonly<Record<string, string>>;

/** What the headers of every response say. */
interface ResponseFacts {
  /** How many more requests the limit admits now. */
  readonly remaining: number;
  readonly nowMs: number;
  /** Undefined for an answer that the service didn't decide. */
  readonly shapedBy?: ShapedBy | undefined;
  /** CORS headers, if a page of another origin may read the response. */
  readonly forPage: Headers | undefined;
}

const retryAfter = {
  seconds: (waitMs) => String(Math.ceil(waitMs / 1000)),
  "http-date": (waitMs, nowMs) => formatHttpDate(nowMs + waitMs),
  absent: () => undefined,
} satisfies Record<Choice<"limit.retry-after">, (waitMs: number, nowMs: number) => unknown>;

export type Responder = ReturnType<typeof createResponder>;

/** @param variesByOrigin Whether answers depend on the origin of a request. */
export function createResponder(
  { seed, assumptions, explain }: Pick<World, "seed" | "assumptions" | "explain">,
  variesByOrigin: boolean,
) {
  const successType = successTypeOf(assumptions);
  const errorBody = errorBodies[assumptions["errors.body"]];
  const evolve = assumptions["response.form"] === "evolved" ? createEvolver(seed) : undefined;
  const hintOf = retryAfter[assumptions["limit.retry-after"]];
  const challenge = challengeOf(assumptions);
  const statuses = statusesOf(assumptions);

  /** Adds the headers of every response. */
  function withCommon(
    headers: Record<string, string>,
    { remaining, nowMs, shapedBy, forPage }: ResponseFacts,
  ): Record<string, string> {
    headers["x-ratelimit-remaining"] = String(remaining);
    headers.date = dateOf(nowMs);
    // Also for requests without an origin: a cache must not give their answer to a page.
    if (variesByOrigin) headers.vary = "Origin";
    if (forPage !== undefined) Object.assign(headers, forPage);
    if (explain && shapedBy !== undefined) {
      headers["x-adsim-assumptions"] = shapedBy.join(", ") || "documented";
    }
    return headers;
  }

  let latest = { second: Number.NaN, date: "" };
  /** Written once a second, since many answers have the same date. */
  function dateOf(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    if (second !== latest.second) latest = { second, date: formatHttpDate(second * 1000) };
    return latest.date;
  }

  return {
    success(done: object, facts: ResponseFacts): ApiResponse {
      const body = JSON.stringify(evolve === undefined ? done : evolve(done));
      return { status: 200, headers: withCommon(contentOf(successType, body), facts), body };
    },
    refusal(refusal: Refusal, facts: ResponseFacts): ApiResponse {
      const { code, methods, waitMs } = refusal;
      const status = statuses[code];
      const body = errorBody.write(refusal, status);
      const headers = withCommon(contentOf(errorBody.contentType, body), facts);
      if (methods !== undefined) headers.allow = methods.join(", ");
      const wait = waitMs === undefined ? undefined : hintOf(waitMs, facts.nowMs);
      if (wait !== undefined) headers["retry-after"] = wait;
      if (code === "unauthorized" && challenge) headers["www-authenticate"] = challenge;
      return { status, headers, body };
    },
    /** The answer of a fault rule, whose own headers override all others. */
    injected({ status, headers: own = {}, body: given }: Injected, facts: ResponseFacts) {
      const body = typeof given === "string" ? given.toWellFormed() : (JSON.stringify(given) ?? "");
      const type = typeof given === "string" ? "text/plain" : "application/json";
      // A 204 must not have a length; with 304 it would be that of a body that isn't sent (RFC 9110 §8.6).
      const hasLength = status !== 204 && status !== 304;
      const content = hasLength ? contentOf(given === undefined ? undefined : type, body) : {};
      const headers = withCommon(content, facts);
      for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value;
      return { status, headers, body };
    },
    /** The answer to a preflight that allows the page's request. */
    preflight(facts: ResponseFacts): ApiResponse {
      return { status: 204, headers: withCommon({}, facts), body: "" };
    },
  };
}

function contentOf(type: string | undefined, body: string): Record<string, string> {
  const length = { "content-length": String(utf8Length(body)) };
  return type === undefined ? length : { "content-type": type, ...length };
}

/** The response to HEAD: the headers of GET without a body. */
export function withoutBody(response: ApiResponse): ApiResponse {
  return { ...response, body: "" };
}

type Member = readonly [name: string, value: unknown];

/** The members that every object gets, and those of the outermost one. */
const inner: readonly Member[] = [
  ["x_note", "A field that the specification does not list"],
  ["x_reserved", null],
];
const outermost: readonly Member[] = [...inner, ["x_context", { source: "adsim" }]];

/** The seed and the body itself decide the order. */
function createEvolver(seed: string): (body: object) => unknown {
  const orderKey = deriveKey(seed, "key-order");
  return (body) => {
    const draw = drawsFrom(textKey(orderKey, JSON.stringify(body)));
    return evolved(body, outermost, draw);
  };
}

function evolved(value: unknown, added: readonly Member[], draw: NextDraw): unknown {
  if (Array.isArray(value)) return value.map((item) => evolved(item, added, draw));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).map(
    ([name, member]): Member => [name, evolved(member, inner, draw)],
  );
  return Object.fromEntries(shuffled([...members, ...added], members.length, draw));
}

/** Any order but the documented one: the first `documented` members are never in their usual order relative to each other. */
function shuffled(
  members: readonly Member[],
  documented: number,
  draw: NextDraw,
): readonly Member[] {
  const places = members.map((_, place) => place);
  for (let last = places.length - 1; last > 0; last -= 1) swap(places, last, draw(last + 1));
  // A single documented member has no order, so the order of all members counts.
  const decisive = documented > 1 ? documented : places.length;
  const isUsual = places.filter((place) => place < decisive).every((place, at) => place === at);
  if (isUsual) swap(places, places.indexOf(0), places.indexOf(1));
  return places.flatMap((place) => members.slice(place, place + 1));
}

function swap(places: number[], one: number, other: number): void {
  const before = places[one] ?? 0;
  places[one] = places[other] ?? 0;
  places[other] = before;
}
