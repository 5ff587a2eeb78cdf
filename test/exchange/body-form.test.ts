/** Under response.form=evolved a success still has all documented fields, unchanged, and errors stay as they are. */

import { describe, expect, test } from "vitest";
import type { ApiResponse, SimulatorOptions } from "../../src/index.ts";
import { createTestClient, type TestClient } from "./test-client.ts";

type Json = { readonly [name: string]: unknown };

const evolved = { "response.form": "evolved" } as const;

/** A success of every operation, including a stats answer that comes from the cache. */
function successes(assumptions: SimulatorOptions["assumptions"], seed?: string): ApiResponse[] {
  const { get, post, shown }: TestClient = createTestClient(assumptions, seed);
  const impression = post("/v1/impression", { ...shown, session_id: "s" });
  const { impression_id } = JSON.parse(impression.body) as { impression_id: string };
  const paths = ["stats", "stats", "surfaces", "payouts"].map((name) => `/v1/publisher/${name}`);
  return [impression, post("/v1/click", { impression_id }), ...paths.map((path) => get(path))];
}

/** Every object in a JSON value, including the value itself. */
function objectsIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== "object" || value === null) return [];
  return [value as Json, ...Object.values(value).flatMap(objectsIn)];
}

/** The value without the fields that the spec doesn't list. */
function documentedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(documentedPart);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !name.startsWith("x_"));
  return Object.fromEntries(members.map(([name, member]) => [name, documentedPart(member)]));
}

describe("evolved successes", () => {
  const responses = successes(evolved);
  const plain = successes({});

  test("have the documented fields unchanged, numbers byte for byte, and a charset in Content-Type", () => {
    for (const [index, { body, headers }] of responses.entries()) {
      const ordered = plain[index]?.body ?? "";
      expect(documentedPart(JSON.parse(body))).toEqual(JSON.parse(ordered));
      expect(body.match(/-?\d[\d.]*/g)?.sort()).toEqual(ordered.match(/-?\d[\d.]*/g)?.sort());
      expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
      expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    }
  });

  test("have more fields in every object: a text, a null, and outermost an object", () => {
    for (const { body } of responses) {
      const [outermost = {}, ...others] = objectsIn(JSON.parse(body)).filter(
        (object) => !("source" in object),
      );
      const added = { x_note: expect.any(String), x_reserved: null };
      expect(outermost).toMatchObject({ ...added, x_context: { source: "adsim" } });
      for (const object of others) expect(object).toMatchObject(added);
    }
  });

  test("never have the documented order of keys", () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const documented = successes({}, `${seed}`).flatMap(({ body }) =>
        objectsIn(JSON.parse(body)),
      );
      const known = new Set(documented.map((object) => Object.keys(object).join()));
      for (const { body } of successes(evolved, `${seed}`)) {
        for (const object of objectsIn(JSON.parse(body))) {
          const names = Object.keys(object).filter((name) => !name.startsWith("x_"));
          if (names.length > 1) expect(known).not.toContain(names.join());
        }
      }
    }
  });

  test("have one order for each body, and another order under another seed", () => {
    expect(successes(evolved)).toEqual(responses);
    expect(responses[2]?.body).toBe(responses[3]?.body);
    const orders = ["a", "b", "c", "d"].map((seed) =>
      Object.keys(JSON.parse(successes(evolved, seed)[2]?.body ?? "")).join(),
    );
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  test("are replayed with the same bytes", () => {
    const { post, shown } = createTestClient({ ...evolved, "dedup.repeat": "replay" });
    const once = post("/v1/impression", { ...shown, session_id: "s" });
    expect(post("/v1/impression", { ...shown, session_id: "s" }).body).toBe(once.body);
  });
});

test("errors are the same in both forms", () => {
  const nowhere = { method: "GET", path: "/nowhere" };
  expect(createTestClient(evolved).send(nowhere)).toEqual(createTestClient().send(nowhere));
});
