/** `adsim assumptions [KEY]`: the catalogue, with the choices in force marked. */

import { nodeSurroundings } from "../adapters/node-surroundings.ts";
import { indentedJson } from "../base/text.ts";
import { allKeys } from "../readings/plan.ts";
import { createSimulatorCore } from "../simulator/simulator.ts";
import {
  type AssumptionKey,
  type Assumptions,
  catalogue,
  type OpenPoint,
} from "../spec/assumptions/catalogue.ts";
import { knownKey } from "./assumption-key.ts";
import { wrongUsage } from "./exit.ts";
import { type CommonFlags, simulatorOptions } from "./options.ts";

export interface AssumptionsFlags extends CommonFlags {
  readonly markdown?: boolean;
}

/** @throws InputError that names the option at fault, CommandFailure for a KEY that doesn't exist. */
export async function assumptions(key: string | undefined, flags: AssumptionsFlags): Promise<void> {
  if (flags.markdown === true) {
    if (key !== undefined || flags.json === true) {
      throw wrongUsage("--markdown is the whole catalogue as a page: leave out KEY and --json.");
    }
    const { assumptionsPage } = await import("./assumptions-page.ts");
    process.stdout.write(assumptionsPage());
    return;
  }
  const inForce = await assumptionsInForce(flags);
  const keys = key === undefined ? allKeys : [knownKey("KEY", key)];
  if (flags.json === true) {
    const listed = keys.map((each) => ({ key: each, ...catalogue[each], inForce: inForce[each] }));
    process.stdout.write(indentedJson(key === undefined ? listed : listed[0]));
    return;
  }
  process.stdout.write(`${keys.map((each) => described(each, inForce[each])).join("\n\n")}\n`);
}

function described(key: AssumptionKey, inForce: string): string {
  const point: OpenPoint = catalogue[key];
  const names = Object.keys(point.choices);
  const width = Math.max(...names.map((name) => name.length));
  return [
    `${key}  (spec ${point.spec})`,
    `  ${point.question}`,
    ...Object.entries(point.choices).map(
      ([name, meaning]) => `  ${name === inForce ? "*" : " "} ${name.padEnd(width)}  ${meaning}`,
    ),
    `  Don't rely on: ${point.caution}`,
  ].join("\n");
}

/** @throws InputError that names the option at fault. */
async function assumptionsInForce(flags: CommonFlags): Promise<Assumptions> {
  const options = await simulatorOptions(flags, "frozen");
  return createSimulatorCore({ ...options, wallClock: Date.now }, nodeSurroundings).assumptions;
}
