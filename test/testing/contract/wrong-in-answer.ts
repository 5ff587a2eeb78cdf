/** What a careful client checks before it takes an answer for a success. */

import type { WrongWay } from "../../../src/faults/wrong-body.ts";
import type { OperationId } from "../../../src/spec/operations.ts";

type Members = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What is wrong with an answer to this publisher; empty if it is the success that the spec describes. */
export function wrongIn(
  operation: OperationId,
  { status, body }: Answer,
  publisherId: string,
): readonly (WrongWay | "unreadable")[] {
  if (status === 204) return ["status-204"];
  if (status === 200 && body === null) return ["null-body"];
  if (typeof body !== "object" || body === null || (status !== 200 && status !== 202))
    return ["unreadable"];
  const answer = body as Members;
  if (answer.ok === false) return ["ok-false"];
  const accepted = status === 202 ? (["status-202"] as const) : [];
  if (operation === "impression" || operation === "click")
    return [
      ...accepted,
      ...(answer.ok === true
        ? []
        : ([answer.ok === undefined ? "missing-ok" : "unreadable"] as const)),
      ...wrongId(answer[`${operation}_id`]),
      ...wrongNumber(answer.revenue_credited_inr),
    ];
  const rows = answer[operation === "payouts" ? "payouts" : "surfaces"];
  if (!Array.isArray(rows)) return [...accepted, "missing-list"];
  if (rows.includes(null)) return [...accepted, "null-rows"];
  const ids = [
    ...(operation === "stats" ? [answer.publisher_id] : []),
    ...rows.map(({ id }) => id),
  ];
  const numbers = numbersIn[operation](answer, rows);
  const wrong = [...accepted, ...ids.flatMap(wrongId), ...numbers.flatMap(wrongNumber)];
  const isForeign = operation === "stats" && answer.publisher_id !== publisherId;
  return isForeign && wrong.length === 0 ? ["foreign-id"] : wrong;
}

const numbersIn = {
  stats: ({ impressions, clicks, revenue_inr }, rows) => [
    impressions,
    clicks,
    revenue_inr,
    ...rows.flatMap((row) => [row.impressions, row.revenue]),
  ],
  surfaces: (_, rows) => rows.flatMap(({ cpm_range }) => rangeIn(cpm_range)),
  payouts: ({ pending_inr }, rows) => [pending_inr, ...rows.map(({ amount_inr }) => amount_inr)],
} as const satisfies Readonly<
  Record<string, (answer: Members, rows: readonly Members[]) => readonly unknown[]>
>;

/** Without its two bounds it has numbers that are missing. */
function rangeIn(range: unknown): readonly unknown[] {
  const [lower, upper] = Array.isArray(range) ? range : [];
  return [lower, upper];
}

function wrongId(id: unknown): readonly (WrongWay | "unreadable")[] {
  if (id === undefined) return ["missing-id"];
  if (id === null) return ["null-id"];
  if (typeof id === "number") return ["id-as-number"];
  return id === "" ? ["empty-id"] : [];
}

function wrongNumber(value: unknown): readonly (WrongWay | "unreadable")[] {
  if (typeof value === "number") return [];
  if (value === undefined) return ["missing-numbers"];
  if (value === null) return ["null-numbers"];
  return [typeof value === "string" ? "numbers-as-text" : "unreadable"];
}
