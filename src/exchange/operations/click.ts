/** `POST /v1/click`: records a click on an impression of the caller and credits it once (spec §4). */

import type { Account } from "../../accounts/account.ts";
import type { Choice } from "../../assumptions/catalogue.ts";
import { MICROS_PER_PAISA } from "../../base/money.ts";
import type { Input } from "../../contract/operations.ts";
import type { Moment } from "../../ledger/book.ts";
import type { SurfaceTerms } from "../../publishers/seeded-publisher.ts";
import { type AmountWriter, amountWriterOf } from "../amounts.ts";
import { done, type Outcome, refused, type ShapedBy } from "../outcome.ts";
import type { World } from "../world.ts";

export type Click = (input: Input<"click">, account: Account, moment: Moment) => Outcome;

export function createClick(world: World): Click {
  const { assumptions, ids } = world;
  const repeat = repeats[assumptions["click.repeat"]];
  const price = prices[assumptions["click.revenue"]];
  const inr = amountWriterOf(assumptions);

  return (input, account, moment) => {
    const { impressions } = account.book;
    const parts = ids.impression.decode(input.impression_id);
    if (parts?.publisher !== account.ordinal || parts.serial >= impressions.count)
      return unknownImpression;
    const { serial } = parts;
    const surface = account.surfaces[impressions.surfaceIndex(serial)];
    const micros = surface === undefined ? 0 : price(surface);
    const id = ids.click.encode(account.ordinal, serial);
    if (impressions.isClicked(serial)) return repeat(id, micros, inr);
    account.book.recordClick(serial, micros, moment);
    return done(bodyOf(id, micros, inr), "recorded", shapedByPrice);
  };
}

const prices = {
  cpc: (surface) => surface.cpcPaise * MICROS_PER_PAISA,
  zero: () => 0,
} satisfies Record<Choice<"click.revenue">, (surface: SurfaceTerms) => number>;

const repeats = {
  "original-uncredited": (id, _micros, inr) => duplicate(bodyOf(id, 0, inr)),
  replay: (id, micros, inr) => duplicate(bodyOf(id, micros, inr)),
  conflict: () =>
    refused(
      {
        code: "duplicate_click",
        detail: "A click on this impression was recorded before.",
        parameter: "impression_id",
      },
      "click.repeat",
    ),
} satisfies Record<
  Choice<"click.repeat">,
  (id: string, micros: number, inr: AmountWriter) => Outcome
>;

const shapedByRepeat: ShapedBy = ["click.repeat"];
const shapedByPrice: ShapedBy = ["click.revenue"];

function duplicate(body: string): Outcome {
  return done(body, "duplicate, not counted", shapedByRepeat);
}

function bodyOf(id: string, micros: number, inr: AmountWriter): string {
  return `{"ok":true,"click_id":"${id}","revenue_credited_inr":${inr(micros)}}`;
}

const unknownImpression = refused({
  code: "impression_not_found",
  detail: "impression_id is not the identifier of an impression of this publisher.",
  parameter: "impression_id",
});
