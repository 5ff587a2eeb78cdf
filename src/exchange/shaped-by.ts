/**
 * Which assumptions shaped an answer, by what the service did or by error code. A list may name a key too many, since it knows only
 * the kind of answer. `compareChoices` says exactly what another choice would have changed.
 */

import { type AssumptionKey, type Assumptions, catalogue } from "../spec/assumptions/catalogue.ts";
import { shapedByCode } from "../spec/errors.ts";
import { type OperationId, operations } from "../spec/operations.ts";
import { type Note, notes, type Outcome } from "./operations/outcome.ts";

/** The assumptions that shaped an answer. Empty if the spec alone decides it. */
export type ShapedBy = readonly AssumptionKey[];

/** Assumptions about format. They are listed only if their choice isn't the default. */
export const formatKeys: ShapedBy = ["response.form", "http.cors", "ids.format", "money.precision"];

const dedup: ShapedBy = ["dedup.repeat", "dedup.key", "dedup.window"];
const inactive: ShapedBy = ["surface.inactive", "surface.statuses"];

/** Of a success, by what was done. */
const successes: Readonly<Record<OperationId, { readonly [Reason in Note]?: ShapedBy }>> = {
  stats: {
    [notes.read]: ["date.timezone", "stats.today", "stats.surfaces", "surface.statuses"],
  },
  impression: { [notes.uncredited]: inactive, [notes.duplicate]: dedup },
  click: {
    [notes.recorded]: ["click.window"],
    [notes.duplicate]: ["click.repeat", "click.window"],
  },
  surfaces: { [notes.read]: ["surface.statuses"] },
  payouts: {
    [notes.read]: ["date.timezone", "payout.statuses", "payout.order", "surface.statuses"],
  },
};

/** Of every request that was read. They are listed only if their choice isn't the default. */
const changed: Readonly<Record<OperationId, ShapedBy>> = {
  stats: ["date.inverted-range"],
  impression: [...dedup, "surface.inactive"],
  click: ["click.repeat"],
  surfaces: [],
  payouts: ["payout.limit-over-max"],
};

/** Lists the keys that shaped an answer. */
export type Explain = (
  operation: OperationId | undefined,
  outcome: Outcome,
  /** Whether stricter reading would have refused the request. */
  isTolerated: boolean,
  /** Whether a page of another origin may read the answer. */
  isForPage: boolean,
) => ShapedBy;

export function createExplain(assumptions: Assumptions): Explain {
  const isChanged = (key: AssumptionKey): boolean => assumptions[key] !== catalogue[key].default;

  return (operation, outcome, isTolerated, isForPage) => {
    const keys: AssumptionKey[] = [];
    const isRefused = outcome.kind === "refused";
    if (operation !== undefined) {
      if (operations[operation].method === "POST") keys.push("request.encoding");
      keys.push(...changed[operation].filter(isChanged));
      if (isChanged("auth.key-scope")) keys.push("auth.key-scope");
      if (!isRefused) keys.push(...(successes[operation][outcome.reason] ?? []));
    }
    if (isTolerated) keys.push("request.values");
    if (isRefused) keys.push(...shapedByCode(outcome.code), "errors.body");
    else keys.push(...formatKeys.filter(isChanged));
    if (isForPage || isChanged("http.cors")) keys.push("http.cors");
    return Array.from(new Set(keys));
  };
}
