/** Schemas of steps. Exactly one key marks a step's kind and decides which other keys it may have. */

import * as v from "valibot";
import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import {
  anyOf,
  described,
  namedSchema,
  oneOrMore,
  optional,
  type Schema,
} from "../../base/schema-builders.ts";
import { instantText, wholeBetween } from "../../base/schemas.ts";
import { duration } from "../../faults/delay.ts";
import { ruleSchema } from "../../faults/rule.ts";
import {
  CHANGE_EXPECTED,
  cpmRange,
  signUpSchema,
  surfaceStatus,
} from "../../world/accounts/publisher-directory.ts";
import { choices } from "./choices.ts";
import { answerExpectation, expectation } from "./expectations.ts";
import { matcher } from "./matchers.ts";
import {
  clickParameters,
  impressionParameters,
  payoutsParameters,
  statsParameters,
  surfacesParameters,
} from "./parameters.ts";
import { type EntriesOf, exactObject, invalid, listOf, oneOf } from "./schema-parts.ts";
import {
  type RequestKind,
  requestKinds,
  type StepKind,
  type StepOf,
  stepKinds,
} from "./step-kind.ts";
import { traffic } from "./traffic.ts";
import type { RawRequest, RequestStep, Step } from "./types.ts";
import { headers, note, publisherRef, stepName, timeout, value, values } from "./values.ts";

export const MAX_STEPS = 10_000;
/** Rounds of one parallel step: all its requests are in memory at once. */
const MAX_PARALLEL = 100_000;
const COUNTLESS = Number.MAX_SAFE_INTEGER;

type StepLabel = Pick<Step, "as" | "note">;
const labelEntries: EntriesOf<StepLabel> = { as: optional(stepName), note: optional(note) };

/** A step of this kind. `own`: its keys other than `as` and `note`. */
function step<Kind extends Exclude<StepKind, RequestKind>>(
  own: EntriesOf<Omit<StepOf<Kind>, keyof StepLabel>>,
): Schema<StepOf<Kind>> {
  const all = { ...labelEntries, ...own };
  return exactObject(all as unknown as EntriesOf<StepOf<Kind>>);
}

const tally = optional(matcher, "Checked against the tally of its requests.");

const requestEntries: EntriesOf<Omit<RequestStep, RequestKind>> = {
  ...labelEntries,
  publisher: optional(publisherRef, "Supplies the key and missing parameters. Default: the first."),
  key: optional(value, "A key to send instead of the publisher's. Null sends none."),
  encoding: optional(
    oneOf(["json", "form", "query"]),
    "How the parameters of a POST are sent. Default: json.",
  ),
  headers: optional(headers),
  timeout: optional(timeout),
  expect: optional(answerExpectation, "What the answer must look like."),
};

function request<Kind extends RequestKind>(
  kind: Kind,
  parameters: Schema<NonNullable<RequestStep[Kind]>>,
  does: string,
): Schema<RequestStep> {
  const all = { [kind]: described(parameters, does), ...requestEntries };
  return exactObject(all as unknown as EntriesOf<RequestStep>);
}

