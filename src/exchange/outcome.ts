/** What a stage of the request path decides: go on with a value, or refuse. */

import type { Rejection } from "../contract/errors.ts";

export interface Refused {
  readonly kind: "refused";
  readonly rejection: Rejection;
}

/** A success. `body`: the response's JSON text. `note`: for the journal, what was done. */
export interface Done {
  readonly kind: "done";
  readonly body: string;
  /** Length of `body` in UTF-8. */
  readonly byteLength: number;
  readonly note: string;
}

export type Outcome = Done | Refused;

export function refused(rejection: Rejection): Refused {
  return { kind: "refused", rejection };
}

/** A success whose body is ASCII by construction: ids, dates, digits and the contract's own names. */
export function done(asciiBody: string, note: string): Done {
  return { kind: "done", body: asciiBody, byteLength: asciiBody.length, note };
}
