/** Assumptions at their edges: each choice does what its sentence in the catalogue says. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { createParsingClient } from "./parsing-client.ts";
import { createTestClient } from "./test-client.ts";

describe("payout.limit-over-max", () => {
  const limited = (reading: "clamp" | "reject", limit: string | number) => {
    const { get, publisher } = createTestClient({ "payout.limit-over-max": reading });
    return get("/v1/publisher/payouts", { publisher_id: publisher.id, limit });
  };
  const huge = ["101", "0101", "9".repeat(15), "9".repeat(16), "9".repeat(400), 1e20];

  test.each(huge)("clamp reads %s as 100", (limit) => {
    expect(limited("clamp", limit)).toEqual(limited("clamp", "100"));
  });

  test.each(huge)(
    "reject refuses %s with the right error, and doesn't repeat a long number",
    (limit) => {
      const response = limited("reject", limit);
      const { code, parameter, detail } = JSON.parse(response.body);
      expect([response.status, code, parameter]).toEqual([400, "invalid_parameter", "limit"]);
      expect(detail).toMatch(/^limit must be a whole number from 1 to 100(; \d{3,15} is not)?\.$/);
    },
  );

  test.each(["0", "-1", "-0", "+101", `-${"9".repeat(400)}`, "1e3", "101.0", " 101", 1e300])(
    "%s counts as above 100 under no choice",
    (limit) => {
      expect(limited("clamp", limit).status).toBe(400);
      expect(limited("reject", limit).status).toBe(400);
    },
  );

  test("leading zeros make no difference", () => {
    expect(limited("reject", "007")).toEqual(limited("reject", "7"));
    expect(limited("reject", `${"0".repeat(100)}7`)).toEqual(limited("reject", "7"));
  });
});

describe("a number in a JSON body", () => {
  const numbers = [
    [5.5, "5.5"],
    [0.1, "0.1"],
    [-2.25, "-2.25"],
    [1e-7, "0.0000001"],
    [-1.5e-9, "-0.0000000015"],
    [-0, "0"],
    [2 ** 53 - 1, "9007199254740991"],
  ] as const;

  test.each(numbers)("lenient reads %d as its decimal text %s", (number, text) => {
    const { shown, post } = createTestClient({ "request.values": "lenient" });
    const first = post("/v1/impression", { ...shown, session_id: "s", ad_id: number });
    const again = post("/v1/impression", { ...shown, session_id: "s", ad_id: text });
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(JSON.parse(again.body)).toEqual({
      ...JSON.parse(first.body),
      revenue_credited_inr: 0,
    });
  });

  test.each(["9007199254740992", "12345678901234567890", "1e21", "1e400", "-1e400"])(
    "lenient refuses %s, which has lost digits",
    (number) => {
      const { shown, send } = createTestClient({ "request.values": "lenient" });
      const body = `${JSON.stringify(shown).replace('"ad"', number)}`;
      const response = send({ method: "POST", path: "/v1/impression", body });
      expect(JSON.parse(response.body)).toMatchObject({
        code: "invalid_parameter",
        detail: "ad_id is a number too large to read exactly; send it as a string.",
      });
    },
  );

  test.each(numbers)("strict refuses %d", (number) => {
    const { shown, post } = createTestClient({ "request.values": "strict" });
    expect(post("/v1/impression", { ...shown, ad_id: number }).status).toBe(400);
  });
});

/** Stats of a publisher that signed up today, with a click today on an impression of yesterday. */
function lateClick(): Simulator {
  const sim = createSimulator({ assumptions: { "stats.surfaces": "with-traffic" } });
  const publisher = sim.publishers.signUp({ surfaces: ["one", "two"] });
  const { post } = createParsingClient(sim, publisher);
  const shown = { publisher_id: publisher.id, surface: publisher.surfaces[0]?.id, ad_id: "ad" };
  const { impression_id } = post("impression", shown).body;
  sim.clock.advance("1d");
  post("click", { impression_id });
  return sim;
}

describe("stats.surfaces=with-traffic", () => {
  test("lists a surface that has only a late click", () => {
    const sim = lateClick();
    const publisher = sim.publishers.at(sim.publishers.total - 1);
    const today = { from: "2026-01-16", to: "2026-01-16" };
    const { body } = createParsingClient(sim, publisher).get("stats", {
      publisher_id: publisher.id,
      ...today,
    });
    expect(body).toMatchObject({ impressions: 0, clicks: 1 });
    expect(body.surfaces).toEqual([
      { id: publisher.surfaces[0]?.id, impressions: 0, revenue: body.revenue_inr },
    ]);
  });
});

describe("a refused period", () => {
  const blamed = (query: Record<string, string>) => {
    const { get, publisher } = createTestClient();
    const response = get("/v1/publisher/stats", { publisher_id: publisher.id, ...query });
    const { parameter, detail } = JSON.parse(response.body);
    return [response.status, parameter, detail];
  };

  test("names the parameter that made the period inverted", () => {
    expect(blamed({ from: "2026-01-16" })).toEqual([
      400,
      "from",
      "from must not be after to: 2026-01-16 is after 2026-01-15 (the default).",
    ]);
    expect(blamed({ to: "2025-01-01" })).toEqual([
      400,
      "to",
      "from must not be after to: 2025-12-16 (the default) is after 2025-01-01.",
    ]);
    expect(blamed({ from: "2025-12-02", to: "2025-12-01" })).toEqual([
      400,
      "from",
      "from must not be after to: 2025-12-02 is after 2025-12-01.",
    ]);
  });
});
