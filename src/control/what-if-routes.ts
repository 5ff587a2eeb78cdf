/** What a recorded request would have got under other choices, a fault, later, or edited. The world itself doesn't change. */

import * as v from "valibot";
import { InputError, parseInput } from "../base/input.ts";
import { strictObject } from "../base/schema-builders.ts";
import { compareAt } from "../choices/compare-choices.ts";
import { type Alteration, recordedQuestion, whatIf } from "../choices/what-if.ts";
import type { RequestParts } from "../spec/messages.ts";
import { sequenceIn } from "./history-routes.ts";
import { durationInBody } from "./input.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";

export const whatIfRoutes: readonly ControlRoute[] = [
  {
    method: "POST",
    path: "history/:sequence/what-if",
    body: "optional",
    answer: askWhatIf,
  },
];

const members = strictObject({
  method: v.optional(v.string()),
  path: v.optional(v.string()),
  query: v.optional(v.string("must be a text such as publisher_id=pub_1")),
  headers: v.optional(v.record(v.string(), v.string("must be a string"))),
  body: v.optional(v.string("must be a text, as it is sent")),
});
const bodySchema = strictObject({
  // The rule's own schema checks it.
  fault: v.optional(v.unknown()),
  advance: v.optional(durationInBody),
  request: v.optional(members),
});

/** Without an alteration: the same request under every other choice. */
function askWhatIf(call: ControlCall): Reply {
  const alteration = alterationIn(call.body);
  const { world } = call;
  const sequence = sequenceIn(call);
  try {
    const found =
      alteration === undefined
        ? compareAt(recordedQuestion(world, sequence))
        : whatIf(world, sequence, alteration);
    return { kind: "json", value: { sequence, ...found } };
  } catch (error) {
    // The history has another name for the entry.
    if (!(error instanceof InputError) || error.field !== "before") throw error;
    throw new InputError("sequence", error.expected, error.reason);
  }
}

function alterationIn(body: unknown): Alteration | undefined {
  const { fault, advance, request } = parseInput(bodySchema, body);
  const given = Object.keys(body as object);
  if (given.length > 1) {
    const [first, second = ""] = given;
    throw new InputError(second, `can't be combined with ${first}: give only one of them`);
  }
  if (given.includes("fault")) return { kind: "fault", rule: fault };
  if (advance !== undefined) return { kind: "advance", by: advance };
  // The schema has checked each of them.
  return request && { kind: "request", members: request as Partial<RequestParts> };
}
