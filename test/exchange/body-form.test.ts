/** With extra fields or shuffled keys, a body still has all documented fields, unchanged. */

import { describe, expect, test } from "vitest";
import type { ApiResponse, SimulatorOptions } from "../../src/index.ts";
import { createTestClient, type TestClient } from "./test-client.ts";

type Json = { readonly [name: string]: unknown };

const extra = { "response.extra-fields": "present" } as const;
const shuffled = { "response.key-order": "shuffled" } as const;

/** A success of every operation, including a stats answer that comes from the cache. */
function successes(assumptions: SimulatorOptions["assumptions"], seed?: string): ApiResponse[] {
  const { get, post, shown }: TestClient = createTestClient(assumptions, seed);
  const impression = post("/v1/impression", { ...shown, session_id: "s" });
  const { impression_id } = JSON.parse(impression.body) as { impression_id: string };
  const paths = ["stats", "stats", "surfaces", "payouts"].map((name) => `/v1/publisher/${name}`);
  return [impression, post("/v1/click", { impression_id }), ...paths.map((path) => get(path))];
}

/** Every object in a JSON value, including the value itself, with its nesting depth. */
function objectsIn(value: unknown, depth = 0): { readonly object: Json; readonly depth: number }[] {
  if (Array.isArray(value)) return value.flatMap((item) => objectsIn(item, depth));
  if (typeof value !== "object" || value === null) return [];
  const object = value as Json;
  const inner = Object.values(object).flatMap((member) => objectsIn(member, depth + 1));
  return [{ object, depth }, ...inner];
}

const plain = successes({});

function expectLengths(responses: readonly ApiResponse[]): void {
  for (const { body, headers } of responses) {
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
  }
}

describe("extra fields", () => {
  const responses = successes(extra);

  test("follow the documented fields in every object of every success, and change none of them", () => {
    expectLengths(responses);
    for (const [index, { body }] of responses.entries()) {
      const documented = objectsIn(JSON.parse(plain[index]?.body ?? ""));
      const made = objectsIn(JSON.parse(body)).filter(({ object }) => !("source" in object));
      expect(made).toHaveLength(documented.length);
      for (const [place, { object, depth }] of made.entries()) {
        const names = Object.keys(documented[place]?.object ?? {});
        expect(Object.keys(object).slice(0, names.length)).toEqual(names);
        const added = Object.entries(object).slice(names.length);
        expect(added.map(([, value]) => (value === null ? "null" : typeof value))).toEqual(
          depth === 0 ? ["string", "null", "object"] : ["string", "null"],
        );
      }
    }
  });

  test("are not added to error bodies", () => {
    const error = createTestClient(extra).send({ method: "GET", path: "/nowhere" });
    expect(error).toEqual(createTestClient().send({ method: "GET", path: "/nowhere" }));
  });
});

describe("shuffled keys", () => {
  const responses = successes(shuffled);

  test("keep their values, numbers byte for byte", () => {
    expectLengths(responses);
    for (const [index, { body }] of responses.entries()) {
      const ordered = plain[index]?.body ?? "";
      expect(JSON.parse(body)).toEqual(JSON.parse(ordered));
      expect(body.match(/-?\d[\d.]*/g)?.sort()).toEqual(ordered.match(/-?\d[\d.]*/g)?.sort());
    }
  });

  test.each([
    ["alone", shuffled],
    ["with extra fields", { ...shuffled, ...extra }],
  ])("are never in the documented order: %s", (_, assumptions) => {
    let looked = 0;
    for (let seed = 0; seed < 40; seed += 1) {
      for (const [index, { body }] of successes(assumptions, `${seed}`).entries()) {
        const documented = successesOf(`${seed}`)[index]?.body ?? "";
        const known = new Set(objectsIn(JSON.parse(documented)).map(keysOf));
        for (const { object } of objectsIn(JSON.parse(body))) {
          const names = Object.keys(object).filter((name) => !name.startsWith("x_"));
          if (names.length < 2) continue;
          looked += 1;
          expect(known).not.toContain(names.join());
        }
      }
    }
    expect(looked).toBeGreaterThan(1000);
  });

  test("come in every order except the documented one", () => {
    const orders = new Set<string>();
    const { post, shown, sim } = createTestClient(shuffled);
    for (let sent = 0; sent < 200; sent += 1) {
      orders.add(Object.keys(JSON.parse(post("/v1/impression", shown).body)).join());
    }
    expect(orders.size).toBe(5);
    expect(sim.journal.entries({ limit: 1 })[0]?.assumptions).toContain("response.key-order");
  });

  test("have one order for each body, and another order under another seed", () => {
    expect(successes(shuffled)).toEqual(responses);
    expect(responses[2]?.body).toBe(responses[3]?.body);
    const { get } = createTestClient(shuffled);
    const bodies = Array.from({ length: 5 }, () => get("/v1/publisher/surfaces").body);
    expect(new Set(bodies)).toEqual(new Set([responses[4]?.body]));
    const first = (seed: string): string => {
      const { send } = createTestClient(shuffled, seed);
      return send({ method: "GET", path: "/nowhere" }).body;
    };
    expect(new Set(["a", "b", "c", "d"].map(first)).size).toBeGreaterThan(1);
  });

  test("a replayed duplicate has the same bytes", () => {
    const { post, shown } = createTestClient({ ...shuffled, ...extra, "dedup.repeat": "replay" });
    const once = post("/v1/impression", { ...shown, session_id: "s" });
    expect(post("/v1/impression", { ...shown, session_id: "s" }).body).toBe(once.body);
  });

  test.each(["problem", "envelope", "list"] as const)(
    "are shuffled in error bodies: %s",
    (errors) => {
      const missing = { method: "GET", path: "/v1/publisher/stats" };
      const error = createTestClient({ ...shuffled, "errors.body": errors }).send(missing).body;
      const ordered = createTestClient({ "errors.body": errors }).send(missing).body;
      expect(JSON.parse(error)).toEqual(JSON.parse(ordered));
      const documented = objectsIn(JSON.parse(ordered)).map(keysOf);
      for (const one of objectsIn(JSON.parse(error))) {
        if (Object.keys(one.object).length > 1) expect(documented).not.toContain(keysOf(one));
      }
    },
  );

  test.each(["flat", "text", "html", "empty"] as const)(
    "change no error of the form %s",
    (errors) => {
      const { send, sim } = createTestClient({ ...shuffled, "errors.body": errors });
      const nowhere = { method: "GET", path: "/nowhere" };
      expect(send(nowhere)).toEqual(createTestClient({ "errors.body": errors }).send(nowhere));
      expect(sim.journal.entries()[0]?.assumptions).toEqual(["errors.body"]);
    },
  );
});

const known = new Map<string, ApiResponse[]>();

function successesOf(seed: string): ApiResponse[] {
  const responses = known.get(seed) ?? successes({}, seed);
  known.set(seed, responses);
  return responses;
}

function keysOf({ object }: { readonly object: Json }): string {
  return Object.keys(object).join();
}
