/** Stats that were read before: the answer is kept only as long as nothing is written down. */

import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";

test("stats read again after an impression, and after a click alone, count it", () => {
  const sim = createSimulator();
  const { id, apiKey, surfaces } = sim.publishers.signUp();
  const headers = { authorization: `Bearer ${apiKey}` };
  const post = (
    path: string,
    body: Readonly<Record<string, unknown>>,
  ): { impression_id?: string } =>
    JSON.parse(sim.handle({ method: "POST", path, headers, body }).body);
  const counts = (): { impressions: number; clicks: number } => {
    const query = { publisher_id: id };
    const path = "/v1/publisher/stats";
    const { impressions, clicks } = JSON.parse(
      sim.handle({ method: "GET", path, query, headers }).body,
    );
    return { impressions, clicks };
  };
  expect(counts()).toEqual({ impressions: 0, clicks: 0 });
  const shown = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" };
  const { impression_id } = post("/v1/impression", shown);
  expect(counts()).toEqual({ impressions: 1, clicks: 0 });
  post("/v1/click", { impression_id });
  expect(counts()).toEqual({ impressions: 1, clicks: 1 });
});
