/** The pages of docs that are lists made from the code: `npm run docs` writes them, a test compares them. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shippedScenarios } from "../src/adapters/shipped-scenarios.ts";
import { commands } from "../src/cli/commands.ts";
import { needs, optionRows } from "../src/cli/options/help.ts";
import { invariants as all } from "../src/invariants/invariants.ts";
import {
  type Assumption,
  catalogue,
  choicesOf as choicesAt,
} from "../src/spec/assumptions/catalogue.ts";
import type { Rule } from "../src/testing/contract/rules/rule.ts";
import { rules } from "../src/testing/contract/rules.ts";
import { invariants } from "../src/testing.ts";

const root = join(import.meta.dirname, "..");

const rulesPage = `# The rules for clients

[\`clientContract\`](../test-your-client.md) judges every session by these rules. Use their names in its options \`skip\` and
\`only\`. A failure prints a line for \`ADSIM_REPLAY\` that also begins with the name. A rule is skipped if the driver lacks a
[method or promise](contract.md#the-driver) that it needs, or if it needs virtual time and the transport is \`http\`.

| rule | says | from | needs |
|---|---|---|---|
${rows(rules.map((rule) => [`\`${rule.id}\``, sentence(rule.says), rule.source, needsOf(rule)]))}
`;

/** A foreign service has no audit, which is all that M2 looks at. */
const atAnyService = all.flatMap(({ id, seen }) => (seen !== undefined && id !== "M2" ? id : []));

const invariantsPage = `# The invariants

adsim obeys these, whatever is assumed. [\`adsim play\`](../scenarios.md) checks them after every scenario, and
[\`checkInvariants\`](../javascript-tests.md#property-tests) checks them on a simulator that your test has used. The letter says what
an invariant is about: M money, S stats, D duplicates and clicks, L limits, A isolation, R saved state, H the shape of answers.
Of a run, they look at the first 30,000 answers. Copies of its world answer further questions, and are judged in the same way.

Those marked ° are judged at [another service](scenario-format.md#at-another-service), too, from its answers alone, and only by what
the specification says. There \`M3\` checks only the upper end of the range, \`M4\` takes every number that JSON allows, and
\`H1\` fails on a 5xx only if the client made a mistake.

| invariant | says |
|---|---|
${rows(invariants.map(({ id, says }) => [`\`${id}\`${atAnyService.includes(id) ? "°" : ""}`, says]))}
`;

const [short, stories] = [true, false].map((isShort) =>
  rows(
    shippedScenarios
      .filter(({ name }) => name.startsWith("spec-") === isShort)
      .map(({ name, about }) => [`\`${name}\``, about]),
  ),
);

const scenariosPage = `# The scenarios that come with adsim

[\`adsim play NAME\`](../scenarios.md) plays one, and \`adsim scenarios NAME\` prints it as JSON, for you to start from.

## Stories

Most of them change the clock, the assumptions or the faults, so that only an adsim can play them whole.

| scenario | what happens |
|---|---|
${stories}

## For any service

These expect only what the specification says, and all but \`spec-stats-limit\` wait for nothing. [How to play them at your own
service](scenario-format.md#at-another-service)

| scenario | what happens |
|---|---|
${short}
`;

const points = Object.entries<Assumption>(catalogue);

const keyList = `## All keys

| key | question | default |
|---|---|---|
${points.map(([key, { question, default: choice }]) => `| [\`${key}\`](#${anchorOf(key)}) | ${question} | \`${choice}\` |`).join("\n")}`;

/** As GitHub makes it of a heading: without the full stops. */
function anchorOf(key: string): string {
  return key.replaceAll(".", "");
}

/** As `docs/reference/choices.md` ends. */
function assumptionsPage(): string {
  return `${[keyList, ...points.map(([key, point]) => section(key, point))].join("\n\n")}\n`;
}

function section(key: string, point: Assumption): string {
  return [
    `## \`${key}\``,
    "",
    `${point.question} (spec ${point.spec})`,
    "",
    ...choicesAt(point).map((name) => {
      const isDefault = name === point.default ? " (default)" : "";
      return `- \`${name}\`${isDefault}: ${point.choices[name]}`;
    }),
    "",
    ...(point.note === undefined ? [] : [point.note, ""]),
    point.caution,
  ].join("\n");
}

const optionsPage = `# The options of each command

What \`adsim COMMAND --help\` says, too. [The command line](command-line.md) says what the commands are for, and [how to install
adsim](command-line.md#installing).

${commands
  .map(
    (command) => `## \`${`adsim ${command.name} ${needs(command)}`.trim()}\`

${sentence(`${command.says.charAt(0).toUpperCase()}${command.says.slice(1)}`)}

| option | meaning |
|---|---|
${rows(optionRows(command).map(([term, says]) => [`\`${term}\``, says.replaceAll("|", "\\|")]))}
`,
  )
  .join("\n")}`;

/** What is written by hand stands before the list. */
const [assumptionsIntroduction = ""] = readFileSync(
  join(root, "docs/reference/choices.md"),
  "utf8",
).split("## All keys\n");

/** By file name below docs. */
export const generatedPages: Readonly<Record<string, string>> = {
  "reference/rules.md": rulesPage,
  "reference/invariants.md": invariantsPage,
  "reference/scenarios.md": scenariosPage,
  "reference/options.md": optionsPage,
  "reference/choices.md": `${assumptionsIntroduction}${assumptionsPage()}`,
};

function rows(table: readonly (readonly string[])[]): string {
  return table.map((cells) => `| ${cells.join(" | ").replaceAll("\n", " ")} |`).join("\n");
}

function needsOf({ needs = [] }: Rule): string {
  const members = needs.map((name) => `\`${name}\``);
  return members.join(", ");
}

/** With a full stop, as sentences of other pages have it. */
function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

if (process.argv[2] === "--write") {
  for (const [name, text] of Object.entries(generatedPages)) {
    writeFileSync(join(root, "docs", name), text);
  }
}
