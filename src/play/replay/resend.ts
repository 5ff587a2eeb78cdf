/**
 * A recorded request as it is sent again. What the journal doesn't tell is filled in: a key in the place of a redacted
 * one, bytes in the place of those that are no text. Where several things look the same in a journal, all are offered.
 */

import { utf8Length } from "../../base/text.ts";
import type { RecordedExchange, RecordedRequest } from "../../journal/recorded-exchange.ts";
import { REDACTED } from "../../journal/secrets.ts";

export interface ResendCandidates {
  /** The likeliest first. Any of them would have left this request in the journal. */
  readonly choices: readonly [RecordedRequest, ...RecordedRequest[]];
  /** Whether trying one of them changes nothing, since none has a key that opens anything. */
  readonly areHarmless: boolean;
}

export interface Keys {
  /** Of the publisher that sent the request; undefined where nobody knows it. */
  readonly own: string | undefined;
  /** Stands in for every key that isn't known otherwise. */
  readonly given: string | undefined;
}

/** Whether only the publisher's own key makes it the same request again. */
export function isKeyRedacted({ request }: RecordedExchange): boolean {
  return request.headers.authorization?.includes(REDACTED) === true;
}

/** Opens nothing: a key is longer. */
const UNKNOWN_KEY = "key_none";
/** As long as a key, for it takes the place of one where it was no key but a name or a value. */
const STAND_IN = "key_0000000000000";

export function resendCandidatesOf(exchange: RecordedExchange, keys: Keys): ResendCandidates {
  const { request } = exchange;
  const authorizations = authorizationsOf(exchange, keys);
  const bodies = bodiesOf(request.body, request.headers["content-length"]);
  const choices = authorizations.flatMap((authorization) =>
    bodies.map((body) => {
      const { authorization: _recorded, ...others } = filledIn(request.headers);
      return {
        method: filled(request.method),
        path: filled(request.path),
        query: filled(request.query),
        headers: authorization === undefined ? others : { ...others, authorization },
        body,
      };
    }),
  );
  // There is at least one of either.
  const [first, ...rest] = choices as [RecordedRequest, ...RecordedRequest[]];
  return { choices: [first, ...rest], areHarmless: authorizations.length > 1 };
}

/** What may have stood in Authorization; undefined for nothing. */
function authorizationsOf(exchange: RecordedExchange, keys: Keys): readonly (string | undefined)[] {
  const { request, publisher, hasUnusualScheme, sequence, response } = exchange;
  const recorded = request.headers.authorization;
  const scheme = hasUnusualScheme ? "bearer" : "Bearer";
  if (recorded === undefined) {
    // Browsers leave credentials out of what they export. A request without any would have been refused.
    const wasLeftOut = sequence === undefined && response.status !== 401 && response.status !== 403;
    return [wasLeftOut && keys.given !== undefined ? `Bearer ${keys.given}` : undefined];
  }
  if (!isKeyRedacted(exchange)) return [recorded];
  if (keys.own !== undefined) return [`${scheme} ${keys.own}`];
  const isForeign = sequence === undefined;
  if (keys.given !== undefined && (publisher !== undefined || isForeign)) {
    return [`${scheme} ${keys.given}`];
  }
  // An unknown key, or none that could be read: the service answers in other words.
  const [unknown, odd, malformed] = [`Bearer ${UNKNOWN_KEY}`, `bearer ${UNKNOWN_KEY}`, UNKNOWN_KEY];
  return hasUnusualScheme ? [odd] : [unknown, malformed, odd];
}

const REPLACEMENT = "\ufffd";
const BYTE_ORDER_MARK = "\ufeff";

/** What may have been sent as a body that the journal shows as this text. */
function bodiesOf(
  shown: string | Uint8Array,
  announced: string | undefined,
): readonly (string | Uint8Array)[] {
  if (typeof shown !== "string") return [shown];
  const text = filled(shown);
  const all: (string | Uint8Array)[] = [text];
  if (text.includes(REPLACEMENT)) all.push(withBrokenBytes(text));
  // A decoder drops one such mark, so that there may have been two.
  if (text.startsWith(BYTE_ORDER_MARK)) all.push(`${BYTE_ORDER_MARK}${text}`);
  const fitting = all.filter((body) => String(lengthOf(body)) === announced);
  return fitting.length > 0 ? fitting : all;
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === "string" ? utf8Length(body) : body.length;
}

/** The text with a byte that UTF-8 doesn't have in each place where the journal shows that there was none it could read. */
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

function filled(text: string): string {
  return text.replaceAll(REDACTED, STAND_IN);
}

function filledIn(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [filled(name), filled(value)]),
  );
}
