/** What a client must survive: amounts of a few micro-INR, ten million of them, and a total that is right to the micro. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

const publishers = ["north", "south", "east", "west", "centre"] as const;

export const scenario: Scenario = defineScenario({
  name: "tiny-amounts",
  about:
    "Ten million impressions earn 10 to 30 micro-INR each. Sums of such fractions drift when they are kept as floating-point numbers; here the credits of all answers, the stats of all publishers and the audit agree to the last micro.",
  steps: [
    ...publishers.map((as) => ({
      signUp: {
        surfaces: [
          { name: "Ticker", cpmRange: [0.01, 0.03] as const },
          { name: "Footnote", cpmRange: [0.01, 0.01] as const },
          { name: "Watermark", cpmRange: [0, 0.01] as const },
        ],
      },
      as,
    })),
    { signUp: { surfaces: [{ name: "Penny", cpmRange: [0.01, 0.01] }] }, as: "penny" },
    {
      repeat: { times: 1000, steps: [{ publisher: "penny", impression: {} }] },
      as: "thousand",
      note: "A thousand times 0.00001 is 0.01, and not 0.010000000000000012.",
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
      note: "No exponent, no trailing zero: 1e-5 is not how amounts are written.",
      expect: { status: 200, text: { contains: '"revenue_credited_inr":0.00001}' } },
    },
    {
      traffic: {
        for: "250m",
        arrivals: { kind: "constant", rate: "40000/m" },
        publishers,
        sessions: false,
      },
      as: "drizzle",
      note: "8,000 a minute for each of five publishers, over four hours.",
      expect: { refused: 0, failed: 0, lost: 0, dropped: 0, late: 0 },
    },
    ...publishers.map((publisher) => ({
      publisher,
      stats: {},
      as: `${publisher}Stats`,
      expect: {
        status: 200,
        body: {
          clicks: 0,
          impressions: {
            sum: [0, 1, 2].map((surface) => ({
              ref: `${publisher}Stats.surfaces.${surface}.impressions`,
            })),
          },
        },
      },
    })),
  ],
  expectations: [],
});
