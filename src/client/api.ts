/** The five operations of the spec (spec §2, §4): parameters, answers, and guards that recognise a valid answer. */

export interface ImpressionParameters {
  readonly publisher_id: string;
  readonly surface: string;
  readonly ad_id: string;
  readonly session_id?: string | undefined;
}
export interface ClickParameters {
  readonly impression_id: string;
}
/** Dates are `YYYY-MM-DD`. */
export interface StatsParameters {
  readonly publisher_id: string;
  /** @default 30 days before today */
  readonly from?: string | undefined;
  /** @default today */
  readonly to?: string | undefined;
  readonly surface?: string | undefined;
}
export interface SurfacesParameters {
  readonly publisher_id: string;
}
export interface PayoutsParameters {
  readonly publisher_id: string;
  /** At most 100. @default 20 */
  readonly limit?: number | undefined;
}

/** Amounts are in INR and may be fractional. */
export interface ImpressionRecord {
  readonly ok: true;
  readonly impression_id: string;
  readonly revenue_credited_inr: number;
}
export interface ClickRecord {
  readonly ok: true;
  readonly click_id: string;
  readonly revenue_credited_inr: number;
}
export interface PublisherStats {
  readonly publisher_id: string;
  readonly period: { readonly from: string; readonly to: string };
  readonly impressions: number;
  readonly clicks: number;
  readonly revenue_inr: number;
  readonly surfaces: readonly {
    readonly id: string;
    readonly impressions: number;
    readonly revenue: number;
  }[];
}
/** `status` is `active` or a value that the spec doesn't list. `cpm_range` has the lower bound first. */
export interface Surface {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cpm_range: readonly [number, number];
}
export interface Surfaces {
  readonly surfaces: readonly Surface[];
}
/** `status` is `paid` or a value that the spec doesn't list. A payout that isn't paid may lack a `txn_id`. */
export interface Payout {
  readonly id: string;
  readonly date: string;
  readonly amount_inr: number;
  /** Personal data. */
  readonly upi_id: string;
  readonly status: string;
  readonly txn_id?: string | null | undefined;
}
/** Don't rely on the order of `payouts`. */
export interface Payouts {
  readonly payouts: readonly Payout[];
  readonly pending_inr: number;
}

export interface Operation<Answer> {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly isAnswer: Guard<Answer>;
}

type Guard<Value> = (value: unknown) => value is Value;

const isText: Guard<string> = (value) => typeof value === "string";
const isId: Guard<string> = (value): value is string => isText(value) && value !== "";
const isAmount: Guard<number> = (value): value is number => Number.isFinite(value);
const isCount: Guard<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;
const isTrue: Guard<true> = (value) => value === true;
const isTextOrNothing: Guard<string | null | undefined> = (value) => value == null || isText(value);
const isRange: Guard<readonly [number, number]> = (value): value is readonly [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(isAmount);

/** Accepts objects with additional fields. */
function record<Value extends object>(
  fields: {
    readonly [Name in keyof Value]-?: Guard<Value[Name]>;
  },
): Guard<Value> {
  const guards: [string, Guard<unknown>][] = Object.entries(fields);
  return (value): value is Value =>
    typeof value === "object" &&
    value !== null &&
    guards.every(([name, isField]) => isField(Reflect.get(value, name)));
}

function list<Value>(isElement: Guard<Value>): Guard<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.every(isElement);
}

export const impression: Operation<ImpressionRecord> = {
  method: "POST",
  path: "/v1/impression",
  isAnswer: record({ ok: isTrue, impression_id: isId, revenue_credited_inr: isAmount }),
};
export const click: Operation<ClickRecord> = {
  method: "POST",
  path: "/v1/click",
  isAnswer: record({ ok: isTrue, click_id: isId, revenue_credited_inr: isAmount }),
};
/** The answer has to be about the publisher queried. */
export const stats = (publisherId: string): Operation<PublisherStats> => ({
  method: "GET",
  path: "/v1/publisher/stats",
  isAnswer: record({
    publisher_id: (value): value is string => value === publisherId,
    period: record({ from: isText, to: isText }),
    impressions: isCount,
    clicks: isCount,
    revenue_inr: isAmount,
    surfaces: list(record({ id: isId, impressions: isCount, revenue: isAmount })),
  }),
});
export const surfaces: Operation<Surfaces> = {
  method: "GET",
  path: "/v1/publisher/surfaces",
  isAnswer: record({
    surfaces: list(record({ id: isId, name: isText, status: isText, cpm_range: isRange })),
  }),
};
export const payouts: Operation<Payouts> = {
  method: "GET",
  path: "/v1/publisher/payouts",
  isAnswer: record({
    payouts: list(
      record({
        id: isId,
        date: isText,
        amount_inr: isAmount,
        upi_id: isText,
        status: isText,
        txn_id: isTextOrNothing,
      }),
    ),
    pending_inr: isAmount,
  }),
};
