/** A matrix's findings as JSON. What a release adds keeps the version; anything else raises it. */

import { type AssumptionKey, catalogue } from "../../spec/assumptions/catalogue.ts";
import { compareSets, type Departures, isWithin, partsOf } from "./departures.ts";
import { type Findings, rowOf, verdictOf } from "./findings.ts";
import { reproduceLine } from "./reproduce.ts";
import type { FinishedRun } from "./runner.ts";

export function reportJson(findings: Findings): string {
  const { plan, flags, found, runner, rows } = findings;
  const reliances = [...found.minimal].sort(compareSets);
  const report = {
    format: "adsim-matrix",
    version: 1,
    verdict: verdictOf(findings),
    interrupted: findings.interruptedBy !== undefined,
    strength: Number(flags.strength),
    seed: flags.seed ?? "adsim",
    command: findings.words,
    pinned: choicesOf(plan.pins),
    varied: plan.varied,
    counts: {
      rows: rows.length,
      failed: rows.filter((run) => run?.passed === false).length,
      runs: runner.runs,
    },
    defaults: {
      assumptions: plan.defaults,
      reproduce: reproduceLine(findings, []),
      runs: findings.defaults.map(runJson),
    },
    rows: plan.rows.map((departures, index) => ({
      row: index + 1,
      assumptions: plan.assumptionsWith(departures),
      run: rows[index] === undefined ? null : runJson(rows[index]),
      reproduce: reproduceLine(findings, departures),
      /** Places in the list below. */
      reliances: reliances.flatMap((set, place) => (isWithin(set, departures) ? [place] : [])),
    })),
    reliances: reliances.map((departures) => ({
      assume: choicesOf(departures),
      cautions: Object.fromEntries(
        departures.map((departure) => {
          const [key] = partsOf(departure);
          // Departures are made from the catalogue's keys.
          return [key, catalogue[key as AssumptionKey].caution];
        }),
      ),
      reproduce: reproduceLine(findings, departures),
      run: runOf(findings, departures),
    })),
    /** Whether the failing rows can show no further reliance. */
    complete: found.isComplete,
    flaky: [...found.unstable].sort(compareSets).map((departures) => ({
      assume: choicesOf(departures),
      row: rowOf(findings, departures) ?? null,
      reproduce: reproduceLine(findings, departures),
    })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

function choicesOf(departures: Departures): Readonly<Record<string, string>> {
  return Object.fromEntries(departures.map(partsOf));
}

function runOf({ runner }: Findings, departures: Departures): unknown {
  const run = runner.confirmed(departures);
  return run === undefined ? null : runJson(run);
}

function runJson({ passed, ending, requests, durationMs, output }: FinishedRun): unknown {
  return {
    passed,
    ended: ending,
    requests,
    durationMs,
    ...(output === undefined ? {} : { output: { file: output.file, tail: output.tail } }),
  };
}
