/** Finds the account of an API key (spec §5). Runs right after routing and reads nothing but the key. */

import type { Account } from "../world/accounts/account.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import { BodyTemplates } from "./body-templates.ts";
import { headerOf } from "./headers.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

export type Caller = { readonly kind: "caller"; readonly account: Account } | Refusal;

/** An Authorization header that was accepted before. */
interface KnownHeader {
  readonly header: string;
  readonly caller: Exclude<Caller, Refusal>;
  /** How often the key had been rotated then. If it has been rotated since, the header is no longer valid. */
  readonly keySerial: number;
  readonly templates: BodyTemplates<Account>;
}

export interface Authenticator {
  /** The account whose key was sent. Opens it. */
  callerOf(headers: Readonly<Record<string, string>>): Caller;
  /** The same for reading only: doesn't open the account. */
  peek(headers: Readonly<Record<string, string>>): Account | undefined;
  /** The caller's templates; undefined unless {@link callerOf} accepted this header before. */
  templatesFor(header: string | undefined): BodyTemplates<Account> | undefined;
  /** The same for the publisher with this id, if the header is that publisher's. */
  templatesOf(publisherId: unknown, header: string | undefined): BodyTemplates<Account> | undefined;
}

/** The scheme's name may be in any case (RFC 9110 §11.1). */
const bearer = /^bearer +(\S+)$/i;

const missing = refused({
  code: "unauthorized",
  detail: "Send the API key of a publisher as a header: Authorization: Bearer <API_KEY>.",
});
const unknown = refused({
  code: "unauthorized",
  detail: "The API key is unknown, or was replaced by a new one.",
});
const malformed = refused({
  code: "unauthorized",
  detail: "The Authorization header must be the word Bearer, a space and an API key.",
});

export function createAuthenticator(accounts: Accounts): Authenticator {
  // If two headers end alike, the later one replaces the other, which is then looked up again.
  const byEnding = new Map<number, KnownHeader>();
  const byPublisher = new Map<unknown, KnownHeader>();
  const knownHeader = (header: string | undefined): KnownHeader | undefined =>
    header === undefined ? undefined : ifCurrent(byEnding.get(endingOf(header)), header);
  function callerOf(headers: Readonly<Record<string, string>>): Caller {
    const header = headerOf(headers, "authorization");
    if (header === undefined) return missing;
    const known = knownHeader(header);
    if (known !== undefined) return known.caller;
    const apiKey = bearer.exec(header.trim())?.[1];
    if (apiKey === undefined) return malformed;
    const account = accounts.openByKey(apiKey);
    if (account === undefined) return unknown;
    const caller: Caller = { kind: "caller", account };
    // Caches only the usual spelling, so that there is at most one header per account.
    if (header === `Bearer ${apiKey}`) {
      const templates = new BodyTemplates(account);
      const { keySerial } = account;
      const known: KnownHeader = { header, caller, keySerial, templates };
      byEnding.set(endingOf(header), known);
      byPublisher.set(account.id, known);
    }
    return caller;
  }
  return {
    callerOf,
    templatesFor: (header) => knownHeader(header)?.templates,
    templatesOf: (publisherId, header) =>
      ifCurrent(byPublisher.get(publisherId), header)?.templates,
    peek(headers) {
      const header = headerOf(headers, "authorization") ?? "";
      const known = knownHeader(header);
      if (known !== undefined) return known.caller.account;
      const apiKey = bearer.exec(header.trim())?.[1];
      return apiKey === undefined ? undefined : accounts.peekByKey(apiKey);
    },
  };
}

/** The cached header if it is the one that was sent and its key is still valid. */
function ifCurrent(
  known: KnownHeader | undefined,
  header: string | undefined,
): KnownHeader | undefined {
  if (known === undefined || known.header !== header) return undefined;
  return known.caller.account.keySerial === known.keySerial ? known : undefined;
}

/**
 * The last six characters as a number; in a key they have 29 random bits. Cheaper than the text itself as a map key: to hash
 * a text that is new to it, an engine reads all of it.
 */
function endingOf(header: string): number {
  let bits = 0;
  for (let at = Math.max(0, header.length - 6); at < header.length; at += 1) {
    bits = (bits << 5) ^ header.charCodeAt(at);
  }
  return bits;
}
