/** A recorded answer as what a step expects. Ids that a service invents aren't compared. */

import { jsonIn } from "../../base/parse-json.ts";
import { valuesOf } from "../../journal/entry-values.ts";
import type { RecordedEntry } from "../../journal/recorded-entry.ts";
import { wordIn } from "../scenario/matchers.ts";
import type { AnswerExpectation, Matcher, Reference } from "../scenario/types.ts";

/** What a service invents for each answer, by the name of its member. */
const invented = /(^|_)(id|instance|time|timestamp)$/i;

/** @param referenceTo What a text in the answer names. */
export function expectedAnswer(
  { request, response }: Pick<RecordedEntry, "request" | "response">,
  referenceTo: (name: string, text: string) => Reference | undefined,
): AnswerExpectation {
  const { status, headers, body, bodyBase64 } = response;
  // Unless the period was asked for, it depends on the day.
  const days = ["from", "to"].filter((name) => !valuesOf(request).has(name));

  function matcherOf(value: unknown, name: string): Matcher {
    if (typeof value === "string") {
      const isInvented = invented.test(name) || days.includes(name);
      return referenceTo(name, value) ?? (isInvented ? { type: "string" } : value);
    }
    if (Array.isArray(value)) return value.map((one) => matcherOf(one, name));
    if (typeof value !== "object" || value === null) return value as Matcher;
    const members = Object.entries(value);
    if (wordIn(Object.keys(value)) !== undefined) return { type: "object" };
    return Object.fromEntries(members.map(([member, one]) => [member, matcherOf(one, member)]));
  }

  const type = headers["content-type"];
  const json = body === undefined ? undefined : jsonIn(body);
  return {
    status,
    ...(type !== undefined && { headers: { "content-type": type } }),
    ...(typeof json === "object" && json !== null
      ? { body: matcherOf(json, "") }
      : body !== undefined && bodyBase64 === undefined && { text: { equals: body } }),
  };
}
