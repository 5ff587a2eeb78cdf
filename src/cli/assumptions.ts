/** `adsim assumptions [KEY]`: the catalogue, with the current choices marked. */

import { nodeHost } from "../adapters/node-host.ts";
import { indentedJson } from "../base/text.ts";
import { formatKeys } from "../exchange/respond.ts";
import { allKeys } from "../readings/matrix-plan.ts";
import { createSimulatorCore } from "../simulator/simulator.ts";
import {
  type AssumptionKey,
  type Assumptions,
  catalogue,
  type OpenPoint,
} from "../spec/assumptions/catalogue.ts";
import { knownKey } from "./options/assumption-key.ts";
import { type CommonFlags, simulatorOptions } from "./options/common-options.ts";
import { wrongUsage } from "./output/exit.ts";

export interface AssumptionsFlags extends CommonFlags {
  readonly markdown?: boolean;
}

/** @throws InputError that names the invalid option, CommandFailure for an unknown KEY. */
export async function assumptions(key: string | undefined, flags: AssumptionsFlags): Promise<void> {
  if (flags.markdown === true) {
    if (key !== undefined || flags.json === true) {
      throw wrongUsage(
        "--markdown prints the whole catalogue as a page: leave out KEY and --json.",
      );
    }
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
  process.stdout.write(`${keys.map((each) => describePoint(each, inForce[each])).join("\n\n")}\n`);
}

function describePoint(key: AssumptionKey, inForce: string): string {
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

/** @throws InputError that names the invalid option. */
async function assumptionsInForce(flags: CommonFlags): Promise<Assumptions> {
  const options = await simulatorOptions(flags, "frozen");
  return createSimulatorCore({ ...options, wallClock: Date.now }, nodeHost).assumptions;
}

const points = Object.entries<OpenPoint>(catalogue);

const introduction = `# Assumptions

The specification is silent in ${points.length} places. Each is a key here, with the reading that adsim takes unless told
otherwise, the other readings on offer, and what a client must not rely on. \`npm run docs\` writes this page from
the catalogue in \`src/spec/assumptions\`.

| where | how to choose |
|---|---|
| in process | \`createSimulator({ assumptions: { "dedup.repeat": "conflict" } })\`; later \`sim.assume({ … })\` |
| command line | \`--assume dedup.repeat=conflict\`, repeatable; \`--assumptions FILE\`, a JSON object |
| over HTTP, for one world | \`PATCH /_sim/assumptions\` with \`{"dedup.repeat":"conflict"}\` |
| all of them | \`adsim matrix -- CMD\` runs CMD against every pair of readings, and names those that it can't cope with |

A running world keeps what was recorded when it takes another choice. Quotas start anew with another
\`limit.algorithm\`, that of clicks with another \`limit.recording-pool\`, and de-duplication forgets with another \`dedup.key\` or \`dedup.window\`. With another
\`ids.format\` the ids that a client holds stop working. \`date.timezone\` is fixed once events or sign-ups are filed by
day, \`click.revenue\` once clicks are recorded: reset the world first.

The journal says of every answer which keys shaped it: those whose other choices would have made another answer as
things stood, or \`documented\`. With \`--explain\` the response says it, too, in \`X-Adsim-Assumptions\`. Keys about form alone
(${formatKeys.map((key) => `\`${key}\``).join(", ")})
are named where they differ from their default. Beyond that, the keys that begin with \`limit.\` decide in every
answer what \`X-RateLimit-Remaining\` counts.`;

/** The catalogue in Markdown. */
function assumptionsPage(): string {
  return `${[introduction, ...points.map(([key, point]) => section(key, point))].join("\n\n")}\n`;
}

function section(key: string, point: OpenPoint): string {
  const names = Object.keys(point.choices);
  const inOrder = [point.default, ...names.filter((name) => name !== point.default)];
  return [
    `## \`${key}\``,
    "",
    `${point.question} (spec ${point.spec})`,
    "",
    ...inOrder.map((name) => {
      const isDefault = name === point.default ? " (default)" : "";
      return `- \`${name}\`${isDefault}: ${point.choices[name]}`;
    }),
    "",
    `Don't rely on: ${point.caution}`,
  ].join("\n");
}
