/** What an answer says that isn't the spec's success: limit, pause, and an error body in whatever shape (spec §7, §8). */

/** An answer's head. */
type Head = Pick<Response, "status" | "headers">;

/** X-RateLimit-Remaining; undefined where the header isn't there, or isn't a count. */
export function remainingIn(headers: Headers): number | undefined {
  return countIn(headers, "x-ratelimit-remaining");
}

/** The spec leaves open what exceeding the limit answers (spec §8); it has every answer say how much is left. */
export function isLimit({ status, headers }: Head): boolean {
  if (status === 429) return true;
  return (status === 403 || status === 503) && remainingIn(headers) === 0;
}

/**
 * How long to stay away, in milliseconds: Retry-After in seconds or as a date (RFC 9110 §10.2.3).
 *
 * Of a refusal by the limit, else the time until quota is back: RateLimit's `t` or X-RateLimit-Reset, which holds seconds
 * from now or since 1970.
 */
export function retryAfterMs(answer: Head, nowMs: number): number | undefined {
  const { headers } = answer;
  const seconds = countIn(headers, "retry-after");
  if (seconds !== undefined) return seconds * 1000;
  const atMs = Date.parse(DATE.exec(headers.get("retry-after") ?? "")?.[0] ?? "");
  if (!Number.isNaN(atMs)) return Math.max(0, atMs - nowMs);
  if (!isLimit(answer)) return undefined;
  const left = /;\s*t=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
  if (left !== undefined) return Number(left) * 1000;
  const reset = countIn(headers, "x-ratelimit-reset");
  if (reset === undefined) return undefined;
  return reset < SINCE_1970 ? reset * 1000 : Math.max(0, reset * 1000 - nowMs);
}

/** Engines read much as a date that isn't one, such as "-5". */
const DATE = /^[a-z]{3}.* gmt$/i;

/** Thirty years in seconds: nobody is to wait so long, and 1970 is longer ago. */
const SINCE_1970 = 1_000_000_000;

function countIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)?.trim() ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

interface Said {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/**
 * Problem details, `{ error: { code, message } }`, `{ error }`, `{ errors: [{ code, message }] }`, a page, a text, or
 * nothing.
 */
export function saidBy(text: string): Said {
  const body = jsonOf(text);
  if (!isObject(body)) return { code: undefined, message: readable(text) };
  const [first] = Array.isArray(body.errors) ? body.errors : [body.error];
  if (typeof first === "string") return { code: textOf(body.code), message: first };
  const entry = isObject(first) ? first : body;
  return {
    code: textOf(entry.code) ?? textOf(entry.type),
    message: textOf(entry.message) ?? textOf(entry.detail) ?? textOf(entry.title),
  };
}

/** Undefined of what isn't JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A page without its head and markup. Undefined where nothing is left. */
function readable(text: string): string | undefined {
  const shown = text.replace(/<(head|style|script)\b.*?<\/\1>|<[^>]*>/gis, " ");
  return shown.replace(/\s+/g, " ").trim().slice(0, LONGEST_MESSAGE) || undefined;
}

const LONGEST_MESSAGE = 300;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
