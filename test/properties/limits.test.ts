/** The request limits at full size (L1, L4 to L8), with direct loops: 10,000 commands would shrink for hours. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  type ApiResponse,
  createSimulator,
  type Publisher,
  type Simulator,
} from "../../src/index.ts";
import { checkProperty } from "./check-property.ts";
import { stateWithBucketsOf } from "./run.ts";

const file = "test/properties/limits.test.ts";
const start = "2026-03-01T00:00:00Z";

function impression({ id, apiKey, surfaces }: Publisher, session?: string): ApiRequest {
  return {
    method: "POST",
    path: "/v1/impression",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      publisher_id: id,
      surface: surfaces[0]?.id,
      ad_id: "ad",
      session_id: session,
    }),
  };
}

function stats({ id, apiKey }: Publisher): ApiRequest {
  const headers = { authorization: `Bearer ${apiKey}` };
  return { method: "GET", path: "/v1/publisher/stats", query: `publisher_id=${id}`, headers };
}

function remaining(response: ApiResponse): number {
  return Number(response.headers["x-ratelimit-remaining"]);
}

/** Sends until a minute's quota is used up. @returns the simulator, at a refusing instant. */
function exhausted(pool: "recording" | "reporting", intoMinuteMs = 0): Simulator {
  const sim = createSimulator({ start, publishers: 3, journalEntries: 0 });
  sim.clock.advance(intoMinuteMs);
  const publisher = sim.publishers.at(0);
  const request = pool === "recording" ? impression(publisher) : stats(publisher);
  const limit = pool === "recording" ? 10_000 : 60;
  for (let sent = 0; sent < limit; sent += 1) sim.handle(request);
  return sim;
}

const pools = [
  { pool: "recording", limit: 10_000, request: impression },
  { pool: "reporting", limit: 60, request: stats },
] as const;

describe.each(pools)("the $pool limit", ({ pool, limit, request }) => {
  test("L1, L5: exactly the first of a minute are admitted, and Remaining falls by one to 0", () => {
    const sim = createSimulator({ start, publishers: 1 });
    const publisher = sim.publishers.at(0);
    for (let minute = 0; minute < 2; minute += 1) {
      for (let sent = 0; sent < limit; sent += 1) {
        const response = sim.handle(request(publisher));
        if (response.status !== 200 || remaining(response) !== limit - sent - 1) {
          expect.fail(`request ${sent} of minute ${minute}: ${JSON.stringify(response)}`);
        }
        if (sent % 997 === 0) sim.clock.advance(5);
      }
      for (let over = 0; over < 5; over += 1) {
        const response = sim.handle(request(publisher));
        expect([response.status, remaining(response)]).toEqual([429, 0]);
      }
      sim.clock.advance(60_000 - (sim.clock.now() % 60_000));
    }
  });

  const tight = `L4: the ${pool} Retry-After is sound and tight at any instant of the minute`;
  test(tight, () => {
    const origin = exhausted(pool);
    const publisher = origin.publishers.at(0);
    checkProperty(
      { test: tight, file, runs: 20 },
      fc.property(fc.nat(59_999), (intoMinuteMs) => {
        const sim = origin.fork();
        sim.clock.advance(intoMinuteMs);
        const refused = sim.handle(request(publisher));
        expect(refused.status).toBe(429);
        const seconds = refused.headers["retry-after"] ?? "";
        expect(seconds).toMatch(/^[1-9]\d?$/);
        const early = sim.fork();
        early.clock.advance((Number(seconds) - 1) * 1000);
        expect(early.handle(request(publisher)).status).toBe(429);
        sim.clock.advance(Number(seconds) * 1000);
        expect(sim.handle(request(publisher)).status).toBe(200);
      }),
    );
  });

  test("L4: the last millisecond of the minute refuses, the first of the next admits", () => {
    const sim = exhausted(pool);
    const publisher = sim.publishers.at(0);
    sim.clock.advance(59_999);
    expect(sim.handle(request(publisher)).status).toBe(429);
    sim.clock.advance(1);
    expect(sim.handle(request(publisher)).status).toBe(200);
  });

  test("L6: a refused request changes no byte of the state, whatever it asks for", () => {
    const sim = exhausted(pool);
    const publisher = sim.publishers.at(0);
    const before = stateWithBucketsOf(sim);
    for (let sent = 0; sent < 100; sent += 1) {
      expect(sim.handle(request(publisher)).status).toBe(429);
    }
    expect(stateWithBucketsOf(sim)).toBe(before);
  });

  test("L6: not even where de-duplication has something to forget", () => {
    const sim = createSimulator({ start, publishers: 2 });
    const [flooding, quiet] = [sim.publishers.at(0), sim.publishers.at(1)];
    sim.clock.advance("10s");
    sim.handle(impression(quiet, "session"));
    // The window passes ten seconds into a minute whose quota is used up by then.
    sim.clock.advance(30 * 60_000 - 10_000);
    for (let sent = 0; sent < limit; sent += 1) sim.handle(request(flooding));
    sim.clock.advance("10s");
    const before = stateWithBucketsOf(sim);
    expect(sim.handle(request(flooding)).status).toBe(429);
    expect(stateWithBucketsOf(sim)).toBe(before);
  });

  test("L8: one publisher's flood leaves the others' quota alone", () => {
    const sim = exhausted(pool);
    const response = sim.handle(request(sim.publishers.at(1)));
    expect([response.status, remaining(response)]).toEqual([200, limit - 1]);
  });
});

