/** Whatever comes in (H2, H4, L7): no throw, no 5xx, no effect where it is refused. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type ApiResponse, type Assumptions, createSimulator } from "../../src/index.ts";
import { operations } from "../../src/spec/operations.ts";
import { createMarks } from "../marks.ts";
import { ask } from "./ask.ts";
import { anyAssumptions } from "./assumptions.ts";
import { checkProperty } from "./check-property.ts";
import { anyRequest } from "./garbage.ts";
import { stateOf } from "./run.ts";

/** A world in which there is an impression to click. A publisher is part of its state from the first request on. */
function worldOf(assumptions: Assumptions) {
  const world = createSimulator({ seed: "shape", publishers: 2, profile: "tiny", assumptions });
  const [own, other] = [world.publishers.at(0), world.publishers.at(1)];
  ask(world, own, "impression", { surface: own.surfaces[0]?.id, ad_id: "ad", session_id: "s" });
  ask(world, other, "surfaces");
  return world;
}

/** Expects a body to be as long as its headers say, and JSON if they say so. */
function checkBody({ headers, body }: ApiResponse): void {
  const length = new TextEncoder().encode(body).length;
  expect(headers["content-length"]).toBe(String(length));
  if (headers["content-type"]?.includes("json") === true) JSON.parse(body);
  expect(headers["content-type"] === undefined).toBe(body === "");
}

/** Their requests are for a world that has these assumptions. */
const cases = anyAssumptions(["errors.body", "request.encoding"]).chain((assumptions) => {
  const requests = anyRequest(worldOf(assumptions));
  return fc.tuple(
    fc.constant(assumptions),
    fc.array(requests, { minLength: 1, maxLength: 16, size: "max" }),
  );
});

const unharmed =
  "H2, L7: any request gets a status below 500 and its remaining quota, and a refused one changes nothing";

test(unharmed, { timeout: 60_000 }, () => {
  const marks = createMarks();
  checkProperty(
    { test: unharmed, file: "test/properties/shape.test.ts", runs: 500, leastRuns: 40 },
    fc.property(cases, ([assumptions, requests]) => {
      const world = worldOf(assumptions);
      let before = stateOf(world);
      for (const request of requests) {
        const response = world.handle(request);
        marks.sometimes(String(response.status));
        expect(response.status).toBeLessThan(500);
        expect(response.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
        if (request.method !== "HEAD") checkBody(response);
        const after = stateOf(world);
        if (response.status !== 200) expect(after).toBe(before);
        before = after;
      }
    }),
  );
  marks.expectReached(["200", "400", "401", "403", "404", "405", "413", "414", "415", "422"]);
});

const gets = Object.values(operations).filter(({ method }) => method === "GET");

test.each(gets)("H4: HEAD $path has the status and headers of GET, and no body", ({ path }) => {
  const sim = createSimulator({ publishers: 2 });
  const [own, other] = [sim.publishers.at(0), sim.publishers.at(1)];
  for (const query of [`publisher_id=${own.id}`, "", `publisher_id=${other.id}`]) {
    for (const authorization of [`Bearer ${own.apiKey}`, "Bearer nobody"]) {
      const request = { path, query, headers: { authorization } };
      const got = sim.fork().handle({ ...request, method: "GET" });
      const head = sim.fork().handle({ ...request, method: "HEAD" });
      expect(got.body).not.toBe("");
      expect(head).toEqual({ ...got, body: "" });
    }
  }
});
