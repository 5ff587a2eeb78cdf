/** The cache of accepted keys, by a key's last characters or by publisher, never confuses two keys. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Publisher, type Simulator } from "../../src/index.ts";

type Members = Readonly<Record<string, unknown>>;

describe.each([
  ["JSON text", (members: Members) => JSON.stringify(members)],
  ["an object", (members: Members) => members],
])("with a body as %s", (_as, bodyOf) => {
  /** Sends an impression of `publisher`. @returns its status and the credited amount. */
  function send(
    sim: Simulator,
    { id, surfaces }: Publisher,
    { apiKey }: Pick<Publisher, "apiKey">,
    session: string,
  ): [status: number, credit: number] {
    const members = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "a", session_id: session };
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const body = bodyOf(members);
    const answer = sim.handle({ method: "POST", path: "/v1/impression", headers, body });
    return [answer.status, JSON.parse(answer.body).revenue_credited_inr];
  }
  const credited = [200, expect.toSatisfy((credit: number) => credit > 0)];

  test("two publishers whose keys have the same ending are told apart when they take turns", () => {
    const sim = createSimulator({ seed: "c", publishers: 31_379 });
    const [one, other] = [sim.publishers.at(7505), sim.publishers.at(31_378)];
    expect(one.apiKey.slice(-6)).toBe(other.apiKey.slice(-6));
    for (const session of ["first", "second", "third"]) {
      expect(send(sim, one, one, session)).toEqual(credited);
      expect(send(sim, other, one, session)[0]).toBe(403);
      expect(send(sim, other, other, session)).toEqual(credited);
      expect(send(sim, one, other, session)[0]).toBe(403);
    }
    const { balanced, total } = sim.audit();
    expect({ balanced, applied: total.applied }).toEqual({ balanced: true, applied: 6 });
  });

  test.each([
    ["another beginning", (key: string) => `key_1${key.slice(5)}`],
    ["its end alone", (key: string) => key.slice(-6)],
    ["three characters of it", (key: string) => key.slice(-3)],
    ["one that goes on", (key: string) => `${key}0`],
  ])("an accepted key, changed to %s, gets 401", (_what, changed) => {
    const sim = createSimulator();
    const publisher = sim.publishers.at(0);
    const apiKey = changed(publisher.apiKey);
    expect(apiKey).not.toBe(publisher.apiKey);
    expect(send(sim, publisher, publisher, "a")).toEqual(credited);
    expect(send(sim, publisher, { apiKey }, "b")[0]).toBe(401);
  });

  test("a key works until it is rotated", () => {
    const sim = createSimulator();
    const before = sim.publishers.at(0);
    for (const session of ["a", "b", "c"]) {
      expect(send(sim, before, before, session)).toEqual(credited);
    }
    sim.publishers.rotateKey(before.id);
    const after = sim.publishers.at(0);
    for (const session of ["d", "e"]) {
      expect(send(sim, after, before, session)[0]).toBe(401);
      expect(send(sim, after, after, session)).toEqual(credited);
    }
    expect(send(sim, after, after, "a")).toEqual([200, 0]);
  });
});
