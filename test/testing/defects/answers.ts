/** What the clients of this folder take for an answer: the spec's members (spec §2), each with its type. */

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value !== "";
const isAmount: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isDay: Check = (value) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
const isRange: Check = (value) =>
  Array.isArray(value) && value.length === 2 && value.every(isAmount) && value[0] <= value[1];
/** Not every payout has one yet. */
const isReference: Check = (value) =>
  value === undefined || value === null || typeof value === "string";

/** An object whose listed members all pass. It may have more of them. */
function objectOf(members: Readonly<Record<string, Check>>): Check {
  return (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(members).every(([name, check]) => check(Reflect.get(value, name)));
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

const isOk: Check = (value) => value === true;

export const isImpressionAnswer: Check = objectOf({
  ok: isOk,
  impression_id: isText,
  revenue_credited_inr: isAmount,
});

export const isClickAnswer: Check = objectOf({
  ok: isOk,
  click_id: isText,
  revenue_credited_inr: isAmount,
});

export function isStatsAnswer(publisherId: string): Check {
  return objectOf({
    publisher_id: (value) => value === publisherId,
    period: objectOf({ from: isDay, to: isDay }),
    impressions: isCount,
    clicks: isCount,
    revenue_inr: isAmount,
    surfaces: listOf(objectOf({ id: isText, impressions: isCount, revenue: isAmount })),
  });
}

/** The service lists all surfaces, so the client's own are among them. */
export function isSurfacesAnswer(own: readonly { readonly id: string }[]): Check {
  const isList = objectOf({
    surfaces: listOf(objectOf({ id: isText, name: isText, status: isText, cpm_range: isRange })),
  });
  return (value) => {
    if (!isList(value)) return false;
    const { surfaces } = value as { readonly surfaces: readonly { readonly id: string }[] };
    const listed = new Set(surfaces.map(({ id }) => id));
    return own.every(({ id }) => listed.has(id));
  };
}

const isPayout: Check = objectOf({
  id: isText,
  date: isDay,
  amount_inr: isAmount,
  upi_id: isText,
  status: isText,
  txn_id: isReference,
});

export const isPayoutsAnswer: Check = objectOf({
  payouts: listOf(isPayout),
  pending_inr: isAmount,
});
