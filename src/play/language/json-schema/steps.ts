/** Steps in the JSON schema of scenarios. */

import { type JsonSchema, surfaceStatuses } from "../../../spec/responses.ts";
import { MOST_PARALLEL } from "../parse/steps.ts";
import { requestKinds, type StepKind } from "../step-kind.ts";
import { headerName, list, object, part, whole } from "./parts.ts";

const duration = part("duration");
const matcher = part("matcher");

const named: Readonly<Record<string, JsonSchema>> = {
  as: part("name"),
  note: { type: "string", minLength: 1, description: "Why it is there, for the reader." },
};
const tallied = { ...named, expect: { ...matcher, description: "Of the tally of its requests." } };
const asked: Readonly<Record<string, JsonSchema>> = {
  ...named,
  publisher: part("publisher", "Whose key is sent, and who is meant. Default: the first."),
  key: part("value", "Another key than the publisher's; null sends none."),
  encoding: {
    enum: ["json", "form", "query"],
    description: "How the parameters of a POST are sent. Default: json.",
  },
  headers: { ...part("values"), type: "object", propertyNames: headerName },
  timeout: part("duration", "When the client gives up. Default: 10s."),
  expect: part("answer", "What the answer must be."),
};
const textOrValues = (description: string): JsonSchema => ({
  anyOf: [{ type: "string" }, part("values")],
  description,
});
const cpmRange: JsonSchema = {
  type: "array",
  items: { type: "number", minimum: 0 },
  minItems: 2,
  maxItems: 2,
  description: "INR for a thousand impressions, lower bound first.",
};
const surfaceTerms = { status: { enum: surfaceStatuses }, cpmRange };

/** What the key of each step holds, and in words what the step does. */
const kinds: { readonly [Kind in StepKind]: readonly [about: string, holds: JsonSchema] } = {
  impression: ["Records an impression.", part("impression")],
  click: ["Records a click.", object({ impression_id: part("value") }, ["impression_id"])],
  stats: ["Asks for statistics.", part("stats")],
  surfaces: ["Asks for the surfaces.", object({ publisher_id: part("value") })],
  payouts: ["Asks for the payouts.", part("payouts")],
  raw: ["Sends a request as it is, with nothing filled in but the key.", part("raw")],
  advance: ["Lets the world's time pass.", part("advance")],
  traffic: ["Sends many requests on a schedule.", part("traffic")],
  assume: ["Other readings of open points from now on.", part("readings")],
  fault: ["Installs a fault rule.", part("faultRule")],
  heal: [
    "Takes rules away: this one, these, or all.",
    { anyOf: [{ type: "string" }, list({ type: "string" })] },
  ],
  signUp: ["Adds a publisher. The name of the step is then the publisher's.", part("signUp")],
  setSurface: [
    "Changes a surface.",
    object({
      publisher: part("publisher"),
      surface: whole(0, "Place among the publisher's surfaces. Default: 0."),
      ...surfaceTerms,
    }),
  ],
  rotateKey: [
    "Gives the publisher a new key: NAME.apiKey, and NAME.oldKey.",
    object({ publisher: part("publisher") }),
  ],
  repeat: [
    "Plays steps several times.",
    object(
      {
        times: whole(1, "How often."),
        every: { ...duration, description: "How much time passes after each round." },
        steps: part("steps"),
      },
      ["times", "steps"],
    ),
  ],
  parallel: [
    "Sends requests at one instant.",
    object(
      {
        times: whole(1, "How often each. Default: 1.", MOST_PARALLEL),
        steps: list({ anyOf: requestKinds.map((kind) => part(`${kind}Step`)) }),
      },
      ["steps"],
    ),
  ],
  expect: ["Says what must hold here.", part("expectation")],
};

function isOf(some: readonly string[], kind: string): boolean {
  return some.includes(kind);
}

const stepParts = Object.entries(kinds).map(([kind, [about, holds]]) => {
  const talliedKind = isOf(["traffic", "repeat", "parallel"], kind);
  const others = isOf(requestKinds, kind) ? asked : talliedKind ? tallied : named;
  const properties = { [kind]: { ...holds, description: about }, ...others };
  return [`${kind}Step`, object(properties, [kind])] as const;
});

export const stepsParts: Readonly<Record<string, JsonSchema>> = {
  impression: object({
    publisher_id: part("value"),
    surface: part("value"),
    ad_id: part("value"),
    session_id: part("value"),
  }),
  stats: object({
    publisher_id: part("value"),
    from: part("value"),
    to: part("value"),
    surface: part("value"),
  }),
  payouts: object({ publisher_id: part("value"), limit: part("value") }),
  raw: object(
    {
      method: { type: "string", minLength: 1 },
      path: { type: "string", pattern: "^/", description: "From the slash on, encoded as it is." },
      query: textOrValues("After the question mark."),
      body: textOrValues("Text as it is, or an object that is sent as JSON."),
    },
    ["method", "path"],
  ),
  advance: {
    anyOf: [
      duration,
      object({ to: part("instant", "Until this instant. Never back.") }, ["to"]),
      object(
        {
          retryAfterOf: part("name", "As long as the Retry-After of this answer says."),
          less: part("duration", "By so much shorter."),
          more: part("duration", "By so much longer."),
        },
        ["retryAfterOf"],
      ),
    ],
  },
  signUp: object({
    name: { type: "string", minLength: 1 },
    surfaces: list({
      anyOf: [
        { type: "string", minLength: 1 },
        object({ name: { type: "string", minLength: 1 }, ...surfaceTerms }, ["name"]),
      ],
    }),
  }),
  ...Object.fromEntries(stepParts),
  steps: list({ anyOf: Object.keys(kinds).map((kind) => part(`${kind}Step`)) }),
};
