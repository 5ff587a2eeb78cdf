/** `POST /v1/click`: records a click on an impression of the publisher and credits it, by default once (spec §4). */

import { DAY_MS } from "../../base/duration.ts";
import type { AccountWorld } from "../../world/accounts/accounts.ts";
import {
  clicksIn,
  isClicked,
  recordClick,
  recordedMs,
  surfaceIndexOf,
} from "../../world/ledger/book.ts";
import { type Done, notes, type Operator, refused } from "./outcome.ts";
import { amountReaderOf } from "./revenue.ts";

export function createClick({ assumptions, ids }: AccountWorld): Operator<"click"> {
  const inr = amountReaderOf(assumptions);
  const windowMs = assumptions["click.window"] === "24h" ? DAY_MS : Number.POSITIVE_INFINITY;
  const repeat = assumptions["click.repeat"];

  function answer(click_id: string, micros: number): Done["body"] {
    return { ok: true, click_id, revenue_credited_inr: inr(micros) };
  }

  return (input, account, moment) => {
    const { book, ordinal } = account;
    const parts = ids.impression.decode(input.impression_id);
    if (parts?.publisher !== ordinal || parts.serial >= book.count) return unknown;
    const { serial } = parts;
    if (moment.nowMs - recordedMs(book, serial) >= windowMs) return tooLate;

    const price = account.surfaces[surfaceIndexOf(book, serial)]?.cpcMicros ?? 0;
    const isRepeated = isClicked(book, serial);
    if (isRepeated && repeat === "conflict") return clickedBefore;
    if (isRepeated && repeat !== "count") {
      const micros = repeat === "replay" ? price : 0;
      const body = answer(ids.click.encode(ordinal, serial), micros);
      return { kind: "done", body, reason: notes.duplicate, effect: "suppressed", micros };
    }
    const id = isRepeated
      ? ids.laterClick.encode(ordinal, clicksIn(book))
      : ids.click.encode(ordinal, serial);
    recordClick(book, serial, price, moment);
    const body = answer(id, price);
    return { kind: "done", body, reason: notes.recorded, effect: "applied", micros: price };
  };
}

const unknown = refused(
  "impression_not_found",
  "impression_id is not the identifier of an impression of this publisher.",
  "impression_id",
);

const tooLate = refused(
  "click_too_late",
  "The impression was recorded too long ago for a click.",
  "impression_id",
);

const clickedBefore = refused(
  "duplicate_click",
  "A click on this impression was recorded before.",
  "impression_id",
);
