/** Rebuilds a recorded request, and fills in the key, which recordings often don't show. */

import { fromBase64 } from "../../base/text.ts";
import type { RecordedEntry } from "../../journal/recorded-entry.ts";
import { REDACTED } from "../../journal/secrets.ts";
import type { RequestParts } from "../../spec/messages.ts";

export interface Keys {
  /** The key of the publisher that sent the request; undefined if unknown. */
  readonly own: string | undefined;
  /** Sent in place of every unknown key. */
  readonly given: string | undefined;
}

/** Whether the Authorization header has a redacted key. */
export function isKeyRedacted({ request }: RecordedEntry): boolean {
  return request.headers.authorization?.includes(REDACTED) === true;
}

/** Never valid, because real keys are longer. */
const UNKNOWN_KEY = "key_none";

/** The likeliest first. If there are several, none has a valid key, and all look the same in the journal. */
export function resendCandidatesOf(entry: RecordedEntry, keys: Keys): readonly RequestParts[] {
  const { method, path, query } = entry.request;
  const { authorization: _recorded, ...headers } = Object.fromEntries(
    Object.entries(entry.request.headers).filter(([, value]) => value !== REDACTED),
  );
  const body = bodyOf(entry.request);
  return authorizationsOf(entry, keys).map((authorization) => ({
    ...{ method, path, query, body },
    headers: authorization === undefined ? headers : { ...headers, authorization },
  }));
}

/** The bytes, if the text doesn't show them exactly. */
export function bodyOf<Body>(shown: {
  readonly body: Body;
  readonly bodyBase64?: string | undefined;
}): Body | Uint8Array {
  return shown.bodyBase64 === undefined ? shown.body : fromBase64(shown.bodyBase64);
}

/** Possible values of Authorization; undefined for no header. */
function authorizationsOf(entry: RecordedEntry, keys: Keys): readonly (string | undefined)[] {
  const { request, publisher, sequence, response } = entry;
  const recorded = request.headers.authorization;
  if (recorded === undefined) {
    // Browsers leave credentials out of exports. A request that really had none would have been refused.
    const wasLeftOut = sequence === undefined && response.status !== 401 && response.status !== 403;
    return [wasLeftOut && keys.given !== undefined ? `Bearer ${keys.given}` : undefined];
  }
  if (!isKeyRedacted(entry)) return [recorded];
  if (keys.own !== undefined) return [`Bearer ${keys.own}`];
  const isForeign = sequence === undefined;
  if (keys.given !== undefined && (publisher !== undefined || isForeign)) {
    return [`Bearer ${keys.given}`];
  }
  // An unknown key or a malformed header. The service answers them differently.
  return [`Bearer ${UNKNOWN_KEY}`, UNKNOWN_KEY];
}
