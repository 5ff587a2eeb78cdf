/**
 * Parses the JSON of a snapshot account by account, and lets other requests run in between. It refuses text that can't be a
 * snapshot, such as millions of empty objects, before parsing it.
 */

import { InputError } from "../base/input.ts";
import { endOfString, repeatedMember } from "../base/repeated-members.ts";
import type { Work } from "../spec/work.ts";
import { jsonInBody, jsonInSlices } from "./input.ts";

/** Deeper than anything in a snapshot. */
const MAX_DEPTH = 32;
/** Most characters outside strings in one account: its days, buckets and counts. Events are in strings. */
const MAX_ACCOUNT_SYNTAX = 1024 * 1024;
/** Most members of one account. Parsing many names takes long. */
const MAX_ACCOUNT_MEMBERS = 10_000;
/** Every account has more. Without this check, a body could hold millions of tiny accounts to be refused one by one. */
const MIN_ACCOUNT_SYNTAX = 64;
const NO_ACCOUNT = "is not an account as adsim saves it";
/** Most characters outside strings in the rest of the snapshot: mainly the counts of fault rules. */
const MAX_HEAD_SYNTAX = 2 * 1024 * 1024;
/** Most objects, lists and members there. */
const MAX_HEAD_PARTS = 200_000;
/** Most characters of the rest of the snapshot, with the bodies of fault rules. */
const MAX_HEAD_CHARACTERS = 20 * 1024 * 1024;
/** Steps between two yields. A string is one step, because it is searched and not walked. */
const YIELD_EVERY = 262_144;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

/** @throws InputError for anything but a JSON object. */
export function* parseSnapshotJson(text: string): Work<object> {
  const list = yield* findAccounts(text);
  const { from, to, commas } = list ?? { from: 0, to: 0, commas: [] };
  checkSize(text.length - (to - from), MAX_HEAD_CHARACTERS, "body");
  const head = yield* jsonInSlices(text.slice(0, from) + text.slice(to), MAX_HEAD_PARTS);
  if (list === undefined) return head;
  const accounts: unknown[] = [];
  const isEmpty = commas.length === 0 && text.slice(from, to).trim() === "";
  for (const [index, end] of isEmpty ? [] : [...commas, to].entries()) {
    yield;
    const begin = index === 0 ? from : (commas[index - 1] ?? 0) + 1;
    accounts.push(accountIn(text.slice(begin, end), index));
  }
  return { ...head, accounts };
}

/** Only parses: the snapshot's schema checks the content. */
function accountIn(text: string, index: number): unknown {
  const account = jsonInBody(text);
  const repeated = repeatedMember(text);
  if (repeated === undefined) return account;
  throw new InputError(`accounts.${index}.${repeated}`, "is in the body more than once");
}

/** Positions of the list of accounts: after its opening bracket, at its closing one, and of the commas in between. */
interface AccountListSpan {
  readonly from: number;
  readonly to: number;
  readonly commas: readonly number[];
}

function* findAccounts(text: string): Work<AccountListSpan | undefined> {
  const commas: number[] = [];
  let from: number | undefined;
  let to: number | undefined;
  let depth = 0;
  let steps = 0;
  let headSyntax = 0;
  let accountSyntax = 0;
  let accountMembers = 0;
  let name = "";
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    steps += 1;
    if (steps % YIELD_EVERY === 0) yield;
    if (from === undefined || to !== undefined) headSyntax += 1;
    else accountSyntax += 1;
    checkSize(headSyntax, MAX_HEAD_SYNTAX, "body");
    checkSize(accountSyntax, MAX_ACCOUNT_SYNTAX, `accounts.${commas.length}`);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end === -1) throw new InputError("body", "must be valid JSON");
      if (depth === 1) name = text.slice(at + 1, Math.min(end, at + 20));
      at = end;
    } else if (code === COLON) {
      if (from !== undefined && to === undefined) accountMembers += 1;
      checkSize(accountMembers, MAX_ACCOUNT_MEMBERS, `accounts.${commas.length}`);
    } else if ((code | 0x20) === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new InputError("body", `nests more than ${MAX_DEPTH} deep`);
      if (depth === 2 && code === 0x5b && name === "accounts") from ??= at + 1;
    } else if ((code | 0x20) === 0x7d) {
      depth -= 1;
      if (depth === 1 && from !== undefined) to ??= at;
    } else if (code === COMMA && depth === 2 && from !== undefined && to === undefined) {
      if (accountSyntax < MIN_ACCOUNT_SYNTAX)
        throw new InputError(`accounts.${commas.length}`, NO_ACCOUNT);
      commas.push(at);
      accountSyntax = 0;
      accountMembers = 0;
    }
  }
  return from === undefined || to === undefined ? undefined : { from, to, commas };
}

function checkSize(size: number, maximum: number, field: string): void {
  if (size <= maximum) return;
  throw new InputError(field, "is larger than in any snapshot of adsim", "too-much");
}
