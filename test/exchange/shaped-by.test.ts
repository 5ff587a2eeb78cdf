/** Which open points an answer rests on: in the journal, and in a header for who asks for it. */

import { describe, expect, test } from "vitest";
import { type ApiRequest, createSimulator, type Readings } from "../../src/index.ts";

const start = "2026-03-01T00:00:00Z";

function world(assumptions: Readings = {}, explain = true) {
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

describe("a refusal names what decided it", () => {
  test("no key: its status, and the shape of its body", () => {
    const { send } = world();
    expect(send({ headers: {} }).shapedBy).toEqual(["auth.failure", "errors.body"]);
  });

  test("a publisher that is another's, and one that doesn't exist: the same keys for both", () => {
    const { sim, send } = world({ "auth.foreign-publisher": "404" });
    const foreign = send({ query: { publisher_id: sim.publishers.at(1).id } });
    const nonexistent = send({ query: { publisher_id: "pub_nobody" } });
    expect(foreign.shapedBy).toContain("auth.foreign-publisher");
    expect(foreign.response).toEqual({
      ...nonexistent.response,
      headers: { ...nonexistent.response.headers, "x-ratelimit-remaining": "59" },
    });
  });

  test.each([
    ["an empty value", { surface: "" }, "request.empty-value"],
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

  test("what it went through before it was refused", () => {
    const { publisher, send, record } = world({ "http.trailing-slash": "same" });
    const headers = { authorization: `bearer ${publisher.apiKey}` };
    const path = "/v1/publisher/stats/";
    const query = { publisher_id: publisher.id, from: "x" };
    expect(send({ method: "HEAD", path, headers, query }).shapedBy).toEqual(
      expect.arrayContaining(["http.trailing-slash", "http.head", "auth.scheme-case"]),
    );
    expect(record({ surface: "srf_none" }).shapedBy).toContain("request.encoding");
    expect(record({ ad_id: "" }).shapedBy).toContain("request.encoding");
  });

  test("the order of payouts, where more than one could have come", () => {
    const { publisher, send } = world();
    const query = { publisher_id: publisher.id, limit: 1 };
    expect(send({ path: "/v1/publisher/payouts", query }).shapedBy).toContain("payout.order");
  });

  test("a remembered answer names its own request's, whichever came first", () => {
    const named = (queries: readonly Record<string, string>[]) => {
      const { publisher, send } = world({ "date.inverted-range": "swap" });
      const asked = queries.map((query) =>
        send({ query: { publisher_id: publisher.id, ...query } }),
      );
      return asked.map(({ shapedBy }) => JSON.stringify(shapedBy)).sort();
    };
    const byDefault = { to: "2026-01-01" };
    const byDate = { from: "2026-01-30", to: "2026-01-01" };
    expect(named([byDefault, byDate])).toEqual(named([byDate, byDefault]));
  });

  test("the limit: its algorithm, its status and its hint", () => {
    const { publisher, send } = world();
    const query = { publisher_id: publisher.id };
    for (let sent = 0; sent < 60; sent += 1) send({ query });
    expect(send({ query }).shapedBy).toEqual(
      expect.arrayContaining(["limit.algorithm", "limit.exceeded", "limit.retry-after"]),
    );
  });
});

describe("a success names what decided it", () => {
  test("an impression rests on its encoding alone, a duplicate on how duplicates are told", () => {
    const { record } = world();
    expect(record().shapedBy).toEqual(["request.encoding"]);
    expect(record().shapedBy).toEqual([
      "request.encoding",
      "dedup.repeat",
      "dedup.key",
      "dedup.window",
    ]);
  });

  test("what was read generously is said", () => {
    const { record } = world();
    expect(record({ ad_id: 7 }).shapedBy).toContain("request.scalar-types");
    expect(record({ colour: "red" }).shapedBy).toContain("request.unknown-fields");
  });

  test("a bearer in lower case, and HEAD", () => {
    const { publisher, send } = world();
    const query = { publisher_id: publisher.id };
    const headers = { authorization: `bearer ${publisher.apiKey}` };
    expect(send({ query, headers }).shapedBy).toContain("auth.scheme-case");
    expect(send({ query }).shapedBy).not.toContain("auth.scheme-case");
    expect(send({ query, method: "HEAD" }).shapedBy).toContain("http.head");
  });

  test("form is named where it isn't the default", () => {
    const { record } = world({ "http.content-type": "json-charset" });
    expect(record().shapedBy).toEqual(["request.encoding", "http.content-type"]);
  });
});

describe("X-Adsim-Assumptions", () => {
  test("says the same as the journal", () => {
    const { record } = world();
    record();
    const { response, shapedBy } = record();
    expect(response.headers["x-adsim-assumptions"]).toBe((shapedBy as string[]).join(", "));
  });

  test("comes only when asked for", () => {
    const { record } = world({}, false);
    const { response, shapedBy } = record();
    expect(response.headers).not.toHaveProperty("x-adsim-assumptions");
    expect(shapedBy).toEqual(["request.encoding"]);
  });

  test("is documented where the spec alone decides", () => {
    const { publisher, send } = world();
    const busy = { from: "2026-02-01", to: "2026-02-28" };
    const { response, shapedBy } = send({ query: { publisher_id: publisher.id, ...busy } });
    expect(shapedBy).toBe("documented");
    expect(response.headers["x-adsim-assumptions"]).toBe("documented");
  });
});
