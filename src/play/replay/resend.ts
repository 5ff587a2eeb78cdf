/**
 * Rebuilds a recorded request. It fills in what the journal doesn't show: the key, and bytes that aren't text. If several
 * requests would look the same in a journal, it offers all of them.
 */

import { utf8Length } from "../../base/text.ts";
import type { RecordedExchange, RecordedRequest } from "../../journal/recorded-exchange.ts";
import { REDACTED } from "../../journal/secrets.ts";

export interface ResendCandidates {
  /** The likeliest first. Each would look the same in the journal. */
  readonly choices: readonly [RecordedRequest, ...RecordedRequest[]];
  /** Whether all can be tried without effect, because none has a valid key. */
  readonly areHarmless: boolean;
}

export interface Keys {
  /** The key of the publisher that sent the request; undefined if unknown. */
  readonly own: string | undefined;
  /** Sent in place of every unknown key. */
  readonly given: string | undefined;
}

/** Whether the Authorization header has a redacted key. */
export function isKeyRedacted({ request }: RecordedExchange): boolean {
  return request.headers.authorization?.includes(REDACTED) === true;
}

/** Never valid, because real keys are longer. */
const UNKNOWN_KEY = "key_none";

export function resendCandidatesOf(exchange: RecordedExchange, keys: Keys): ResendCandidates {
  const { request } = exchange;
  const authorizations = authorizationsOf(exchange, keys);
  const bodies = bodiesOf(request.body, request.headers["content-length"]);
  const choices = authorizations.flatMap((authorization) =>
    bodies.map((body) => {
      const { authorization: _recorded, ...others } = sendableHeaders(request.headers);
      return {
        method: request.method,
        path: request.path,
        query: request.query,
        headers: authorization === undefined ? others : { ...others, authorization },
        body,
      };
    }),
  );
  // Both lists have at least one element.
  const [first, ...rest] = choices as [RecordedRequest, ...RecordedRequest[]];
  return { choices: [first, ...rest], areHarmless: authorizations.length > 1 };
}

/** Possible values of Authorization; undefined for no header. */
function authorizationsOf(exchange: RecordedExchange, keys: Keys): readonly (string | undefined)[] {
  const { request, publisher, sequence, response } = exchange;
  const recorded = request.headers.authorization;
  if (recorded === undefined) {
    // Browsers leave credentials out of exports. A request that really had none would have been refused.
    const wasLeftOut = sequence === undefined && response.status !== 401 && response.status !== 403;
    return [wasLeftOut && keys.given !== undefined ? `Bearer ${keys.given}` : undefined];
  }
  if (!isKeyRedacted(exchange)) return [recorded];
  if (keys.own !== undefined) return [`Bearer ${keys.own}`];
  const isForeign = sequence === undefined;
  if (keys.given !== undefined && (publisher !== undefined || isForeign)) {
    return [`Bearer ${keys.given}`];
  }
  // An unknown key or a malformed header. The service answers them differently.
  return [`Bearer ${UNKNOWN_KEY}`, UNKNOWN_KEY];
}

const REPLACEMENT = "\ufffd";
const BYTE_ORDER_MARK = "\ufeff";

/** Possible bodies behind the text that the journal shows. */
function bodiesOf(
  shown: string | Uint8Array,
  announced: string | undefined,
): readonly (string | Uint8Array)[] {
  if (typeof shown !== "string") return [shown];
  const all: (string | Uint8Array)[] = [shown];
  if (shown.includes(REPLACEMENT)) all.push(withBrokenBytes(shown));
  // A decoder drops one byte order mark, so there may have been two.
  if (shown.startsWith(BYTE_ORDER_MARK)) all.push(`${BYTE_ORDER_MARK}${shown}`);
  const fitting = all.filter((body) => String(lengthOf(body)) === announced);
  return fitting.length > 0 ? fitting : all;
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === "string" ? utf8Length(body) : body.length;
}

/** The text with an invalid UTF-8 byte in place of each replacement character. */
function withBrokenBytes(text: string): Uint8Array {
  const encoder = new TextEncoder();
  const pieces = text.split(REPLACEMENT).map((piece) => encoder.encode(piece));
  const bytes = new Uint8Array(
    pieces.reduce((sum, { length }) => sum + length, pieces.length - 1),
  ).fill(0xff);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length + 1;
  }
  return bytes;
}

/** Without those that the recording only shows as redacted. */
function sendableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== REDACTED));
}
