/** Checks the members of a body's objects and their order (spec §2). */

import { expectEqual, expected } from "./check.ts";
import type { Choices } from "./choices.ts";

/** Compares an object of a success body with its documented members. */
export function checkMembers(
  object: object,
  documented: readonly string[],
  choices: Choices,
): void {
  const names = Object.keys(object);
  const missing = documented.filter((name) => !names.includes(name));
  expectEqual("missing members", missing, []);
  const extra = names.filter((name) => !documented.includes(name));
  if (choices["response.form"] === "documented") expectEqual("extra members", extra, []);
  else expected("members that the spec doesn't list", extra.length > 0, names);
  checkOrder(object, documented, choices);
}

/** The documented members come first and in order. If shuffled, they are never in order, even with others in between. */
function checkOrder(object: object, documented: readonly string[], choices: Choices): void {
  const names = Object.keys(object);
  const isShuffled = choices["response.form"] === "evolved";
  const order = isShuffled
    ? names.filter((name) => documented.includes(name))
    : names.slice(0, documented.length);
  const inOrder = JSON.stringify(order) === JSON.stringify(documented);
  const wanted = documented.join(", ");
  if (!isShuffled) expected(`the order ${wanted}`, inOrder, names);
  else expected(`another order than ${wanted}`, !inOrder || documented.length < 2, names);
}

/** The extra members at the top of a success body include a text, a null and an object. */
export function checkExtraKinds(body: object, documented: readonly string[]): void {
  const kinds = Object.entries(body)
    .filter(([name]) => !documented.includes(name))
    .map(([, value]): string => (value === null ? "null" : typeof value));
  for (const kind of ["string", "null", "object"]) {
    expected(`an extra member that is ${kind}`, kinds.includes(kind), kinds);
  }
}

/** A body's content with sorted members: bodies with equal content give equal texts. */
export function contentOf(body: string): string {
  return JSON.stringify(sorted(JSON.parse(body)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]): [string, unknown] => [name, sorted(member)])
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
}
