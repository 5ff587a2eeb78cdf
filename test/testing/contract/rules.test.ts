/** Correct clients break none of the rules. */

import { expect, test } from "vitest";
import { rules } from "../../../src/testing/contract/rules.ts";
import { firstBreach } from "../../../src/testing/contract/sessions.ts";
import { createExampleClient } from "./example-client.ts";

test("a small correct client breaks none of the rules", async () => {
  const breach = await firstBreach(rules, (context) => createExampleClient(context), {
    runs: 100,
    sequenceSeed: 7,
  });
  expect(breach).toBeUndefined();
});
