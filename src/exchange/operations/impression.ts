/** `POST /v1/impression`: records one ad impression and credits it, unless it is a duplicate (spec §4). */

import { drawBetween } from "../../base/random.ts";
import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";
import type { Rejection } from "../../spec/errors.ts";
import type { Input } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import {
  creditOf,
  findOriginal,
  type Moment,
  recordImpression,
  remember,
} from "../../world/ledger/book.ts";
import type { SurfaceTerms } from "../../world/publishers/seeded-publisher.ts";
import { createEventBodyWriter, type EventBodyWriter } from "./event-body.ts";
import { dedupWindowOf, type OperationWorld } from "./operation-world.ts";
import {
  alsoShapedBy,
  documented,
  notes,
  type Outcome,
  recorded,
  refused,
  type ShapedBy,
} from "./outcome.ts";
import { surfaceNotFound } from "./surfaces.ts";

type Repeat = (id: string, micros: number, bodyOf: EventBodyWriter) => Outcome;

/** What makes an impression a duplicate of another one, besides its surface. */
export interface DedupInput {
  readonly ad: string;
  readonly session: string;
}

export interface ImpressionRecorder {
  record(input: Input<"impression">, account: Account, moment: Moment): Outcome;
  /** Records an impression on the account's surface with this index. `dedupInput` is undefined if no session was sent. */
  recordOnSurface(
    surfaceIndex: number,
    dedupInput: DedupInput | undefined,
    account: Account,
    moment: Moment,
  ): Outcome;
}

/** A thousandth of a cpm of 1 paisa, in micro-INR. */
const MICROS_PER_CPM_PAISA = 10;

export function createImpressionRecorder(world: OperationWorld): ImpressionRecorder {
  const { assumptions, ids } = world;
  const windowMs = dedupWindowOf(assumptions);
  const repeat = repeatsUnder(assumptions)[assumptions["dedup.repeat"]];
  const keyOf = dedupKeys[assumptions["dedup.key"]];
  const recordsInactive = inactiveIsRecorded[assumptions["surface.inactive"]];
  const bodyOf = createEventBodyWriter("impression_id", assumptions);
  const shapedByInactive = shapedByStatus[assumptions["surface.statuses"]];
  const inactiveSurface = refused(inactiveRejection, ...shapedByInactive);

  function record(input: Input<"impression">, account: Account, moment: Moment): Outcome {
    const surfaceIndex = account.surfaceIndexes.get(input.surface);
    if (surfaceIndex === undefined) return surfaceNotFound;
    const { ad_id, session_id } = input;
    const dedupInput = session_id === undefined ? undefined : { ad: ad_id, session: session_id };
    return recordOnSurface(surfaceIndex, dedupInput, account, moment);
  }

  function recordOnSurface(
    surfaceIndex: number,
    dedupInput: DedupInput | undefined,
    account: Account,
    moment: Moment,
  ): Outcome {
    const surface = account.surfaces[surfaceIndex];
    if (surface === undefined) throw new RangeError(`There is no surface at ${surfaceIndex}.`);
    const active = surface.status === "active";
    if (!(active || recordsInactive)) return inactiveSurface;

    const { book } = account;
    const key =
      dedupInput === undefined || repeat === undefined
        ? undefined
        : keyOf(surfaceIndex, dedupInput);
    if (key !== undefined && repeat !== undefined) {
      const original = findOriginal(book, key, moment.nowMs, windowMs);
      if (original !== undefined) {
        const id = ids.impression.encode(account.ordinal, original);
        const outcome = repeat(id, creditOf(book, original), bodyOf);
        return active ? outcome : alsoShapedBy(outcome, shapedByInactive);
      }
    }

    const micros = active ? priceOf(account, surface) : 0;
    const serial = recordImpression(book, surfaceIndex, micros, moment);
    if (key !== undefined) remember(book, key, serial);
    const body = bodyOf(ids.impression.encode(account.ordinal, serial), micros);
    return active
      ? recorded("applied", micros, body, notes.recorded, documented)
      : recorded("applied", 0, body, notes.uncredited, shapedByInactive);
  }

  return { record, recordOnSurface };
}

/** The credit of the publisher's next impression, within the surface's cpm range. Its serial decides it. */
function priceOf(account: Account, surface: SurfaceTerms): number {
  const { cpmPaise } = surface;
  return drawBetween(
    account.priceKey,
    account.book.count,
    cpmPaise[0] * MICROS_PER_CPM_PAISA,
    cpmPaise[1] * MICROS_PER_CPM_PAISA,
  );
}

/** Equal for duplicates only: the length says where the ad ends. */
const dedupKeys = {
  "surface-ad-session": (surfaceIndex, { ad, session }) =>
    `${surfaceIndex} ${ad.length} ${ad}${session}`,
  session: (_surfaceIndex, { session }) => session,
} satisfies Record<Choice<"dedup.key">, (surfaceIndex: number, input: DedupInput) => string>;

/** Answers a duplicate; undefined if duplicates count like other impressions. */
function repeatsUnder(
  assumptions: Assumptions,
): Readonly<Record<Choice<"dedup.repeat">, Repeat | undefined>> {
  const what = shownBefore[assumptions["dedup.key"]];
  const when = longAgo[assumptions["dedup.window"]];
  const conflict = refused(
    { code: "duplicate_impression", detail: `${what} ${when}.`, parameter: "session_id" },
    ...shapedByRepeat,
  );
  return {
    "original-uncredited": (id, _micros, bodyOf) => duplicate(bodyOf(id, 0), 0),
    replay: (id, micros, bodyOf) => duplicate(bodyOf(id, micros), micros),
    conflict: () => conflict,
    count: undefined,
  };
}

const shownBefore = {
  "surface-ad-session": "The same ad was shown on this surface in this session",
  session: "An ad was shown in this session",
} satisfies Record<Choice<"dedup.key">, string>;

const longAgo = {
  "30m": "a short time ago",
  "24h": "in the last 24 hours",
  forever: "before",
} satisfies Record<Choice<"dedup.window">, string>;

const shapedByRepeat: ShapedBy = ["dedup.repeat", "dedup.key", "dedup.window"];

function duplicate(body: string, micros: number): Outcome {
  return recorded("suppressed", micros, body, notes.duplicate, shapedByRepeat);
}

/** Whether an impression on an inactive surface is recorded without a credit. */
const inactiveIsRecorded = { reject: false, uncredited: true } satisfies Record<
  Choice<"surface.inactive">,
  boolean
>;

/** Shapes an answer about an inactive surface. With `extended` the seed may have made it inactive. */
const shapedByStatus = {
  documented: ["surface.inactive"],
  extended: ["surface.inactive", "surface.statuses"],
} satisfies Record<Choice<"surface.statuses">, ShapedBy>;

const inactiveRejection: Rejection = {
  code: "surface_inactive",
  detail: "The surface is not active. Impressions are recorded only on active surfaces.",
  parameter: "surface",
};
