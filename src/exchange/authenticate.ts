/** API key to account (spec §5). Comes before everything but the route, and depends on the key alone. */

import type { Account } from "../accounts/account.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { headerOf } from "./headers.ts";
import { documented, type Refused, refused, type ShapedBy } from "./outcome.ts";
import { UsualImpressions } from "./usual-impressions.ts";

/** Whose key was sent. */
export interface KnownCaller {
  readonly kind: "caller";
  readonly account: Account;
  readonly shapedBy: ShapedBy;
  /** How its impressions mostly look. */
  readonly usual: UsualImpressions<Account>;
}

export type Caller = KnownCaller | Refused;

export interface Authenticator {
  /** Whose key was sent. The account is kept from now on. */
  callerOf(headers: Readonly<Record<string, string>>): Caller;
  /** The caller with this Authorization header, where it is spelt as usual and was right before. */
  knownBy(header: string | undefined): KnownCaller | undefined;
  /** The same to look at only: an account that nobody opened is made for it and forgotten. */
  glance(headers: Readonly<Record<string, string>>): Account | undefined;
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
  // Headers that were right before, and how often the key had been rotated: since then it may be another.
  const seen = new Map<string, { readonly caller: KnownCaller; readonly keySerial: number }>();
  function knownBy(header: string | undefined): KnownCaller | undefined {
    const known = header === undefined ? undefined : seen.get(header);
    if (known === undefined || known.caller.account.keySerial !== known.keySerial) return undefined;
    return known.caller;
  }
  function callerOf(headers: Readonly<Record<string, string>>): Caller {
    const header = headers.authorization ?? headerOf(headers, "authorization");
    if (header === undefined) return missing;
    const known = knownBy(header);
    if (known !== undefined) return known;
    const apiKey = scheme.exec(header.trim())?.[1];
    if (apiKey === undefined) return bearer.any.test(header.trim()) ? lowerCase : malformed;
    const isExact = bearer.exact.test(header.trim());
    const account = accounts.openByKey(apiKey);
    if (account === undefined) return isExact ? unknown : unknownInLowerCase;
    const shapedBy = isExact ? documented : lowerCase.shapedBy;
    const usual = new UsualImpressions(account);
    const caller: KnownCaller = { kind: "caller", account, shapedBy, usual };
    // Only the usual spelling: there are as many of those as accounts.
    if (header === `Bearer ${apiKey}`) {
      seen.set(header, { caller, keySerial: account.keySerial });
    }
    return caller;
  }
  return {
    callerOf,
    knownBy,
    glance(headers) {
      const header = headerOf(headers, "authorization") ?? "";
      const known = knownBy(header);
      if (known !== undefined) return known.account;
      const apiKey = scheme.exec(header.trim())?.[1];
      return apiKey === undefined ? undefined : accounts.peekByKey(apiKey);
    },
  };
}
