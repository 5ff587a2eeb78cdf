/** Snapshots: complete, independent of the world, and refused when damaged, without any effect on the world. */

import { describe, expect, test } from "vitest";
import { createSimulator, InputError, type Simulator, type Snapshot } from "../../../src/index.ts";
import { impressionIdIn, senderOf } from "../../sender.ts";

function used(): Simulator {
  const sim = createSimulator({ seed: "snapshots", publishers: 3 });
  const signedUp = sim.publishers.signUp({ name: "New", surfaces: ["One", "Two"] });
  for (const publisher of [sim.publishers.at(0), signedUp]) {
    const { impression, post } = senderOf(sim, publisher);
    for (let index = 0; index < 40; index += 1) {
      const surface = publisher.surfaces[index % 2]?.id;
      const session_id = index % 3 === 0 ? undefined : `s${index}`;
      const impression_id = impressionIdIn(impression({ surface, session_id }));
      if (index % 5 === 0) post("click", { impression_id });
      // The last ones are recent enough that a duplicate of them could still arrive.
      sim.clock.advance(index < 34 ? "31m" : "1m");
    }
  }
  return sim;
}

/** A copy that tests may damage. */
// biome-ignore lint/suspicious/noExplicitAny: the test writes invalid values on purpose
type Damaged = any;

function copyOf(snapshot: Snapshot): Damaged {
  return JSON.parse(JSON.stringify(snapshot));
}

/** A different number or text. */
function otherThan(value: unknown): unknown {
  return typeof value === "number" ? value + 1 : `${value}x`;
}

/** Every leaf of a JSON value, as a function that changes it in a copy. */
function leavesOf(value: Damaged, path: readonly string[] = []): readonly string[][] {
  if (typeof value !== "object" || value === null) return [[...path]];
  return Object.keys(value).flatMap((key) => leavesOf(value[key], [...path, key]));
}

describe("a damaged snapshot", () => {
  test.each<[string, (snapshot: Damaged) => unknown, RegExp]>([
    ["null", () => null, /^must be an object from sim\.snapshot/],
    ["a string", (snapshot) => JSON.stringify(snapshot), /^must be an object/],
    ["another format", (snapshot) => ({ ...snapshot, format: "other" }), /^format must be/],
    ["another version", (snapshot) => ({ ...snapshot, version: 1 }), /^version must be 6/],
    ["no accounts", ({ accounts: _, ...rest }) => rest, /^accounts is required/],
    ["another digest", (snapshot) => ({ ...snapshot, digest: "0" }), /^digest doesn't match/],
    ["an additional member", (snapshot) => ({ ...snapshot, extra: 1 }), /^digest doesn't match/],
  ])("is refused with %s, and changes nothing", (_, damage, why) => {
    const sim = used();
    const before = JSON.stringify(sim.snapshot());
    const damaged = damage(copyOf(sim.snapshot())) as Snapshot;
    expect(() => sim.restore(damaged)).toThrow(InputError);
    expect(() => sim.restore(damaged)).toThrow(why);
    expect(JSON.stringify(sim.snapshot())).toBe(before);
  });

  test("is refused whichever value in it was changed", () => {
    const sim = used();
    const snapshot = sim.snapshot();
    const target = createSimulator();
    const untouched = JSON.stringify(target.snapshot());
    const leaves = leavesOf(copyOf(snapshot));
    expect(leaves.length).toBeGreaterThan(150);
    for (const path of leaves) {
      const damaged = copyOf(snapshot);
      const last = path.at(-1) ?? "";
      const parent = path.slice(0, -1).reduce((value, key) => value[key], damaged);
      parent[last] = otherThan(parent[last]);
      expect(() => target.restore(damaged), path.join(".")).toThrow(InputError);
    }
    expect(JSON.stringify(target.snapshot())).toBe(untouched);
  });
});

describe("a complete snapshot", () => {
  test("restores into a simulator with other options, and saves as the same bytes", () => {
    const text = JSON.stringify(used().snapshot());
    const other = createSimulator({ seed: "other", profile: "tiny" });
    other.restore(JSON.parse(text));
    expect(JSON.stringify(other.snapshot())).toBe(text);
    expect(other.seed).toBe("snapshots");
  });

  test("survives a large history: more than a chunk of rows, and more than 49 days", () => {
    const sim = createSimulator({ journalEntries: 0 });
    const { impression } = senderOf(sim, sim.publishers.at(0));
    for (let index = 0; index < 9000; index += 1) {
      expect(impression().status).toBe(200);
      if (index % 1000 === 0) sim.clock.advance("20d");
    }
    const text = JSON.stringify(sim.snapshot());
    const copy = createSimulator();
    copy.restore(JSON.parse(text));
    expect(JSON.stringify(copy.snapshot())).toBe(text);
  });

  test("doesn't change when the world does", () => {
    const sim = used();
    const snapshot = sim.snapshot();
    const text = JSON.stringify(snapshot);
    const { id, surfaces, apiKey } = sim.publishers.at(0);
    sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { status: "paused" });
    const headers = { authorization: `Bearer ${apiKey}` };
    sim.handle({
      method: "GET",
      path: "/v1/publisher/surfaces",
      query: { publisher_id: id },
      headers,
    });
    sim.publishers.rotateKey(id);
    expect(JSON.stringify(snapshot)).toBe(text);
  });

  test("of a system clock continues in real time, however old it is", () => {
    let wallMs = Date.parse("2026-03-01T00:00:00Z");
    const options = { clock: "system", wallClock: () => wallMs } as const;
    const sim = createSimulator(options);
    const snapshot = sim.snapshot();
    wallMs += 90_000;
    const later = createSimulator(options);
    later.restore(snapshot);
    expect([later.clock.mode, later.clock.now()]).toEqual(["system", wallMs]);
    // A clock that was moved ahead stays ahead: it never runs backwards.
    later.clock.advance("1h");
    expect(later.fork().clock.now()).toBe(wallMs + 3_600_000);
  });

  test("doesn't depend on the order of first requests", () => {
    const texts = [[0, 1, 2] as const, [2, 0, 1] as const].map((order) => {
      const sim = createSimulator({ publishers: 3 });
      for (const index of order) {
        const { id, apiKey } = sim.publishers.at(index);
        const headers = { authorization: `Bearer ${apiKey}` };
        const query = { publisher_id: id };
        sim.handle({ method: "GET", path: "/v1/publisher/stats", query, headers });
      }
      return JSON.stringify(sim.snapshot());
    });
    expect(texts[0]).toBe(texts[1]);
  });

  test("doesn't change what reset does: it goes back to the options", () => {
    const sim = createSimulator({ seed: "mine" });
    sim.restore(used().snapshot());
    sim.reset();
    expect(sim.snapshot()).toEqual(createSimulator({ seed: "mine" }).snapshot());
  });
});
