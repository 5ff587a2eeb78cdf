/** `adsim openapi`: the API's document under the assumptions in force, with examples from a world of these options. */

import { nodeHost } from "../adapters/node-host.ts";
import { indentedJson } from "../base/text.ts";
import { recordExamples } from "../simulator/openapi-examples.ts";
import { createSimulatorCore } from "../simulator/simulator.ts";
import { openApiDocument } from "../spec/openapi/openapi.ts";
import { type CommonFlags, simulatorOptions } from "./options/common-options.ts";

/** Where `adsim serve` is found unless it is told otherwise. */
const BASE_URL = "http://127.0.0.1:4010";

/** @throws InputError that names the option at fault. */
export async function openapi(flags: CommonFlags): Promise<void> {
  const options = await simulatorOptions(flags, "frozen");
  const sim = createSimulatorCore({ ...options, wallClock: Date.now }, nodeHost);
  const examples = recordExamples(sim);
  const document = openApiDocument(sim.assumptions, { baseUrl: BASE_URL, examples });
  process.stdout.write(indentedJson(document));
}
