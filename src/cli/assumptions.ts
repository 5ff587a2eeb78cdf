/** `adsim assumptions [KEY]`: the catalogue, with the current choices marked. */

import { nodeHost } from "../adapters/node-host.ts";
import { indentedJson } from "../base/text.ts";
import { allKeys } from "../choices/matrix-plan.ts";
import { createSimulatorCore } from "../simulator/core.ts";
import {
  type Assumption,
  type AssumptionKey,
  type Assumptions,
  catalogue,
  choicesOf,
} from "../spec/assumptions/catalogue.ts";
import { knownKey } from "./options/assumption-flags.ts";
import { type CommonFlags, simulatorOptions } from "./options/common-options.ts";
import { wrongUsage } from "./output/exit.ts";
import type { HostProcess } from "./processes/host-process.ts";

export interface AssumptionsFlags extends CommonFlags {
  readonly markdown?: boolean;
}

/** @throws InputError that names the invalid option, CommandFailure for an unknown KEY. */
export async function assumptions(
  key: string | undefined,
  flags: AssumptionsFlags,
  { stdout }: HostProcess,
): Promise<void> {
  if (flags.markdown === true) {
    if (key !== undefined || flags.json === true) {
      throw wrongUsage(
        "--markdown prints the whole catalogue as a page: leave out KEY and --json.",
      );
    }
    stdout.write(assumptionsPage());
    return;
  }
  const inForce = await assumptionsInForce(flags);
  const keys = key === undefined ? allKeys : [knownKey("KEY", key)];
  if (flags.json === true) {
    const listed = keys.map((each) => ({ key: each, ...catalogue[each], inForce: inForce[each] }));
    stdout.write(indentedJson(key === undefined ? listed : listed[0]));
    return;
  }
  const described = keys.map((each) => describePoint(each, inForce[each]));
  stdout.write(`${[...described, "* marks the choice in force."].join("\n\n")}\n`);
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

/** @throws InputError that names the invalid option. */
async function assumptionsInForce(flags: CommonFlags): Promise<Assumptions> {
  const options = await simulatorOptions(flags, "frozen");
  return createSimulatorCore({ ...options, wallClock: Date.now }, nodeHost).assumptions;
}

const points = Object.entries<Assumption>(catalogue);

const list = `## All keys

| key | question | default |
|---|---|---|
${points.map(([key, { question, default: choice }]) => `| [\`${key}\`](#${anchorOf(key)}) | ${question} | \`${choice}\` |`).join("\n")}`;

/** As GitHub makes it of a heading: without the full stops. */
function anchorOf(key: string): string {
  return key.replaceAll(".", "");
}

/** The catalogue in Markdown, as `docs/assumptions.md` ends. */
export function assumptionsPage(): string {
  return `${[list, ...points.map(([key, point]) => section(key, point))].join("\n\n")}\n`;
}

function section(key: string, point: Assumption): string {
  return [
    `## \`${key}\``,
    "",
    `${point.question} (spec ${point.spec})`,
    "",
    ...choicesOf(point).map((name) => {
      const isDefault = name === point.default ? " (default)" : "";
      return `- \`${name}\`${isDefault}: ${point.choices[name]}`;
    }),
    "",
    ...(point.note === undefined ? [] : [point.note, ""]),
    point.caution,
  ].join("\n");
}
