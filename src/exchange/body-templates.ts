/**
 * Recognises the usual bodies of one publisher's impressions. Up to the ad, each surface has a single possible prefix, so
 * one comparison replaces parsing and look-ups. Ad and session are hashed in place.
 */

import { TextHash } from "../base/text-hash.ts";
import type { Account } from "../world/accounts/account.ts";
import type { DedupInput } from "./operations/impression.ts";

/** The contents of a recognised body: an impression of the owner, on one of the owner's surfaces. */
export interface RecognisedImpression<Owner = Account> {
  readonly account: Owner;
  /** The index of the surface among the account's. */
  readonly surfaceIndex: number;
  /** Undefined if no session was sent. */
  readonly dedupInput: DedupInput | undefined;
}

/** A body that was given as an object. */
export type Members = Readonly<Record<string, unknown>>;

/** The ids of a publisher that a body contains. */
interface Named {
  readonly id: string;
  readonly surfaces: readonly { readonly id: string }[];
}

/** The prefix of all bodies about one surface, up to the value of `ad_id`. */
interface BodyPrefix {
  readonly text: string;
  readonly surfaceIndex: number;
  /** The last two characters of the surface's id. They differ more often than the first ones. */
  readonly tail: number;
}

/** The prefixes in one spelling. Surface ids have the same length, so they all end at the same index. */
interface Spelling {
  readonly surfaceEnd: number;
  readonly openings: readonly BodyPrefix[];
  /** The text between ad and session in two pieces, because V8 slices and compares up to 12 characters quickly. */
  readonly between: readonly [string, string];
}

export class BodyTemplates<Owner extends Named> {
  readonly #owner: Owner;
  #compact: Spelling | undefined;
  #spaced: Spelling | undefined;

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  /** Undefined for a body that has to be parsed. */
  read(body: string): RecognisedImpression<Owner> | undefined {
    const spelling = this.#spellingOf(body);
    const opening = openingOf(body, spelling);
    if (opening === undefined) return undefined;
    const account = this.#owner;
    const { surfaceIndex, text } = opening;
    const end = body.length - CLOSING.length;
    const adTo = scratchHash.takePlain(body, text.length);
    if (adTo === text.length || body.slice(end) !== CLOSING) return undefined;
    if (adTo === end) return { account, surfaceIndex, dedupInput: undefined };
    const ad = body.slice(text.length, adTo);
    const [first, second] = spelling.between;
    const middle = adTo + first.length;
    const sessionFrom = middle + second.length;
    if (body.slice(adTo, middle) !== first || body.slice(middle, sessionFrom) !== second)
      return undefined;
    const sessionTo = scratchHash.takePlain(body, sessionFrom);
    if (sessionTo === sessionFrom || sessionTo !== end) return undefined;
    const dedupInput = { ad, session: body.slice(sessionFrom, sessionTo) };
    return { account, surfaceIndex, dedupInput };
  }

  /** The same for an object. @throws whatever a getter of the object throws. */
  readMembers(members: Members): RecognisedImpression<Owner> | undefined {
    const { publisher_id, surface, ad_id, session_id } = members;
    const account = this.#owner;
    if (publisher_id !== account.id || !isUsual(members, session_id !== undefined))
      return undefined;
    const surfaceIndex = account.surfaces.findIndex(({ id }) => id === surface);
    if (surfaceIndex === -1 || !hashIfPlain(ad_id)) return undefined;
    if (session_id === undefined) return { account, surfaceIndex, dedupInput: undefined };
    if (!hashIfPlain(session_id)) return undefined;
    const dedupInput = { ad: ad_id, session: session_id };
    return { account, surfaceIndex, dedupInput };
  }

  #spellingOf(body: string): Spelling {
    if (body.charCodeAt(FIRST_SPACE) !== SPACE) {
      this.#compact ??= spellingOf(this.#owner, "");
      return this.#compact;
    }
    this.#spaced ??= spellingOf(this.#owner, " ");
    return this.#spaced;
  }
}

const SPACE = 0x20;
/** The index where Python's JSON has a space and JavaScript's hasn't. */
const FIRST_SPACE = '{"publisher_id":'.length;
const CLOSING = '"}';
/** A body with longer values has to be parsed: written as JSON with escapes, it may be too long. */
const MAX_CHARACTERS = 1000;

/** Shared scratch, never retained. */
const scratchHash = new TextHash();

/** `space` follows each colon and comma. */
function spellingOf({ id, surfaces }: Named, space: "" | " "): Spelling {
  const head = `{"publisher_id":${space}"${id}",${space}"surface":${space}"`;
  const openings = surfaces.map(({ id: surface }, surfaceIndex): BodyPrefix => {
    const text = `${head}${surface}",${space}"ad_id":${space}"`;
    return { text, surfaceIndex, tail: tailOf(surface, surface.length) };
  });
  const surfaceEnd = head.length + (surfaces[0]?.id.length ?? 0);
  return { surfaceEnd, openings, between: [`",${space}"session`, `_id":${space}"`] };
}

function openingOf(body: string, { openings, surfaceEnd }: Spelling): BodyPrefix | undefined {
  const tail = tailOf(body, surfaceEnd);
  for (const opening of openings) {
    // Much faster than `startsWith`.
    if (opening.tail === tail && body.slice(0, opening.text.length) === opening.text) {
      return opening;
    }
  }
  return undefined;
}

function tailOf(text: string, end: number): number {
  return (text.charCodeAt(end - 2) << 16) | text.charCodeAt(end - 1);
}

/** Whether the object's JSON has exactly the members of an impression, with unchanged values. */
function isUsual(members: Members, hasSession: boolean): boolean {
  if (Object.getPrototypeOf(members) !== Object.prototype || "toJSON" in members) return false;
  let listed = 0;
  for (const name in members) {
    if (name === "session_id" ? !hasSession : !isRequired(name)) return false;
    listed += 1;
  }
  return listed === (hasSession ? 4 : 3);
}

function isRequired(name: string): boolean {
  return name === "publisher_id" || name === "surface" || name === "ad_id";
}

/** Hashes a non-empty text of plain characters. @returns whether the value is one. */
function hashIfPlain(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.length > MAX_CHARACTERS) return false;
  return scratchHash.takePlain(value, 0) === value.length;
}
