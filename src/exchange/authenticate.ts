/** API key to account (spec §5). Comes before everything but the route, and depends on the key alone. */

import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import { BodyTemplates } from "./body-templates.ts";
import { headerOf } from "./headers.ts";
import { documented, type Refusal, refused, type ShapedBy } from "./operations/outcome.ts";

export type Caller =
  | { readonly kind: "caller"; readonly account: Account; readonly shapedBy: ShapedBy }
  | Refusal;

/** A header that was right before. */
interface KnownHeader {
  readonly header: string;
  readonly caller: Exclude<Caller, Refusal>;
  /** How often the key had been rotated: since then it may be another. */
  readonly keySerial: number;
  readonly templates: BodyTemplates<Account>;
}

export interface Authenticator {
  /** Whose key was sent. The account is kept from now on. */
  callerOf(headers: Readonly<Record<string, string>>): Caller;
  /** The same to look at only: an account that nobody opened is made for it and forgotten. */
  peek(headers: Readonly<Record<string, string>>): Account | undefined;
  /** The usual impressions of the caller with this Authorization header; undefined unless {@link callerOf} accepted it before. */
  templatesFor(header: string | undefined): BodyTemplates<Account> | undefined;
  /** The same for the caller that has this id, whose header it must be. */
  templatesOf(publisherId: unknown, header: string | undefined): BodyTemplates<Account> | undefined;
}

const bearer = {
  any: /^bearer +(\S+)$/i,
  exact: /^Bearer +(\S+)$/,
} satisfies Record<Choice<"auth.scheme-case">, RegExp>;

const missing = refused({
  code: "unauthorized",
  detail: "Send the API key of a publisher as a header: Authorization: Bearer <API_KEY>.",
});
const unknown = refused({
  code: "unauthorized",
  detail: "The API key is not, or no longer, the key of a publisher.",
});
const malformed = refused({
  code: "unauthorized",
  detail: "The Authorization header must be the word Bearer, a space and an API key.",
});
const lowerCase = refused(malformed.rejection, "auth.scheme-case");
const unknownInLowerCase = refused(unknown.rejection, "auth.scheme-case");

export function createAuthenticator(assumptions: Assumptions, accounts: Accounts): Authenticator {
  const scheme = bearer[assumptions["auth.scheme-case"]];
  // Of two headers that end alike the later one is kept, and the other one is looked up again.
  const byEnding = new Map<number, KnownHeader>();
  const byPublisher = new Map<unknown, KnownHeader>();
  const knownHeader = (header: string | undefined): KnownHeader | undefined =>
    header === undefined ? undefined : ifCurrent(byEnding.get(endingOf(header)), header);
  function callerOf(headers: Readonly<Record<string, string>>): Caller {
    const header = headers.authorization ?? headerOf(headers, "authorization");
    if (header === undefined) return missing;
    const known = knownHeader(header);
    if (known !== undefined) return known.caller;
    const apiKey = scheme.exec(header.trim())?.[1];
    if (apiKey === undefined) return bearer.any.test(header.trim()) ? lowerCase : malformed;
    const isExact = bearer.exact.test(header.trim());
    const account = accounts.openByKey(apiKey);
    if (account === undefined) return isExact ? unknown : unknownInLowerCase;
    const shapedBy = isExact ? documented : lowerCase.shapedBy;
    const caller: Caller = { kind: "caller", account, shapedBy };
    // Only the usual spelling: there are as many of those as accounts.
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
      const apiKey = scheme.exec(header.trim())?.[1];
      return apiKey === undefined ? undefined : accounts.peekByKey(apiKey);
    },
  };
}

/** What is known of the header that was sent, while its key is the publisher's. */
function ifCurrent(
  known: KnownHeader | undefined,
  header: string | undefined,
): KnownHeader | undefined {
  if (known === undefined || known.header !== header) return undefined;
  return known.caller.account.keySerial === known.keySerial ? known : undefined;
}

/**
 * The last six characters as a number; those of keys are 29 random bits. To find a text that was just put together among
 * others, an engine would read all of it first.
 */
function endingOf(header: string): number {
  let bits = 0;
  for (let at = Math.max(0, header.length - 6); at < header.length; at += 1) {
    bits = (bits << 5) ^ header.charCodeAt(at);
  }
  return bits;
}
