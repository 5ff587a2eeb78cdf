import { expect, test } from "vitest";
import { withoutSecrets } from "../../../src/journal/secrets.ts";
import { bodyInWords, valueInWords } from "../../../src/testing/session/words.ts";

const payout = { period: "2026-01", amount_inr: 1250.5, status: "paid", txn_id: null };

function textOf(rows: number): string {
  return JSON.stringify({ payouts: Array.from({ length: rows }, () => payout) });
}

test("a long value is cut between two members", () => {
  expect(valueInWords(JSON.parse(textOf(5)))).toMatch(/^\{"payouts":\[\{.*[^,], …$/);
  expect(valueInWords({ payouts: [payout] })).toBe(textOf(1));
});

test("what follows a body that is cut within a UPI id stays readable", () => {
  const body = textOf(1).replace('"txn_id":null', `"about":"${"a".repeat(50)}","upi_id":"shop.`);
  const long = `${body}${"a".repeat(100)}@invalid"}`;
  const answer = { status: 200, headers: {}, body: long };
  expect(withoutSecrets(`200${bodyInWords(answer)} (said "so")`)).toMatch(/, … \(said "so"\)$/);
});

test("text without members is cut where it is too long", () => {
  expect(valueInWords({ name: "a".repeat(500) })).toHaveLength(160);
  expect(bodyInWords({ status: 502, headers: {}, body: "x".repeat(500) })).toHaveLength(161);
  expect(bodyInWords({ status: 204, headers: {}, body: "" })).toBe("");
});
