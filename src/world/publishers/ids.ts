/** The ids of a world, with one codec for each kind. Serials count within their publisher. */

import {
  createIdCodec,
  digitIds,
  type IdCodec,
  type IdFormat,
  prefixedIds,
  urlUnsafeIds,
  uuidIds,
} from "../../base/id-codec.ts";
import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";

const formats = {
  prefixed: prefixedIds,
  uuid: uuidIds,
  digits: digitIds,
  "url-unsafe": urlUnsafeIds,
} satisfies Record<Choice<"ids.format">, IdFormat>;

/** Check bits of clicks other than an impression's first, so that their ids differ. */
const LATER_CLICK = 0b1011_0001;

export interface Ids {
  /** Serial: 0. */
  readonly publisher: IdCodec;
  /** Serial: how often the key was rotated. */
  readonly apiKey: IdCodec;
  /** Serial: the surface's index in its publisher's list. */
  readonly surface: IdCodec;
  /** Serial: the impression's index among the publisher's recorded impressions. */
  readonly impression: IdCodec;
  /** Serial: the one of the clicked impression. */
  readonly click: IdCodec;
  /** Another click on the same impression. Serial: the number of the publisher's earlier clicks. */
  readonly laterClick: IdCodec;
  /** Serial: the month, counted from the year 0. */
  readonly payout: IdCodec;
  /** Serial: the payout's month. */
  readonly transaction: IdCodec;
}

export function createIds(seed: string, assumptions: Assumptions): Ids {
  const format = formats[assumptions["ids.format"]];
  return {
    publisher: createIdCodec(seed, "publisher", "pub_", format),
    // Keys are credentials, not ids: `ids.format` doesn't apply to them.
    apiKey: createIdCodec(seed, "api-key", "key_", prefixedIds),
    surface: createIdCodec(seed, "surface", "srf_", format),
    impression: createIdCodec(seed, "impression", "imp_", format),
    click: createIdCodec(seed, "click", "clk_", format),
    laterClick: createIdCodec(seed, "click", "clk_", format, LATER_CLICK),
    payout: createIdCodec(seed, "payout", "pay_", format),
    transaction: createIdCodec(seed, "transaction", "txn_", format),
  };
}
