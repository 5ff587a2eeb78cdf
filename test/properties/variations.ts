/** What can be unusual about one request: how it travels, what it says too much, too little or wrongly. */

import fc from "fast-check";
import { type Call, type Carrier, operations, plainWay } from "../oracle/calls.ts";
import type { Choices } from "../oracle/choices.ts";

/** A carrier that the encoding in force accepts, or any other. */
export type Encoding = "understood" | Carrier;

/** Changes a call of any operation. Where it can't apply the call stays as it is. */
type Change = (call: Call, choices: Choices) => Call;

const way =
  (changed: Partial<Call["way"]>): Change =>
  (call) => ({ ...call, way: { ...call.way, ...changed } });
const carried =
  (carrier: Carrier): Change =>
  (call, choices) =>
    isPost(call) ? way({ carrier })(call, choices) : call;
const value =
  (name: (call: Call) => string | undefined, sent: unknown): Change =>
  (call) => {
    const named = name(call);
    return named === undefined ? call : { ...call, values: { ...call.values, [named]: sent } };
  };
const unreadBody =
  (text: (call: Call) => string, code: string, carrier: Carrier): Change =>
  (call, choices) =>
    isPost(call) ? way({ carrier, unreadable: { text: text(call), code } })(call, choices) : call;
/** Not where any parameter in the query is refused: it isn't defined which refusal comes first. */
const unreadQuery =
  (text: (call: Call) => string, code: string): Change =>
  (call, choices) => {
    const refused = ["json", "form"].includes(choices["request.encoding"]);
    const unreadable = { text: text(call), code };
    return isPost(call) && refused ? call : way({ carrier: "query", unreadable })(call, choices);
  };

function isPost({ operation }: Call): boolean {
  return operations[operation].method === "POST";
}

function required({ operation }: Call): string {
  return operations[operation].parameters.findLast((one) => one.required)?.name ?? "";
}

function optional({ operation }: Call): string | undefined {
  return operations[operation].parameters.find((one) => !one.required)?.name;
}

/** A parameter that only other operations have. */
function foreign({ operation }: Call): string {
  return operation === "click" ? "publisher_id" : "impression_id";
}

function onImpression(name: string): (call: Call) => string | undefined {
  return ({ operation }) => (operation === "impression" ? name : undefined);
}

function onPayouts(name: string): (call: Call) => string | undefined {
  return ({ operation }) => (operation === "payouts" ? name : undefined);
}

/** A parameter twice, as pairs. */
function twice(call: Call): string {
  return `${required(call)}=a&${required(call)}=b`;
}

const other: Readonly<Record<string, string>> = { GET: "PUT", POST: "GET" };

const changes: Readonly<Record<string, Change>> = {
  none: (call) => call,
  slash: way({ slash: true }),
  "slash and HEAD": way({ slash: true, method: "HEAD" }),
  "slash and another method": way({ slash: true, method: "DELETE" }),
  "no such path": way({ elsewhere: "/v1/publisher" }),
  "no such method": way({ method: "PURGE" }),
  "method in lower case": (call, choices) =>
    way({ method: call.way.method.toLowerCase() })(call, choices),
  "another method": (call, choices) =>
    way({ method: other[call.way.method] ?? "PATCH" })(call, choices),
  HEAD: way({ method: "HEAD" }),
  "bearer in lower case": way({ scheme: "bearer" }),
  "BEARER in upper case": way({ scheme: "BEARER" }),
  "another scheme": way({ scheme: "Basic" }),
  "no key": way({ scheme: undefined }),
  "as text": carried("text"),
  compressed: carried("encoded"),
  "JSON without a type": carried("untyped-json"),
  "a form without a type": carried("untyped-form"),
  "partly in the query": (call, choices) => way({ inQuery: [required(call)] })(call, choices),
  "an unknown parameter": value(() => "trace", "1"),
  "an unknown parameter in the query": (call, choices) =>
    value(() => "trace", "1")(way({ inQuery: ["trace"] })(call, choices), choices),
  "another operation's parameter": value(foreign, "stranger"),
  "null for another operation's parameter": value(foreign, null),
  "a number for another operation's parameter": value(foreign, 5),
  "an empty optional parameter": value(optional, ""),
  "null for an optional parameter": value(optional, null),
  "an empty required parameter": value(required, ""),
  "null for a required parameter": value(required, null),
  "no required parameter": value(required, undefined),
  "a number": value(onImpression("ad_id"), 7),
  "a number with decimals": value(onImpression("ad_id"), 5.5),
  "a tiny number": value(onImpression("session_id"), -1.5e-9),
  "a huge number": value(onImpression("ad_id"), 1e300),
  "a limit of 16 digits": value(onPayouts("limit"), "9".repeat(16)),
  "a hugely negative limit": value(onPayouts("limit"), `-${"9".repeat(400)}`),
  "a number as a session": value(onImpression("session_id"), 0),
  "a number that loses digits": value(required, 2 ** 53),
  true: value(required, true),
  "an object": value(required, {}),
  "a control character": value(required, "a\u0000"),
  "broken JSON": unreadBody(() => "{", "malformed_body", "json"),
  "a list": unreadBody(() => "[]", "malformed_body", "json"),
  "twice in the form": unreadBody(twice, "duplicate_parameter", "form"),
  "twice in the query": unreadQuery(twice, "duplicate_parameter"),
  "broken percent-encoding": unreadQuery((call) => `${required(call)}=%ff`, "invalid_parameter"),
};

/** A name in the table above. */
export type Variation = string;

const variations: readonly Variation[] = Object.keys(changes);

/** Mostly none; any of the others in one request of so many. */
export function anyVariation(oneIn: number): fc.Arbitrary<Variation> {
  return fc.oneof(
    { weight: oneIn - 1, arbitrary: fc.constant("none") },
    { weight: 1, arbitrary: fc.constantFrom(...variations) },
  );
}

const understood: Readonly<Record<Choices["request.encoding"], Carrier>> = {
  any: "json",
  json: "json",
  form: "form",
  query: "query",
};

/** A carrier that the encoding in force accepts. */
export function carrierFor(choices: Choices): Carrier {
  return understood[choices["request.encoding"]];
}

/** A call of the operation, sent as told. */
export function variedCall(
  operation: Call["operation"],
  values: Call["values"],
  { as, variation }: { readonly as: Encoding; readonly variation: Variation },
  choices: Choices,
): Call {
  const carrier = as === "understood" ? carrierFor(choices) : as;
  const change = changes[variation];
  if (change === undefined) throw new Error(`There is no variation called ${variation}.`);
  return change({ operation, values, way: plainWay(operation, carrier) }, choices);
}
