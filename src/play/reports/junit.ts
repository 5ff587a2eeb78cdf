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

export type JunitOutcome =
  | { readonly kind: "passed" }
  | { readonly kind: "skipped"; readonly message?: string | undefined }
  /** Reports list the `message` and show the `text` when the case is opened. */
  | {
      readonly kind: "failure" | "error";
      readonly type: string;
      readonly message: string;
      readonly text: string;
    };

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

function outcomeXml(outcome: JunitOutcome): Markup {
  if (outcome.kind === "passed") return markup``;
  if (outcome.kind === "skipped") return markup`<skipped message="${outcome.message ?? ""}"/>`;
  const { kind, type, message, text } = outcome;
  const inside = markup`type="${type}" message="${message}">${text}`;
  return kind === "error" ? markup`<error ${inside}</error>` : markup`<failure ${inside}</failure>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
