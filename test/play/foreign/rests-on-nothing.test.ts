/** The scenarios of the specification hold at every correct service that can be imagined: no choice and no data decides them. */

import { describe, expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { play } from "../../../src/play/player/play.ts";
import { driveAtOnce, memberOf, performersOn } from "../../../src/play/player/play-in-process.ts";
import {
  servicesWithOneOtherChoice,
  servicesWithOtherData,
  servicesWithOtherPairs,
} from "../../../src/play/rehearsal/imagined-services.ts";
import { parseScenario, playScenarioSync } from "../../../src/scenario.ts";
import { resolveAssumptions } from "../../../src/spec/assumptions/resolve.ts";
import { encodingOf } from "../../../src/spec/build-request.ts";
import { someOf } from "../../budget.ts";
import { names, scenarioNamed } from "./scenarios.ts";

const ofSpec = names.filter((name) => name.startsWith("spec-"));
const services = [
  ...servicesWithOtherData({}),
  ...servicesWithOneOtherChoice({}),
  ...servicesWithOtherPairs({}),
];

describe.each(ofSpec)("%s", (name) => {
  const scenario = parseScenario(scenarioNamed(name));

  test("has a description, is plain data, and holds at adsim, whatever the seed", () => {
    expect(scenario.name).toBe(name);
    expect(scenario.about.length).toBeGreaterThan(80);
    for (const seed of ["adsim", "another"]) {
      const { verdict, why } = playScenarioSync(JSON.parse(JSON.stringify({ ...scenario, seed })));
      expect({ verdict, why }).toMatchObject({ verdict: "held" });
    }
  });
});

const undecided = ofSpec
  .map((name) => parseScenario(scenarioNamed(name)))
  .filter(({ assumptions }) => assumptions === undefined)
  .map((scenario) => [scenario.name, scenario] as const);

test.each(undecided)("%s holds at every imagined service", (_, scenario) => {
  for (const { options, areNew, prepare } of someOf(services)) {
    const sim = createSimulator({ publishers: 2, start: "2026-05-05T05:05:05Z", ...options });
    const members = [0, 1].map((ordinal) =>
      memberOf(areNew === true ? sim.publishers.signUp() : sim.publishers.at(ordinal)),
    );
    prepare?.(sim, members);
    const playing = play(scenario, {
      capabilities: { time: { kind: "real", speed: 1 }, control: false },
      sending: { encoding: encodingOf(resolveAssumptions(sim.assumptions)) },
      target: { kind: "service", url: undefined },
      reproduce: "",
    });
    const performers = { ...performersOn(sim), member: at(members) };
    const { verdict, why } = driveAtOnce(playing, performers);
    expect({ options, verdict, why }).toEqual({
      options,
      verdict: "held",
      why: "everything came out as expected",
    });
  }
});

function at<Value>(all: readonly Value[]): (of: { readonly ordinal: number }) => Value | undefined {
  return ({ ordinal }) => all[ordinal];
}
