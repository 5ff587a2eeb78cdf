/** A client that takes the specification at its word rejects answers that only some choices of the service allow. */

import { expect, test } from "vitest";
import { rules } from "../../../src/testing/contract/rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { CreateDriver } from "../../../src/testing/driver/driver.ts";
import { runsOf } from "../../budget.ts";
import { patientClient } from "./patient-client.ts";

interface Answers {
  readonly payouts: readonly { readonly txn_id?: unknown }[];
  readonly surfaces: readonly { readonly id: string }[];
}

/** @param isRight Whether the client returns the answer. */
function strictClient(
  isRight: (answer: Answers, surface: string | undefined) => boolean,
): CreateDriver<object> {
  return async (context) => {
    const client = await patientClient()(context);
    const checked = (answer: unknown, surface?: string): Answers => {
      // The patient client returns what the service answered.
      const parsed = answer as Answers;
      if (!isRight(parsed, surface)) throw new Error("That isn't what the specification says.");
      return parsed;
    };
    return {
      ...client,
      payouts: async (query) => checked(await client.payouts?.(query)),
      stats: async (query) => checked(await client.stats?.(query), query.surface),
    };
  };
}

const textual = strictClient(({ payouts }) =>
  (payouts ?? []).every(({ txn_id }) => typeof txn_id === "string"),
);
const restricted = strictClient(
  ({ surfaces }, surface) => surface === undefined || surfaces.every(({ id }) => id === surface),
);
const never = strictClient(() => false);

function verdictOf(id: string, driver: CreateDriver<object>): Promise<string> {
  const rule = rules.find((one) => one.id === id);
  if (rule === undefined) throw new Error(`There is no rule ${id}.`);
  const options = { runs: runsOf(200, 50) };
  return tryRule(rule, driver, options).then((tried) =>
    tried.kind === "broken" ? tried.broken.message : tried.kind,
  );
}

test.each([
  ["payouts-as-answered", "a transaction reference that isn't text", textual],
  ["payouts-limit", "a transaction reference that isn't text", textual],
  ["stats-of-a-surface", "rows of other surfaces", restricted],
  ["stats-not-outdated", "rows of other surfaces", restricted],
])("%s doesn't blame a client that rejects %s", async (id, _, driver) => {
  expect(await verdictOf(id, driver)).toBe("held");
});

test.each(["payouts-as-answered", "stats-of-a-surface"])(
  "%s blames a client that rejects every answer",
  async (id) => {
    expect(await verdictOf(id, never)).toMatch(/answered with 200|got them/);
  },
);