test("the two limits don't share quota: each pool refuses alone", () => {
  const recording = exhausted("recording");
  expect(recording.handle(stats(recording.publishers.at(0))).status).toBe(200);
  const reporting = exhausted("reporting");
  expect(reporting.handle(impression(reporting.publishers.at(0))).status).toBe(200);
});

test("impressions and clicks share the recording limit, the three GETs the reporting limit", () => {
  const sim = createSimulator({ start });
  const publisher = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${publisher.apiKey}` };
  expect(remaining(sim.handle(impression(publisher)))).toBe(9_999);
  const click = { impression_id: "imp_nothing" };
  const clicked = sim.handle({ method: "POST", path: "/v1/click", headers, body: click });
  expect([clicked.status, remaining(clicked)]).toEqual([404, 9_998]);
  const query = { publisher_id: publisher.id };
  const left = ["stats", "surfaces", "payouts"].map((what) =>
    remaining(sim.handle({ method: "GET", path: `/v1/publisher/${what}`, query, headers })),
  );
  expect(left).toEqual([59, 58, 57]);
});

test("recording belongs to the publisher, reporting to the key: a new key renews reporting only", () => {
  const recording = exhausted("recording");
  const renewed = recording.publishers.rotateKey(recording.publishers.at(0).id);
  expect(recording.handle(impression(renewed)).status).toBe(429);
  const reporting = exhausted("reporting");
  const { id } = reporting.publishers.at(0);
  expect(reporting.handle(stats(reporting.publishers.rotateKey(id))).status).toBe(200);
});

test("a request with an unknown key spends nobody's quota", () => {
  const sim = createSimulator({ start });
  const publisher = sim.publishers.at(0);
  for (let sent = 0; sent < 100; sent += 1) {
    const refused = sim.handle(stats({ ...publisher, apiKey: "key_0000000000000" }));
    expect([refused.status, remaining(refused)]).toEqual([401, 60]);
  }
  expect(remaining(sim.handle(stats(publisher)))).toBe(59);
});

test("a request that is refused for another reason spends quota once its key is known", () => {
  const sim = createSimulator({ start });
  const { apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const refused = sim.handle({ method: "GET", path: "/v1/publisher/stats", headers });
  expect([refused.status, remaining(refused)]).toEqual([400, 59]);
});
