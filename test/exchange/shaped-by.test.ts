/** Which assumptions shaped an answer: in the journal, and in a header for clients that ask for it. */

import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  type Choices,
  createSimulator,
  type Publisher,
  type Simulator,
} from "../../src/index.ts";

const start = "2026-03-01T00:00:00Z";

function world(assumptions: Choices = {}, explain = true) {
  const sim = createSimulator({ start, assumptions, explain });
  const publisher = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${publisher.apiKey}` };
  const send = (request: Partial<ApiRequest>) => {
    const response = sim.handle({
      method: "GET",
      path: "/v1/publisher/stats",
      headers,
      ...request,
    });
    const [entry] = sim.journal.entries({ limit: 1 });
    return { response, shapedBy: entry?.assumptions };
  };
  const record = (fields: Record<string, unknown> = {}) =>
    send({
      method: "POST",
      path: "/v1/impression",
      body: {
        publisher_id: publisher.id,
        surface: publisher.surfaces[0]?.id,
        ad_id: "ad",
        session_id: "session",
        ...fields,
      },
    });
  return { sim, publisher, send, record };
}

describe("a refusal lists the keys that decided it", () => {
  test("no key: its status, and the form of its body", () => {
    const { send } = world();
    expect(send({ headers: {} }).shapedBy).toEqual(["auth.failure", "errors.body"]);
  });

  test("another publisher and an unknown one: the same keys for both", () => {
    const { sim, send } = world({ "auth.key-scope": "publisher-hidden" });
    const foreign = send({ query: { publisher_id: sim.publishers.at(1).id } });
    const nonexistent = send({ query: { publisher_id: "pub_nobody" } });
    expect(foreign.shapedBy).toContain("auth.key-scope");
    expect(foreign.response).toEqual({
      ...nonexistent.response,
      headers: { ...nonexistent.response.headers, "x-ratelimit-remaining": "59" },
    });
  });

  test.each([
    ["a limit above the most", { limit: "101" }, "payout.limit-over-max"],
    [
      "a period that is upside down",
      { from: "2026-02-02", to: "2026-02-01" },
      "date.inverted-range",
    ],
    ["a surface that isn't there", { surface: "srf_none" }, "surface.unknown"],
  ])("%s", (_, query, key) => {
    const { publisher, send } = world();
    const path = "limit" in query ? "/v1/publisher/payouts" : "/v1/publisher/stats";
    const sent: Record<string, string> = { publisher_id: publisher.id, ...query };
    const { response, shapedBy } = send({ path, query: sent });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(shapedBy).toContain(key);
    expect(shapedBy).toContain("errors.body");
  });

  test("the keys of the checks that it passed before it was refused", () => {
    const { record } = world();
    expect(record({ surface: "srf_none" }).shapedBy).toContain("request.encoding");
    expect(record({ ad_id: "" }).shapedBy).toContain("request.encoding");
  });

  test("seeded history: which surfaces are inactive", () => {
    const historyOf = (publisher: Publisher, sim: Simulator) => {
      const { apiKey, id, joined } = publisher;
      const ask = (path: string, query: Record<string, string>): unknown => {
        sim.handle({
          method: "GET",
          path: `/v1/publisher/${path}`,
          query: { publisher_id: id, ...query },
          headers: { authorization: `Bearer ${apiKey}` },
        });
        return sim.journal.entries({ limit: 1 })[0]?.assumptions;
      };
      const [first, ...others] = publisher.surfaces.map(({ id: surface }) =>
        ask("stats", { from: joined, to: "2026-02-01", surface }),
      );
      return { first, others, payouts: ask("payouts", {}) };
    };
    const sim = createSimulator({ start, publishers: 12 });
    const asked = sim.publishers.list({ limit: 12 }).map((one) => historyOf(one, sim));
    for (const { first, payouts } of asked) {
      // The first surface is active under both choices.
      expect(first).not.toContain("surface.statuses");
      expect(payouts).toContain("surface.statuses");
    }
    const inOthers = asked.flatMap(({ others }) => others as string[][]);
    expect(inOthers.some((keys) => keys.includes("surface.statuses"))).toBe(true);
    expect(inOthers.some((keys) => !keys.includes("surface.statuses"))).toBe(true);
    const nobody = historyOf(sim.publishers.signUp(), sim);
    expect(nobody.payouts).toEqual(["date.timezone"]);
  });

  test("the order of payouts, if there is more than one", () => {
    const { publisher, send } = world();
    const query = { publisher_id: publisher.id, limit: 1 };
    expect(send({ path: "/v1/publisher/payouts", query }).shapedBy).toContain("payout.order");
  });

  test("a cached answer lists the keys of its own request, whichever request came first", () => {
    const named = (queries: readonly Record<string, string>[]) => {
      const { publisher, send } = world({ "date.inverted-range": "empty" });
      const asked = queries.map((query) =>
        send({ query: { publisher_id: publisher.id, ...query } }),
      );
      return asked.map(({ shapedBy }) => JSON.stringify(shapedBy)).sort();
    };
    const byDefault = { to: "2026-01-01" };
    const byDate = { from: "2026-01-30", to: "2026-01-01" };
    expect(named([byDefault, byDate])).toEqual(named([byDate, byDefault]));
  });

  test("the limit: its algorithm, its status and its Retry-After", () => {
    const { publisher, send } = world();
    const query = { publisher_id: publisher.id };
    for (let sent = 0; sent < 60; sent += 1) send({ query });
    expect(send({ query }).shapedBy).toEqual(
      expect.arrayContaining(["limit.algorithm", "limit.exceeded", "limit.retry-after"]),
    );
  });
});

describe("a success lists the keys that decided it", () => {
  test("an impression lists only its encoding, a duplicate also the deduplication keys", () => {
    const { record } = world();
    expect(record().shapedBy).toEqual(["request.encoding"]);
    expect(record().shapedBy).toEqual([
      "request.encoding",
      "dedup.repeat",
      "dedup.key",
      "dedup.window",
    ]);
  });

  test("tolerant parsing is listed", () => {
    const { record } = world();
    expect(record({ ad_id: 7 }).shapedBy).toContain("request.values");
    expect(record({ colour: "red" }).shapedBy).toContain("request.values");
  });

  test("keys of the form are listed if they aren't at their default", () => {
    const { record } = world({ "response.form": "evolved" });
    expect(record().shapedBy).toEqual(["request.encoding", "response.form"]);
  });
});

describe("X-Adsim-Assumptions", () => {
  test("has the same keys as the journal", () => {
    const { record } = world();
    record();
    const { response, shapedBy } = record();
    expect(response.headers["x-adsim-assumptions"]).toBe((shapedBy as string[]).join(", "));
  });

  test("is sent only if asked for", () => {
    const { record } = world({}, false);
    const { response, shapedBy } = record();
    expect(response.headers).not.toHaveProperty("x-adsim-assumptions");
    expect(shapedBy).toEqual(["request.encoding"]);
  });

  test("is `documented` if the spec alone decides", () => {
    // Days with impressions but no clicks, of a publisher whose only surface is active under every choice.
    const sim = createSimulator({ profile: "tiny", publishers: 200, explain: true });
    const query = { from: "2026-01-10", to: "2026-01-13" };
    const quiet = sim.publishers.list({ limit: 200 }).flatMap(({ id, apiKey, surfaces }) => {
      if (surfaces.length > 1) return [];
      const headers = { authorization: `Bearer ${apiKey}` };
      const path = "/v1/publisher/stats";
      const request = { method: "GET", path, headers, query: { publisher_id: id, ...query } };
      const response = sim.handle(request);
      const { impressions, clicks } = JSON.parse(response.body);
      return impressions > 0 && clicks === 0 ? [response] : [];
    });
    expect(quiet.length).toBeGreaterThan(5);
    for (const { headers } of quiet) expect(headers["x-adsim-assumptions"]).toBe("documented");
    expect(
      sim.journal.entries({ limit: 200 }).some(({ assumptions }) => assumptions === "documented"),
    ).toBe(true);
  });
});
