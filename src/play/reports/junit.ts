/** Writes JUnit XML that is valid by the schemas of both Ant and Jenkins' xUnit plugin. */

export interface JunitSuite {
  readonly name: string;
  readonly startedMs: number;
  readonly durationMs: number;
  readonly properties: Readonly<Record<string, string>>;
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
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...suites.flatMap(suiteXml),
    "</testsuites>",
    "",
  ].join("\n");
}

/** `id`: its place in the file. */
function suiteXml(suite: JunitSuite, id: number): readonly string[] {
  const count = (kind: JunitOutcome["kind"]): number =>
    suite.cases.filter(({ outcome }) => outcome.kind === kind).length;
  const properties = Object.entries(suite.properties).map(
    ([name, value]) => `      <property${attributes({ name, value })}/>`,
  );
  return [
    `  <testsuite${attributes({
      name: suite.name,
      package: suite.name,
      id,
      // The schema requires a time without a zone.
      timestamp: new Date(suite.startedMs).toISOString().slice(0, 19),
      hostname: "localhost",
      tests: suite.cases.length,
      failures: count("failure"),
      errors: count("error"),
      skipped: count("skipped"),
      time: seconds(suite.durationMs),
    })}>`,
    "    <properties>",
    ...properties,
    "    </properties>",
    ...suite.cases.map(caseXml),
    "    <system-out></system-out>",
    "    <system-err></system-err>",
    "  </testsuite>",
  ];
}

function caseXml({ name, className, durationMs, outcome }: JunitCase): string {
  const open = `    <testcase${attributes({ name, classname: className, time: seconds(durationMs) })}`;
  switch (outcome.kind) {
    case "passed":
      return `${open}/>`;
    case "skipped":
      return `${open}><skipped${attributes(outcome.message === undefined ? {} : { message: outcome.message })}/></testcase>`;
    case "failure":
    case "error": {
      const { kind, type, message, text } = outcome;
      return `${open}><${kind}${attributes({ type, message })}>${escaped(text)}</${kind}></testcase>`;
    }
  }
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replaceAll("\n", "&#10;")}"`)
    .join("");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Escapes markup, and drops characters that XML can't hold at all: most control characters and lone surrogates. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? "");
}
