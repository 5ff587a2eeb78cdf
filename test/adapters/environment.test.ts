/** Simulators in a test's own process take the assumptions of the environment, and report what they were asked. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type Choices,
  createSimulator,
  InputError,
  type Simulator,
  simulatorFromEnvironment,
} from "../../src/index.ts";
import { createHandlers } from "../../src/msw.ts";
import { impressionIdOf, senderOf } from "../operation-sender.ts";
import { temporaryFolder } from "../temporary-folder.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

function underMsw(assumptions?: Choices): Simulator {
  const sim = createSimulator({ assumptions });
  createHandlers(sim);
  return sim;
}

const ways = [
  ["simulatorFromEnvironment", (own?: Choices) => simulatorFromEnvironment({ assumptions: own })],
  ["createHandlers", underMsw],
] as const;

function choose(assumptions: unknown): void {
  vi.stubEnv("ADSIM_ASSUMPTIONS", JSON.stringify(assumptions));
}

describe.each(ways)("with %s", (_, make) => {
  test("without the variable every assumption is at its default", () => {
    expect(make().assumptions).toEqual(createSimulator().assumptions);
  });

  test("the variable's choices are taken, and a test's own have precedence", () => {
    choose({ "dedup.repeat": "conflict", "limit.exceeded": "403" });
    const own = { "limit.exceeded": "503", "ids.format": undefined } as const;
    expect(make(own).assumptions).toEqual({
      ...createSimulator().assumptions,
      "dedup.repeat": "conflict",
      "limit.exceeded": "503",
    });
  });

  test("the variable's choices stay after a reset, and changes are undone", () => {
    choose({ "dedup.repeat": "conflict" });
    const sim = make();
    sim.assume({ "auth.failure": "403" });
    sim.reset();
    expect(sim.assumptions).toMatchObject({ "dedup.repeat": "conflict", "auth.failure": "401" });
  });

  test.each([
    ["{", /^ADSIM_ASSUMPTIONS is not valid JSON: /],
    ["[]", /^ADSIM_ASSUMPTIONS must be an object/],
    [
      '{"dedup.repeet":"count"}',
      /^ADSIM_ASSUMPTIONS\.dedup\.repeet is not an assumption\. Did you mean "dedup\.repeat"\?/,
    ],
  ])("a variable that can't be read is an error: %s", (text, message) => {
    vi.stubEnv("ADSIM_ASSUMPTIONS", text);
    expect(() => make()).toThrow(InputError);
    expect(() => make()).toThrow(message);
  });

  test("each kind of exchange is written once, and each key that a test chose itself", () => {
    choose({ "dedup.repeat": "conflict" });
    const file = join(temporaryFolder(), "reached");
    vi.stubEnv("ADSIM_REACHED", file);
    const sim = make({ "limit.exceeded": "503" });
    for (const _ of [1, 2, 3]) sim.handle({ method: "GET", path: "/v1/publisher/stats" });
    sim.assume({ "auth.failure": "403" });
    sim.handle({ method: "GET", path: "/v1/publisher/stats" });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const reached = lines.map((line) => JSON.parse(line));
    expect(reached.filter(({ kept }) => kept).map(({ kept }) => kept)).toEqual([
      "limit.exceeded",
      "auth.failure",
    ]);
    expect(reached.flatMap(({ exchange }) => (exchange ? [exchange.status] : []))).toEqual([
      401, 403,
    ]);
    expect(reached).toContainEqual({
      exchange: expect.objectContaining({
        operation: "stats",
        assumptions: ["auth.failure", "errors.body"],
      }),
    });
  });
});

test("a file that can't be written, as in a container, is named with the variable", () => {
  vi.stubEnv("ADSIM_REACHED", join(temporaryFolder(), "not-there", "reached"));
  const sim = simulatorFromEnvironment();
  expect(() => sim.handle({ method: "GET", path: "/v1/publisher/stats" })).toThrow(
    "ADSIM_REACHED names a file that can't be written: there is no such file or folder. Unset the variable",
  );
});

test("an invalid option is refused as createSimulator refuses it", () => {
  choose({});
  expect(() => simulatorFromEnvironment({ assumptions: 5 as never })).toThrow(
    /^assumptions must be an object of choices by key/,
  );
});

test("a simulator that has recorded clicks can't get handlers under another time zone", () => {
  const sim = createSimulator();
  const { impression, click } = senderOf(sim);
  click(impressionIdOf(impression()));
  choose({ "date.timezone": "ist" });
  expect(() => createHandlers(sim)).toThrow("assumptions.date.timezone");
});
