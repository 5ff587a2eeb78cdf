/** Turns a response into a result: the kind of failure, and whether the request may have been applied. */

import {
  errorDetailsOf,
  isRateLimited,
  jsonOf,
  remainingIn,
  retryAfterMs,
} from "./error-response.ts";
import type { FetchOutcome } from "./fetch-with-timeout.ts";
import type { ApiError, Result } from "./result.ts";

export interface CallContext<Value> {
  readonly isPost: boolean;
  readonly isAnswer: (value: unknown) => value is Value;
  readonly nowMs: number;
  /** The API key, which is removed from messages even if the service sends it. */
  readonly secret: string;
}

export function resultOf<Value>(
  exchanged: FetchOutcome,
  context: CallContext<Value>,
): Result<Value> {
  const { response, text } = exchanged;
  // Success is 200 (spec §4).
  const value = response?.status === 200 && text !== undefined ? jsonOf(text) : undefined;
  if (response !== undefined && context.isAnswer(value)) {
    return { ok: true, value, remaining: remainingIn(response.headers) };
  }
  const error = failure(exchanged, context);
  const message = error.message.replaceAll(context.secret, "…");
  return { ok: false, error: { ...error, message } };
}

function failure(exchanged: FetchOutcome, context: CallContext<unknown>): ApiError {
  const { response, text = "", stopped } = exchanged;
  if (response === undefined) return unanswered(exchanged, context);
  const { status } = response;
  if (status < 200 || status >= 300) return refusal(response, text, context);
  if (stopped !== undefined) return unanswered(exchanged, context);
  const message = `The body of the ${status} response isn't what the spec describes.`;
  return { kind: "unreadable", ...noDetails, status, message, mayHaveApplied: context.isPost };
}

const noDetails = { code: undefined, retryAfterMs: undefined };

/** The request may have arrived, unless there was no connection. */
function unanswered(
  { response, stopped, cause, wasSent }: FetchOutcome,
  { isPost }: CallContext<unknown>,
): ApiError {
  // Node's fetch puts the reason into its error's cause. Browsers give none.
  const { message, code }: Record<string, unknown> = Object(Object(cause).cause);
  const mayHaveApplied = isPost && wasSent && !NOT_CONNECTED.test(String(code));
  const about = { ...noDetails, status: response?.status, mayHaveApplied };
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

function refusal(
  response: Response,
  text: string,
  { isPost, nowMs }: CallContext<unknown>,
): ApiError {
  const { status, headers } = response;
  const { code, message = `The service answered ${status}.` } = errorDetailsOf(text);
  const isOver = isRateLimited(response);
  // 408 and 425: the request wasn't processed and may be repeated (RFC 9110 §15.5.9, RFC 8470 §5.2).
  const isTemporary = status >= 500 || status === 408 || status === 425;
  return {
    kind: isOver ? "limited" : isTemporary ? "unavailable" : "refused",
    status,
    code,
    message,
    retryAfterMs: retryAfterMs(headers, nowMs),
    // A service may fail with 5xx after it applied the request. A 409 may mean that an earlier copy of it was applied.
    mayHaveApplied: isPost && !isOver && (status >= 500 || status === 409),
  };
}

/** Error codes of a connection that was never made. */
const NOT_CONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/;
