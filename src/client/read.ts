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
      : `The answer with ${status} isn't the one that the spec describes.`;
  const about = { ...unsaid, status, message, mayHaveApplied: reading.isPost };
  return { ok: false, error: { kind: "unreadable", ...about } };
}

const unsaid = { code: undefined, retryAfterMs: undefined };

/** Whether the request arrived, nobody knows, save where there was no connection. */
function unanswered(
  { response, stopped, cause, wasSent }: Exchanged,
  { isPost, timeoutMs, secret }: Reading<unknown>,
): ApiError {
  const { text, isUnsent } = described(cause);
  const mayHaveApplied = isPost && wasSent && !isUnsent;
  const about = { ...unsaid, status: response?.status, mayHaveApplied };
  if (stopped === undefined) {
    const message = `There was no answer: ${shown(text, secret)}`;
    return { kind: "unreachable", ...about, message, cause };
  }
  const inTime = `There was no whole answer within ${timeoutMs} ms.`;
  const message = stopped === "aborted" ? "The call was aborted." : inTime;
  return { kind: stopped, ...about, message };
}

function refusal(
  response: Response,
  text: string,
  { isPost, nowMs, secret }: Reading<unknown>,
): ApiError {
  const { status } = response;
  const { code, message = `The service answered ${status}.` } = saidBy(text);
  const about = {
    status,
    code,
    message: shown(message, secret),
    retryAfterMs: retryAfterMs(response, nowMs),
  };
  if (isLimit(response)) return { kind: "limited", ...about, mayHaveApplied: false };
  return {
    kind: status >= 500 || passing.has(status) ? "unavailable" : "refused",
    ...about,
    // Who answers 5xx may have done it before. 409 may be about this very event, of which a copy came first.
    mayHaveApplied: isPost && (status >= 500 || status === 409),
  };
}

/** 408 and 425 say that the request wasn't processed, and may come again (RFC 9110 §15.5.9, RFC 8470 §5.2). */
const passing: ReadonlySet<number> = new Set([408, 425]);

/** Node's fetch keeps the reason in its error's cause. Browsers don't tell. */
function described(cause: unknown): { readonly text: string; readonly isUnsent: boolean } {
  if (!(cause instanceof Error)) return { text: String(cause), isUnsent: false };
  const { message, cause: reason } = cause;
  if (!(reason instanceof Error)) return { text: message, isUnsent: false };
  const code = "code" in reason ? String(reason.code) : "";
  return { text: `${message} (${reason.message || code})`, isUnsent: unsent.test(code) };
}

/** There was no connection to send it over. */
const unsent = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;

function shown(message: string, secret: string): string {
  return message.replaceAll(secret, "…");
}
