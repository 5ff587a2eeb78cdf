/** The outputs of named steps, and how a reference reads them. */

import { jsonIn } from "../../../base/parse-json.ts";
import type { ClientExchange, Member } from "../../../invariants/client-exchange.ts";
import { inconclusive } from "../../../invariants/ensure.ts";
import { operations } from "../../../spec/operations.ts";

export type StepOutput =
  | { readonly kind: "answer"; readonly exchange: ClientExchange }
  | { readonly kind: "publisher"; readonly member: Member }
  /** A tally, or the keys of a rotation. */
  | { readonly kind: "content"; readonly content: object }
  /** The step was skipped, or it has no output. */
  | { readonly kind: "nothing"; readonly why: string };

/**
 * The content of a step's output: an answer's body as JSON, a tally, a publisher, or the keys of a rotation.
 *
 * @throws Inconclusive if there is none.
 */
export function contentOf(name: string, output: StepOutput | undefined): unknown {
  if (output === undefined) return inconclusive(`nothing has the name ${name} yet`);
  switch (output.kind) {
    case "answer": {
      const { value, why } = jsonBody(name, output.exchange);
      return why === undefined ? value : inconclusive(why);
    }
    case "publisher":
      return output.member;
    case "content":
      return output.content;
    case "nothing":
      return inconclusive(`${name} was skipped: ${output.why}`);
  }
}

/** The body of a whole answer as JSON, or the reason why there is none. */
export function jsonBody(
  name: string,
  { outcome, text, status, operation }: ClientExchange,
): { readonly value?: unknown; readonly why?: string } {
  if (outcome !== "answered") return { why: `${name} has no complete answer: it was ${outcome}` };
  const value = jsonIn(text);
  if (value !== undefined) return { value };
  const what = operation === undefined ? "" : ` to ${operations[operation].path}`;
  const called = name === "answer" ? "the answer" : `the answer ${name}`;
  return { why: `${called}${what} (status ${status}) is not JSON` };
}

/** The member of `content` at this path. Inherited members don't count. @throws Inconclusive if there is none. */
export function memberAt(content: unknown, path: readonly string[], whole: string): unknown {
  let at = content;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) {
      return inconclusive(`${whole} does not exist: there is no ${part}`);
    }
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return at;
}
