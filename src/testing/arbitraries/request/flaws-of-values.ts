/** Flaws of parameters: each parameter of the contract's table, by its type. */

import { day, formatDay } from "../../../base/calendar.ts";
import type { AssumptionKey } from "../../../spec/assumptions/catalogue.ts";
import { pairsOf } from "../../../spec/build-request.ts";
import type { Parameter } from "../../../spec/operations.ts";
import type { Draft } from "./draft.ts";
import {
  bodiesOf,
  type FlawAbout,
  type FlawKind,
  flaws,
  type Mutation,
  withJson,
  withPairs,
  withValue,
} from "./flaw.ts";

/** All flaws that the parameters of the operation can have under the current assumptions. */
export function flawsOfValues(about: FlawAbout): Mutation[] {
  const each = Object.entries(about.operation.parameters).flatMap(([name, parameter]) => [
    ...flawsOfParameter(name, parameter, about),
    ...flawsOfPair(name, about),
    ...unknownIds(name, about),
  ]);
  return [...each, ...flawsOfPeriod(about), ...unknownNames(about)];
}

function flawsOfParameter(name: string, parameter: Parameter, about: FlawAbout): Mutation[] {
  const { assumptions } = about.context;
  const is = (kind: FlawKind, ...values: readonly unknown[]): Mutation[] =>
    flaws(
      kind,
      values.map((value) => withValue(name, value)),
      name,
    );
  const { json } = bodiesOf(about);
  const { type, required } = parameter;
  const impossible = ["2026-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00"];
  return [
    ...(required ? flaws("missing-parameter", [without(name)], name) : []),
    ...is("empty-parameter", ""),
    ...(json ? is("null-parameter", null) : []),
    ...(json ? is("wrong-type", ...wrongTypes(parameter, assumptions)) : []),
    ...(type === "string" ? is("control-character", "a\u0000", "\u007f", "a\nb") : []),
    ...(type === "string" && json ? flaws("lone-surrogate", [withLoneSurrogate(name)], name) : []),
    ...(type === "date"
      ? [
          ...is("malformed-value", "today", "2026-1-1", "20260101", "2026-01-01T00:00:00Z"),
          ...is("impossible-date", ...impossible),
        ]
      : []),
    ...(type === "integer"
      ? [
          ...is("out-of-range", ...outside(parameter, assumptions)),
          ...is("malformed-value", "ten", "1.5", "1e1", "0x10", " 1", "+1", "NaN", "１"),
        ]
      : []),
  ];
}

/** Only JSON can write it; other encodings replace it by another character. */
function withLoneSurrogate(name: string): Mutation["corrupt"] {
  return (draft) => ({ ...withValue(name, "a\ud800")(draft), carrier: "json" });
}

function without(name: string): (draft: Draft) => Draft {
  return (draft) => {
    const values = new Map(draft.values);
    values.delete(name);
    return { ...draft, values };
  };
}

/** JSON values of a wrong type. */
function wrongTypes(
  { type }: Parameter,
  assumptions: Readonly<Record<AssumptionKey, string>>,
): unknown[] {
  const never = [true, false, {}, [], [1], Number.MAX_SAFE_INTEGER + 1];
  if (type === "integer") return [...never, 0.5];
  const strict = assumptions["request.values"] === "strict";
  return [...never, ...(strict ? [7, 0, 0.5] : [])];
}

function outside(
  { minimum, maximum }: Extract<Parameter, { type: "integer" }>,
  assumptions: Readonly<Record<AssumptionKey, string>>,
): string[] {
  const over = assumptions["payout.limit-over-max"] === "reject";
  const above = [maximum + 1, 1_000_000_000, "9".repeat(16), "9".repeat(400)];
  return [minimum - 1, -1, -1_000_000_000, ...(over ? above : [])].map(String);
}

/** Flaws of the encoding of one parameter. */
function flawsOfPair(name: string, about: FlawAbout): Mutation[] {
  const { json, form, query } = bodiesOf(about);
  const value = ({ values }: Draft): unknown => values.get(name) ?? "a";
  const rest = ({ values }: Draft): string => {
    const others = pairsOf([...values].filter(([other]) => other !== name));
    return others === "" ? "" : `${others}&`;
  };
  const member = (draft: Draft): string =>
    `${JSON.stringify(name)}:${JSON.stringify(value(draft))}`;
  const pair = (draft: Draft): string => pairsOf([[name, value(draft)]]);
  const inJson = withJson((draft) => `{${member(draft)},${member(draft)}}`);
  const inPairs = withPairs(about, (draft) => `${rest(draft)}${pair(draft)}&${pair(draft)}`);
  const broken = ["%zz", "%", "%ff%fe", "a%2", "%c3"].map((text) =>
    withPairs(about, (draft) => `${rest(draft)}${name}=${text}`),
  );
  return [
    ...(json ? flaws("duplicate-parameter", [inJson], name) : []),
    ...(form || query
      ? [
          ...flaws("duplicate-parameter", [inPairs], name),
          ...flaws("malformed-percent-encoding", broken, name),
        ]
      : []),
  ];
}

/** Ids that don't exist, and ids of other publishers that the key doesn't give access to. */
function unknownIds(name: string, { context, sender }: FlawAbout): Mutation[] {
  const { assumptions, senders } = context;
  const ids: string[] = [];
  if (name === "publisher_id") {
    ids.push("nobody");
    const other = senders.find(({ id }) => id !== sender.id);
    if (other !== undefined && assumptions["auth.key-scope"] !== "any") ids.push(other.id);
  }
  if (name === "surface") ids.push("nowhere");
  if (name === "impression_id") ids.push("nothing");
  return flaws(
    "unknown-id",
    ids.map((id) => withValue(name, id)),
    name,
  );
}

function flawsOfPeriod({ operation, context }: FlawAbout): Mutation[] {
  const { assumptions, today } = context;
  const { from, to } = operation.parameters;
  if (from?.type !== "date" || to?.type !== "date") return [];
  const at = (ahead: number): string => formatDay(day(today + ahead));
  const period = (fromDay: number, toDay: number) => (draft: Draft) =>
    withValue("to", at(toDay))(withValue("from", at(fromDay))(draft));
  if (assumptions["date.inverted-range"] !== "reject") return [];
  return flaws(
    "inverted-range",
    [1, 2, 30].map((days) => period(0, -days)),
    "from",
  );
}

function unknownNames({ context }: FlawAbout): Mutation[] {
  if (context.assumptions["request.values"] === "lenient") return [];
  return ["trace", "Publisher_Id", "constructor", "toString", "__proto__"].flatMap((name) =>
    flaws("unknown-parameter", [withValue(name, "1")], name),
  );
}
