import { describe } from "vitest";
import { expect, test } from "../../src/vitest.ts";

test("x", async ({ sim, fetch, baseUrl, apiKey, publisher, surface }) => {
  const r = await fetch(`${baseUrl}/v1/impression`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      publisher_id: publisher.id,
      surface: surface.id,
      ad_id: "ad-1",
      session_id: "s",
    }),
  });
  expect(r.status).toBe(200);
  expect(sim).toHaveRecordedImpression({ ad: "ad-1" });
  expect(sim).toHaveStats({ publisher: publisher.id, impressions: 1, clicks: 1 });
});
describe.each(["msw", "http"] as const)("%s", (t) => {
  test.override("transport", t);
  test("x", async ({ sim, fetch, baseUrl, apiKey, publisher, surface }) => {
    const r = await fetch(`${baseUrl}/v1/impression`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        publisher_id: publisher.id,
        surface: surface.id,
        ad_id: "ad-1",
        session_id: "s",
      }),
    });
    expect(r.status).toBe(200);
    expect(sim).toHaveRecordedImpression({ ad: "ad-2", session: "s" });
  });
});
