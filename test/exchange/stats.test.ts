/** Cached stats: an answer is reused only until the next event is recorded. */

import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { impressionIdIn, senderOf } from "../sender.ts";

test("stats are up to date after an impression, and after a click alone", () => {
  const sim = createSimulator();
  const { get, impression, post } = senderOf(sim, sim.publishers.signUp());
  const counts = (): { impressions: number; clicks: number } => {
    const { impressions, clicks } = JSON.parse(get("stats").body);
    return { impressions, clicks };
  };
  expect(counts()).toEqual({ impressions: 0, clicks: 0 });
  const impression_id = impressionIdIn(impression());
  expect(counts()).toEqual({ impressions: 1, clicks: 0 });
  post("click", { impression_id });
  expect(counts()).toEqual({ impressions: 1, clicks: 1 });
});
