/** Traffic in the JSON schema of scenarios. */

import type { JsonSchema } from "../../../spec/responses.ts";
import { RATE } from "../../traffic/rate.ts";
import type { Arrivals } from "../../traffic/traffic.ts";
import { MOST_AT_ONCE, MOST_TRACE, MOST_WEIGHT } from "../parse/traffic.ts";
import { choice, list, object, part, share, whole } from "./parts.ts";

const duration = part("duration");
const rate = part("rate");
const spacing = choice(["even", "poisson"], "How evenly arrivals follow their rate.");
const weight: JsonSchema = { type: "number", minimum: 0, maximum: MOST_WEIGHT };
const instant: JsonSchema = { type: "number", minimum: 0 };

const kinds: {
  readonly [Kind in Arrivals["kind"]]: readonly [
    about: string,
    has: Readonly<Record<string, JsonSchema>>,
    needs: readonly string[],
  ];
} = {
  constant: ["Evenly.", { rate }, ["rate"]],
  ramp: ["Straight from one rate to the other.", { from: rate, to: rate, spacing }, ["from", "to"]],
  poisson: ["Independent of one another.", { rate }, ["rate"]],
  daily: [
    "A rate that follows the hours of the day in UTC.",
    {
      mean: { ...rate, description: "Over a whole day." },
      hours: {
        type: "array",
        items: weight,
        minItems: 24,
        maxItems: 24,
        description: "Weights of the hours. Default: a publisher's usual day.",
      },
      spacing,
    },
    ["mean"],
  ],
  burst: [
    "So many at once, at the start of each `every`.",
    {
      count: whole(1, "How many.", MOST_AT_ONCE),
      every: part("duration", "Default: once."),
      within: part("duration", "All within this long. Default: 0."),
    },
    ["count"],
  ],
  trace: [
    "A recorded trace.",
    {
      atMs: {
        type: "array",
        items: instant,
        minItems: 1,
        maxItems: MOST_TRACE,
        description: "When each came, in milliseconds from the start, in order.",
      },
    },
    ["atMs"],
  ],
};

export const trafficParts: Readonly<Record<string, JsonSchema>> = {
  rate: {
    type: "string",
    pattern: RATE.source,
    description: 'Requests in a unit of time: "8000/m", "133.5/s", "500/h", "11520000/d".',
  },
  traffic: object(
    {
      for: part("duration", "How long it lasts."),
      arrivals: {
        description: "When requests come, whatever the answers do.",
        anyOf: Object.entries(kinds).map(([kind, [about, has, needs]]) => ({
          ...object({ kind: { const: kind, description: about }, ...has }, ["kind", ...needs]),
          description: about,
        })),
      },
      mix: {
        ...object({ impression: weight, stats: weight, surfaces: weight, payouts: weight }),
        description: "What arrivals ask for, by weight. Default: impressions.",
      },
      publishers: list(part("publisher"), "They take turns at random. Default: the first."),
      surfaces: whole(1, "How many of each publisher's, from its first. Default: all."),
      repeatedSessions: share("Of impressions that repeat one of the last 100. Default: 0."),
      sessions: { type: "boolean", description: "Whether they have session ids. Default: true." },
      clicks: {
        ...object({ rate: share("Of impressions."), after: duration }, ["rate"]),
        description: "Which share of impressions is clicked, and how long after.",
      },
      timeout: part("duration", "When the client gives up on a request. Default: 10s."),
    },
    ["for", "arrivals"],
  ),
};
