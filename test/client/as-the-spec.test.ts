/** The client has tables of its own, since it imports nothing of the simulator: they agree with the spec's. */

import { expect, test } from "vitest";
import { click, impression, payouts, stats, surfaces } from "../../src/client/api.ts";
import { type Client, createClient } from "../../src/client.ts";
import { createSimulator } from "../../src/index.ts";
import { operationIds, operations } from "../../src/spec/operations.ts";

const own = { click, impression, payouts, stats: stats("any"), surfaces };

test.each(operationIds)("%s has the spec's method, path and parameters", async (id) => {
  const { method, path, parameters } = operations[id];
  expect(own[id]).toMatchObject({ method, path });

  const sim = createSimulator();
  const client: Client = createClient({
    baseUrl: "http://ads.test",
    apiKey: sim.publishers.at(0).apiKey,
    fetch: sim.fetch,
  });
  const given = Object.fromEntries(Object.keys(parameters).map((name) => [name, "1"]));
  // Whatever they are called in the table, they are passed on by that name.
  await client[id](given as never);
  const [entry] = sim.journal.entries();
  const sent = method === "GET" ? new URLSearchParams(entry?.request.query) : undefined;
  const values =
    sent === undefined ? JSON.parse(entry?.request.body ?? "") : Object.fromEntries(sent);
  expect(values).toEqual(given);
  expect(entry?.operation).toBe(id);
});
