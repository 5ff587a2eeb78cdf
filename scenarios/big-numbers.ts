/** What a client must survive: ids beyond 2^53, which a JSON number can't hold exactly, and figures that need nearly all its digits. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "big-numbers",
  about:
    "Ids have 20 digits, more than a JSON number can hold. A client that reads them as numbers gets somebody else's ids; as strings they work everywhere. Periods of ten thousand years are answered, and amounts with six decimals are exact.",
  profile: "adversarial",
  assumptions: { "ids.format": "digits" },
  steps: [
    {
      signUp: { surfaces: [{ name: "Board", cpmRange: [9999.99, 9999.99] }] },
      as: "station",
    },
    {
      publisher: "station",
      impression: { session_id: "visit" },
      as: "shown",
      expect: {
        status: 200,
        body: { ok: true, impression_id: { length: 20 }, revenue_credited_inr: 9.99999 },
      },
    },
    { expect: { of: "shown.impression_id", is: { type: "string" } } },
    { expect: { of: "station.id", is: { length: 20 } } },
    {
      publisher: "station",
      click: { impression_id: { ref: "shown.impression_id" } },
      as: "click",
      note: "As text it stays the same.",
      expect: { status: 200, body: { click_id: { length: 20 } } },
    },
    {
      publisher: "station",
      raw: {
        method: "POST",
        path: "/v1/click",
        body: '{"impression_id":12345678901234567000}',
      },
      headers: { "content-type": "application/json" },
      note: "As a JSON number it has lost digits, in most clients: refused before it is taken for another.",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "impression_id" } },
    },
    {
      publisher: "station",
      raw: { method: "POST", path: "/v1/click", body: '{"impression_id":1e400}' },
      headers: { "content-type": "application/json" },
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "impression_id" } },
    },
    {
      publisher: "station",
      impression: { session_id: "9007199254740992", ad_id: "9007199254740993" },
      as: "odd",
      note: "As numbers these two ads would be one.",
      expect: { status: 200, body: { revenue_credited_inr: 9.99999 } },
    },
    {
      publisher: "station",
      impression: { session_id: "9007199254740992", ad_id: "9007199254740992" },
      expect: {
        status: 200,
        body: {
          impression_id: { not: { ref: "odd.impression_id" } },
          revenue_credited_inr: 9.99999,
        },
      },
    },
    {
      publisher: "station",
      raw: {
        method: "POST",
        path: "/v1/impression",
        query: {
          publisher_id: { ref: "station.id" },
          surface: { ref: "station.surfaces.0.id" },
          ad_id: "ad-1",
        },
        body: '{"session_id":9007199254740993}',
      },
      headers: { "content-type": "application/json" },
      note: "A session id sent as a JSON number past 2^53 can't be told from its neighbour: refused.",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "session_id" } },
    },
    {
      publisher: "station",
      stats: { from: "0000-01-01", to: "9999-12-31" },
      note: "The longest possible period.",
      expect: {
        status: 200,
        body: {
          publisher_id: { ref: "station.id" },
          period: { from: "0000-01-01", to: "9999-12-31" },
          impressions: 3,
          revenue_inr: { sum: [9.99999, 9.99999, 9.99999, { ref: "click.revenue_credited_inr" }] },
        },
      },
    },
    {
      publisher: "station",
      stats: { from: "10000-01-01" },
      expect: { status: 400, body: { parameter: "from" } },
    },
    {
      publisher: "station",
      payouts: { limit: "18446744073709551617" },
      note: "2^64 + 1 is not 1.",
      expect: { status: 400, body: { parameter: "limit" } },
    },
    {
      stats: { from: "0000-01-01" },
      as: "life",
      note: "Years of history of a made-up publisher with extreme figures.",
      expect: {
        status: 200,
        body: {
          impressions: { type: "integer" },
          clicks: { type: "integer" },
          surfaces: { every: { id: { length: 20 }, impressions: { type: "integer" } } },
        },
      },
    },
    { stats: { from: "0000-01-01", to: "2026-01-14" }, as: "history", expect: { status: 200 } },
    {
      traffic: {
        for: "1m",
        arrivals: { kind: "constant", rate: "600/m" },
        clicks: { rate: 0.2, after: "1s" },
      },
      as: "more",
      expect: { failed: 0, refused: 0, creditedInr: { atLeast: 0.000001 } },
    },
  ],
  expectations: [
    {
      stats: { from: "0000-01-01" },
      is: {
        impressions: {
          sum: [{ ref: "history.impressions" }, { ref: "more.operations.impression.ok" }],
        },
        clicks: { sum: [{ ref: "history.clicks" }, { ref: "more.operations.click.ok" }] },
        revenue_inr: { sum: [{ ref: "history.revenue_inr" }, { ref: "more.creditedInr" }] },
      },
    },
    {
      publisher: "station",
      stats: {},
      is: {
        impressions: 3,
        clicks: 1,
        revenue_inr: { sum: [29.99997, { ref: "click.revenue_credited_inr" }] },
      },
    },
    { audit: { balanced: true, discrepancies: [] } },
  ],
});
