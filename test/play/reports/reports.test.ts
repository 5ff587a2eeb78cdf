import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { validateXML } from "xmllint-wasm";
import { createTally } from "../../../src/play/measure/tally.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import { playText } from "../../../src/play/reports/play-text.ts";
import { reportHtml } from "../../../src/play/reports/report-html.ts";
import { reportJunit } from "../../../src/play/reports/report-junit.ts";
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

/** What every report shows of the step that failed. */
const failedStep = [
  "    status",
  "      expected  200",
  "      found     503",
  '    request   POST /api/v1/impressions {"publisher_id":"pub_1","ad_id":"ad-1"}',
  '    answer    503 after 40 ms {"error":"unavailable"}',
  "    the service's journal",
  '      #7 2026-01-15T00:00:00.000Z POST /api/v1/impressions {"publisher_id":"pub_1","ad_id":"ad-1"} → 503 (unavailable, fault rule flap)',
];

describe("the report for a terminal", () => {
  test("is short if everything passed", () => {
    expect(playText(playResult())).toBe(
      [
        "✓ passed  late-click: everything came out as expected",
        "  in process, virtual time, 2 h 5 min; 2,000 requests: 1,566 ok, 217 refused, 108 failed, 109 lost; 391.5 INR credited",
        "  latency p50 11 ms, p95 40 ms, p99 40 ms, max 40 ms",
        "",
        "✓ 3 steps passed",
        "",
        "Invariants: 2 passed, 1 undecided (--json shows each)",
        "✓ p99 < 50ms: passed, 40 ms",
        "✓ invariants = 0: passed, 0 failed",
        "",
        "Reproduce: adsim play late-click --seed adsim",
        "",
      ].join("\n"),
    );
  });

  test("shows what didn't pass, with details of what failed", () => {
    expect(playText(brokenResult())).toContain(
      [
        "✗ steps.3  impression as second × 3",
        ...failedStep,
        "? steps.5  stats: undecided, the list is empty",
        "– steps.4: skipped, the service at the target isn't ours to break",
        "✓ 2 steps passed",
        "",
        "Invariants: 1 failed (--json shows each)",
        "✗ M1 money adds up: 2.5 INR credited, 2 on record",
        "✗ p99 < 20ms: failed, 40 ms",
        "? sent >= 1: undecided, no requests",
      ].join("\n"),
    );
  });

  test("lists the first 20 steps, in short lines", () => {
    const checks = [{ ...failed, found: "x".repeat(1_000_000) }];
    const steps = Array.from({ length: 30 }, (_, at) =>
      stepResult({ path: `steps.${at}`, result: "failed", checks }),
    );
    const text = playText(brokenResult({ steps, skipped: [] }));
    expect(text.match(/^✗ steps\./gm)).toHaveLength(20);
    expect(text).toContain("… and 10 more steps");
    expect(text.length).toBeLessThan(20_000);
  });

  test("has colours only if they are asked for", () => {
    expect(playText(brokenResult(), { colour: true })).toContain("\u001b[31m✗\u001b[0m failed");
    expect(playText(brokenResult())).not.toContain("\u001b");
  });

  test.each<[string, Partial<PlayResult>]>([
    [
      "service at http://host, real time at 60 times the speed",
      { target: { kind: "service", url: "http://host", time: "real", speed: 60 } },
    ],
    [
      "1,200 of 2,000 requests were sent late or never: latencies are the load generator's own",
      { tally: { ...playResult().tally, late: 1200 } },
    ],
    ["2 h 5 min; 0 requests\n\n", nothing],
  ])("says %j", (said, more) => {
    expect(playText(playResult(more))).toContain(said);
    expect(playText(playResult())).not.toContain(said);
  });

  test("lets no text act on the terminal", () => {
    const text = playText(hostileResult());
    expect(text).toContain("\\u001b[31m \\u202e");
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e\p{Cs}]/u);
  });
});

describe("the report as a page", () => {
  test("shows of a failed step the two sides, request, answer and journal, opened", () => {
    const page = reportHtml(brokenResult());
    const details = failedStep.map((line) => line.slice(4)).join("\n");
    const escaped = details.replaceAll("'", "&#39;").replaceAll('"', "&#34;");
    expect(page).toContain(`<details open><summary>details</summary><pre>${escaped}</pre>`);
    for (const what of ["p99 &#60; 20ms", "M1", "2.5 INR credited", "isn&#39;t ours to break"]) {
      expect(page).toContain(what);
    }
  });

  test("draws outcomes and latencies as lines, with a gap where nothing was sent", () => {
    const page = reportHtml(playResult());
    expect(page).toContain('aria-label="Latency over time: p50 up to 4 ms, p99 up to 8 ms."');
    expect(page).toContain('<path class="undecided" d="M0 2H1V98H2V98H3V2H4"/>');
    expect(reportHtml(nothing)).toContain("No requests were sent");
    expect(reportHtml(nothing)).not.toContain("<svg");
  });

  test("has no script, and nothing in it is markup or acts on the reader", () => {
    const page = reportHtml(hostileResult());
    for (const part of ["<script", "<img", "onerror='", "\u001b", "\u202e"]) {
      expect(page).not.toContain(part);
    }
    expect(page.isWellFormed()).toBe(true);
    expect(page).toContain("&#60;script&#62;window.owned=1");
  });
});

