/**
 * Snapshots with one or two values changed and the digest repaired: each is refused by field name without any change,
 * or restores a world that saves the very same snapshot and works.
 */

import { expect, test } from "vitest";
import { createSimulator, InputError, type Simulator, type Snapshot } from "../../../src/index.ts";
import { snapshotDigest } from "../../../src/world/accounts/snapshot.ts";
import { runsOf } from "../../budget.ts";
import { impressionIdIn, senderOf } from "../../sender.ts";

const snapshots = runsOf(1500);

// biome-ignore lint/suspicious/noExplicitAny: the test writes invalid values on purpose
type Forged = any;

/** Deterministic, so that a failure can be reproduced by its number. */
function drawsFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

function use(sim: Simulator, count: number): void {
  const signedUp = sim.publishers.signUp({ name: "New", surfaces: ["One", "Two"] });
  for (const publisher of [sim.publishers.at(0), sim.publishers.at(1), signedUp]) {
    const { impression, post } = senderOf(sim, publisher);
    for (let index = 0; index < count; index += 1) {
      const surface = publisher.surfaces[index % publisher.surfaces.length]?.id;
      const made = impression({ surface, session_id: `s${index}` });
      if (index % 3 === 0) post("click", { impression_id: impressionIdIn(made) || "none" });
      sim.clock.advance(index % 4 === 0 ? "7h" : "20s");
    }
  }
  sim.handle({ method: "GET", path: "/v1/publisher/stats" });
  sim.publishers.rotateKey(signedUp.id);
  const [surface] = sim.publishers.at(1).surfaces;
  if (surface === undefined) throw new Error("The publisher has no surface.");
  sim.publishers.setSurface(sim.publishers.at(1).id, surface.id, { status: "paused" });
}

const worlds: readonly Simulator[] = [
  createSimulator({ seed: "forged", publishers: 3 }),
  createSimulator({
    seed: "other",
    publishers: 2,
    assumptions: {
      "limit.algorithm": "sliding-log",
      "limit.recording-pool": "separate",
      "dedup.window": "forever",
      "click.repeat": "count",
      "date.timezone": "ist",
    },
    faults: [
      { match: { every: 3 }, verdict: { kind: "lose-response" } },
      { match: { share: 0.2 }, verdict: { kind: "drop" }, ttl: "30d" },
    ],
  }),
  createSimulator({
    seed: "third",
    profile: "adversarial",
    assumptions: { "limit.algorithm": "token-bucket", "surface.statuses": "extended" },
  }),
];
for (const world of worlds) use(world, 12);

/** Every place in a value, as the containing object and the member's name. */
function placesIn(value: Forged, found: [holder: Forged, name: string][] = []) {
  for (const name of Object.keys(value)) {
    found.push([value, name]);
    if (typeof value[name] === "object" && value[name] !== null) placesIn(value[name], found);
  }
  return found;
}

const numbers = [0, 1, -1, 0.5, 255, 256, 2 ** 31, 2 ** 32, 1e13, 1e16, 2 ** 53 - 1, 2 ** 53, -0];
const others = ["", "x", "\ud800", null, true, [], {}, [0], "user", "active", "AAAA"];

function mutated(old: Forged, draw: (below: number) => number): Forged {
  if (typeof old === "number" && draw(3) > 0) {
    return draw(2) === 0 ? old + draw(5) - 2 : numbers[draw(numbers.length)];
  }
  if (typeof old === "string" && old.length > 0 && draw(3) > 0) {
    if (/^[A-Za-z0-9+/]+=*$/.test(old) && old.length % 4 === 0) {
      const bytes = Buffer.from(old, "base64");
      const at = draw(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << draw(8));
      return bytes.toString("base64");
    }
    const at = draw(old.length);
    return `${old.slice(0, at)}${String.fromCharCode(33 + draw(90))}${old.slice(at + 1)}`;
  }
  if (Array.isArray(old) && old.length > 0 && draw(2) === 0) {
    const at = draw(old.length);
    if (draw(2) === 0) return [...old.slice(0, at), ...old.slice(at + 1)];
    return [...old, structuredClone(old[at])];
  }
  return [...numbers, ...others][draw(numbers.length + others.length)];
}

function forge(snapshot: Snapshot, draw: (below: number) => number): Forged {
  const forged = JSON.parse(JSON.stringify(snapshot));
  const times = 1 + draw(2);
  for (let time = 0; time < times; time += 1) {
    const places = placesIn(forged).filter(([, name]) => name !== "digest");
    const [holder, name] = places[draw(places.length)] ?? [];
    if (holder === undefined || name === undefined) continue;
    if (!Array.isArray(holder) && draw(20) === 0) delete holder[name];
    else holder[name] = mutated(holder[name], draw);
  }
  try {
    forged.digest = snapshotDigest(forged);
  } catch {
    // Without a digest the snapshot is refused earlier.
  }
  return forged;
}

test("a forged snapshot is refused with the name of a field, or restores a world that works", () => {
  const before = worlds.map((world) => world.snapshot());
  let accepted = 0;
  for (let run = 0; run < snapshots; run += 1) {
    const draw = drawsFrom(run * 2654435761);
    const from = before[run % before.length];
    if (from === undefined) throw new Error("There is no world.");
    const forged = forge(from, draw);
    const text = JSON.stringify(forged);
    const target = createSimulator();
    const untouched = JSON.stringify(target.snapshot());
    try {
      target.restore(forged);
    } catch (error) {
      if (!(error instanceof InputError)) throw new Error(`Run ${run}`, { cause: error });
      expect(error.field, `run ${run}: ${error.message}`).not.toBe("");
      expect(JSON.stringify(target.snapshot())).toBe(untouched);
      continue;
    }
    accepted += 1;
    const saved = target.snapshot();
    expect(JSON.parse(JSON.stringify(saved)), `run ${run}`).toEqual(JSON.parse(text));
    expect(target.audit().discrepancies, `run ${run}`).toEqual([]);
    use(target, 2);
    createSimulator().restore(target.snapshot());
  }
  // A value that a user may have changed, such as a sign-up's name, can't be told from a forgery.
  expect(accepted).toBeGreaterThan(0);
});
