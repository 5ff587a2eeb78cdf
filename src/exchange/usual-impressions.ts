/**
 * How one publisher's impressions mostly look. Their bodies begin alike up to the ad, in one way for each of its surfaces:
 * one comparison, and nothing to cut out and look up.
 */

import type { Account } from "../accounts/account.ts";
import type { Showing } from "../ledger/fingerprint.ts";

/** What the body of an impression says: it is the owner's, on a surface of its own. */
export interface Recognised<Owner = Account> {
  readonly account: Owner;
  /** Place of the surface among the account's. */
  readonly surfaceIndex: number;
  /** Undefined where no session was sent. */
  readonly showing: Showing | undefined;
}

/** Whose ids a body names. */
interface Named {
  readonly id: string;
  readonly surfaces: readonly { readonly id: string }[];
}

/** How the bodies about one surface begin, up to the value of `ad_id`. */
interface Opening {
  readonly text: string;
  readonly surfaceIndex: number;
  /** The last two characters of the surface: ids begin alike. */
  readonly tail: number;
}

/** The openings in one spelling. Ids of one kind are of one length, so that the surface ends at one place. */
interface Openings {
  readonly surfaceEnd: number;
  readonly list: readonly Opening[];
}

export class UsualImpressions<Owner extends Named> {
  readonly #owner: Owner;
  #compact: Openings | undefined;
  #spaced: Openings | undefined;

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  /** Undefined for a body that has to be read in full. */
  read(body: string): Recognised<Owner> | undefined {
    const opening = this.#openingOf(body);
    if (opening === undefined) return undefined;
    const account = this.#owner;
    const { surfaceIndex, text } = opening;
    const adFrom = text.length;
    REST.lastIndex = adFrom;
    if (!REST.test(body)) return undefined;
    const adTo = body.indexOf('"', adFrom);
    const sessionTo = body.length - CLOSING.length;
    if (adTo === sessionTo) return { account, surfaceIndex, showing: undefined };
    const sessionFrom = body.indexOf('"', adTo + BETWEEN.length) + 1;
    const showing = { text: body, adFrom, adTo, sessionFrom, sessionTo };
    return { account, surfaceIndex, showing };
  }

  #openingOf(body: string): Opening | undefined {
    const openings = this.#spellingOf(body);
    const tail = tailOf(body, openings.surfaceEnd);
    for (const opening of openings.list) {
      // Cut out and compared whole, which is many times as fast as `startsWith`.
      if (opening.tail === tail && body.slice(0, opening.text.length) === opening.text) {
        return opening;
      }
    }
    return undefined;
  }

  #spellingOf(body: string): Openings {
    if (body.charCodeAt(FIRST_SPACE) !== SPACE) {
      this.#compact ??= openingsOf(this.#owner, "");
      return this.#compact;
    }
    this.#spaced ??= openingsOf(this.#owner, " ");
    return this.#spaced;
  }
}

const SPACE = 0x20;
/** Where JavaScript's writer goes on and Python's puts a space. */
const FIRST_SPACE: number = '{"publisher_id":'.length;

/** What follows an opening: an ad, perhaps a session, both not empty, of printable ASCII without escapes. */
const REST = /[ !#-[\]-~]+"(?:, ?"session_id": ?"[ !#-[\]-~]+")?\}$/y;
/**
 * From the end of the ad to just before the session's opening quotation mark, without spaces. With spaces, that mark is
 * still the next one.
 */
const BETWEEN = '","session_id":';
const CLOSING = '"}';

/** `space`: what stands behind a colon or a comma. */
function openingsOf({ id, surfaces }: Named, space: "" | " "): Openings {
  const head = `{"publisher_id":${space}"${id}",${space}"surface":${space}"`;
  const list = surfaces.map(({ id: surface }, surfaceIndex): Opening => {
    const text = `${head}${surface}",${space}"ad_id":${space}"`;
    return { text, surfaceIndex, tail: tailOf(surface, surface.length) };
  });
  return { surfaceEnd: head.length + (surfaces[0]?.id.length ?? 0), list };
}

function tailOf(text: string, end: number): number {
  return (text.charCodeAt(end - 2) << 16) | text.charCodeAt(end - 1);
}
