/** The scenarios of the specification hold at every correct service that can be imagined: no choice and no data decides them. */

import { expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { playScenario } from "../../../src/play/play-scenario.ts";
import { play } from "../../../src/play/player/play.ts";
import { createTurns } from "../../../src/play/targets/turns.ts";
import { worldTarget } from "../../../src/play/targets/world-target.ts";
import { type PlayResult, parseScenario, type Scenario } from "../../../src/scenario.ts";
import { resolveAssumptions } from "../../../src/spec/assumptions/resolve.ts";
import { encodingOf } from "../../../src/spec/build-request.ts";
import type { ApiRequest } from "../../../src/spec/messages.ts";
import { someOf } from "../../budget.ts";
import {
  type ImaginedService,
  servicesWithOtherChoices,
  servicesWithOtherData,
} from "./imagined-services.ts";
import { scenarioNamed, specNames } from "./scenarios.ts";

const services = [...servicesWithOtherData, ...servicesWithOtherChoices];

test.each(someOf(specNames))(
  "%s is plain data, and holds at adsim, whatever the seed",
  async (name) => {
    for (const seed of someOf(["another", "adsim"])) {
      const scenario = { ...scenarioNamed(name), seed };
      const { result, why } = await playScenario(JSON.parse(JSON.stringify(scenario)));
      expect({ result, why }).toMatchObject({ result: "passed" });
    }
  },
);

const undecided = specNames
  .map((name) => parseScenario(scenarioNamed(name)))
  .filter(({ assumptions }) => assumptions === undefined)
  .map((scenario) => [scenario.name, scenario] as const);

test.each(undecided)("%s holds at every imagined service", async (_, scenario) => {
  for (const service of someOf(services)) {
    const { result, why } = await playedAt(service, scenario);
    expect({ service, result, why }).toEqual({
      service,
      result: "passed",
      why: "everything came out as expected",
    });
  }
});

test("some imagined services refuse otherwise, and some ignore what they can't read", async () => {
  const asked = parseScenario({
    name: "asked",
    about: "Asks for what no service has to understand.",
    steps: [
      { payouts: { limit: -1 }, expect: { status: 400 } },
      { payouts: { limit: "many" }, expect: { status: 400 } },
      { stats: { from: "yesterday" }, expect: { status: 400 } },
      { click: { impression_id: "none" }, expect: { status: 404 } },
    ],
  });
  const found: (readonly (number | undefined)[])[] = [];
  for (const service of services) {
    const { steps } = await playedAt(service, asked);
    found.push(steps.map(({ exchange }) => exchange?.status));
  }
  const [limits, texts, dates, clicks] = [0, 1, 2, 3].map(
    (step) => new Set(found.map((statuses) => statuses[step])),
  );
  for (const one of [limits, texts, dates])
    expect([...(one ?? [])].toSorted()).toEqual([200, 400, 418, 422, 499]);
  expect(clicks).toEqual(new Set([404, 400, 418, 499]));
});

function playedAt(service: ImaginedService, scenario: Scenario): Promise<PlayResult> {
  const { options, areNew, prepare, answer, rewrite } = service;
  const sim = createSimulator({ publishers: 2, start: "2026-05-05T05:05:05Z", ...options });
  const members = [0, 1].map((ordinal) =>
    areNew === true ? sim.publishers.signUp() : sim.publishers.at(ordinal),
  );
  prepare?.(sim, members);
  const { handle } = sim;
  const asService = Object.assign(sim, {
    handle(request: ApiRequest) {
      const response = answer?.(handle, request) ?? handle(request);
      return rewrite?.(response) ?? response;
    },
  });
  const turns = createTurns(() => undefined);
  const target = {
    ...worldTarget(asService, turns),
    kind: "service" as const,
    time: { kind: "real", speed: 1 } as const,
    control: undefined,
    member: (ordinal: number) => members[ordinal],
  };
  const sending = { encoding: encodingOf(resolveAssumptions(sim.assumptions)) };
  return play(scenario, target, { turns, sending, reproduce: "" });
}
