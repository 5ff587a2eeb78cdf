/** Writes traffic as a script for k6, and its publishers as a file of data beside it. k6's documentation is the reference. */

import { basename } from "node:path";
import { durationMs } from "../../base/duration.ts";
import { commandLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { timeoutMsOf, weightsOf } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { wrongUsage } from "../output/exit.ts";
import { type ArrivalCounts, countArrivals } from "./arrival-counts.ts";
import { k6Script } from "./k6-script.ts";
import { k6ThresholdsOf } from "./k6-thresholds.ts";
import type { Load, LoadPlan, PlannedTraffic } from "./load-tool.ts";

const ENDING = ".js";
/** In what time most answers come. */
const USUAL_ANSWER_MS = 200;
/** A virtual user takes some megabytes. */
const MOST_USERS = 10_000;
/** k6 starts the last request at the end of the last stage, and stops then, unless there is another one. */
const LAST_STAGE = { duration: "1s", target: 0 };

/** @throws CommandFailure without a name for the script. */
export function k6({ name, steps, thresholds: given, target, out }: LoadPlan): Load {
  if (!out?.endsWith(ENDING)) {
    throw wrongUsage(
      "--to k6 writes two files: a script, and its data beside it. Name the script with --out FILE.js.",
    );
  }
  const data = `${out.slice(0, -ENDING.length)}.data.json`;
  const senders = new Map(
    steps.flatMap((step) => step.senders.map((sender) => [sender.ordinal, sender])),
  );
  const places = Array.from(senders.keys());
  const scenarios: Record<string, object> = {};
  const traffic: Record<string, object> = {};
  let [fromMs, planned] = [0, 0];
  for (const step of steps) {
    const counts = countArrivals(step);
    const free = nameOf(step, scenarios);
    scenarios[free] = executorOf(step.traffic, counts, fromMs);
    traffic[free] = whatIsSent(
      step,
      step.senders.map(({ ordinal }) => places.indexOf(ordinal)),
    );
    fromMs += durationMs(step.traffic.for);
    planned += counts.total * (1 + clickedShareOf(step.traffic));
  }
  const { thresholds, leftOut } = k6ThresholdsOf(given, planned);
  const options = { scenarios, thresholds };
  const publishers = Array.from(senders.values(), ({ ordinal: _, ...sender }) => sender);
  return {
    files: [
      { file: data, content: indentedJson(publishers) },
      {
        file: out,
        content: k6Script({ name, target, dataFile: basename(data), options, traffic }),
      },
    ],
    leftOut,
    runLine: commandLine(["k6", "run", "-e", "RUN_ID=1", out]),
  };
}

/** The step's name in the scenario, with a number if another step has it too. k6 takes letters, digits, _ and -. */
function nameOf(
  { name = "traffic" }: PlannedTraffic,
  taken: Readonly<Record<string, unknown>>,
): string {
  let [free, number] = [name, 1];
  while (Object.hasOwn(taken, free)) {
    number += 1;
    free = `${name}_${number}`;
  }
  return free;
}

/** `publishers`: places in the data file. */
function whatIsSent({ traffic, number }: PlannedTraffic, publishers: readonly number[]): object {
  const { mix, surfaces, sessions = true, repeatedSessions = 0, clicks } = traffic;
  return {
    ...{ number, publishers, mix: Object.fromEntries(weightsOf(mix)) },
    ...{ surfaces, sessions, repeatedSessions },
    clicks: { rate: clicks?.rate ?? 0, after: durationMs(clicks?.after ?? 0) / 1000 },
    timeout: seconds(timeoutMsOf(traffic)),
  };
}

/** `fromMs`: when it begins, counted from the beginning of the test. */
function executorOf(traffic: Traffic, counts: ArrivalCounts, fromMs: number): object {
  const { intervalMs, stretches } = counts;
  // k6 goes from one stage's target to the next in a line, so each stretch needs a jump first.
  const stages = stretches.flatMap(({ lengthMs, count }) => {
    const target = Math.round((count * intervalMs) / lengthMs);
    return [
      { duration: "0s", target },
      { duration: seconds(lengthMs), target },
    ];
  });
  const [first, ...others] = stages;
  return {
    executor: "ramping-arrival-rate",
    startTime: seconds(fromMs),
    timeUnit: seconds(intervalMs),
    startRate: first?.target ?? 0,
    stages: [...others, { duration: "0s", target: 0 }, LAST_STAGE],
    ...usersFor(traffic, counts),
  };
}

/** A virtual user is busy until its answer has come, and until it has clicked. */
function usersFor(traffic: Traffic, { stretches, total }: ArrivalCounts): object {
  const peak = Math.max(...stretches.map(({ count, lengthMs }) => count / lengthMs));
  const timeoutMs = timeoutMsOf(traffic);
  const clicked = clickedShareOf(traffic);
  const clickMs = durationMs(traffic.clicks?.after ?? 0);
  const busy = (answerMs: number): number => {
    const waiting = peak * (answerMs + clicked * (clickMs + answerMs));
    return Math.min(Math.max(Math.ceil(waiting), 1), Math.max(total, 1), MOST_USERS);
  };
  const longestMs = clicked > 0 ? timeoutMs + clickMs + timeoutMs : timeoutMs;
  return {
    preAllocatedVUs: busy(Math.min(USUAL_ANSWER_MS, timeoutMs)),
    maxVUs: busy(timeoutMs),
    gracefulStop: seconds(Math.ceil(longestMs / 1000) * 1000),
  };
}

/** The share of arrivals that a click follows. */
function clickedShareOf({ mix, clicks }: Traffic): number {
  const weights = weightsOf(mix);
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  const [, impressions = 0] = weights.find(([operation]) => operation === "impression") ?? [];
  return (impressions / sum) * (clicks?.rate ?? 0);
}

/** k6 reads durations as Go does. */
function seconds(ms: number): string {
  return `${ms / 1000}s`;
}
