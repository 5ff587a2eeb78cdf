/**
 * How one publisher's impressions mostly look. Their bodies begin alike up to the ad, in one way for each of its surfaces:
 * one comparison, and nothing to cut out and look up. Ad and session are hashed where they stand.
 */

import { TextHash } from "../base/text-hash.ts";
import type { Account } from "../world/accounts/account.ts";
import type { DedupInput } from "../world/ledger/fingerprint.ts";

/** What the body of an impression says: it is the owner's, on a surface of its own. */
export interface RecognisedImpression<Owner = Account> {
  readonly account: Owner;
  /** Place of the surface among the account's. */
  readonly surfaceIndex: number;
  /** Undefined where no session was sent. */
  readonly dedupInput: DedupInput | undefined;
}

/** A body that is given as an object. */
export type Members = Readonly<Record<string, unknown>>;

/** Whose ids a body names. */
interface Named {
  readonly id: string;
  readonly surfaces: readonly { readonly id: string }[];
}

/** How the bodies about one surface begin, up to the value of `ad_id`. */
interface BodyPrefix {
  readonly text: string;
  readonly surfaceIndex: number;
  /** The last two characters of the surface: ids begin alike. */
  readonly tail: number;
}

/** The bodies in one spelling. Ids of one kind are of one length, so that the surface ends at one place. */
interface Spelling {
  readonly surfaceEnd: number;
  readonly openings: readonly BodyPrefix[];
  /** What stands between ad and session, in two pieces: an engine is quick to cut out and compare up to 12 characters. */
  readonly between: readonly [string, string];
}

export class BodyTemplates<Owner extends Named> {
  readonly #owner: Owner;
  #compact: Spelling | undefined;
  #spaced: Spelling | undefined;

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  /** Undefined for a body that has to be read in full. */
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
    const { a: adA, b: adB } = scratchHash;
    const [first, second] = spelling.between;
    const middle = adTo + first.length;
    const sessionFrom = middle + second.length;
    if (body.slice(adTo, middle) !== first || body.slice(middle, sessionFrom) !== second)
      return undefined;
    const sessionTo = scratchHash.takePlain(body, sessionFrom);
    if (sessionTo === sessionFrom || sessionTo !== end) return undefined;
    const dedupInput = { adA, adB, sessionA: scratchHash.a, sessionB: scratchHash.b };
    return { account, surfaceIndex, dedupInput };
  }

  /** The same for an object. @throws what a getter of its throws. */
  readMembers(members: Members): RecognisedImpression<Owner> | undefined {
    const { publisher_id, surface, ad_id, session_id } = members;
    const account = this.#owner;
    if (publisher_id !== account.id || !isUsual(members, session_id !== undefined))
      return undefined;
    const surfaceIndex = account.surfaces.findIndex(({ id }) => id === surface);
    if (surfaceIndex === -1 || !hashIfPlain(ad_id)) return undefined;
    if (session_id === undefined) return { account, surfaceIndex, dedupInput: undefined };
    const { a: adA, b: adB } = scratchHash;
    if (!hashIfPlain(session_id)) return undefined;
    const dedupInput = { adA, adB, sessionA: scratchHash.a, sessionB: scratchHash.b };
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
/** Where JavaScript's writer goes on and Python's puts a space. */
const FIRST_SPACE: number = '{"publisher_id":'.length;
const CLOSING = '"}';
/** Ids above that are read in full: with escapes, a body may be too long as JSON. */
const MAX_CHARACTERS = 1000;

/** The ad or session that was read last. One for all: nobody keeps it. */
const scratchHash = new TextHash();

/** `space`: what stands behind a colon or a comma. */
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
    // Cut out and compared whole, which is many times as fast as `startsWith`.
    if (opening.tail === tail && body.slice(0, opening.text.length) === opening.text) {
      return opening;
    }
  }
  return undefined;
}

function tailOf(text: string, end: number): number {
  return (text.charCodeAt(end - 2) << 16) | text.charCodeAt(end - 1);
}

/** Whether it has the members of an impression and no others as JSON, each of them as it is. */
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

/** Whether it is a text that is plain from one end to the other, and taken. */
function hashIfPlain(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.length > MAX_CHARACTERS) return false;
  return scratchHash.takePlain(value, 0) === value.length;
}
