/** A play in slices: how often it lets other work run. These tests count slices, never time. */

import { expect, test } from "vitest";
import { playInSlices } from "../../../src/play/player/play-in-process.ts";
import { createSimulatorCore } from "../../../src/simulator/core.ts";
import type { HostedCore } from "../../../src/simulator/simulator.ts";
import { fakerHost } from "../../../src/world/publishers/people.ts";

/** Plays these steps. `look` is called after each slice with the number of slices so far. */
function playSlices(steps: unknown, look: (slices: number, sim: HostedCore) => void): number {
  const simulator = createSimulatorCore({}, fakerHost);
  const scenario = { name: "sliced", about: "Is played in slices.", steps, expectations: [] };
  const work = playInSlices(scenario, { simulator });
  let slices = 0;
  while (!work.next().done) {
    slices += 1;
    look(slices, simulator);
  }
  return slices;
}

test("requests of a parallel step are made ready in slices", () => {
  let before = 0;
  playSlices([{ parallel: { times: 1000, steps: [{ impression: {} }] } }], (slices, sim) => {
    if (sim.journal.total === 0) before = slices;
  });
  expect(before).toBeGreaterThan(1000 / 64);
});
