/**
 * Which assumptions shaped an answer, by what the service did or by error code. A list may name a key too many, since it knows only
 * the kind of answer. `compareChoices` says exactly what another choice would have changed.
 */

import { type AssumptionKey, type Assumptions, catalogue } from "../spec/assumptions/catalogue.ts";
import { shapedByCode } from "../spec/errors.ts";
import { type OperationId, operationIds, operations } from "../spec/operations.ts";
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

export function createShapedBy(assumptions: Assumptions) {
  const isChanged = (key: AssumptionKey): boolean => assumptions[key] !== catalogue[key].default;
  const changedFormat = formatKeys.filter(isChanged);
  const ofRequest = (id: OperationId): ShapedBy => [
    ...(operations[id].method === "POST" ? (["request.encoding"] as const) : []),
    ...[...changed[id], "auth.key-scope" as const].filter(isChanged),
  ];
  const requests = new Map(operationIds.map((id) => [id, ofRequest(id)]));

  /** Lists the keys that shaped an answer. A tolerated request is one that stricter reading would have refused. */
  return (
    operation: OperationId | undefined,
    outcome: Outcome,
    isTolerated: boolean,
    isForPage: boolean,
  ): ShapedBy => {
    const keys = [...((operation && requests.get(operation)) ?? [])];
    if (isTolerated) keys.push("request.values");
    if (outcome.kind === "refused") keys.push(...shapedByCode(outcome.code), "errors.body");
    else if (operation)
      keys.push(...(successes[operation][outcome.reason] ?? []), ...changedFormat);
    if (isForPage || isChanged("http.cors")) keys.push("http.cors");
    return keys.length < 2 ? keys : [...new Set(keys)];
  };
}
