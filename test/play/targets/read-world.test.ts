/** Reads a remote world to check the invariants on: restores it here as it is, or says why it can't. */

import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { createSimulator, type Snapshot } from "../../../src/index.ts";
import type { ControlApi } from "../../../src/play/targets/control-api.ts";
import { readWorld } from "../../../src/play/targets/read-world.ts";

/** An adsim with one world of this size. */
function adsimWith(snapshot: Snapshot, impressions: number): ControlApi {
  const answers: Readonly<Record<string, unknown>> = {
    worlds: { worlds: [{ name: "play", impressions }] },
    snapshot,
  };
  const ask = async (_: string, path: string): Promise<unknown> => answers[path];
  return {
    ask,
    askParsed: async (schema, method, path) => v.parse(schema, await ask(method, path)),
  };
}

describe("the world of an adsim", () => {
  const sim = createSimulator({ seed: "there", assumptions: { "ids.format": "uuid" } });

  test("is restored in this process", async () => {
    const world = await readWorld(adsimWith(sim.snapshot(), 5), "play");
    if (typeof world === "string") throw new Error(world);
    expect(world.fork().snapshot()).toEqual(sim.snapshot());
  });

  test("isn't read if it is too large, and the reason says so", async () => {
    expect(await readWorld(adsimWith(sim.snapshot(), 1_000_001), "play")).toMatch(/1000001 impr/);
  });

  test("of another version isn't restored, and the reason says so", async () => {
    const other = { ...sim.snapshot(), version: 4 } as unknown as Snapshot;
    expect(await readWorld(adsimWith(other, 5), "play")).toMatch(/can't be read: .*version/);
  });
});
