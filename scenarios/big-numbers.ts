/** What a client must survive: ids beyond 2^53, which a JSON number can't hold, and sums of amounts of a few micro-INR. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { assume, clickOn, creditOf, error, ok, ref, report, signUp } from "./words.ts";

const publisher = "station";
const ids = { length: 20 };

/** Sends this text as the body of a POST to an endpoint. */
function refused(path: string, body: string, parameter: string): Step {
  const query = {
    publisher_id: ref("station.id"),
    surface: ref("station.surfaces.0.id"),
    ad_id: "a",
  };
  return {
    publisher,
    raw: { method: "POST", path, body, ...(path.endsWith("impression") && { query }) },
    headers: { "content-type": "application/json" },
    note: "As a JSON number it has lost digits: refused before it is taken for another.",
    expect: error(400, "invalid_parameter", parameter),
  };
}

export const scenario = defineScenario({
  name: "big-numbers",
  about:
    "Ids have 20 digits, more than a JSON number can hold: a client that reads them as numbers gets somebody else's ids. Periods of ten thousand years are answered. Two thousand impressions earn 0 to 30 micro-INR each, and every total is right to the last of them: such sums drift if they are kept as floating-point numbers.",
  profile: "adversarial",
  assumptions: { "ids.format": "digits" },
  steps: [
    signUp(publisher, { Board: 9999.99 }),
    {
      publisher,
      impression: { session_id: "9007199254740992", ad_id: "9007199254740993" },
      as: "shown",
      note: "As numbers this ad and the next would be one.",
      expect: ok({ impression_id: ids, revenue_credited_inr: 9.99999 }),
    },
    {
      publisher,
      impression: { session_id: "9007199254740992", ad_id: "9007199254740992" },
      expect: ok({
        impression_id: { not: ref("shown.impression_id") },
        revenue_credited_inr: 9.99999,
      }),
    },
    clickOn("shown", { publisher, as: "click", expect: ok({ click_id: ids }) }),
    refused("/v1/click", '{"impression_id":12345678901234567000}', "impression_id"),
    refused("/v1/impression", '{"session_id":9007199254740993}', "session_id"),
    {
      publisher,
      stats: { from: "0000-01-01", to: "9999-12-31" },
      note: "The longest possible period.",
      expect: ok({ revenue_inr: { sum: [...creditOf("click").sum, 19.99998] } }),
    },
    { publisher, stats: { from: "10000-01-01" }, expect: error(400, "invalid_parameter", "from") },
    {
      publisher,
      payouts: { limit: "18446744073709551617" },
      note: "2^64 + 1 is not 1.",
      expect: error(400, "invalid_parameter", "limit"),
    },
    signUp("penny", { Penny: 0.01 }),
    {
      repeat: { times: 1000, steps: [{ publisher: "penny", impression: {} }] },
      note: "In floating point a thousand times 0.00001 is 0.010000000000000122.",
      expect: { ok: 1000, creditedInr: 0.01 },
    },
    {
      publisher: "penny",
      impression: {},
      note: "It is not written 1e-5: no exponent, and no zeros at the end.",
      expect: { status: 200, text: { contains: '"revenue_credited_inr":0.00001}' } },
    },
    assume("money.precision", "paise", "Each answer shows 0, but the total is right."),
    { publisher: "penny", impression: {}, expect: { body: { revenue_credited_inr: 0 } } },
    { publisher: "penny", stats: {}, expect: { body: { impressions: 1002, revenue_inr: 0.01 } } },
    assume("money.precision", "exact"),
    {
      publisher: "penny",
      payouts: {},
      expect: { status: 200, text: { contains: "0.01002" }, body: { pending_inr: 0.01002 } },
    },
    { signUp: { surfaces: [{ name: "Ticker", cpmRange: [0, 0.03] }] }, as: "drizzler" },
    {
      traffic: {
        for: "24h",
        arrivals: { kind: "constant", rate: "2000/d" },
        publishers: ["drizzler"],
        sessions: false,
      },
      as: "drizzle",
      expect: { ok: 2000, creditedInr: { atLeast: 0.01 } },
    },
  ],
  expectations: [
    report(["2026-01-15"], { revenue_inr: 0.01002 }, "penny"),
    report(["2026-01-15"], { revenue_inr: ref("drizzle.creditedInr") }, "drizzler"),
  ],
});
