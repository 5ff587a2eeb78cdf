/** `adsim openapi`: the API's document under the assumptions in force. */

import { resolveAssumptions } from "../assumptions/resolve.ts";
import { openApiDocument } from "../exchange/openapi.ts";
import type { CommonFlags } from "./options.ts";

/** @throws InputError for an assumption or a choice that doesn't exist. */
export function openapi(flags: CommonFlags): void {
  const document = openApiDocument(resolveAssumptions(flags.assume ?? {}));
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}
