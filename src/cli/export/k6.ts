/** Writes traffic as a script for k6, and its publishers as a file of data beside it. k6's documentation is the reference. */

import { basename } from "node:path";
import { formatList } from "../../base/did-you-mean.ts";
import { durationMs } from "../../base/duration.ts";
import { commandLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { parseThreshold, type Threshold } from "../../play/measure/thresholds.ts";
import { sharesOf, timeoutMsOf } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { wrongUsage } from "../output/exit.ts";
import { type ArrivalCounts, countArrivals } from "./arrival-counts.ts";
import { k6Script } from "./k6-script.ts";
import type { Load, LoadPlan } from "./traffic-plan.ts";

const ENDING = ".js";
/** In what time most answers come. */
const USUAL_ANSWER_MS = 200;
/** A virtual user takes some megabytes. */
const MOST_USERS = 10_000;
/** k6 starts the last request at the end of the last stage, and stops then, unless there is another one. */
const LAST_STAGE = { duration: "1s", target: 0 };

/** @throws CommandFailure without a name for the script. */
export function k6({ name, steps, thresholds, target, out }: LoadPlan): Load {
  if (!out?.endsWith(ENDING)) {
    throw wrongUsage(
      "--to k6 writes two files: a script, and its data beside it. Name the script with --out FILE.js.",
    );
  }
  const dataFile = `${out.slice(0, -ENDING.length)}.data.json`;
  const senders = new Map(
    steps.flatMap((step) => step.senders.map((sender) => [sender.ordinal, sender])),
  );
  const places = Array.from(senders.keys());
  const scenarios: Record<string, object> = {};
  const traffic: Record<string, object> = {};
  let [fromMs, planned] = [0, 0];
  for (const step of steps) {
    const counts = countArrivals(step);
    const { mix, surfaces, sessions = true, repeatedSessions = 0, clicks } = step.traffic;
    const free = freeName(step.name ?? "traffic", scenarios);
    scenarios[free] = executorOf(step.traffic, counts, fromMs);
    traffic[free] = {
      number: step.number,
      publishers: step.senders.map(({ ordinal }) => places.indexOf(ordinal)),
      mix: Object.fromEntries(sharesOf(mix)),
      ...{ surfaces, sessions, repeatedSessions },
      clicks: { rate: clicks?.rate ?? 0, after: durationMs(clicks?.after ?? 0) / 1000 },
      timeout: seconds(timeoutMsOf(step.traffic)),
    };
    fromMs += durationMs(step.traffic.for);
    planned += counts.total * (1 + clickedShareOf(step.traffic));
  }
  const judged = k6ThresholdsOf(thresholds.map(parseThreshold), planned);
  const options = { scenarios, thresholds: judged.thresholds };
  const publishers = Array.from(senders.values(), ({ ordinal: _, ...sender }) => sender);
  const script = k6Script({ name, target, dataFile: basename(dataFile), options, traffic });
  return {
    files: [
      { file: dataFile, content: indentedJson(publishers) },
      { file: out, content: script },
    ],
    leftOut: judged.leftOut,
    runLine: commandLine(["k6", "run", "-e", "RUN_ID=1", out]),
  };
}

/** With a number if another step has the name too. k6 takes letters, digits, _ and -. */
function freeName(name: string, taken: Readonly<Record<string, unknown>>): string {
  let free = name;
  for (let number = 2; Object.hasOwn(taken, free); number += 1) free = `${name}_${number}`;
  return free;
}

/** `fromMs`: when it begins, counted from the beginning of the test. */
function executorOf(traffic: Traffic, counts: ArrivalCounts, fromMs: number): object {
  const { intervalMs, stretches, total } = counts;
  // k6 goes from one stage's target to the next in a line, so each stretch needs a jump first.
  const stages = stretches.flatMap(({ lengthMs, count }) => {
    const target = Math.round((count * intervalMs) / lengthMs);
    return [
      { duration: "0s", target },
      { duration: seconds(lengthMs), target },
    ];
  });
  const peak = Math.max(...stretches.map(({ count, lengthMs }) => count / lengthMs));
  const timeoutMs = timeoutMsOf(traffic);
  const clickMs = durationMs(traffic.clicks?.after ?? 0);
  // A virtual user is busy until its answer has come, and until it has clicked.
  const usersFor = (answerMs: number): number => {
    const busyMs = answerMs + clickedShareOf(traffic) * (clickMs + answerMs);
    return Math.min(Math.max(Math.ceil(peak * busyMs), 1), Math.max(total, 1), MOST_USERS);
  };
  return {
    executor: "ramping-arrival-rate",
    startTime: seconds(fromMs),
    timeUnit: seconds(intervalMs),
    startRate: stages[0]?.target ?? 0,
    stages: [...stages.slice(1), { duration: "0s", target: 0 }, LAST_STAGE],
    preAllocatedVUs: usersFor(Math.min(USUAL_ANSWER_MS, timeoutMs)),
    maxVUs: usersFor(timeoutMs),
    gracefulStop: seconds(2 * timeoutMs + clickMs),
  };
}

/** The share of arrivals that a click follows. */
function clickedShareOf({ mix, clicks }: Traffic): number {
  const share = sharesOf(mix).find(([operation]) => operation === "impression")?.[1] ?? 0;
  return share * (clicks?.rate ?? 0);
}

/** k6 reads durations as Go does. */
function seconds(ms: number): string {
  return `${ms / 1000}s`;
}

const percentiles = {
  ...{ p50: "p(50)", p90: "p(90)", p95: "p(95)", p99: "p(99)", p999: "p(99.9)" },
  ...{ max: "max", mean: "avg" },
} as const;

/** By metric, as in k6's options. `planned`: how many requests there will be. */
function k6ThresholdsOf(thresholds: readonly Threshold[], planned: number) {
  const byMetric: Record<string, string[]> = {};
  const unknown: string[] = [];
  for (const threshold of thresholds) {
    const [metric, figure, bound] = judgedBy(threshold, planned) ?? [];
    if (metric === undefined) unknown.push(threshold.text);
    else {
      const comparison = threshold.comparison === "=" ? "==" : threshold.comparison;
      byMetric[metric] = [...(byMetric[metric] ?? []), `${figure}${comparison}${bound}`];
    }
  }
  const isShort = "errors" in byMetric && !("dropped_iterations" in byMetric);
  const leftOut = [
    ...(unknown.length === 0 ? [] : [`thresholds: k6 can't judge ${formatList(unknown)}`]),
    ...(isShort ? ["dropped requests: k6 doesn't count them as errors; add a threshold"] : []),
  ];
  return { thresholds: byMetric, leftOut };
}

/** What k6 compares, and with what: a share from 0 to 1, milliseconds, or a count. */
function judgedBy(
  { of, unit, bound }: Threshold,
  planned: number,
): [metric: string, figure: string, bound: number] | undefined {
  switch (of) {
    case "errors":
    case "refused":
      // A share has at most six decimals as a percentage.
      return [of, "rate", unit === "%" ? Number((bound / 100).toFixed(8)) : bound / planned];
    case "dropped":
      return ["dropped_iterations", "count", unit === "%" ? (bound * planned) / 100 : bound];
    case "sent":
      return ["http_reqs", "count", bound];
    case "late":
    case "invariants":
      return undefined;
    default:
      return ["http_req_duration", percentiles[of], bound];
  }
}
