/** `adsim scenarios [NAME]`: lists the scenarios that come with adsim, or prints one as JSON to copy. */

import { shippedNames } from "../adapters/shipped-scenarios.ts";
import { indentedJson } from "../base/text.ts";
import { loadShipped } from "./play/load-scenario.ts";
import type { HostProcess } from "./processes/host-process.ts";

export interface ScenariosFlags {
  readonly json?: boolean;
}

/** @throws CommandFailure for an unknown NAME. */
export function scenarios(
  name: string | undefined,
  { json }: ScenariosFlags,
  { stdout }: HostProcess,
): void {
  if (name !== undefined) {
    stdout.write(indentedJson(loadShipped(name)));
    return;
  }
  const all = shippedNames();
  if (json === true) {
    stdout.write(indentedJson({ scenarios: all }));
    return;
  }
  const width = Math.max(0, ...all.map((each) => each.name.length));
  const lines = all.map((each) => `${each.name.padEnd(width)}  ${firstSentence(each.about)}`);
  stdout.write(`${lines.join("\n")}\n`);
}

/** A short description for the list. The scenario itself and the JSON have the whole text. */
function firstSentence(about: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(about)?.[0] ?? about;
}
