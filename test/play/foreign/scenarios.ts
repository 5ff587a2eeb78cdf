/** The scenarios that come with adsim, and how the tests play them at services that aren't adsim. */

import { text } from "node:stream/consumers";
import { shippedScenarios } from "../../../src/adapters/shipped-scenarios.ts";
import {
  type PlayResult,
  type PlayScenarioOptions,
  playScenario,
  type Scenario,
} from "../../../src/scenario.ts";
import { foreign } from "../targets/remote-world.ts";
import type { Plant } from "./bugs.ts";
import { type Choices, createService } from "./service.ts";

export const specNames: readonly string[] = shippedScenarios
  .map(({ name }) => name)
  .filter((name) => name.startsWith("spec-"));

export interface ForeignService {
  readonly url: string;
  readonly publishers: readonly { readonly id: string; readonly apiKey: string }[];
  /** How many requests came, by method and path. */
  readonly requests: ReadonlyMap<string, number>;
}

export function scenarioNamed(name: string): Scenario {
  const scenario = shippedScenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  return scenario;
}

/** Closed when the test ends. */
export async function foreignService(
  plant: Plant = (handle) => handle,
  chosen: Partial<Choices> = {},
): Promise<ForeignService> {
  const { handle, publishers } = createService(chosen);
  const planted = plant(handle);
  const requests = new Map<string, number>();
  const url = await foreign(async (request, response) => {
    const { method = "", headers } = request;
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const called = `${method} ${path}`;
    requests.set(called, (requests.get(called) ?? 0) + 1);
    const { authorization, "content-type": type } = headers;
    const sent = { authorization, "content-type": type };
    const answer = planted({ method, path, query, headers: sent, body: await text(request) });
    response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
  });
  return { url, publishers, requests };
}

export function playAt(
  service: Pick<ForeignService, "publishers" | "url">,
  scenario: Scenario,
  options: PlayScenarioOptions = {},
): Promise<PlayResult> {
  return playScenario(scenario, {
    target: service.url,
    credentials: service.publishers.map(({ id, apiKey }) => ({ id, apiKey })),
    ...options,
  });
}
