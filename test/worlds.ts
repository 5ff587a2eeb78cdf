/** Worlds in process under a control API, and requests to it. */

import { controlModules } from "../src/adapters/control-modules.ts";
import { createControl } from "../src/control/control.ts";
import type { ControlModules } from "../src/control/route.ts";
import type { SimulatorOptions } from "../src/simulator/simulator-options.ts";
import { createWorlds, type Worlds } from "../src/simulator/worlds.ts";
import type { ApiResponse } from "../src/spec/messages.ts";
import { fakerPerson } from "../src/world/publishers/people.ts";

export const JSON_BODY: Readonly<Record<string, string>> = { "content-type": "application/json" };

export function worldsOf(
  options: SimulatorOptions = {},
  limits: { readonly maxWorlds?: number; readonly modules?: ControlModules } = {},
): Worlds {
  return createWorlds({
    options,
    host: { people: () => fakerPerson },
    control: createControl(limits.modules ?? controlModules),
    maxWorlds: limits.maxWorlds,
  });
}

/** {@link ask} for routes whose answer may take time. */
export async function askLater(...asked: Parameters<typeof ask>): Promise<ApiResponse> {
  const [worlds, method, path, body] = asked;
  const sent = body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) };
  return await worlds.begin({ method, path, ...sent });
}

/** `body`: sent as JSON. */
export function ask(worlds: Worlds, method: string, path: string, body?: unknown): ApiResponse {
  const sent = body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) };
  return worlds.handle({ method, path, ...sent });
}
