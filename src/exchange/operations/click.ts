/** `POST /v1/click`: records a click on an impression of the publisher and credits it, by default once (spec §4). */

import { DAY_MS } from "../../base/duration.ts";
import { deriveKey } from "../../base/random.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import type { Input } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import type { Moment } from "../../world/ledger/book.ts";
import { dedupInputOf, fingerprint } from "../../world/ledger/fingerprint.ts";
import { clickPrices } from "../../world/publishers/seeded-history.ts";
import { createEventBodyWriter, type EventBodyWriter } from "./event-body.ts";
import type { OperationWorld } from "./operation-world.ts";
import { alsoShapedBy, notes, type Outcome, recorded, refused, type ShapedBy } from "./outcome.ts";

export type Click = (input: Input<"click">, account: Account, moment: Moment) => Outcome;

type Repeat = (id: string, micros: number, bodyOf: EventBodyWriter) => Outcome;

/** Answers a click on an impression that the publisher doesn't have. */
type UnknownImpressionAnswer = (
  world: OperationWorld,
) => (sent: string, account: Account) => Outcome;

export function createClick(world: OperationWorld): Click {
  const { assumptions, ids } = world;
  const answerUnknownImpression = unknownImpressionAnswers[assumptions["click.unknown"]](world);
  const windowMs = windows[assumptions["click.window"]];
  const repeat = repeats[assumptions["click.repeat"]];
  const price = clickPrices[assumptions["click.revenue"]];
  const bodyOf = createEventBodyWriter("click_id", assumptions);

  return (input, account, moment) => {
    const { book } = account;
    const { impressions } = book;
    const parts = ids.impression.decode(input.impression_id);
    if (parts?.publisher !== account.ordinal || parts.serial >= impressions.count)
      return answerUnknownImpression(input.impression_id, account);
    const { serial } = parts;
    const ageMs = moment.nowMs - impressions.recordedMs(serial);
    if (ageMs >= windowMs) return tooLate;
    const isLate = ageMs >= SHORTEST_WINDOW_MS;

    const surface = account.surfaces[impressions.surfaceIndex(serial)];
    const micros = surface === undefined ? 0 : price(surface);
    if (!impressions.isClicked(serial)) {
      book.recordClick(serial, micros, moment);
      const body = bodyOf(ids.click.encode(account.ordinal, serial), micros);
      const shapedBy = isLate ? shapedByPriceLate : shapedByPrice;
      return recorded("applied", micros, body, notes.recorded, shapedBy);
    }
    if (repeat !== undefined) {
      const outcome = repeat(ids.click.encode(account.ordinal, serial), micros, bodyOf);
      return isLate ? alsoShapedBy(outcome, shapedByWindow) : outcome;
    }
    const id = ids.laterClick.encode(account.ordinal, book.clicks);
    book.recordClick(serial, micros, moment);
    const shapedBy = isLate ? shapedByCountLate : shapedByCount;
    return recorded("applied", micros, bodyOf(id, micros), notes.recorded, shapedBy);
  };
}

/** The age from which on an impression can't be clicked, in milliseconds. */
const windows = {
  none: Number.POSITIVE_INFINITY,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
} satisfies Record<Choice<"click.window">, number>;

/** At least one choice refuses a click that comes later than this. */
const SHORTEST_WINDOW_MS = Math.min(...Object.values(windows));

const shapedByWindow: ShapedBy = ["click.window"];

const tooLate = refused(
  {
    code: "click_too_late",
    detail: "The impression was recorded too long ago for a click.",
    parameter: "impression_id",
  },
  ...shapedByWindow,
);

/** Answers a second click; undefined if it counts like the first. */
const repeats: Readonly<Record<Choice<"click.repeat">, Repeat | undefined>> = {
  "original-uncredited": (id, _micros, bodyOf) => duplicate(bodyOf(id, 0), 0),
  replay: (id, micros, bodyOf) => duplicate(bodyOf(id, micros), micros, shapedByCount),
  conflict: () =>
    refused(
      {
        code: "duplicate_click",
        detail: "A click on this impression was recorded before.",
        parameter: "impression_id",
      },
      "click.repeat",
    ),
  count: undefined,
};

const shapedByRepeat: ShapedBy = ["click.repeat"];
const shapedByPrice: ShapedBy = ["click.revenue"];
const shapedByPriceLate: ShapedBy = [...shapedByPrice, ...shapedByWindow];
const shapedByCount: ShapedBy = [...shapedByRepeat, ...shapedByPrice];
const shapedByCountLate: ShapedBy = [...shapedByCount, ...shapedByWindow];

function duplicate(body: string, micros: number, shapedBy: ShapedBy = shapedByRepeat): Outcome {
  return recorded("suppressed", micros, body, notes.duplicate, shapedBy);
}

const refuseUnknownImpression: UnknownImpressionAnswer = ({ assumptions }) => {
  const outcome = refused(
    {
      code: "impression_not_found",
      detail: "impression_id is not the identifier of an impression of this publisher.",
      parameter: "impression_id",
    },
    ...shapedByForeign[assumptions["auth.key-scope"]],
  );
  return () => outcome;
};

const unknownImpressionAnswers = {
  "404": refuseUnknownImpression,
  "400": refuseUnknownImpression,
  "accept-uncredited": ({ seed, assumptions, ids }) => {
    const key = deriveKey(seed, "stray-click");
    const bodyOf = createEventBodyWriter("click_id", assumptions);
    const shapedBy: ShapedBy = ["click.unknown", ...shapedByForeign[assumptions["auth.key-scope"]]];
    return (sent, account) => {
      // The id depends only on the sent id, so a repetition gets the same answer.
      const serial = fingerprint(key, 0, dedupInputOf(sent, "")).a >>> 0;
      const body = bodyOf(ids.unknownImpressionClick.encode(account.ordinal, serial), 0);
      return recorded("uncounted", 0, body, notes.unknownImpression, shapedBy);
    };
  },
} satisfies Record<Choice<"click.unknown">, UnknownImpressionAnswer>;

// For an impression of another publisher the answer is the same as for an unknown one, and so must be its assumptions.
const shapedByForeign = { publisher: ["auth.key-scope"], any: [] } satisfies Record<
  Choice<"auth.key-scope">,
  ShapedBy
>;
