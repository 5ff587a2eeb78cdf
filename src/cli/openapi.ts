/** `adsim openapi`: the OpenAPI document under the chosen assumptions, with examples from a world with these options. */

import { nodeHost } from "../adapters/node-host.ts";
import { indentedJson } from "../base/text.ts";
import { createSimulatorCore } from "../simulator/core.ts";
import { recordExamples } from "../simulator/openapi-examples.ts";
import { openApiDocument } from "../spec/openapi/openapi.ts";
import { type CommonFlags, simulatorOptions } from "./options/common-options.ts";
import type { HostProcess } from "./processes/host-process.ts";

/** The default address of `adsim serve`. */
const BASE_URL = "http://127.0.0.1:4010";

/** @throws InputError that names the invalid option. */
export async function openapi(flags: CommonFlags, { stdout }: HostProcess): Promise<void> {
  const options = await simulatorOptions(flags, "frozen");
  const sim = createSimulatorCore({ ...options, wallClock: Date.now }, nodeHost);
  const examples = recordExamples(sim);
  const document = openApiDocument(sim.assumptions, { baseUrl: BASE_URL, examples });
  stdout.write(indentedJson(document));
}
