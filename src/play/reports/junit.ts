/** Writes JUnit XML that is valid by the schemas of both Ant and Jenkins' xUnit plugin. */

import { type Markup, markup } from "./markup.ts";

export interface JunitSuite {
  readonly name: string;
  readonly startedMs: number;
  readonly durationMs: number;
  readonly cases: readonly JunitCase[];
}

export interface JunitCase {
  readonly name: string;
  /** Reports group cases by it. */
  readonly className: string;
  readonly durationMs: number;
  readonly outcome: JunitOutcome;
}

/** Reports list the `message`, and show the `text` of a failure or error when the case is opened. */
export interface JunitOutcome {
  readonly kind: "passed" | "skipped" | "failure" | "error";
  readonly message?: string;
  readonly text?: string;
}

export function junitXml(...suites: readonly JunitSuite[]): string {
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
${suites.map(suiteXml)}</testsuites>
`.markup;
}

/** `id`: its place in the file. */
function suiteXml(suite: JunitSuite, id: number): Markup {
  const { name, startedMs, durationMs, cases } = suite;
  const count = (kind: JunitOutcome["kind"]): number =>
    cases.filter(({ outcome }) => outcome.kind === kind).length;
  // The schema requires a time without a zone.
  const timestamp = new Date(startedMs).toISOString().slice(0, 19);
  return markup`<testsuite name="${name}" package="${name}" id="${id}" hostname="localhost"
  timestamp="${timestamp}" time="${seconds(durationMs)}" tests="${cases.length}"
  failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}">
<properties></properties>
${cases.map(caseXml)}<system-out></system-out>
<system-err></system-err>
</testsuite>
`;
}

function caseXml({ name, className, durationMs, outcome }: JunitCase): Markup {
  const time = seconds(durationMs);
  return markup`<testcase name="${name}" classname="${className}" time="${time}">${outcomeXml(outcome)}</testcase>
`;
}

function outcomeXml({ kind, message = "", text = "" }: JunitOutcome): Markup {
  if (kind === "passed") return markup``;
  if (kind === "skipped") return markup`<skipped message="${message}"/>`;
  const inside = markup`type="${kind}" message="${message}">${text}`;
  return kind === "error" ? markup`<error ${inside}</error>` : markup`<failure ${inside}</failure>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
