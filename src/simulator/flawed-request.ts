/** Requests that aren't even requests: which kind of them an entry of the journal was, and another one like it. */

import type { JournalRecord } from "../journal/record.ts";
import type { ApiRequest, RequestParts } from "../spec/messages.ts";

/** The words of the refusal, and how to get it. */
const flaws: readonly (readonly [
  says: string,
  like: (parts: Pick<RequestParts, "method" | "path">) => unknown,
])[] = [
  ["a request must be an object", () => null],
  ["method must be a string", ({ path }) => ({ path })],
  ["path must be a string", ({ method }) => ({ method })],
  ["query, if it isn't", ({ method, path }) => ({ method, path, query: true })],
  ["headers must be", ({ method, path }) => ({ method, path, headers: true })],
  ["throws when it is read", () => throwing],
];

const throwing = {
  get method(): string {
    throw new Error("It can't be read.");
  },
};

/** @returns which of the flaws it is; undefined if it was a request. */
export function flawIn({ response, fault, reason }: JournalRecord): number | undefined {
  if (reason !== "malformed_request") return undefined;
  const answer = fault?.lost?.body ?? response.body;
  const found = flaws.findIndex(([says]) => answer.includes(says));
  return found === -1 ? flaws.length - 1 : found;
}

/** A request with this flaw. Its type is wrong on purpose. */
export function flawedRequest(
  flaw: number,
  parts: Pick<RequestParts, "method" | "path">,
): ApiRequest {
  return flaws[flaw]?.[1](parts) as ApiRequest;
}
