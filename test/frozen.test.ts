/**
 * Frozen digests of seeded output. They may be wrong, but they must not change unnoticed: whoever changes one on purpose
 * changes what every user's fixed seed gives, and says so in the changelog.
 */

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../src/index.ts";

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}

function world(profile: "typical" | "tiny" | "adversarial"): Simulator {
  return createSimulator({ profile, publishers: 100 });
}

function read(sim: Simulator, what: string, query: (joined: string) => string): string[] {
  return sim.publishers.list({ limit: 100 }).map(({ id, apiKey, joined }) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const path = `/v1/publisher/${what}`;
    const response = sim.handle({
      method: "GET",
      path,
      query: `publisher_id=${id}${query(joined)}`,
      headers,
    });
    expect(response.status).toBe(200);
    return response.body;
  });
}

const frozen = {
  typical: {
    publishers: "7796daad48ad456735d6a9cedd6217ab",
    stats: "5c77206dbd99bf1c0c533d8944beb794",
    payouts: "52df0280e5bb7eb03de1448e497f8bc2",
    prices: "7864dd0135f13f103d56791544ef194b",
  },
  tiny: {
    publishers: "d24b0245a47675916ec5907e8beec7c7",
    stats: "4ab5488ab99629884b0245016540609d",
    payouts: "21d4246022f1dc57015b0bfe4d27b4ff",
    prices: "5ad595514dfe63fd0e11cd5cbdd58774",
  },
  adversarial: {
    publishers: "5b73a254e08dae21ac7bb410c057c67a",
    stats: "8e260742abc61365074671a48a1aca3b",
    payouts: "ba1baa99dfb2b1ec92c3b2d327cccaa6",
    prices: "801210eef26ca1151661ba53a27c091d",
  },
} as const;

describe.each(Object.keys(frozen) as (keyof typeof frozen)[])(
  "the first 100 %s publishers",
  (profile) => {
    const expected = frozen[profile];

    test("have the frozen people, keys and surfaces", () => {
      const list = world(profile).publishers.list({ limit: 100 });
      expect(list).toHaveLength(100);
      expect(digestOf(list)).toBe(expected.publishers);
    });

    test("have the frozen history in their stats", () => {
      const stats = read(world(profile), "stats", (joined) => `&from=${joined}&to=2026-01-15`);
      expect(digestOf([stats, read(world(profile), "stats", () => "")])).toBe(expected.stats);
    });

    test("have the frozen payouts and pending amounts", () => {
      expect(digestOf(read(world(profile), "payouts", () => "&limit=100"))).toBe(expected.payouts);
    });

    test("get the frozen ids and credits for what they record", () => {
      const sim = world(profile);
      const bodies = sim.publishers.list({ limit: 100 }).flatMap(({ id, apiKey, surfaces }) => {
        const headers = { authorization: `Bearer ${apiKey}` };
        return surfaces.map((surface) => {
          const body = { publisher_id: id, surface: surface.id, ad_id: "ad" };
          const made = sim.handle({ method: "POST", path: "/v1/impression", headers, body }).body;
          const { impression_id } = JSON.parse(made);
          const click = { impression_id };
          return (
            made + sim.handle({ method: "POST", path: "/v1/click", headers, body: click }).body
          );
        });
      });
      expect(digestOf(bodies)).toBe(expected.prices);
    });
  },
);
