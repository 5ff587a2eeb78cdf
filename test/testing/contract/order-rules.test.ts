/** Promises about order, requests at once and attempts: a client that keeps them, one that doesn't, and one that comes close. */

import { expect, test } from "vitest";
import { orderRules } from "../../../src/testing/contract/rules/order-rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { CreateDriver } from "../../../src/testing/driver/driver.ts";
import type { ClientPromises } from "../../../src/testing/driver/promises.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { createAdsDriver } from "../../client/ads-driver.ts";
import { createQueueingDriver } from "../defects/queueing-client.ts";
import { patientClient } from "./patient-client.ts";

function promising<Impression>(
  client: CreateDriver<Impression>,
  promises: ClientPromises,
): CreateDriver<Impression> {
  return async (context) => ({ ...(await client(context)), ...promises });
}

const [recordedInOrder, atMostAtOnce, triesAsDeclared] = orderRules;
const oneByOne = patientClient({ queues: true });
const allAtOnce = patientClient();

test.each([
  [recordedInOrder, promising(oneByOne, { inOrder: true })],
  [atMostAtOnce, promising(createAdsDriver, { maxAtOnce: 4 })],
  [triesAsDeclared, promising(patientClient({ repeats: 4 }), { maxAttempts: 5 })],
] as const)("$id holds for a client that keeps its promise", async (rule, client) => {
  if (rule === undefined) throw new Error("There is no such rule.");
  expect(await tryRule(rule, client as CreateDriver, { runs: 50 })).toMatchObject({ kind: "held" });
});

test.each([
  [recordedInOrder, promising(allAtOnce, { inOrder: true }), "recorded first"],
  [recordedInOrder, promising(createAdsDriver, { inOrder: true }), "recorded first"],
  [
    atMostAtOnce,
    promising(allAtOnce, { maxAtOnce: 7 }),
    "8 requests under way. It declares at most 7",
  ],
  [atMostAtOnce, promising(createAdsDriver, { maxAtOnce: 3 }), "4 requests under way"],
  [
    triesAsDeclared,
    promising(patientClient({ repeats: 2 }), { maxAttempts: 5 }),
    "Attempts: 3. It declares 5.",
  ],
] as const)("$id is broken by a client that doesn't", async (rule, client, message) => {
  if (rule === undefined) throw new Error("There is no such rule.");
  const tried = await tryRule(rule, client as CreateDriver, { runs: 50 });
  if (tried.kind !== "broken") throw new Error(`It was ${tried.kind}.`);
  expect(tried.broken.message).toContain(message);
  expect(tried.commands.length).toBeLessThanOrEqual(5);
});

const slowly: readonly Command[] = [
  { kind: "fault", rule: { verdict: { kind: "delay", delay: "2s" } } },
  {
    kind: "together",
    commands: [1, 2, 3].map((surface) => ({ kind: "impression", surface })),
  },
];

test("a request that the client stopped waiting for isn't under way any more", async () => {
  const hasty = patientClient({ queues: true, timeoutMs: 500, repeats: 1 });
  const session = await runSession(promising(hasty, { maxAtOnce: 1 }), slowly);
  expect(session.exchanges.map(({ got }) => got.status)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(atMostAtOnce?.judge(session)).toBe(0);
});

test("without a promise no rule comes up", async () => {
  const session = await runSession(allAtOnce, slowly);
  expect(orderRules.map(({ judge }) => judge(session))).toEqual([0, 0, 0]);
});

test("a request that the client gave up on is under way until it is aborted", async () => {
  const neverAborts: CreateDriver = (context) =>
    createQueueingDriver({
      ...context,
      fetch: (input, init) => context.fetch(input, { ...init, signal: null }),
    });
  if (atMostAtOnce === undefined) throw new Error("There is no such rule.");
  const tried = await tryRule(atMostAtOnce, neverAborts, { runs: 50 });
  if (tried.kind !== "broken") throw new Error(`It was ${tried.kind}.`);
  expect(tried.broken.message).toContain("it had 5 requests under way.");
});
