import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { validateXML } from "xmllint-wasm";
import { createTally } from "../../../src/play/measure/tally.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import { reportHtml } from "../../../src/play/reports/report-html.ts";
import { reportJunit } from "../../../src/play/reports/report-junit.ts";
import { reportText } from "../../../src/play/reports/report-text.ts";
import { childrenOf, readXml, textOf, type XmlElement } from "../../cli/xml.ts";
import { brokenResult, failed, HOSTILE, playResult, stepResult } from "./play-results.ts";

const nothing = playResult({
  ...{ latency: undefined, tally: createTally().summary() },
  timeline: { bucketMs: 100, buckets: [] },
});

/** A result with hostile text wherever a scenario, a service or a user can supply it. */
function hostileResult(): PlayResult {
  const check = { ...failed, about: HOSTILE, expected: HOSTILE, found: HOSTILE };
  const [step] = brokenResult().steps.filter(({ result }) => result === "failed");
  return brokenResult({
    scenario: { name: "late-click", about: HOSTILE },
    why: HOSTILE,
    steps: [{ ...stepResult(step), title: HOSTILE, checks: [check] }],
    skipped: [{ path: "steps.1", why: HOSTILE }],
    invariants: [{ id: "M1", says: HOSTILE, result: "failed", why: HOSTILE }],
    thresholds: [{ threshold: HOSTILE, result: "failed", found: HOSTILE }],
    reproduce: `adsim play '${HOSTILE}'`,
  });
}

describe("the report for a terminal", () => {
  test("is short if everything passed", () => {
    expect(reportText(playResult())).toBe(
      [
        "✓ passed  late-click: everything came out as expected",
        "  in process, virtual time, 2 h 5 min; 2,000 requests: 1,566 ok, 217 refused, 108 failed, 109 lost; 391.5 INR credited",
        "  latency p50 11 ms, p95 40 ms, p99 40 ms, max 40 ms",
        "",
        "✓ steps.0  impression as first",
        "✓ steps.2  traffic as load",
        "✓ expectations.0  expect stats",
        "",
        "Invariants: 2 passed; 1 could not be checked in this play (--json says why)",
        "✓ p99 < 50ms: passed, 40 ms",
        "✓ invariants = 0: passed, 0 failed",
        "",
        "Reproduce: adsim play late-click --seed adsim",
        "",
      ].join("\n"),
    );
  });

  test("shows of a failed step the two sides, the request, the answer and the service's journal", () => {
    const text = reportText(brokenResult());
    expect(text).toContain(
      [
        "✗ steps.3  impression as second × 3",
        "    status",
        "      expected  200",
        "      found     503",
        '    request   POST /api/v1/impressions {"publisher_id":"pub_1","ad_id":"ad-1"}',
        '    answer    503 after 40 ms {"error":"unavailable"}',
        "    the service's journal",
        '      #7 2026-01-15T00:00:00.000Z POST /api/v1/impressions {"publisher_id":"pub_1","ad_id":"ad-1"} → 503 (unavailable, fault rule flap)',
        "– steps.4  fault flap: skipped, the service at the target isn't ours to break",
        "? steps.5  stats: undecided, status: the list is empty",
        "",
        "Invariants: 1 failed",
        "  ✗ M1 money adds up: 2.5 INR credited, 2 on record",
        "✗ p99 < 20ms: failed, 40 ms",
        "? sent >= 1: undecided, no requests",
      ].join("\n"),
    );
    expect(text).not.toContain("advance 2h");
  });

  test("only counts the steps that passed if there are many, and lists the first 20 that failed", () => {
    const steps = Array.from({ length: 60 }, (_, at) =>
      stepResult({ path: `steps.${at}`, result: at < 30 ? "passed" : "failed" }),
    );
    const text = reportText(brokenResult({ steps, skipped: [] }));
    expect(text).toContain("✓ 30 steps passed");
    expect(text).not.toContain("✓ steps.");
    expect(text.match(/^✗ steps\./gm)).toHaveLength(20);
    expect(text).toContain("… and 10 more steps");
  });

  test("lists skipped steps that have no result of their own", () => {
    const skipped = [{ path: "steps.9.repeat.steps.0", why: "no faults there" }];
    expect(reportText(playResult({ skipped }))).toContain(
      "– steps.9.repeat.steps.0  no faults there",
    );
  });

  test("has colours only if they are asked for", () => {
    expect(reportText(brokenResult(), { colour: true })).toContain("\u001b[31m✗ failed\u001b[0m");
    expect(reportText(brokenResult())).not.toContain("\u001b");
  });

  test("names a target other than this process, and the speed", () => {
    const target = { kind: "service", url: "http://host", time: "real", speed: 60 } as const;
    const text = reportText(playResult({ target }));
    expect(text).toContain("service at http://host, real time at 60 times the speed");
  });

  test("lets no text act on the terminal", () => {
    const text = reportText(hostileResult());
    expect(text).toContain("\\u001b[31m \\u202e");
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e\p{Cs}]/u);
  });

  test("stays short if a value is huge", () => {
    const found = "x".repeat(1_000_000);
    const steps = [stepResult({ result: "failed", checks: [{ ...failed, found }] })];
    expect(reportText(brokenResult({ steps })).length).toBeLessThan(5000);
  });
});

