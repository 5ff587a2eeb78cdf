/** Checks keys of assumptions that users give. */

import { type AssumptionKey, catalogue } from "../../spec/assumptions/catalogue.ts";
import { keyHint } from "../../spec/assumptions/resolve.ts";
import { wrongUsage } from "../output/exit.ts";

/** `subject` names the place of the text in messages. @throws CommandFailure if the text isn't a key. */
export function knownKey(subject: string, text: string): AssumptionKey {
  if (isKey(text)) return text;
  throw wrongUsage(`${subject} ${JSON.stringify(text)} is not an assumption.${keyHint(text)}`);
}

function isKey(text: string): text is AssumptionKey {
  return Object.hasOwn(catalogue, text);
}
