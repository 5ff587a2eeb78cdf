/** `adsim assumptions [KEY]`: the catalogue, with the current choices marked. */

import { nodeHost } from "../adapters/node-host.ts";
import { indentedJson } from "../base/text.ts";
import { allKeys } from "../choices/matrix-plan.ts";
import { formatKeys } from "../exchange/shaped-by.ts";
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

const introduction = `# Assumptions

The specification leaves ${points.length} questions open. Each has a key ([all keys](#all-keys)) with the choices that adsim
offers and what a client must not rely on. The default applies unless you choose otherwise. \`npm run docs\` writes this page
from the catalogue in \`src/spec/assumptions\`.

| where | how to choose |
|---|---|
| in process | \`createSimulator({ assumptions: { "dedup.repeat": "conflict" } })\`; later \`sim.assume({ … })\` |
| command line | \`--assume dedup.repeat=conflict\`, as often as you like; or \`--assumptions FILE\`, a JSON object |
| over HTTP, for one world | \`PATCH /_sim/assumptions\` with \`{"dedup.repeat":"conflict"}\` |
| all of them | \`adsim matrix -- CMD\` runs CMD with every pair of choices, and names the choices that make it fail |

A running world can take other choices. What it has recorded stays recorded. Some keys do more than change answers:

| key | changing it |
|---|---|
| \`limit.algorithm\` | restores all quotas |
| \`limit.recording-pool\` | restores the quota of clicks |
| \`dedup.key\`, \`dedup.window\` | makes the world forget which impressions it has seen |
| \`ids.format\` | makes the ids that a client holds invalid |
| \`date.timezone\` | is refused once an event or a sign-up is recorded: reset the world first |

For every answer the journal lists the keys that shape answers of its kind: a duplicate impression, a page of stats, an error
with this code. The list may name a key too many; \`compareChoices\` says exactly what another choice would have answered. If there is
none, it says \`documented\`. With \`--explain\` the response lists them too, in \`X-Adsim-Assumptions\`. Keys that only change the form of answers
(${formatKeys.map((key) => `\`${key}\``).join(", ")})
are listed if they aren't at their default. The keys that begin with \`limit.\` also change \`X-RateLimit-Remaining\` in
every answer, but an answer lists them only if they changed something else, too.

The size of a request is limited whatever you choose. A body of more than 65,536 bytes (64 KiB) gets 413, and a query
of more than 8,192 characters gets 414. Bytes are counted as sent and, of a gzip body, unpacked, text in UTF-8. The limit also holds for GET, and for a
Content-Type that gets 415. The API key and the rate limit are checked first, so such a request spends quota.

## All keys

| key | question | default |
|---|---|---|
${points.map(([key, { question, default: choice }]) => `| [\`${key}\`](#${anchorOf(key)}) | ${question} | \`${choice}\` |`).join("\n")}`;

/** As GitHub makes it of a heading: without the full stops. */
function anchorOf(key: string): string {
  return key.replaceAll(".", "");
}

/** The catalogue in Markdown. */
function assumptionsPage(): string {
  return `${[introduction, ...points.map(([key, point]) => section(key, point))].join("\n\n")}\n`;
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
