/**
 * Impressions as nearly every client sends them, recognised without taking them apart. The bodies of one caller begin alike
 * up to the ad, in one way for each of its surfaces: one comparison, and nothing to cut out and look up.
 */

import type { Account } from "../accounts/account.ts";
import type { Assumptions } from "../assumptions/catalogue.ts";
import { operations } from "../contract/operations.ts";
import type { Showing } from "../ledger/fingerprint.ts";
import type { Authenticator } from "./authenticate.ts";
import { readsJson, usualJsonOf } from "./usual-json.ts";
import type { Visit } from "./visit.ts";

/** An impression of a caller on a surface of its own. */
export interface Recognised<Caller = Account> {
  readonly caller: Caller;
  /** Place of the surface among the caller's. */
  readonly surfaceIndex: number;
  /** Undefined where the session is left out. */
  readonly showing: Showing | undefined;
}

/** Tells what a request is where that is plain to see. Looking changes nothing. */
export function createRecogniser(
  assumptions: Assumptions,
  authenticate: Authenticator,
): (visit: Visit) => Recognised | undefined {
  const { method, path } = operations.impression;
  if (!readsJson[assumptions["request.encoding"]]) return () => undefined;
  return (visit) => {
    if (visit.path !== path || visit.method !== method) return undefined;
    const json = usualJsonOf(visit);
    if (json === undefined) return undefined;
    return authenticate.knownBy(json.authorization)?.usual.read(json.text);
  };
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

/** How one caller's impressions mostly look. */
export class UsualImpressions<Caller extends Named> {
  readonly #caller: Caller;
  #compact: Openings | undefined;
  #spaced: Openings | undefined;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** What a body says; undefined for one that has to be read in full. */
  read(body: string): Recognised<Caller> | undefined {
    const opening = this.#openingOf(body);
    if (opening === undefined) return undefined;
    const caller = this.#caller;
    const { surfaceIndex, text } = opening;
    const adFrom = text.length;
    REST.lastIndex = adFrom;
    if (!REST.test(body)) return undefined;
    const adTo = body.indexOf('"', adFrom);
    const sessionTo = body.length - CLOSING.length;
    if (adTo === sessionTo) return { caller, surfaceIndex, showing: undefined };
    const sessionFrom = body.indexOf('"', adTo + BETWEEN.length) + 1;
    const showing = { text: body, adFrom, adTo, sessionFrom, sessionTo };
    return { caller, surfaceIndex, showing };
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
      this.#compact ??= openingsOf(this.#caller, "");
      return this.#compact;
    }
    this.#spaced ??= openingsOf(this.#caller, " ");
    return this.#spaced;
  }
}

const SPACE = 0x20;
/** Where JavaScript's writer goes on and Python's puts a space. */
const FIRST_SPACE: number = '{"publisher_id":'.length;

/** What follows an opening: texts of printable ASCII without escapes that are not empty, the session's left out or not. */
const REST = /[ !#-[\]-~]+"(?:, ?"session_id": ?"[ !#-[\]-~]+")?\}$/y;
/** What stands between the values of `ad_id` and `session_id` at least, but for the last quotation mark. */
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
