/** API key to account (spec §5). Comes before everything but the route, and depends on the key alone. */

import type { Account } from "../accounts/account.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { headerOf } from "./headers.ts";
import { type Refused, refused } from "./outcome.ts";

export type Caller = { readonly kind: "caller"; readonly account: Account } | Refused;

export type Authenticator = (headers: Readonly<Record<string, string>>) => Caller;

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

export function createAuthenticator(assumptions: Assumptions, accounts: Accounts): Authenticator {
  const scheme = bearer[assumptions["auth.scheme-case"]];
  return (headers) => {
    const header = headerOf(headers, "authorization");
    if (header === undefined) return missing;
    const exact = header.startsWith("Bearer ") ? header.slice(7) : undefined;
    const account = exact === undefined ? undefined : accounts.openByKey(exact);
    if (account !== undefined) return { kind: "caller", account };
    // Other spacing and, if it may be, other case.
    const key = scheme.exec(header.trim())?.[1];
    if (key === undefined) return malformed;
    const respelled = accounts.openByKey(key);
    return respelled === undefined ? unknown : { kind: "caller", account: respelled };
  };
}
