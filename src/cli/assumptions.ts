/** `adsim assumptions [KEY]`: the catalogue, with the current choices marked. */

import { indentedJson } from "../base/text.ts";
import { allKeys } from "../choices/matrix-plan.ts";
import { createSimulatorCore } from "../simulator/core.ts";
import { type Assumption, type AssumptionKey, catalogue } from "../spec/assumptions/catalogue.ts";
import { fakerHost } from "../world/publishers/people.ts";
import { knownKey } from "./options/assumption-flags.ts";
import { type CommonFlags, simulatorOptions } from "./options/common-options.ts";
import type { Call } from "./options/option.ts";

/** @returns the text to print. @throws InputError that names the invalid option, CommandFailure for an unknown KEY. */
export async function assumptions({ words: [key], flags }: Call<CommonFlags>): Promise<string> {
  const options = await simulatorOptions(flags, "frozen");
  const inForce = createSimulatorCore({ ...options, wallClock: Date.now }, fakerHost).assumptions;
  const keys = key === undefined ? allKeys : [knownKey("KEY", key)];
  if (flags.json === true) {
    const listed = keys.map((each) => ({ key: each, ...catalogue[each], inForce: inForce[each] }));
    return indentedJson(key === undefined ? listed : listed[0]);
  }
  const described = keys.map((each) => describePoint(each, inForce[each]));
  return `${[...described, "* marks the choice in force."].join("\n\n")}\n`;
}

function describePoint(key: AssumptionKey, inForce: string): string {
  const point: Assumption = catalogue[key];
  const labelOf = (name: string): string => (name === point.default ? `${name} (default)` : name);
  const width = Math.max(...Object.keys(point.choices).map((name) => labelOf(name).length));
  return [
    `${key}  (spec ${point.spec})`,
    `  ${point.question}`,
    ...Object.entries(point.choices).map(
      ([name, meaning]) =>
        `  ${name === inForce ? "*" : " "} ${labelOf(name).padEnd(width)}  ${meaning}`,
    ),
    ...(point.note === undefined ? [] : [`  ${point.note}`]),
    `  ${point.caution}`,
  ].join("\n");
}