const suitesOf = (...results: PlayResult[]): XmlElement[] =>
  childrenOf(readXml(reportJunit(...results)), "testsuite");

/** The test cases by their names. */
function casesOf(result: PlayResult): Record<string, XmlElement> {
  const all = suitesOf(result).flatMap((suite) => childrenOf(suite, "testcase"));
  return Object.fromEntries(all.map((one) => [one.attributes.name ?? "", one]));
}

describe("the report as JUnit XML", () => {
  test("is valid XML of the schema, even with hostile text", async () => {
    const contents = await readFile(join(import.meta.dirname, "junit.xsd"), "utf8");
    const schema = { fileName: "junit.xsd", contents };
    const empty = { ...nothing, steps: [], invariants: [], thresholds: [] };
    const results = [playResult(), brokenResult(), hostileResult(), empty];
    const xml = results.map((result, at) => ({
      ...{ fileName: `${at}.xml`, contents: reportJunit(result) },
    }));
    const { valid, errors } = await validateXML({ xml, schema });
    expect({ valid, errors }).toEqual({ valid: true, errors: [] });
    const wrong = reportJunit(playResult()).replace("<properties>", "<properties/><properties>");
    const refused = [{ fileName: "wrong.xml", contents: wrong }];
    expect((await validateXML({ xml: refused, schema })).valid).toBe(false);
  });

  test("has a case for each step with checks, each invariant and each threshold", () => {
    const found = casesOf(playResult());
    expect(Object.keys(found)).toEqual([
      "late-click",
      ...["steps.0  impression as first", "steps.2  traffic as load"],
      ...["expectations.0  expect stats", "M1 money on record is what was credited"],
      ...["S1 stats add up", "P1 payouts add up", "p99 < 50ms", "invariants = 0"],
    ]);
    const [skipped] = childrenOf(found["P1 payouts add up"], "skipped");
    expect(skipped?.attributes).toEqual({ message: "there were no payouts" });
  });

  test("shows what broke, how to play it again, and counts and times that add up", () => {
    const found = casesOf(brokenResult());
    const [failure] = childrenOf(found["steps.3  impression as second × 3"], "failure");
    const text = failure === undefined ? "" : textOf(failure);
    expect(text).toContain(failedStep.map((line) => line.slice(4)).join("\n"));
    expect(text).toContain("Reproduce: adsim play");
    for (const [name, kind, message, time = "0.000"] of [
      [
        ...["steps.3  impression as second × 3", "failure", "status: expected 200, found 503"],
        "0.040",
      ],
      ["steps.4  fault flap", "skipped", "the service at the target isn't ours to break"],
      ["steps.5  stats", "error", "the list is empty"],
      ["sent >= 1", "error", "no requests"],
      ["M1 money adds up", "failure", "2.5 INR credited, 2 on record"],
      ["p99 < 20ms", "failure", "40 ms"],
    ] as const) {
      expect(childrenOf(found[name], kind)[0]?.attributes).toMatchObject({ message });
      expect(found[name]?.attributes.time).toBe(time);
    }
    expect(suitesOf(brokenResult(), playResult())).toMatchObject([
      {
        attributes: {
          ...{ id: "0", timestamp: "2026-01-15T00:00:00", time: "7500.000" },
          ...{ tests: "9", failures: "4", errors: "2", skipped: "1" },
        },
      },
      { attributes: { id: "1", tests: "9", failures: "0", errors: "0", skipped: "1" } },
    ]);
  });

  test("an undecided play is an error, and a defect that shows as the scenario says is none", () => {
    const [error] = childrenOf(
      casesOf(playResult({ result: "undecided", why: "faults.0 was skipped" }))["late-click"],
      "error",
    );
    expect(error?.attributes).toEqual({ type: "error", message: "faults.0 was skipped" });
    const scenario = { ...brokenResult().scenario, result: "failed" } as const;
    const [suite] = suitesOf(brokenResult({ scenario, result: "passed" }));
    expect(suite?.attributes).toMatchObject({ failures: "0", errors: "0", skipped: "6" });
  });
});
