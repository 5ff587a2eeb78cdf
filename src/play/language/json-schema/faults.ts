/** Fault rules in the JSON schema of scenarios. */

import type { VerdictKind } from "../../../faults/verdict.ts";
import { operationIds } from "../../../spec/operations.ts";
import type { JsonSchema } from "../../../spec/responses.ts";
import { choice, object, oneOrMore, part, share, whole } from "./parts.ts";

const duration = part("duration");
const loss = choice(["close", "reset", "silence"], "How the client notices that nothing comes.");
const some: JsonSchema = { type: "string", minLength: 1 };

/** What verdicts of each kind have beside kind and delay, and what a rule does by it. */
const verdicts: {
  readonly [Kind in VerdictKind]: {
    readonly does: string;
    readonly has?: Readonly<Record<string, JsonSchema>>;
    readonly needs?: readonly string[];
  };
} = {
  delay: { does: "Holds the answer back.", needs: ["delay"] },
  respond: {
    does: "Answers in the service's place.",
    has: {
      status: whole(200, "Of the answer.", 599),
      headers: { type: "object", additionalProperties: { type: "string" } },
      body: { description: "Text, or a value that is sent as JSON." },
      applied: { type: "boolean", description: "Whether the service does what was asked." },
    },
    needs: ["status"],
  },
  drop: { does: "The request never reaches the service.", has: { as: loss } },
  "lose-response": { does: "Done, and the answer is lost.", has: { as: loss } },
  timeout: { does: "Nothing is done, and nothing ever comes." },
  reset: { does: "Nothing is done, and the connection is reset." },
  empty: { does: "Nothing is done, and the connection closes without a byte." },
  truncate: {
    does: "The answer's body breaks off.",
    has: { atByte: whole(0, "After so many bytes."), share: share("After this share of it.") },
  },
  garbage: {
    does: "Bytes that mean nothing come.",
    has: { as: choice(["body", "response"], "In place of what.") },
  },
  drip: {
    does: "The answer's body comes slowly.",
    has: { bytesPerSecond: whole(1, "At this pace.", 1_000_000_000) },
    needs: ["bytesPerSecond"],
  },
  duplicate: {
    does: "The service does it twice.",
    has: { answer: choice(["first", "second"], "Which answer the client sees.") },
  },
  reorder: {
    does: "Later answers overtake this one.",
    has: { by: whole(1, "How many.", 1000), atMost: duration },
  },
};

export const faultParts: Readonly<Record<string, JsonSchema>> = {
  delay: {
    description: "A duration of at most an hour, or a range of them.",
    anyOf: [
      duration,
      object({ from: duration, to: duration, shape: choice(["uniform", "long-tailed"]) }, [
        "from",
        "to",
      ]),
    ],
  },
  faultMatch: object({
    operation: oneOrMore(choice(operationIds), "Which operations."),
    publisher: oneOrMore(some, "Ids of the publishers whose keys are sent."),
    surface: oneOrMore(some, "Ids of the surfaces that are named."),
    from: part("instant", "From this instant on."),
    until: part("instant", "Before this instant."),
    repeat: {
      ...object({ for: duration, every: duration }, ["for", "every"]),
      description: "Of each `every` only the first `for`.",
    },
    nth: oneOrMore({ type: "integer", minimum: 1 }, "Requests by number, from 1."),
    every: whole(1, "Each request whose number is a multiple of this."),
    share: share("The chance of each request."),
    times: whole(1, "How often at most."),
    per: choice(["publisher", "world"], "What requests are numbered within."),
  }),
  verdict: {
    anyOf: Object.entries(verdicts).map(([kind, { does, has = {}, needs = [] }]) => ({
      ...object({ kind: { const: kind, description: does }, delay: part("delay"), ...has }, [
        "kind",
        ...needs,
      ]),
      description: does,
    })),
  },
  faultRule: object(
    {
      id: {
        type: "string",
        pattern: "^[A-Za-z0-9._-]{1,64}$",
        description: "What the journal and heal know it by.",
      },
      match: part("faultMatch", "Which requests. Default: all."),
      verdict: part("verdict", "What becomes of them."),
      ttl: part("duration", "How long it stays. Default: until it is healed."),
    },
    ["verdict"],
  ),
};
