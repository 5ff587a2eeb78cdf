/**
 * More than thirty defects of the reference client: the contract, as any user would run it, catches each of them with a
 * rule that is about it, and what its sequences shrink to is short enough to read. ADSIM_REPORT prints the table.
 */

import { beforeAll, expect, test } from "vitest";
import { isThorough } from "../../budget.ts";
import { clientDefects } from "./client-defects.ts";
import { tryClients } from "./run-trials.ts";
import type { ClientTrial, ClientTried } from "./try-client.ts";

/** Another test tries the unchanged client with the same sequences. */
const trials: readonly ClientTrial[] = clientDefects.map(
  ({ file, find, replace, breaks }, number) => ({
    number,
    changes: [{ file, find, replace }],
    path: "test/client/reference-driver.ts",
    driver: "createReferenceDriver",
    rules: [breaks],
    runs: 50,
    shrinks: isThorough,
  }),
);
const tried: ClientTried[] = [];

beforeAll(async () => {
  tried.push(...(await tryClients(trials)));
  if (process.env.ADSIM_REPORT !== undefined) console.log(table());
}, 120_000);

test.each(clientDefects.map(({ says, breaks }, index) => [says, breaks, index] as const))(
  "caught: %s (%s)",
  (_says, rule, number) => {
    const one = tried.find((line) => line.number === number);
    expect(one).toMatchObject({ kind: "broken", rule, why: expect.stringMatching(/./) });
  },
);

test("there are thirty or more, and in .ci/run sequences of 9 in 10 shrink to at most 8 commands", () => {
  expect(clientDefects.length).toBeGreaterThanOrEqual(30);
  expect(new Set(clientDefects.map(({ says }) => says)).size).toBe(clientDefects.length);
  if (!isThorough) return;
  const short = tried.filter(({ kind, commands }) => kind === "broken" && commands <= 8);
  expect(short.length).toBeGreaterThanOrEqual(clientDefects.length * 0.9);
});

function table(): string {
  return tried
    .map(({ number, rule, kind, commands, why }) => {
      return `${clientDefects[number]?.says} | ${rule} | ${kind} | ${commands} | ${why.slice(0, 120)}`;
    })
    .join("\n");
}
