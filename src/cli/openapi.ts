/** `adsim openapi`: the OpenAPI document under the chosen assumptions, with examples from a world with these options. */

import { indentedJson } from "../base/text.ts";
import { createSimulatorCore } from "../simulator/core.ts";
import { recordExamples } from "../simulator/openapi-examples.ts";
import { type OpenApiDocument, openApiDocument } from "../spec/openapi.ts";
import { fakerHost } from "../world/publishers/people.ts";
import { type CommonFlags, simulatorOptions } from "./options/common-options.ts";
import type { Call } from "./options/option.ts";

/** The default address of `adsim serve`. */
const BASE_URL = "http://127.0.0.1:4010";

type OpenapiCall = Call<CommonFlags & { readonly successes?: boolean }>;

/** @returns the text to print. @throws InputError that names the invalid option. */
export async function openapi({ flags }: OpenapiCall): Promise<string> {
  const options = await simulatorOptions(flags, "frozen");
  const sim = createSimulatorCore({ ...options, wallClock: Date.now }, fakerHost);
  const examples = recordExamples(sim);
  const document = openApiDocument(sim.assumptions, { baseUrl: BASE_URL, examples });
  return indentedJson(flags.successes === true ? successesOf(document) : document);
}

/** The document without HEAD and without answers other than successes. */
function successesOf(document: OpenApiDocument): OpenApiDocument {
  const successes = structuredClone(document);
  for (const path of Object.values(successes.paths)) {
    Reflect.deleteProperty(path, "head");
    for (const { responses } of Object.values(path)) {
      for (const status of Object.keys(responses))
        if (!status.startsWith("2")) Reflect.deleteProperty(responses, status);
    }
  }
  return successes;
}
