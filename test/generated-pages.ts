/** The lists in docs/reference that are made from the code: `npm run docs` writes them, a test compares them. */

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

const ruleList = `| rule | says | from | needs |
|---|---|---|---|
${rows(rules.map((rule) => [`\`${rule.id}\``, `${rule.says}.`, rule.source, needsOf(rule)]))}
`;

/** A foreign service has no audit, which is all that M2 looks at. */
const atAnyService = all.flatMap(({ id, seen }) => (seen !== undefined && id !== "M2" ? id : []));

const invariantList = `| invariant | says |
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

const scenarioList = `| scenario | what happens | plays at your service |
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

/** The page with this text from its first line on; what is before it is written by hand. */
function page(name: string, text: string): [name: string, text: string] {
  const [first = ""] = text.split("\n");
  const [before = ""] = readFileSync(join(root, "docs", name), "utf8").split(`${first}\n`);
  return [name, before + text];
}

/** By file name below docs. */
export const generatedPages: Readonly<Record<string, string>> = Object.fromEntries([
  page("reference/rules.md", ruleList),
  page("reference/invariants.md", invariantList),
  page("reference/scenarios.md", scenarioList),
  page("reference/command-line.md", optionList),
  page("reference/choices.md", assumptionsPage()),
]);

function rows(table: readonly (readonly string[])[]): string {
  return table.map((cells) => `| ${cells.join(" | ").replaceAll("\n", " ")} |`).join("\n");
}

function needsOf({ needs = [] }: Rule): string {
  return needs.map((name) => `\`${name}\``).join(", ");
}

if (process.argv[2] === "--write") {
  for (const [name, text] of Object.entries(generatedPages)) {
    writeFileSync(join(root, "docs", name), text);
  }
}
