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

test("judging a world of many publishers lets others run once for each, whenever it copies all", () => {
  const publishers = 300;
  let played = 0;
  const all = playSlices(
    [{ repeat: { times: publishers, steps: [{ signUp: { name: "One of many" } }] } }],
    (slices, sim) => {
      if (sim.usage().publishersTouched < publishers) played = slices;
    },
  );
  // One copy that all laws share, and three for those that change too much.
  expect(all - played).toBeGreaterThan(4 * publishers);
});

test("reading a long run's requests for the laws lets others run in between", () => {
  const requests = 200;
  const body = "a=1&".repeat(15_000);
  let played = 0;
  const all = playSlices(
    [
      {
        repeat: { times: requests, steps: [{ raw: { method: "POST", path: "/v1/click", body } }] },
      },
    ],
    (slices, sim) => {
      if (sim.journal.total < requests) played = slices;
    },
  );
  expect(all - played).toBeGreaterThan(requests / 2);
});

test("requests of a parallel step are made ready in slices", () => {
  let before = 0;
  playSlices([{ parallel: { times: 1000, steps: [{ impression: {} }] } }], (slices, sim) => {
    if (sim.journal.total === 0) before = slices;
  });
  expect(before).toBeGreaterThan(1000 / 64);
});
