/** The ids of a world, one codec a kind. A serial counts within its publisher. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { createIdCodec, type IdCodec, type IdFormat } from "../base/id-codec.ts";
import { digitIds, longIds, prefixedIds, urlUnsafeIds, uuidIds } from "../base/id-formats.ts";

const formats = {
  prefixed: prefixedIds,
  uuid: uuidIds,
  digits: digitIds,
  long: longIds,
  "url-unsafe": urlUnsafeIds,
} satisfies Record<Choice<"ids.format">, IdFormat>;

export interface Ids {
  /** Serial: 0. */
  readonly publisher: IdCodec;
  /** Serial: how often the key was rotated. */
  readonly apiKey: IdCodec;
  /** Serial: the surface's place in its publisher's list. */
  readonly surface: IdCodec;
  /** Serial: the impression's place among the publisher's recorded impressions. */
  readonly impression: IdCodec;
  /** Serial: that of the impression clicked on. */
  readonly click: IdCodec;
  /** Serial: the month the payout is for. */
  readonly payout: IdCodec;
  /** Serial: as the payout's. */
  readonly transaction: IdCodec;
}

export function createIds(seed: string, assumptions: Assumptions): Ids {
  const format = formats[assumptions["ids.format"]];
  return {
    publisher: createIdCodec(seed, "publisher", "pub_", format),
    // Keys are credentials, not ids: the assumption about ids leaves them alone.
    apiKey: createIdCodec(seed, "api-key", "key_", prefixedIds),
    surface: createIdCodec(seed, "surface", "srf_", format),
    impression: createIdCodec(seed, "impression", "imp_", format),
    click: createIdCodec(seed, "click", "clk_", format),
    payout: createIdCodec(seed, "payout", "pay_", format),
    transaction: createIdCodec(seed, "transaction", "txn_", format),
  };
}
