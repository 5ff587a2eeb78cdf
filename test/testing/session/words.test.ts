import { expect, test } from "vitest";
import { bodyInWords, valueInWords } from "../../../src/testing/session/words.ts";

const payout = { period: "2026-01", amount_inr: 1250.5, status: "paid", txn_id: null };

function textOf(rows: number): string {
  return JSON.stringify({ payouts: Array.from({ length: rows }, () => payout) });
}

test("a long value is cut between two members", () => {
  expect(valueInWords(JSON.parse(textOf(5)))).toMatch(/^\{"payouts":\[\{.*[^,], …$/);
  expect(valueInWords({ payouts: [payout] })).toBe(textOf(1));
});

test("text without members is cut where it is too long", () => {
  expect(valueInWords({ name: "a".repeat(500) })).toHaveLength(160);
  expect(bodyInWords({ status: 502, headers: {}, body: "x".repeat(500) })).toHaveLength(161);
  expect(bodyInWords({ status: 204, headers: {}, body: "" })).toBe("");
});
