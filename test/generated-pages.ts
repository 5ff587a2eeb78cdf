/** The pages of docs that are lists made from the code: `npm run docs` writes them, a test compares them. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../src/cli/commands.ts";
import { optionRows } from "../src/cli/options/help.ts";
import { scenarios } from "../src/cli/scenarios.ts";
import { invariants as all } from "../src/invariants/invariants.ts";
import { readableDuration } from "../src/play/measure/quantities.ts";
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
${rows(rules.map((rule) => [`\`${rule.id}\``, `${rule.says}.`, rule.source, needsOf(rule)]))}
`;

/** A foreign service has no audit, which is all that M2 looks at. */
const atAnyService = all.flatMap(({ id, seen }) => (seen !== undefined && id !== "M2" ? id : []));

const invariantsPage = `# The invariants

adsim obeys these under every choice. [\`adsim play\`](../scenarios.md) checks them after every scenario, and
[\`checkInvariants\`](../javascript-tests.md#property-tests) on a simulator that your test has used. The letter says what an
invariant is about: M money, S stats, D duplicates and clicks, L limits, A isolation, R saved state, H the shape of answers. They
look at the first 30,000 answers of a run, and put further questions to copies of its world.

Those marked ° are judged at [your service](../check-a-service.md), too, from its answers alone, and only by what the
specification says. There \`M3\` checks only the upper end of the range, \`M4\` takes every number that JSON allows, and \`H1\`
fails on a 5xx only if the client made a mistake.

| invariant | says |
|---|---|
${rows(invariants.map(({ id, says }) => [`\`${id}\`${atAnyService.includes(id) ? "°" : ""}`, says]))}
`;

const listed: { readonly scenarios: readonly Listed[] } = JSON.parse(
  scenarios({ words: [], flags: { json: true } }),
);

interface Listed {
  readonly name: string;
  readonly about: string;
  readonly atService: { isPlayable: boolean; needs: string[]; publishers: number; waitsMs: number };
}

/** What it needs there besides one publisher. */
function atService({ isPlayable, needs, publishers, waitsMs }: Listed["atService"]): string {
  if (!isPlayable) return "no";
  const terms = [
    ...needs.map((choice) => `\`--assume ${choice}\``),
    ...(publishers > 1 ? [`${publishers} publishers`] : []),
    ...(waitsMs > 0 ? [readableDuration(waitsMs)] : []),
  ];
  return ["yes", ...terms].join(", ");
}

const scenariosPage = `# The scenarios that come with adsim

[\`adsim play NAME\`](../scenarios.md) plays one, and \`adsim scenarios NAME\` prints it as JSON, for you to start from. The
\`spec-*\` scenarios expect only what the specification says. A scenario [plays at your service](../check-a-service.md) if it needs
nothing that only an adsim can do, such as faults or a clock that can be set; the column says what else it needs there.

| scenario | what happens | plays at your service |
|---|---|---|
${rows(listed.scenarios.map((one) => [`\`${one.name}\``, one.about, atService(one.atService)]))}
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

/** Equal ones of several commands have one row. */
const optionsOfAll = new Map<string, { cells: readonly string[]; names: string[] }>();
for (const command of commands) {
  for (const [term, says] of optionRows(command)) {
    const cells = [`\`${term}\``, says.replaceAll("|", "\\|")];
    const row = optionsOfAll.get(cells.join()) ?? { cells, names: [] };
    row.names.push(command.name);
    optionsOfAll.set(cells.join(), row);
  }
}
const options = [...optionsOfAll.values()].map(({ cells, names }) => {
  const others = commands.map(({ name }) => name).filter((name) => !names.includes(name));
  return [...cells, others.length < 3 ? `all but ${others.join(", ")}` : names.join(", ")];
});

const optionList = `## Options

| option | meaning | of |
|---|---|---|
${rows(options.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)))}
`;

/** What is written by hand stands before the list. */
function byHand(name: string, heading: string): string {
  return readFileSync(join(root, "docs", name), "utf8").split(`${heading}\n`)[0] ?? "";
}

/** By file name below docs. */
export const generatedPages: Readonly<Record<string, string>> = {
  "reference/rules.md": rulesPage,
  "reference/invariants.md": invariantsPage,
  "reference/scenarios.md": scenariosPage,
  "reference/command-line.md": byHand("reference/command-line.md", "## Options") + optionList,
  "reference/choices.md": byHand("reference/choices.md", "## All keys") + assumptionsPage(),
};

function rows(table: readonly (readonly string[])[]): string {
  return table.map((cells) => `| ${cells.join(" | ").replaceAll("\n", " ")} |`).join("\n");
}

function needsOf({ needs = [] }: Rule): string {
  const members = needs.map((name) => `\`${name}\``);
  return members.join(", ");
}

if (process.argv[2] === "--write") {
  for (const [name, text] of Object.entries(generatedPages)) {
    writeFileSync(join(root, "docs", name), text);
  }
}
