/**
 * A fixed list of requests on every profile, played to one digest. Plain enough to run on every Node version once its
 * types are taken out: imports nothing of ours but types.
 */

import { createHash } from "node:crypto";
import type {
  ApiRequest,
  coveringArray as Cover,
  createSimulator as Create,
  FaultRule,
  Simulator,
  SimulatorOptions,
} from "../../src/index.ts";

const faults: readonly FaultRule[] = [
  { match: { share: 0.1 }, verdict: { kind: "garbage", delay: { from: 1, to: 9 } } },
  { match: { operation: "impression", share: 0.2 }, verdict: { kind: "duplicate" } },
  { match: { every: 7 }, verdict: { kind: "truncate", share: 0.29 }, ttl: "30d" },
  {
    match: { repeat: { for: "12h", every: "1d" }, share: 1 / 3 },
    verdict: { kind: "delay", delay: { from: 3, to: "1h", shape: "long-tailed" } },
  },
];

const profiles = ["typical", "tiny", "adversarial"] as const;

/**
 * SHA-256 of every answer, every publisher and the last state under rows with every choice there is, on every profile,
 * and with fault rules.
 */
export function play(createSimulator: typeof Create, coveringArray: typeof Cover): string {
  const digest = createHash("sha256");
  const add = (options: SimulatorOptions): void => {
    const sim = createSimulator({ start: "2024-02-28T18:29:59.999Z", ...options });
    digest.update(JSON.stringify([options, sim.publishers.list()]));
    for (const answer of answersOf(sim)) digest.update(answer);
    digest.update(JSON.stringify([sim.snapshot(), sim.journal.entries()]));
  };
  for (const assumptions of coveringArray({ strength: 1 })) add({ assumptions });
  digest.update(JSON.stringify(coveringArray({ strength: 2 })));
  for (const profile of profiles) add({ seed: `determinism ${profile} İıß`, profile });
  add({ faults });
  return digest.digest("hex");
}

function* answersOf(sim: Simulator): Generator<string> {
  const advances = [0, 1, 999, 59_000, 1_799_999, 1, 86_400_000, 20_000_000_000, 31_536_000_000];
  const impressions: string[] = [];
  for (const [round, advance] of advances.entries()) {
    sim.clock.advance(advance);
    const place = round % 5;
    const publisher =
      round === 6
        ? sim.publishers.signUp({ name: "İstanbul Söhne", surfaces: ["ıİ", "ß"] })
        : sim.publishers.at(place);
    if (round === 4) sim.publishers.rotateKey(publisher.id);
    const { id, apiKey, surfaces } = sim.publishers.get(publisher.id);
    const headers = { authorization: `Bearer ${apiKey}` };
    const send = (request: ApiRequest): string => {
      const response = sim.handle({ headers, ...request });
      const made = /"impression_id":"([^"]+)"/.exec(response.body)?.[1];
      if (made !== undefined) impressions.push(made);
      return JSON.stringify(response);
    };
    for (const [index, surface] of surfaces.entries()) {
      for (const session_id of ["one", "one", undefined, `İ${index}`]) {
        const body = { publisher_id: id, surface: surface.id, ad_id: "ılık ß", session_id };
        yield send({ method: "POST", path: "/v1/impression", body });
      }
    }
    for (const impression_id of [impressions.at(-1) ?? "", impressions[0] ?? "", "imp_x"]) {
      yield send({ method: "POST", path: "/v1/click", body: { impression_id } });
    }
    const ranges = ["", "&from=2023-12-31&to=2024-03-01", "&from=2026-02-29", "&to=9999-12-31"];
    for (const range of ranges) {
      yield send({
        method: "GET",
        path: "/v1/publisher/stats",
        query: `publisher_id=${id}${range}`,
      });
    }
    for (const what of ["surfaces", "payouts", "nothing"]) {
      yield send({ method: "GET", path: `/v1/publisher/${what}`, query: { publisher_id: id } });
    }
    yield send({ method: "GET", path: "/v1/publisher/stats", headers: {} });
  }
}
