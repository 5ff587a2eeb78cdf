/** `POST /v1/click`: records a click on an impression of the publisher and credits it, by default once (spec §4). */

import { DAY_MS } from "../../base/duration.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import type { Rejection } from "../../spec/errors.ts";
import type { Input } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import {
  clicksIn,
  isClicked,
  type Moment,
  recordClick,
  recordedMs,
  surfaceIndexOf,
} from "../../world/ledger/book.ts";
import { createEventBodyWriter, type EventBodyWriter } from "./event-body.ts";
import type { OperationWorld } from "./operation-world.ts";
import {
  alsoShapedBy,
  documented,
  notes,
  type Outcome,
  recorded,
  refused,
  type ShapedBy,
} from "./outcome.ts";

export type Click = (input: Input<"click">, account: Account, moment: Moment) => Outcome;

type Repeat = (id: string, micros: number, bodyOf: EventBodyWriter) => Outcome;

export function createClick(world: OperationWorld): Click {
  const { assumptions, ids } = world;
  const unknownImpression = refused(
    impressionNotFound,
    ...shapedByForeign[assumptions["auth.key-scope"]],
  );
  const windowMs = windows[assumptions["click.window"]];
  const repeat = repeats[assumptions["click.repeat"]];
  const bodyOf = createEventBodyWriter("click_id", assumptions);

  return (input, account, moment) => {
    const { book } = account;
    const parts = ids.impression.decode(input.impression_id);
    if (parts?.publisher !== account.ordinal || parts.serial >= book.count)
      return unknownImpression;
    const { serial } = parts;
    const ageMs = moment.nowMs - recordedMs(book, serial);
    if (ageMs >= windowMs) return tooLate;
    const isLate = ageMs >= SHORTEST_WINDOW_MS;

    const surface = account.surfaces[surfaceIndexOf(book, serial)];
    const micros = surface?.cpcMicros ?? 0;
    if (!isClicked(book, serial)) {
      recordClick(book, serial, micros, moment);
      const body = bodyOf(ids.click.encode(account.ordinal, serial), micros);
      const shapedBy = isLate ? shapedByWindow : documented;
      return recorded("applied", micros, body, notes.recorded, shapedBy);
    }
    if (repeat !== undefined) {
      const outcome = repeat(ids.click.encode(account.ordinal, serial), micros, bodyOf);
      return isLate ? alsoShapedBy(outcome, shapedByWindow) : outcome;
    }
    const id = ids.laterClick.encode(account.ordinal, clicksIn(book));
    recordClick(book, serial, micros, moment);
    const shapedBy = isLate ? shapedByLateRepeat : shapedByRepeat;
    return recorded("applied", micros, bodyOf(id, micros), notes.recorded, shapedBy);
  };
}

/** The age from which on an impression can't be clicked, in milliseconds. */
const windows = {
  none: Number.POSITIVE_INFINITY,
  "24h": DAY_MS,
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
  replay: (id, micros, bodyOf) => duplicate(bodyOf(id, micros), micros),
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
const shapedByLateRepeat: ShapedBy = [...shapedByRepeat, ...shapedByWindow];

function duplicate(body: string, micros: number): Outcome {
  return recorded("suppressed", micros, body, notes.duplicate, shapedByRepeat);
}

const impressionNotFound: Rejection = {
  code: "impression_not_found",
  detail: "impression_id is not the identifier of an impression of this publisher.",
  parameter: "impression_id",
};

// For an impression of another publisher the answer is the same as for an unknown one, and so must be its assumptions.
const shapedByForeign = {
  publisher: ["auth.key-scope"],
  "publisher-hidden": ["auth.key-scope"],
  any: [],
} satisfies Record<Choice<"auth.key-scope">, ShapedBy>;
