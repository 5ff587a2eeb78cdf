/** A suite with the vitest fixture. It fails if a repeated impression is refused. */

import { expect, test } from "../../../src/vitest.ts";

test("a repeated impression is accepted", async ({ sim, publisher, surface, fetch, baseUrl }) => {
  const parameters = {
    publisher_id: publisher.id,
    surface: surface.id,
    ad_id: "ad",
    session_id: "session",
  };
  for (const _ of [1, 2]) {
    const answer = await fetch(`${baseUrl}/v1/impression`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${publisher.apiKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(parameters),
    });
    expect(answer.status).toBe(200);
  }
  expect(sim.journal.total).toBe(2);
});
