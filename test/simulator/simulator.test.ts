/** A simulator reads its options once, and refuses those that it doesn't understand. */

import { expect, test } from "vitest";
import {
  createSimulator,
  InputError,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";

test.each([
  ["options", []],
  ["options", null],
  ["sead", { sead: "a" }],
  ["wallClock", { wallClock: 5 }],
])("wrong options are refused with an error that names %s: %j", (field, options) => {
  const create = (): unknown => createSimulator(options as SimulatorOptions);
  expect(create).toThrow(InputError);
  expect(create).toThrow(new RegExp(`^${field} `));
});

test("options changed after they were read change nothing", () => {
  const assumptions: { "date.timezone": "utc" | "ist" } = { "date.timezone": "ist" };
  const options = { publishers: 2, assumptions };
  const sim = createSimulator(options);
  options.publishers = 7;
  assumptions["date.timezone"] = "utc";
  const fork = sim.fork();
  fork.reset();
  sim.reset();
  expect(fork.snapshot()).toEqual(sim.snapshot());
  expect(fork.publishers.total).toBe(2);
});

test.each([null, "{}", new Map()])("restore refuses %o and says what a snapshot is", (given) => {
  const sim = createSimulator();
  const before = sim.snapshot();
  expect(() => sim.restore(given as never)).toThrow(/^must be an object from sim\.snapshot\(\)/);
  expect(sim.snapshot()).toEqual(before);
});

test.each([
  ["reset", (sim: Simulator, list: never) => sim.reset(list)],
  ["restore", (sim: Simulator, list: never) => sim.restore(list)],
  ["assume", (sim: Simulator, list: never) => sim.assume(list)],
  ["faults.add", (sim: Simulator, list: never) => sim.faults.add(list)],
  ["journal.entries", (sim: Simulator, list: never) => sim.journal.entries(list)],
])("%s refuses a list in place of an object, and nothing changes", (_, call) => {
  const sim = createSimulator({ seed: "a list", publishers: 2 });
  const before = sim.snapshot();
  for (const list of [[], [{}], ["seed"]]) {
    expect(() => call(sim, list as never)).toThrow(InputError);
    expect(() => call(sim, list as never)).toThrow(/not a list|must be (a rule: )?an object/);
  }
  expect(sim.snapshot()).toEqual(before);
});
