/** Whatever comes in (H2, H3, H4, L7): no throw, no 5xx, no effect where it is refused, no key in an answer. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ApiResponse,
  type AssumptionKey,
  type Assumptions,
  type Choice,
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../src/spec/assumptions/resolve.ts";
import { createMarks } from "../marks.ts";
import { ask } from "./ask.ts";
import { anyAssumptions } from "./assumptions.ts";
import { checkProperty } from "./check-property.ts";
import { anyRequest, filledIn, paths } from "./garbage.ts";
import { stateOf } from "./run.ts";

const file = "test/properties/shape.test.ts";

const sim = createSimulator({ seed: "shape", publishers: 4 });
const own = sim.publishers.at(0);
const other = sim.publishers.at(1);

/** Every form of an error body, and the last choice of every key. */
const choices: readonly SimulatorOptions["assumptions"][] = [
  ...choicesOf("errors.body").map((body) => ({
    "errors.body": body,
    "request.values": "strict" as const,
  })),
  { "request.values": "lenient" },
  resolveAssumptions(
    Object.fromEntries(
      (Object.keys(catalogue) as AssumptionKey[]).map((key) => [key, choicesOf(key).at(-1)]),
    ),
  ),
];

function choicesOf<Key extends AssumptionKey>(key: Key): Choice<Key>[] {
  // An object's own names are its keys.
  return Object.keys(catalogue[key].choices) as Choice<Key>[];
}

/** A world, and what the words in a request of any kind stand for there. */
function worldOf(assumptions: Assumptions): {
  world: Simulator;
  known: Readonly<Record<string, string>>;
} {
  const world = createSimulator({ seed: "shape", publishers: 4, assumptions });
  const [first, second] = [world.publishers.at(0), world.publishers.at(1)];
  const surface = first.surfaces[0]?.id ?? "";
  const made = ask(world, first, "impression", { surface, ad_id: "ad", session_id: "s" });
  // A publisher is part of the state from its first request on.
  ask(world, second, "surfaces", {});
  const known = {
    "OWN-ID": first.id,
    "OWN-KEY": first.apiKey,
    "OWN-SURFACE": surface,
    "OWN-IMPRESSION": JSON.parse(made.body).impression_id,
    "OTHER-ID": second.id,
    "OTHER-KEY": second.apiKey,
  };
  return { world, known };
}

/** Expects a body to be as long as its headers say, and JSON if they say so. */
function checkBody({ headers, body }: ApiResponse): void {
  const length = new TextEncoder().encode(body).length;
  expect(headers["content-length"]).toBe(String(length));
  if (headers["content-type"]?.includes("json") === true) JSON.parse(body);
  expect(headers["content-type"] === undefined).toBe(body === "");
}

describe("whatever comes in", () => {
  const unharmed =
    "H2, L7: any request gets a status below 500 and its remaining quota, and a refused one changes nothing";
  test(unharmed, { timeout: 60_000 }, () => {
    const marks = createMarks();
    checkProperty(
      { test: unharmed, file, runs: 500 },
      fc.property(
        anyAssumptions(["errors.body", "request.encoding"]),
        fc.array(anyRequest, { minLength: 1, maxLength: 16, size: "max" }),
        (assumptions, requests) => {
          const { world, known } = worldOf(assumptions);
          let before = stateOf(world);
          for (const request of requests) {
            const sent = filledIn(request, known);
            const response = world.handle(sent);
            marks.sometimes(String(response.status));
            expect(response.status).toBeLessThan(500);
            expect(response.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
            if (sent.method !== "HEAD") checkBody(response);
            const after = stateOf(world);
            if (response.status !== 200) expect(after).toBe(before);
            before = after;
          }
        },
      ),
    );
    if (process.env.ADSIM_REPORT !== undefined) console.log(marks.report().text);
    marks.expectReached(["200", "400", "401", "403", "404", "405", "413", "414", "415", "422"]);
  });

  const silent = "H3: no answer contains the caller's key from Authorization";
  test(silent, { timeout: 60_000 }, () => {
    const places = [
      (key: string) => key,
      (key: string) => `Bearer ${key}`,
      (key: string) => `Bearer ${key}x`,
    ];
    const { publishers } = createSimulator({ publishers: 300 });
    const worlds = choices.map((assumptions) => createSimulator({ publishers: 300, assumptions }));
    for (const [index, { apiKey }] of publishers.credentials(300).entries()) {
      for (const place of places) {
        const sent = {
          method: index % 2 === 0 ? "GET" : "POST",
          path: paths[index % paths.length] ?? "/",
          headers: { authorization: place(apiKey), "content-type": "application/json" },
        };
        for (const world of worlds) {
          const answer = JSON.stringify(world.handle(sent)).toLowerCase();
          if (answer.includes(apiKey)) expect.fail(`${JSON.stringify(sent)} got ${answer}`);
        }
      }
    }
  });
});

describe("methods", () => {
  const gets = paths.slice(0, 3);

  test.each(gets)("H4: HEAD %s has the status and headers of GET, and no body", (at) => {
    const queries = [
      `publisher_id=${own.id}`,
      "",
      `publisher_id=${own.id}&from=2026-02-29`,
      `publisher_id=${other.id}`,
    ];
    for (const query of queries) {
      for (const authorization of [`Bearer ${own.apiKey}`, "Bearer nobody"]) {
        const headers = { authorization };
        const got = sim.fork().handle({ method: "GET", path: at, query, headers });
        const head = sim.fork().handle({ method: "HEAD", path: at, query, headers });
        expect(got.body).not.toBe("");
        expect(head).toEqual({ ...got, body: "" });
      }
    }
  });

  test.each([
    ...gets.map(
      (at) => [at, "GET, HEAD", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get"]] as const,
    ),
    ...paths
      .slice(3)
      .map((at) => [at, "POST", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post"]] as const),
  ])("H4: a wrong method on %s gets 405 with Allow: %s", (at, allow, wrong) => {
    for (const method of wrong) {
      const response = sim.handle({
        method,
        path: at,
        headers: { authorization: `Bearer ${own.apiKey}` },
      });
      expect([response.status, response.headers.allow]).toEqual([405, allow]);
      expect(response.body === "").toBe(method === "HEAD");
    }
  });

  test("a 404 and a 401 have no Allow header", () => {
    expect(sim.handle({ method: "GET", path: "/nowhere" }).headers).not.toHaveProperty("allow");
    expect(sim.handle({ method: "GET", path: "/v1/publisher/stats" }).headers).not.toHaveProperty(
      "allow",
    );
  });
});
