/** What an answer says that isn't the spec's success: limit, pause, and an error body in whatever shape (spec §7, §8). */

/** An answer's head. */
type Head = Pick<Response, "status" | "headers">;

/** X-RateLimit-Remaining; undefined where the header isn't there, or isn't a count. */
export function remainingIn(headers: Headers): number | undefined {
  return countIn(headers, "x-ratelimit-remaining");
}

/** The spec leaves open what exceeding the limit answers (spec §8); it has every answer say how much is left. */
export function isRateLimited({ status, headers }: Head): boolean {
  if (status === 429) return true;
  return (status === 403 || status === 503) && remainingIn(headers) === 0;
}

/** How long to stay away, in milliseconds: Retry-After in seconds or as a date (RFC 9110 §10.2.3). */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const seconds = countIn(headers, "retry-after");
  if (seconds !== undefined) return seconds * 1000;
  const text = headers.get("retry-after") ?? "";
  const atMs = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** Engines read much as a date that isn't one, such as "-5". */
const DATE = / GMT$/;

function countIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name) ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

interface ErrorDetails {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/**
 * Problem details, `{ error: { code, message } }`, `{ error }`, `{ errors: [{ code, message }] }`, a page, a text, or
 * nothing.
 */
export function errorDetailsOf(text: string): ErrorDetails {
  const body = jsonOf(text);
  if (!isObject(body)) return { code: undefined, message: readable(text) };
  const [first] = Array.isArray(body.errors) ? body.errors : [body.error];
  const said: Record<string, unknown> = isObject(first)
    ? { ...body, ...first }
    : { message: first, ...body };
  const { code, type, message, detail, title } = said;
  return { code: textOf(code) ?? textOf(type), message: textOf(message ?? detail ?? title) };
}

/** Undefined of what isn't JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without a page's tags. Undefined where nothing is left. */
function readable(text: string): string | undefined {
  const shown = text.replace(/(<[^>]*>|\s)+/g, " ");
  return shown.trim().slice(0, LONGEST_MESSAGE) || undefined;
}

const LONGEST_MESSAGE = 300;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
