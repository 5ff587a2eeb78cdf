/** `POST /v1/impression`: records one ad impression and credits it, unless it is a duplicate (spec §4). */

import { drawBetween } from "../../base/random.ts";
import type { Input } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import type { AccountWorld } from "../../world/accounts/accounts.ts";
import { creditOf, findOriginal, recordImpression, remember } from "../../world/ledger/book.ts";
import type { SurfaceTerms } from "../../world/publishers/seeded-publisher.ts";
import { type Done, notes, type Operator, type Outcome, refused } from "./outcome.ts";
import { surfaceNotFound } from "./reporting.ts";
import { amountReaderOf } from "./revenue.ts";
import { dedupWindowOf } from "./time-choices.ts";

export function createImpression(world: AccountWorld): Operator<"impression"> {
  const { assumptions, ids, accounts } = world;
  const windowMs = dedupWindowOf(assumptions);
  const inr = amountReaderOf(assumptions);
  const isOnePerSession = assumptions["dedup.key"] === "session";
  let forgetAtMs = Number.NEGATIVE_INFINITY;

  /** Equal for duplicates only. Undefined if this one can't be a duplicate. */
  function dedupKeyOf(
    { ad_id, session_id }: Input<"impression">,
    surfaceIndex: number,
  ): string | undefined {
    if (session_id === undefined || assumptions["dedup.repeat"] === "count") return undefined;
    if (isOnePerSession) return session_id;
    // The length says where the ad ends.
    return `${surfaceIndex} ${ad_id.length} ${ad_id}${session_id}`;
  }

  function answer(account: Account, serial: number, micros: number): Done["body"] {
    const impression_id = ids.impression.encode(account.ordinal, serial);
    return { ok: true, impression_id, revenue_credited_inr: inr(micros) };
  }

  function repeated(account: Account, original: number): Outcome {
    if (assumptions["dedup.repeat"] === "conflict") {
      const what = isOnePerSession ? "An ad" : "The same ad";
      const detail = `${what} was shown in this session before.`;
      return refused("duplicate_impression", detail, "session_id");
    }
    const isReplay = assumptions["dedup.repeat"] === "replay";
    const micros = isReplay ? creditOf(account.book, original) : 0;
    const body = answer(account, original, micros);
    return { kind: "done", body, reason: notes.duplicate, effect: "suppressed", micros };
  }

  return (input, account, moment) => {
    const surfaceIndex = account.surfaceIndexes.get(input.surface);
    const surface = surfaceIndex === undefined ? undefined : account.surfaces[surfaceIndex];
    if (surfaceIndex === undefined || surface === undefined) return surfaceNotFound;
    const isActive = surface.status === "active";
    if (!isActive && assumptions["surface.inactive"] === "reject") return inactiveSurface;

    const { book } = account;
    // Eight times a window, for all publishers: one may never send again.
    if (moment.nowMs >= forgetAtMs) {
      accounts.forgetSessions(moment.nowMs, windowMs);
      forgetAtMs = moment.nowMs + windowMs / 8;
    }
    const key = dedupKeyOf(input, surfaceIndex);
    const original =
      key === undefined ? undefined : findOriginal(book, key, moment.nowMs, windowMs);
    if (original !== undefined) return repeated(account, original);

    const micros = isActive ? priceOf(account, surface) : 0;
    const serial = recordImpression(book, surfaceIndex, micros, moment);
    if (key !== undefined) remember(book, key, serial);
    const reason = isActive ? notes.recorded : notes.uncredited;
    const body = answer(account, serial, micros);
    return { kind: "done", body, reason, effect: "applied", micros };
  };
}

/** A thousandth of a cpm of 1 paisa, in micro-INR. */
const MICROS_PER_CPM_PAISA = 10;

/** The credit of the publisher's next impression, within the surface's cpm range. Its serial decides it. */
function priceOf({ book, priceKey }: Account, { cpmPaise: [lower, upper] }: SurfaceTerms): number {
  return drawBetween(
    priceKey,
    book.count,
    lower * MICROS_PER_CPM_PAISA,
    upper * MICROS_PER_CPM_PAISA,
  );
}

const inactiveSurface = refused(
  "surface_inactive",
  "The surface is not active. Impressions are recorded only on active surfaces.",
  "surface",
);
