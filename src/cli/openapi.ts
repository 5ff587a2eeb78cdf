/** `adsim openapi`: the API's document under the assumptions in force. */

import { openApiDocument } from "../exchange/openapi.ts";
import { assumptionsInForce } from "./assumptions-in-force.ts";
import type { CommonFlags } from "./options.ts";

/** @throws InputError that names the option at fault. */
export async function openapi(flags: CommonFlags): Promise<void> {
  const document = openApiDocument(await assumptionsInForce(flags));
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}
