/** From what came over the wire to a result: what kind of failure it is, and whether the request may have been applied. */

import { isLimit, jsonOf, remainingIn, retryAfterMs, saidBy } from "./answer.ts";
import type { Exchanged } from "./exchange.ts";
import type { ApiError, Result } from "./result.ts";

export interface Reading<Value> {
  readonly isPost: boolean;
  readonly isAnswer: (value: unknown) => value is Value;
  readonly nowMs: number;
  /** Not for messages, whatever the service says. */
  readonly secret: string;
}

export function read<Value>(exchanged: Exchanged, reading: Reading<Value>): Result<Value> {
  const { response, text } = exchanged;
  // Success is 200 (spec §4).
  const value = response?.status === 200 && text !== undefined ? jsonOf(text) : undefined;
  if (response !== undefined && reading.isAnswer(value)) {
    return { ok: true, value, remaining: remainingIn(response.headers) };
  }
  const error = failure(exchanged, reading);
  const message = error.message.replaceAll(reading.secret, "…");
  return { ok: false, error: { ...error, message } };
}

function failure(exchanged: Exchanged, reading: Reading<unknown>): ApiError {
  const { response, text = "", stopped } = exchanged;
  if (response === undefined) return unanswered(exchanged, reading);
  const { status } = response;
  if (status < 200 || status >= 300) return refusal(response, text, reading);
  if (stopped !== undefined) return unanswered(exchanged, reading);
  const message = `The answer with ${status} isn't the spec's.`;
  return { kind: "unreadable", ...unsaid, status, message, mayHaveApplied: reading.isPost };
}

const unsaid = { code: undefined, retryAfterMs: undefined };

/** Whether the request arrived, nobody knows, save where there was no connection. */
function unanswered(
  { response, stopped, cause, wasSent }: Exchanged,
  { isPost }: Reading<unknown>,
): ApiError {
  // Node's fetch keeps the reason in its error's cause. Browsers don't tell.
  const { message, code }: Record<string, unknown> = Object(Object(cause).cause);
  const mayHaveApplied = isPost && wasSent && !unsent.test(String(code));
  const about = { ...unsaid, status: response?.status, mayHaveApplied };
  if (stopped !== undefined) {
    return { kind: stopped, ...about, message: `The call ended: ${stopped}.` };
  }
  const reason = message || code || "CORS?";
  return {
    kind: "unreachable",
    ...about,
    message: `There was no answer: ${cause} (${reason})`,
    cause,
  };
}

function refusal(response: Response, text: string, { isPost, nowMs }: Reading<unknown>): ApiError {
  const { status, headers } = response;
  const { code, message = `The service answered ${status}.` } = saidBy(text);
  const isOver = isLimit(response);
  // 408 and 425 say that it wasn't processed, and may come again (RFC 9110 §15.5.9, RFC 8470 §5.2).
  const isPassing = status >= 500 || status === 408 || status === 425;
  return {
    kind: isOver ? "limited" : isPassing ? "unavailable" : "refused",
    status,
    code,
    message,
    retryAfterMs: retryAfterMs(headers, nowMs),
    // Who answers 5xx may have done it before. 409 may be about this very event, of which a copy came first.
    mayHaveApplied: isPost && !isOver && (status >= 500 || status === 409),
  };
}

/** There was no connection to send it over. */
const unsent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/;
