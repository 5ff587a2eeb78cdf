/** Copies of a state: a fork, a restored world and the world that they come from go separate ways. */

import { expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { impressionIdIn, senderOf } from "../../sender.ts";

/** Changes every part of the state: events, quotas, tallies, a key, a surface, a sign-up, a rule's counts. */
function goOn(sim: Simulator, session: string): void {
  for (const index of [0, 1]) {
    const publisher = sim.publishers.at(index);
    const { impression, post, get } = senderOf(sim, publisher);
    for (let sent = 0; sent < 20; sent += 1) {
      const impression_id = impressionIdIn(impression({ session_id: `${session}-${sent}` }));
      if (sent % 3 === 0) post("click", { impression_id });
    }
    get("stats");
    post("click", { impression_id: "none" });
    const surface = publisher.surfaces[0]?.id ?? "";
    sim.publishers.setSurface(publisher.id, surface, { cpmRange: [1, index + 2] });
  }
  senderOf(sim, { ...sim.publishers.at(0), apiKey: "wrong" }).post("click", {});
  sim.publishers.rotateKey(sim.publishers.at(1).id);
  sim.publishers.signUp({ name: session });
  sim.clock.advance("1m");
}

function used(): Simulator {
  const faults = [{ id: "counts", verdict: { kind: "delay", delay: 1 } }] as const;
  const sim = createSimulator({ seed: "state", faults });
  goOn(sim, "before");
  return sim;
}

const textOf = (sim: Simulator): string => JSON.stringify(sim.snapshot());

function restoredFrom(sim: Simulator): Simulator {
  const restored = createSimulator();
  restored.restore(sim.snapshot());
  return restored;
}

test.each([
  ["a fork", (sim: Simulator) => sim.fork()],
  ["a restored world", restoredFrom],
])("%s goes on as the world would, and neither sees what happens to the other", (_, other) => {
  const sim = used();
  const copy = other(sim);
  const before = textOf(sim);
  expect(textOf(copy)).toBe(before);
  goOn(copy, "after");
  expect(textOf(sim)).toBe(before);
  const later = textOf(copy);
  expect(later).not.toBe(before);
  goOn(sim, "after");
  expect(textOf(sim)).toBe(later);
  expect(textOf(copy)).toBe(later);
});

test("one snapshot can be restored twice", () => {
  const snapshot = used().snapshot();
  const text = JSON.stringify(snapshot);
  const both = [createSimulator(), createSimulator()];
  for (const sim of both) {
    sim.restore(snapshot);
    goOn(sim, "after");
    expect(JSON.stringify(snapshot)).toBe(text);
  }
  expect(new Set(both.map(textOf)).size).toBe(1);
});

test("what is forgotten outside the window doesn't show in a snapshot", () => {
  const texts = [[], [29, 31, 40]].map((sentAtMinutes) => {
    const sim = used();
    let minutes = 0;
    for (const at of [...sentAtMinutes, 45]) {
      sim.clock.advance(`${at - minutes}m`);
      minutes = at;
      // Any request may free what has left the window. This one changes nothing.
      sim.handle({ method: "GET", path: "/nowhere", headers: {} });
    }
    return JSON.stringify(sim.snapshot().accounts);
  });
  expect(texts[0]).toBe(texts[1]);
});
