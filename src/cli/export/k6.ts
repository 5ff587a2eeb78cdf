/** Writes traffic as a script for k6, and its publishers as a file of data beside it. */

import { basename } from "node:path";
import { durationMs } from "../../base/duration.ts";
import { commandLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { timeoutMsOf, weightsOf } from "../../play/traffic/source.ts";
import { wrongUsage } from "../output/exit.ts";
import { goDuration } from "./go-duration.ts";
import { clickedShareOf, type Executor, executorOf, k6RatesOf } from "./k6-executors.ts";
import { type K6Traffic, k6Script } from "./k6-script.ts";
import { k6ThresholdsOf } from "./k6-thresholds.ts";
import type { Load, LoadPlan, LoadTool, PlannedTraffic, Sender } from "./load-tool.ts";
import { arrivalsOf } from "./rates.ts";

export const k6: LoadTool = {
  limits: {
    lacks: ["poisson"],
    mixesSteps: false,
    hasOneTimeout: false,
    aboutThresholds: undefined,
  },
  load: loadOf,
};

const ENDING = ".js";

function loadOf({ scenario, steps, thresholds: given, target, out }: LoadPlan): Load {
  if (!out?.endsWith(ENDING)) {
    throw wrongUsage(
      "--to k6 writes two files: a script, and its data beside it. Name the script with --out FILE.js.",
    );
  }
  const data = `${out.slice(0, -ENDING.length)}.data.json`;
  const senders = new Map<number, Sender>(
    steps.flatMap((step) => step.senders.map((sender) => [sender.ordinal, sender] as const)),
  );
  const places = new Map(Array.from(senders.keys(), (ordinal, place) => [ordinal, place]));
  const executors: Record<string, Executor> = {};
  const traffic: Record<string, K6Traffic> = {};
  let [fromMs, planned] = [0, 0];
  for (const [number, step] of steps.entries()) {
    const rates = k6RatesOf(step.traffic, step.startMs);
    const name = nameOf(step, executors);
    executors[name] = executorOf(step.traffic, rates, fromMs);
    traffic[name] = k6TrafficOf(step, number, places);
    fromMs += durationMs(step.traffic.for);
    planned += arrivalsOf(rates) * (1 + clickedShareOf(step.traffic));
  }
  const { thresholds, leftOut } = k6ThresholdsOf(given, planned);
  const dataFile = basename(data);
  const script = k6Script({ name: scenario, target, dataFile, executors, traffic, thresholds });
  const publishers = Array.from(senders.values(), ({ id, apiKey, surfaces }) => ({
    id,
    apiKey,
    surfaces,
  }));
  return {
    files: [
      { file: data, content: indentedJson(publishers) },
      { file: out, content: script },
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
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? name : `${name}_${number}`;
    if (!Object.hasOwn(taken, numbered)) return numbered;
  }
}

function k6TrafficOf(
  { traffic, senders }: PlannedTraffic,
  number: number,
  places: ReadonlyMap<number, number>,
): K6Traffic {
  const { mix, surfaces, sessions = true, repeatedSessions = 0, clicks } = traffic;
  return {
    number,
    publishers: senders.map(({ ordinal }) => places.get(ordinal) ?? 0),
    mix: Object.fromEntries(weightsOf(mix)),
    surfaces,
    sessions,
    repeatedSessions,
    clicks: { rate: clicks?.rate ?? 0, after: durationMs(clicks?.after ?? 0) / 1000 },
    timeout: goDuration(timeoutMsOf(traffic)),
  };
}