test("a load report says whose latencies they are if requests were sent late", () => {
  const { tally } = playResult();
  const late = playResult({ tally: { ...tally, late: 1200 } });
  const said =
    "1,200 of 2,000 requests were sent late or never: latencies are the load generator's";
  expect(reportText(late)).toContain(said);
  expect(reportHtml(late)).toContain(said.replace("'", "&#39;"));
  for (const report of [reportText, reportHtml])
    expect(report(playResult())).not.toContain("late or");
});

describe("the report as a page", () => {
  test("shows of a failed step the two sides, request, answer and journal, opened", () => {
    const page = reportHtml(brokenResult());
    const from = page.indexOf("<details open>");
    const details = page.slice(from, page.indexOf("</details>", from));
    for (const part of ["expected  200", "found     503", "request   POST", "#7 2026"]) {
      expect(details).toContain(part);
    }
    for (const what of ["p99 &lt; 20ms", "M1", "2.5 INR credited", "isn&#39;t ours to break"]) {
      expect(page).toContain(what);
    }
  });

  test("draws each outcome and latency as SVG, with a label", () => {
    const page = reportHtml(playResult());
    for (const colour of ["ok", "refused", "bad", "none"]) {
      expect(page).toMatch(new RegExp(`<path class="${colour}" d="M0 100V[\\d.VH]+V100Z"/>`));
    }
    expect(page).toContain('aria-label="Latency over time: p99 up to 40 ms, p50 up to ');
  });

  test("leaves a gap where nothing was sent, and draws nothing of a run without requests", () => {
    const [bucket] = playResult().timeline.buckets;
    const buckets = [0, 300].flatMap((atMs) =>
      bucket ? [{ ...bucket, atMs, p50: 4, p99: 8 }] : [],
    );
    const sparse = reportHtml(playResult({ timeline: { bucketMs: 100, buckets } }));
    expect(sparse).toContain('<path class="refused" d="M0 100V4H1V100H2V100H3V4H4V100Z"/>');
    const page = reportHtml(nothing);
    expect(page).toContain("No requests were sent");
    expect(page).not.toContain("<svg");
  });

  test("has no script, and nothing in it is markup or acts on the reader", () => {
    const page = reportHtml(hostileResult());
    for (const part of ["<script", "<img", "onerror='", "\u001b", "\u202e"]) {
      expect(page).not.toContain(part);
    }
    expect(page.isWellFormed()).toBe(true);
    expect(page).toContain("&lt;script&gt;window.owned=1");
    expect(reportHtml(hostileResult())).toBe(page);
  });
});

/** The test cases by their names. */
const cases = (xml: string): Record<string, XmlElement> => {
  const [suite] = childrenOf(readXml(xml), "testsuite");
  const all = childrenOf(suite, "testcase");
  return Object.fromEntries(all.map((one) => [one.attributes.name ?? "", one]));
};

