/** Keys of assumptions as users name them. */

import { type AssumptionKey, catalogue } from "../../spec/assumptions/catalogue.ts";
import { keyHint } from "../../spec/assumptions/resolve.ts";
import { wrongUsage } from "../output/exit.ts";

/** @throws CommandFailure for a text that is no key; `subject` is where it stands. */
export function knownKey(subject: string, text: string): AssumptionKey {
  if (isKey(text)) return text;
  throw wrongUsage(`${subject} ${JSON.stringify(text)} is not an assumption.${keyHint(text)}`);
}

function isKey(text: string): text is AssumptionKey {
  return Object.hasOwn(catalogue, text);
}
