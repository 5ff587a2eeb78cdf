/** Says what is wrong with how a key was sent, and whose it may be. Never reveals its characters. */

import { shownName } from "../../base/text.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import type { JournalRecord } from "../../journal/record.ts";
import type { Account } from "../../world/accounts/account.ts";
import type { Lookup } from "./lookup.ts";
import { compareWithId, firstSimilar, withoutWrapping } from "./similarity.ts";

export interface NearestKey {
  readonly sent: string;
  /** The account whose key it may be. */
  readonly account: Account | undefined;
}

export function nearestKey(record: JournalRecord, lookup: Lookup): NearestKey {
  const header = headerOf(record.headers, "authorization")?.trim();
  if (header === undefined || header === "") return findKeyElsewhere(record, lookup, header);
  const bearer = /^bearer(?:(?![\w-])|(?=key_))[:=]?\s*(.*)$/is.exec(header);
  if (bearer === null) return withoutBearer(header, lookup);
  const sentKey = bearer[1]?.trim() ?? "";
  if (sentKey === "") {
    return { sent: "Authorization: Bearer without a key", account: undefined };
  }
  if (/,\s*bearer\s/i.test(sentKey)) {
    const [first = ""] = sentKey.split(",");
    const account = findKeyOwner(first, lookup)?.account;
    return { sent: "two Authorization headers, joined by a comma", account };
  }
  const owner = lookup.byKey(sentKey);
  if (owner === undefined) return describeWrongKey(sentKey, lookup);
  if (/^Bearer +\S/.test(header)) {
    return {
      sent: "Authorization: Bearer with an API key that wasn't valid yet",
      account: owner,
    };
  }
  const how = /^Bearer/.test(header)
    ? "and an API key without a single space between them"
    : `in the wrong case (${header.slice(0, "bearer".length)}) with an API key`;
  return { sent: `Authorization: Bearer ${how}`, account: owner };
}

/** Without the header, a key may have been sent elsewhere. */
function findKeyElsewhere(
  { query, headers, body }: JournalRecord,
  lookup: Lookup,
  header: string | undefined,
): NearestKey {
  const none = header === undefined ? "no Authorization header" : "an empty Authorization header";
  const fields = [
    ...Array.from(new URLSearchParams(query), (field) => ["query", ...field] as const),
    ...Object.entries(headers).map((field) => ["header", ...field] as const),
  ];
  for (const [part, name, value] of fields) {
    const found = keyIn(name, value, lookup);
    if (found === undefined) continue;
    const where = part === "query" ? `query (${shownName(name)})` : `header ${shownName(name)}`;
    return { sent: `${none}, and an API key in the ${where}`, account: found.account };
  }
  const inBody = typeof body === "string" ? KEY.exec(body)?.[0] : undefined;
  if (inBody !== undefined) {
    const account = findKeyOwner(inBody, lookup)?.account;
    return { sent: `${none}, and an API key in the body`, account };
  }
  return { sent: none, account: undefined };
}

const KEY = /key_[0-9a-z]{13}/i;
const KEY_NAME =
  /^(?:x-)?(?:api[-_]?key|key|(?:access|auth|api)?[-_]?token|bearer|authorization)$/i;

/** Recognises a key by its form, or by the name of its parameter or header. */
function keyIn(
  name: string,
  value: string,
  lookup: Lookup,
): { readonly account: Account | undefined } | undefined {
  const key = KEY.exec(value)?.[0];
  if (key !== undefined) return { account: findKeyOwner(key, lookup)?.account };
  return KEY_NAME.test(name) && value !== "" ? { account: undefined } : undefined;
}

const KNOWN_SCHEMES = /^(?:basic|token|digest|api-?key|key|oauth|jwt|negotiate|hawk)$/i;

/** The header has another scheme, or none. */
function withoutBearer(header: string, lookup: Lookup): NearestKey {
  const [scheme = "", ...others] = header.split(/[\s:=]+/);
  const found = findKeyOwner(KEY.exec(header)?.[0] ?? withoutWrapping(header), lookup);
  const inBasic = /^basic$/i.test(scheme) ? KEY.exec(fromBase64(others[0] ?? ""))?.[0] : undefined;
  const account = found?.account ?? (inBasic === undefined ? undefined : lookup.byKey(inBasic));
  if (KNOWN_SCHEMES.test(scheme) && others.length > 0) {
    return { sent: `Authorization with the scheme ${scheme}`, account };
  }
  const what = found === undefined ? "something else" : "only a key";
  return { sent: `Authorization with ${what}, without the word Bearer`, account };
}

function fromBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

/** A key after Bearer that belongs to no account. */
function describeWrongKey(sentKey: string, lookup: Lookup): NearestKey {
  const named = (what: string, account?: Account): NearestKey => ({
    sent: `Authorization: Bearer with ${what}`,
    account,
  });
  const found = findKeyOwner(sentKey, lookup);
  if (found !== undefined) return named(`an API key that ${found.how}`, found.account);
  const publisher = lookup.byId(withoutWrapping(sentKey));
  if (publisher !== undefined) return named("a publisher_id in place of the API key", publisher);
  if (/^(?:undefined|null|none|nan|\[object object\])$/i.test(sentKey)) {
    return named(`the word ${sentKey.slice(0, "[object Object]".length)} in place of the API key`);
  }
  if (/^<.*>$|^\$|your/i.test(sentKey)) return named("a placeholder in place of the API key");
  const parts = lookup.world.ids.apiKey.decode(sentKey);
  if (parts !== undefined) {
    return named(
      `the API key of a publisher that this world doesn't have (number ${parts.publisher})`,
    );
  }
  return named("an API key unlike any in this world: it is made up, or from another seed");
}

/** The account whose key it is or was, or whose key it resembles. */
function findKeyOwner(
  sentKey: string,
  lookup: Lookup,
): { readonly account: Account | undefined; readonly how: string } | undefined {
  const { ids } = lookup.world;
  const bare = withoutWrapping(sentKey);
  for (const text of [sentKey, bare, bare.toLowerCase()]) {
    const parts = ids.apiKey.decode(text);
    const account = parts && lookup.account(parts.publisher);
    if (parts === undefined || account === undefined) continue;
    if (parts.serial < account.keySerial) return { account, how: "was rotated away" };
    if (parts.serial > account.keySerial) {
      return { account, how: "was issued before the world was reset or restored" };
    }
    if (text === sentKey) return { account, how: "is valid now" };
  }
  const alike = firstSimilar(compareWithId(sentKey), lookup.publishers, ({ apiKey }) => apiKey);
  return alike && { account: lookup.account(alike.candidate.ordinal), how: alike.how };
}
