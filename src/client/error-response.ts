/** Reads what an error response says: limit, pause, and an error body of unknown shape (spec §7, §8). */

type Head = Pick<Response, "status" | "headers">;

/** X-RateLimit-Remaining; undefined if the header is missing or isn't a count. */
export function remainingIn(headers: Headers): number | undefined {
  return countIn(headers, "x-ratelimit-remaining");
}

/** The spec doesn't say how a service answers above the limit, but every response has X-RateLimit-Remaining (spec §8). */
export function isRateLimited({ status, headers }: Head): boolean {
  if (status === 429) return true;
  return (status === 403 || status === 503) && remainingIn(headers) === 0;
}

/**
 * The pause that Retry-After asks for, in seconds or as a date (RFC 9110 §10.2.3). The date is by the service's clock, which
 * Date shows, unless a page may not read it.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const seconds = countIn(headers, "retry-after");
  if (seconds !== undefined) return seconds * 1000;
  const waitMs = instantIn(headers, "retry-after") - (instantIn(headers, "date") || nowMs);
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** NaN if the header is missing or isn't an HTTP date. `Date.parse` accepts much more, such as "-5". */
function instantIn(headers: Headers, name: string): number {
  const text = headers.get(name) ?? "";
  return / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}

function countIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name) ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

interface ErrorDetails {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/**
 * Understands problem details, `{ error: { code, message } }`, `{ error }`, `{ errors: [{ code, message }] }`, HTML, plain
 * text and an empty body.
 */
export function errorDetailsOf(text: string): ErrorDetails {
  const body = jsonOf(text);
  if (!isObject(body)) return { code: undefined, message: readable(text) };
  const [first] = Array.isArray(body.errors) ? body.errors : [body.error];
  const fields: Record<string, unknown> = isObject(first)
    ? { ...body, ...first }
    : { message: first, ...body };
  const { code, type, message, detail, title } = fields;
  return { code: textOf(code) ?? textOf(type), message: textOf(message ?? detail ?? title) };
}

/** The parsed text; undefined if it isn't JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text without HTML tags; undefined if nothing is left. */
function readable(text: string): string | undefined {
  const shown = text.replace(/(<[^>]*>|\s)+/g, " ");
  return shown.trim().slice(0, 300) || undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
