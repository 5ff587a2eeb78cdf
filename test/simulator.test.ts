/** What a simulator is made from is read once, and refused where it isn't understood. */

import { expect, test } from "vitest";
import { createSimulator, InputError, type SimulatorOptions } from "../src/index.ts";

test.each([
  ["options", []],
  ["options", null],
  ["options", "seed"],
  ["sead", { sead: "a" }],
  ["seed", { seed: 5 }],
  ["wallClock", { wallClock: 5 }],
])("wrong options are refused by the name %s: %j", (field, options) => {
  const create = (): unknown => createSimulator(options as SimulatorOptions);
  expect(create).toThrow(InputError);
  expect(create).toThrow(new RegExp(`^${field} `));
});

test("options changed after they were read change nothing", () => {
  const assumptions: { "date.timezone": "utc" | "ist" } = { "date.timezone": "ist" };
  const options = { journalEntries: 3, publishers: 2, assumptions };
  const sim = createSimulator(options);
  options.journalEntries = -1;
  options.publishers = 7;
  assumptions["date.timezone"] = "utc";
  const fork = sim.fork();
  fork.reset();
  sim.reset();
  expect(fork.snapshot()).toEqual(sim.snapshot());
  expect(fork.publishers.total).toBe(2);
});
