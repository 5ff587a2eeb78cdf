/** A key that was accepted before is recognised by how it ends: what ends likewise is another key all the same. */

import { expect, test } from "vitest";
import { createSimulator, type Publisher } from "../../src/index.ts";
import { asking } from "./asking.ts";

const seen = ({ id, surfaces }: Publisher, session: string) => ({
  publisher_id: id,
  surface: surfaces[0]?.id,
  ad_id: "ad",
  session_id: session,
});

test("two publishers whose keys end alike, taking turns, are told apart", () => {
  const sim = createSimulator({ seed: "c", publishers: 31_379 });
  const pair = [sim.publishers.at(7505), sim.publishers.at(31_378)] as const;
  expect(pair[0].apiKey.slice(-6)).toBe(pair[1].apiKey.slice(-6));
  for (const session of ["first", "second", "third"]) {
    for (const [publisher, other] of [pair, [pair[1], pair[0]] as const]) {
      const ask = asking(sim, publisher);
      const answer = ask.post("impression", seen(publisher, session));
      expect(answer).toMatchObject({ status: 200, publisher: publisher.id });
      expect(ask.post("impression", seen(other, session)).status).toBe(403);
      const { id: publisher_id } = publisher;
      const stats = ask.get("stats", { publisher_id, from: "2026-01-15", to: "2026-01-15" });
      const recorded = { first: 1, second: 2, third: 3 }[session];
      expect(stats.body).toMatchObject({ impressions: recorded });
    }
  }
});

test.each([
  ["another beginning", (key: string) => `key_1${key.slice(5)}`],
  ["a shorter one", (key: string) => key.slice(-6)],
  ["one of three characters", (key: string) => key.slice(-3)],
  ["one that goes on", (key: string) => `${key}0`],
])("a key that was accepted, with %s, is no key", (_what, changed) => {
  const sim = createSimulator();
  const publisher = sim.publishers.at(0);
  const { apiKey } = publisher;
  expect(changed(apiKey)).not.toBe(apiKey);
  expect(asking(sim, publisher).post("impression", seen(publisher, "a")).status).toBe(200);
  const asks = asking(sim, { apiKey: changed(apiKey) });
  expect(asks.post("impression", seen(publisher, "b")).status).toBe(401);
});

test("a key put together anew for each request is recognised, and no longer once it was rotated", () => {
  const sim = createSimulator();
  const before = sim.publishers.at(0);
  const send = (session: string) => {
    // Two pieces each time, as a client writes it.
    const { apiKey } = { apiKey: `${before.apiKey.slice(0, 8)}${before.apiKey.slice(8)}` };
    return asking(sim, { apiKey }).post("impression", seen(before, session)).status;
  };
  expect([send("a"), send("b"), send("c")]).toEqual([200, 200, 200]);
  sim.publishers.rotateKey(before.id);
  expect([send("d"), send("e")]).toEqual([401, 401]);
  const after = sim.publishers.at(0);
  expect(asking(sim, after).post("impression", seen(after, "f")).status).toBe(200);
  expect(asking(sim, after).post("impression", seen(after, "a")).body).toMatchObject({
    revenue_credited_inr: 0,
  });
});
