/** From what came over the wire to a result: what kind of failure it is, and whether the request may have been applied. */

import { isLimit, jsonOf, remainingIn, retryAfterMs, saidBy } from "./answer.ts";
import type { Exchanged } from "./exchange.ts";
import type { ApiError, Result } from "./result.ts";

export interface Reading<Value> {
  readonly isPost: boolean;
  readonly isAnswer: (value: unknown) => value is Value;
  readonly nowMs: number;
  readonly timeoutMs: number;
  /** Not for messages, whatever the service says. */
  readonly secret: string;
}

export function read<Value>(exchanged: Exchanged, reading: Reading<Value>): Result<Value> {
  const { response, text, stopped } = exchanged;
  const isSuccess = response !== undefined && response.status >= 200 && response.status < 300;
  if (response === undefined || (isSuccess && stopped !== undefined)) {
    return { ok: false, error: unanswered(exchanged, reading) };
  }
  const { status, headers } = response;
  if (!isSuccess) return { ok: false, error: refusal(response, text ?? "", reading) };
  // Success is 200 (spec §4).
  const value = status === 200 && text !== undefined ? jsonOf(text) : undefined;
  if (reading.isAnswer(value)) return { ok: true, value, remaining: remainingIn(headers) };
  const message =
    text === undefined
      ? "The answer broke off."
      : `The body of the answer with ${status} isn't the one that the spec describes.`;
  const unknown = { code: undefined, retryAfterMs: undefined, mayHaveApplied: reading.isPost };
  return { ok: false, error: { kind: "unreadable", status, message, ...unknown } };
}

/** Whether the request arrived, nobody knows. */
function unanswered(
  { response, stopped, cause, wasSent }: Exchanged,
  { isPost, timeoutMs, secret }: Reading<unknown>,
): ApiError {
  const status = response?.status;
  const about = { status, code: undefined, retryAfterMs: undefined };
  const mayHaveApplied = isPost && wasSent;
  if (stopped === undefined) {
    const message = `There was no answer: ${shown(describe(cause), secret)}`;
    return { kind: "unreachable", ...about, message, mayHaveApplied, cause };
  }
  const message =
    stopped === "aborted"
      ? `The call was aborted${wasSent ? "" : " before it was sent"}.`
      : `There was no whole answer within ${timeoutMs} ms.`;
  return { kind: stopped, ...about, message, mayHaveApplied };
}

function refusal(
  response: Response,
  text: string,
  { isPost, nowMs, secret }: Reading<unknown>,
): ApiError {
  const { status, headers } = response;
  const said = saidBy(text);
  const about = {
    status,
    code: said.code,
    message: shown(said.message ?? `The service answered ${status}.`, secret),
    retryAfterMs: retryAfterMs({ status, headers }, nowMs),
  };
  if (isLimit({ status, headers })) return { kind: "limited", ...about, mayHaveApplied: false };
  const isUnavailable = status >= 500 || passing.has(status);
  return {
    kind: isUnavailable ? "unavailable" : "refused",
    ...about,
    // Who answers 5xx may have done it before. 409 may be about this very event, of which a copy came first.
    mayHaveApplied: isPost && (status >= 500 || status === 409),
  };
}

/** 408 and 425 say that the request wasn't processed, and may come again (RFC 9110 §15.5.9, RFC 8470 §5.2). */
const passing: ReadonlySet<number> = new Set([408, 425]);

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // Node's fetch keeps the reason there.
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}

function shown(message: string, secret: string): string {
  return message.replaceAll(secret, "…");
}
