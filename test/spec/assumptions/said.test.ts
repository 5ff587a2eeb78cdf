/**
 * What the catalogue and docs/reference/choices.md say beyond the plain meaning of the choices, and neither the oracle's campaigns nor
 * `exchange/` show: each sentence with requests that show it.
 */

import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  type Choices,
  createSimulator,
  type Simulator,
} from "../../../src/index.ts";
import { catalogue } from "../../../src/spec/assumptions/catalogue.ts";
import { senderOf } from "../../sender.ts";

function stageOf(assumptions: Choices, start = "2026-01-15T00:00:00Z") {
  const sim = createSimulator({ assumptions, start });
  return { sim, ...senderOf(sim, sim.publishers.at(0)) };
}

/** The statuses of five publishers' payouts of 2026-01-07, each with the days since the payout's date from which it had it. */
function coursesOf(sim: Simulator): string[] {
  const courses = sim.publishers.list({ limit: 5 }).map((): string[] => []);
  for (let age = 0; age < 60; age += 1) {
    for (const [place, course] of courses.entries()) {
      const { get } = senderOf(sim, sim.publishers.at(place));
      const { payouts } = JSON.parse(get("payouts").body);
      const { status } = payouts.find(({ date }: { date: string }) => date === "2026-01-07");
      if (course.at(-1)?.endsWith(` ${status}`) !== true) course.push(`${age} ${status}`);
    }
    sim.clock.advance("1d");
  }
  return courses.map((course) => course.join(", "));
}

test("payout.statuses: how long a payout has which status", () => {
  expect(catalogue["payout.statuses"].choices.extended).toContain(
    "A payout is `processing` for 3 days; then it is `paid`, `on_hold` or `failed`. A payout on hold is paid 42 days after its date, and a failed one 27 days after. Some that were paid are `reversed` after 15 days, for good.",
  );
  // The latest month of the seeded history is paid on the next day.
  const { sim } = stageOf({ "payout.statuses": "extended" }, "2026-01-06T00:00:00Z");
  sim.clock.advance("1d");
  expect([...new Set(coursesOf(sim))].sort()).toEqual([
    "0 processing, 3 failed, 25 processing, 27 paid",
    "0 processing, 3 on_hold, 40 processing, 42 paid",
    "0 processing, 3 paid",
    "0 processing, 3 paid, 15 reversed",
  ]);
});

test.each(["json", "form"] as const)(
  "request.encoding=%s: a parameter in the query gets 415, but twice 400, or 422 under errors.invalid=422",
  (encoding) => {
    expect(catalogue["request.encoding"].note).toContain(
      "If it has a parameter twice, the request gets 400 (422 under errors.invalid=422), not 415.",
    );
    const statuses = (["400", "422"] as const).flatMap((invalid) => {
      const { send } = stageOf({ "request.encoding": encoding, "errors.invalid": invalid });
      const request: ApiRequest = { method: "POST", path: "/v1/click", body: {} };
      const queries = ["impression_id=a", "impression_id=a&impression_id=b"];
      return queries.map((query) => send({ ...request, query }).status);
    });
    expect(statuses).toEqual([415, 400, 415, 422]);
  },
);

describe("the size of a request is limited whatever is chosen", () => {
  const full = "x".repeat(65_536);

  test.each([
    ["text", full],
    ["UTF-8", "é".repeat(32_768)],
  ])("a body of more than 64 KiB of %s gets 413, even where its type gets 415", (_, body) => {
    const { sim, send } = stageOf({});
    const headers = { authorization: `Bearer ${sim.publishers.at(0).apiKey}` };
    const statusOf = (type: string, sent: string): number => {
      const typed = { ...headers, "content-type": type };
      return send({ method: "POST", path: "/v1/click", headers: typed, body: sent }).status;
    };
    expect(statusOf("text/plain", body)).toBe(415);
    expect(statusOf("text/plain", `${body}x`)).toBe(413);
    expect(statusOf("application/json", `${body}x`)).toBe(413);
  });

  test("so is a body with GET; a query of more than 8,192 characters gets 414", () => {
    const { sim, send, get } = stageOf({});
    const query = { publisher_id: sim.publishers.at(0).id };
    const request = { method: "GET", path: "/v1/publisher/surfaces", query };
    expect(send({ ...request, body: full }).status).toBe(200);
    expect(send({ ...request, body: `${full}x` }).status).toBe(413);
    const filling = 8192 - new URLSearchParams({ ...query, pad: "" }).toString().length;
    expect(get("surfaces", { pad: "x".repeat(filling) }).status).toBe(200);
    expect(get("surfaces", { pad: "x".repeat(filling + 1) }).status).toBe(414);
  });

  test("after the key and the rate limit, which it counts against", () => {
    const { sim, send, impression } = stageOf({});
    const request = { method: "POST", path: "/v1/click", body: `${full}x` };
    expect(sim.handle(request).status).toBe(401);
    const { status, headers } = send(request);
    expect([status, headers["x-ratelimit-remaining"]]).toEqual([413, "9999"]);
    for (let sent = 0; sent < 10_000; sent += 1) impression();
    expect(send(request).status).toBe(429);
  });
});