function target(start: RegExp, expected: string): Schema<string> {
  return v.pipe(
    v.string(),
    v.maxLength(16_000, "must have at most 16,000 characters"),
    v.regex(start, expected),
  );
}
function textOrValues(
  text: Schema<string>,
  description: string,
): Schema<NonNullable<RawRequest["body"]>> {
  const either = anyOf<NonNullable<RawRequest["body"]>>([text, values], (input) =>
    typeof input === "string" ? text : values,
  );
  return described(either, description);
}
const raw = exactObject<RawRequest>({
  method: v.pipe(
    v.string(),
    v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/, "must be an HTTP method, such as GET"),
    v.check((method) => !/^connect$/i.test(method), "must not be CONNECT, which opens a tunnel"),
  ),
  path: described(
    target(
      /^\/[!-"$-~]*$/,
      "must begin with a slash and be printable ASCII without spaces and #: percent-encode the rest",
    ),
    "Starts with a slash. Sent as written.",
  ),
  query: optional(
    textOrValues(
      target(
        /^[!-"$-~]*$/,
        "must be printable ASCII without spaces and #: percent-encode the rest",
      ),
      "After the question mark.",
    ),
  ),
  body: optional(textOrValues(v.string(), "Text is sent as written, an object as JSON.")),
});

const requestSchemas: { readonly [Kind in RequestKind]: Schema<RequestStep> } = {
  impression: request("impression", impressionParameters, "Records an impression."),
  click: request("click", clickParameters, "Records a click."),
  stats: request("stats", statsParameters, "Asks for statistics."),
  surfaces: request("surfaces", surfacesParameters, "Asks for the surfaces."),
  payouts: request("payouts", payoutsParameters, "Asks for the payouts."),
  raw: request("raw", raw, "Sends a request as written. Only the key is filled in."),
};

type Advance = StepOf<"advance">["advance"];
type AdvanceBy<Key extends string> = Extract<Advance, { readonly [One in Key]: unknown }>;
const advanceTo = exactObject<AdvanceBy<"to">>({
  to: described(instantText, "Until this instant, which can't be in the past."),
});
const advanceAfter = exactObject<AdvanceBy<"retryAfterOf">>({
  retryAfterOf: described(stepName, "Until the Retry-After of this answer is over."),
  less: optional(duration, "This much less."),
  more: optional(duration, "This much more."),
});
const advance = anyOf<Advance>([duration, advanceTo, advanceAfter], (input) => {
  if (!isPlainObject(input)) return duration;
  return Object.hasOwn(input, "to") ? advanceTo : advanceAfter;
});

const ruleId = v.pipe(
  v.string('must be a rule\'s id, a list of ids, or "all"'),
  v.regex(/^[A-Za-z0-9._-]{1,64}$/, "must be a rule's id"),
);
const heal: Schema<StepOf<"heal">["heal"]> = oneOrMore(ruleId, listOf(ruleId, "ids of rules"));

const setSurface = v.pipe(
  exactObject<StepOf<"setSurface">["setSurface"]>({
    publisher: optional(publisherRef),
    surface: optional(
      wholeBetween(0, COUNTLESS),
      "Index among the publisher's surfaces. Default: 0.",
    ),
    status: optional(surfaceStatus),
    cpmRange: optional(cpmRange),
  }),
  v.check(
    ({ status, cpmRange: prices }) => status !== undefined || prices !== undefined,
    CHANGE_EXPECTED,
  ),
);
// An object schema alone would accept a list as an object without members.
const signUp: Schema<StepOf<"signUp">["signUp"]> = v.pipe(
  v.custom<unknown>(isPlainObject, "must be an object"),
  signUpSchema,
);

export const steps: Schema<Step[]> = namedSchema("steps", () =>
  v.pipe(listOf(anyStep, "steps"), v.maxLength(MAX_STEPS)),
);
const requests: Schema<RequestStep[]> = namedSchema("requests", () =>
  listOf(anyRequest, "requests"),
);

const repeat = exactObject<StepOf<"repeat">["repeat"]>({
  times: described(wholeBetween(1, COUNTLESS), "Number of rounds."),
  every: optional(duration, "Time to wait after each round."),
  steps,
});
const parallel = exactObject<StepOf<"parallel">["parallel"]>({
  times: optional(wholeBetween(1, MAX_PARALLEL), "Number of rounds. Default: 1."),
  steps: requests,
});

const stepSchemas: { readonly [Kind in StepKind]: Schema<Step> } = {
  ...requestSchemas,
  advance: step<"advance">({ advance: described(advance, "Advances the world's clock.") }),
  traffic: step<"traffic">({
    traffic: described(traffic, "Sends many requests on a schedule."),
    expect: tally,
  }),
  assume: step<"assume">({
    assume: described(choices, "Changes assumptions from now on."),
  }),
  fault: step<"fault">({ fault: described(ruleSchema, "Installs a fault rule.") }),
  heal: step<"heal">({ heal: described(heal, "Removes fault rules by id, or all of them.") }),
  signUp: step<"signUp">({
    signUp: described(signUp, "Adds a publisher. Later steps refer to it by this step's name."),
  }),
  setSurface: step<"setSurface">({ setSurface: described(setSurface, "Changes a surface.") }),
  rotateKey: step<"rotateKey">({
    rotateKey: described(
      exactObject<StepOf<"rotateKey">["rotateKey"]>({ publisher: optional(publisherRef) }),
      "Gives the publisher a new key. Outputs NAME.apiKey and NAME.oldKey.",
    ),
  }),
  repeat: step<"repeat">({
    repeat: described(repeat, "Plays steps several times."),
    expect: tally,
  }),
  parallel: step<"parallel">({
    parallel: described(parallel, "Sends requests at one instant."),
    expect: tally,
  }),
  expect: step<"expect">({ expect: described(expectation, "What must hold at this point.") }),
};

const anyStep = anyOf(partsOf(stepKinds), (input) => schemaOf(input, stepKinds));
// Steps of these kinds are all requests.
const anyRequest = anyOf(partsOf(requestKinds), (input) =>
  schemaOf(input, requestKinds),
) as Schema<RequestStep>;

function partsOf(kinds: readonly StepKind[]): Schema<Step>[] {
  return kinds.map((kind) => namedSchema(`${kind}Step`, () => stepSchemas[kind]));
}

function schemaOf(input: unknown, among: readonly StepKind[]): Schema<Step> {
  if (!isPlainObject(input))
    return invalid("must be a step: an object with one key that says what the step does");
  const all = stepKinds.filter((kind) => Object.hasOwn(input, kind));
  // Steps of other kinds may have "expect" too.
  const found = all.length === 1 ? all : all.filter((kind) => kind !== "expect");
  const [kind] = found;
  if (kind !== undefined && found.length === 1 && among.includes(kind)) return stepSchemas[kind];
  const keys = formatList(among, "or");
  if (kind === undefined) {
    const hints = Object.keys(input).map((name) => didYouMean(name, among));
    const hint = hints.find((one) => one !== "") ?? "";
    return invalid(`must have one key that says what the step does: ${keys}.${hint}`);
  }
  if (found.length > 1) {
    return invalid(
      `has ${formatList(found)}. A step has only one of these: make a separate step for each`,
    );
  }
  return invalid(`is ${kind}. A parallel step can only have requests: ${keys}`);
}
