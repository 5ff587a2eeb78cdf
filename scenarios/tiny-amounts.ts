/** What a client must survive: ten million amounts of a few micro-INR, with totals exact to the micro-INR. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

const publishers = ["north", "south", "east", "west", "centre"] as const;
const surfaces = [
  { name: "Ticker", cpmRange: [0.01, 0.03] },
  { name: "Footnote", cpmRange: [0.01, 0.01] },
  { name: "Watermark", cpmRange: [0, 0.01] },
] as const;

/** The two days add up to the whole period, and the surfaces to the publisher. */
function addsUp(publisher: (typeof publishers)[number]): Step[] {
  const whole = `${publisher}-stats`;
  const first = `${publisher}-first-day`;
  const second = `${publisher}-second-day`;
  const rows = (member: string): { ref: string }[] =>
    surfaces.map((_, index) => ({ ref: `${whole}.surfaces.${index}.${member}` }));
  return [
    { publisher, stats: { from: "2026-01-15", to: "2026-01-16" }, as: whole },
    { publisher, stats: { from: "2026-01-15", to: "2026-01-15" }, as: first },
    { publisher, stats: { from: "2026-01-16", to: "2026-01-16" }, as: second },
    {
      expect: {
        of: whole,
        is: {
          impressions: { sum: [{ ref: `${first}.impressions` }, { ref: `${second}.impressions` }] },
          revenue_inr: { sum: [{ ref: `${first}.revenue_inr` }, { ref: `${second}.revenue_inr` }] },
        },
      },
    },
    {
      expect: {
        of: whole,
        is: {
          impressions: { sum: rows("impressions") },
          clicks: 0,
          revenue_inr: { sum: rows("revenue") },
        },
      },
    },
  ];
}

export const scenario: Scenario = defineScenario({
  name: "tiny-amounts",
  about:
    "Ten million impressions earn 0 to 30 micro-INR each, and every total must be right. Sums of such fractions drift if they are kept as floating-point numbers. Here the credits in all answers, the stats of all publishers, surfaces and days, and the audit agree to the last micro-INR.",
  start: "2026-01-15T12:00:00Z",
  publishers: 1,
  steps: [
    ...publishers.map((as): Step => ({ signUp: { surfaces }, as })),
    { signUp: { surfaces: [{ name: "Penny", cpmRange: [0.01, 0.01] }] }, as: "penny" },
    {
      repeat: { times: 1000, steps: [{ publisher: "penny", impression: {} }] },
      as: "thousand",
      note: "In floating point a thousand times 0.00001 is 0.010000000000000122.",
      expect: { ok: 1000, creditedInr: 0.01 },
    },
    {
      publisher: "penny",
      stats: {},
      expect: {
        status: 200,
        text: { contains: '"revenue_inr":0.01,' },
        body: { impressions: 1000, revenue_inr: 0.01 },
      },
    },
    {
      publisher: "penny",
      impression: {},
      note: "It is not written 1e-5: no exponent, and no zeros at the end.",
      expect: { status: 200, text: { contains: '"revenue_credited_inr":0.00001}' } },
    },
    {
      traffic: {
        for: "24h",
        arrivals: { kind: "constant", rate: "10000000/d" },
        publishers,
        sessions: false,
      },
      as: "drizzle",
      expect: {
        sent: 10_000_000,
        ok: 10_000_000,
        creditedInr: { atLeast: 0.000001 },
        dropped: 0,
        late: 0,
      },
    },
    ...publishers.flatMap(addsUp),
    {
      expect: {
        of: "drizzle",
        is: {
          ok: { sum: publishers.map((publisher) => ({ ref: `${publisher}-stats.impressions` })) },
          creditedInr: {
            sum: publishers.map((publisher) => ({ ref: `${publisher}-stats.revenue_inr` })),
          },
        },
      },
    },
    {
      assume: { "money.precision": "paise" },
      note: "This service rounds what it shows: each answer says 0, but the total is right.",
    },
    {
      publisher: "penny",
      impression: {},
      expect: { status: 200, body: { revenue_credited_inr: 0 } },
    },
    {
      publisher: "penny",
      stats: {},
      expect: { status: 200, body: { impressions: 1002, revenue_inr: 0.01 } },
    },
    { assume: { "money.precision": "exact" } },
    {
      publisher: "penny",
      stats: {},
      expect: { status: 200, body: { impressions: 1002, revenue_inr: 0.01002 } },
    },
    {
      publisher: "penny",
      payouts: {},
      expect: { status: 200, body: { payouts: [], pending_inr: 0.01002 } },
    },
  ],
  expectations: [
    {
      audit: {
        balanced: true,
        total: {
          impressions: {
            applied: { sum: [{ ref: "drizzle.ok" }, 1002] },
            creditedRecordedInr: { sum: [{ ref: "drizzle.creditedInr" }, 0.01002] },
            creditedSeenInr: { sum: [{ ref: "drizzle.creditedInr" }, 0.01002] },
          },
        },
      },
    },
  ],
  thresholds: ["errors = 0%", "refused = 0%", "dropped = 0"],
});