describe("the report as JUnit XML", () => {
  test("is valid XML of the schema, even with hostile text", async () => {
    const contents = await readFile(join(import.meta.dirname, "junit.xsd"), "utf8");
    const schema = { fileName: "junit.xsd", contents };
    const empty = playResult({ steps: [], invariants: [], thresholds: [] });
    const files = Object.entries({
      passed: reportJunit(playResult()),
      failed: reportJunit(brokenResult()),
      hostile: reportJunit(hostileResult()),
      empty: reportJunit(empty),
    });
    const xml = files.map(([name, text]) => ({ fileName: `${name}.xml`, contents: text }));
    const { valid, errors } = await validateXML({ xml, schema });
    expect({ valid, errors }).toEqual({ valid: true, errors: [] });
    const wrong = reportJunit(playResult()).replace("<properties>", "<properties/><properties>");
    const refused = await validateXML({
      xml: [{ fileName: "wrong.xml", contents: wrong }],
      schema,
    });
    expect(refused.valid).toBe(false);
  });

  test("has a case for each step with checks, each invariant and each threshold", () => {
    const found = cases(reportJunit(playResult()));
    expect(Object.keys(found)).toEqual([
      "late-click",
      ...["steps.0  impression as first", "steps.2  traffic as load"],
      ...["expectations.0  expect stats", "M1 money on record is what was credited"],
      ...["S1 stats add up", "P1 payouts add up", "p99 < 50ms", "invariants = 0"],
    ]);
    const unknown = found["P1 payouts add up"];
    expect(childrenOf(unknown, "skipped")[0]?.attributes).toEqual({
      message: "there were no payouts",
    });
  });

  test("shows what broke, and how to play it again", () => {
    const found = cases(reportJunit(brokenResult()));
    const [failure] = childrenOf(found["steps.3  impression as second × 3"], "failure");
    expect(failure?.attributes).toMatchObject({ message: "status: expected 200, found 503" });
    const text = failure === undefined ? "" : textOf(failure);
    for (const part of ["request   POST", "answer    503", "#7 2026", "Reproduce: adsim play"]) {
      expect(text).toContain(part);
    }
    for (const [name, kind, message] of [
      ["steps.4  fault flap", "skipped", "the service at the target isn't ours to break"],
      ["steps.5  stats", "error", "the list is empty"],
      ["sent >= 1", "error", "no requests"],
    ] as const) {
      expect(childrenOf(found[name], kind)[0]?.attributes).toMatchObject({ message });
    }
    for (const name of ["M1 money adds up", "p99 < 20ms"]) {
      expect(childrenOf(found[name], "failure")).toHaveLength(1);
    }
  });

  test("has the times of the target's clock, and counts that add up", () => {
    const xml = reportJunit(brokenResult());
    const [suite] = childrenOf(readXml(xml), "testsuite");
    expect(suite?.attributes).toMatchObject({
      ...{ timestamp: "2026-01-15T00:00:00", time: "7500.000" },
      ...{ tests: "9", failures: "4", errors: "2", skipped: "1" },
    });
    expect(cases(xml)["steps.2  traffic as load"]?.attributes.time).toBe("7200.000");
    expect(cases(xml)["steps.3  impression as second × 3"]?.attributes.time).toBe("0.040");
    expect(reportJunit(brokenResult())).toBe(xml);
  });
});

test("an undecided play is an error in JUnit XML, with the reason", () => {
  const unknown = playResult({ result: "undecided", why: "faults.0 was skipped" });
  const xml = reportJunit(unknown);
  const [suite] = childrenOf(readXml(xml), "testsuite");
  expect(suite?.attributes).toMatchObject({ failures: "0", errors: "1" });
  expect(childrenOf(cases(xml)["late-click"], "error")[0]?.attributes).toEqual({
    type: "undecided",
    message: "faults.0 was skipped",
  });
});

test("a defect that shows as the scenario says fails nothing in JUnit XML", () => {
  const result = brokenResult();
  const scenario = { ...result.scenario, result: "failed" } as const;
  const [suite] = childrenOf(
    readXml(reportJunit({ ...result, scenario, result: "passed" })),
    "testsuite",
  );
  expect(suite?.attributes).toMatchObject({ tests: "9", failures: "0", errors: "0", skipped: "6" });
});

test("several results become a suite each", () => {
  const suites = childrenOf(readXml(reportJunit(playResult(), brokenResult())), "testsuite");
  expect(suites.map(({ attributes }) => attributes.id)).toEqual(["0", "1"]);
});

test("a run without requests can be reported as text and JUnit XML", () => {
  expect(reportText(nothing)).toContain("2 h 5 min; 0 requests\n\n");
  expect(reportJunit(nothing)).toContain('value="0 requests"');
});
