/**
 * Frozen digests of seeded output. They may be wrong, but they must not change unnoticed: whoever changes one on purpose
 * changes what every user's fixed seed gives, and says so in the changelog.
 */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createSimulator, type Simulator } from "../src/index.ts";
import { senderOf } from "./sender.ts";

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}

function world(profile: "typical" | "tiny" | "adversarial"): Simulator {
  return createSimulator({ profile, publishers: 100 });
}

function read(sim: Simulator, what: string, query: (joined: string) => string): string[] {
  return sim.publishers.list({ limit: 100 }).map((publisher) => {
    const search = `publisher_id=${publisher.id}${query(publisher.joined)}`;
    const { status, body } = senderOf(sim, publisher).send({
      ...{ method: "GET", path: `/v1/publisher/${what}`, query: search },
    });
    expect(status).toBe(200);
    return body;
  });
}

/** By profile: people with keys and surfaces, history in stats, payouts with pending amounts, ids and credits of what is recorded. */
const frozen = {
  typical: [
    "7796daad48ad456735d6a9cedd6217ab",
    "5c77206dbd99bf1c0c533d8944beb794",
    "52df0280e5bb7eb03de1448e497f8bc2",
    "7864dd0135f13f103d56791544ef194b",
  ],
  tiny: [
    "d24b0245a47675916ec5907e8beec7c7",
    "4ab5488ab99629884b0245016540609d",
    "21d4246022f1dc57015b0bfe4d27b4ff",
    "5ad595514dfe63fd0e11cd5cbdd58774",
  ],
  adversarial: [
    "5b73a254e08dae21ac7bb410c057c67a",
    "8e260742abc61365074671a48a1aca3b",
    "ba1baa99dfb2b1ec92c3b2d327cccaa6",
    "801210eef26ca1151661ba53a27c091d",
  ],
} as const;

test.each(Object.keys(frozen) as (keyof typeof frozen)[])(
  "the first 100 %s publishers are the frozen ones, with their history and prices",
  (profile) => {
    const publishers = world(profile).publishers.list({ limit: 100 });
    expect(publishers).toHaveLength(100);
    const stats = read(world(profile), "stats", (joined) => `&from=${joined}&to=2026-01-15`);
    const month = read(world(profile), "stats", () => "");
    const payouts = read(world(profile), "payouts", () => "&limit=100");
    const sim = world(profile);
    const bodies = publishers.flatMap((publisher) =>
      publisher.surfaces.map(({ id: surface }) => {
        const { impression, post } = senderOf(sim, publisher);
        const shown = impression({ surface }).body;
        const { impression_id } = JSON.parse(shown);
        return shown + post("click", { impression_id }).body;
      }),
    );
    const digests = [publishers, [stats, month], payouts, bodies].map(digestOf);
    expect(digests).toEqual(frozen[profile]);
  },
);
