/** The order of events and the number of requests at once: a client that makes full use of its promise keeps it. */

import { expect, test } from "vitest";
import { orderRules } from "../../../src/testing/contract/rules/order-rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { CreateDriver } from "../../../src/testing.ts";
import { createQueueingDriver } from "../defects/queueing-client.ts";

async function atMostAtOnce(createDriver: CreateDriver): Promise<string> {
  const rule = orderRules.find(({ id }) => id === "at-most-at-once");
  if (rule === undefined) throw new Error("There is no such rule.");
  const tried = await tryRule(rule, createDriver, { runs: 50 });
  return tried.kind === "broken" ? tried.broken.message : tried.kind;
}

test("a client that has four requests under way may declare four, but not three", async () => {
  expect(await atMostAtOnce(createQueueingDriver)).toBe("held");
  const declaresThree: CreateDriver = async (context) => ({
    ...(await createQueueingDriver(context)),
    maxAtOnce: 3,
  });
  expect(await atMostAtOnce(declaresThree)).toContain(
    "it had 4 requests under way. It declares at most 3 at once.",
  );
});

test("a request that the client gave up on is under way until it is aborted", async () => {
  const neverAborts: CreateDriver = (context) =>
    createQueueingDriver({
      ...context,
      fetch: (input, init) => context.fetch(input, { ...init, signal: null }),
    });
  expect(await atMostAtOnce(neverAborts)).toContain("it had 5 requests under way.");
});
