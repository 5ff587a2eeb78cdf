/**
 * Writes traffic as targets of vegeta, one in each line: the requests that `adsim play` sends, without clicks, which need
 * answers. vegeta ignores `timestamp`: its decoder skips members that it doesn't know, although its JSON schema has no others.
 */

import { formatInstant } from "../../base/calendar.ts";
import { durationMs } from "../../base/duration.ts";
import { commandLine } from "../../base/shell.ts";
import { wireRequestOf } from "../../play/targets/wire-request.ts";
import { createTrafficSource, timeoutMsOf } from "../../play/traffic/source.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { goDuration } from "./go-duration.ts";
import { type Load, type LoadPlan, type LoadTool, UNNAMED_FILE } from "./load-tool.ts";

export const vegeta: LoadTool = {
  limits: {
    lacks: ["clicks"],
    mixesSteps: false,
    hasOneTimeout: true,
    aboutThresholds: "compare them with the report of vegeta",
  },
  load: loadOf,
};

/** Lines are written in pieces of at least this length. */
const ENOUGH_CHARACTERS = 1 << 16;

function loadOf(plan: LoadPlan): Load {
  const { steps, out } = plan;
  let lines = 0;
  function* content(): Generator<string> {
    let text = "";
    for (const line of linesOf(plan)) {
      lines += 1;
      text += line;
      if (text.length < ENOUGH_CHARACTERS) continue;
      yield text;
      text = "";
    }
    if (text !== "") yield text;
  }
  const [first] = steps;
  const isConstant = steps.length === 1 && first?.traffic.arrivals.kind === "constant";
  return {
    files: [{ file: out, content: content() }],
    leftOut: isConstant ? [] : [PATTERN],
    runLine: () => {
      const duration = goDuration(sumOf(steps.map(({ traffic }) => durationMs(traffic.for))));
      const timeoutMs = Math.max(...steps.map(({ traffic }) => timeoutMsOf(traffic)));
      const attack = ["vegeta", "attack", "-format=json", "-lazy"];
      const targets = `-targets=${out ?? UNNAMED_FILE}`;
      // A rate per duration is exact. With the duration, vegeta ends when it has sent every line once.
      const rate = [`-rate=${lines}/${duration}`, `-duration=${duration}`];
      const timeout = `-timeout=${goDuration(timeoutMs)}`;
      return `${commandLine([...attack, targets, ...rate, timeout])} | vegeta report`;
    },
  };
}

const PATTERN =
  "arrivals: vegeta sends all requests at one rate; when they are due is only in their timestamps";

function* linesOf({ steps, seed, target }: LoadPlan): Generator<string> {
  for (const [number, { traffic, senders, startMs }] of steps.entries()) {
    const members = senders.map(({ id, apiKey, surfaces }) => ({
      id,
      apiKey,
      surfaces: surfaces.map((surface) => ({ id: surface })),
    }));
    const source = createTrafficSource({
      traffic: { ...traffic, clicks: undefined },
      ...{ members, startMs, seed, number, observe: () => undefined },
    });
    for (let arrival = source.next(); arrival !== undefined; arrival = source.next()) {
      yield lineOf(arrival.request, target, startMs + arrival.dueMs);
    }
  }
}

/** `timestamp`: when it is due, on the clock of the scenario's world. The player may begin later steps later: it clicks first. */
function lineOf(request: ApiRequest, base: string, dueMs: number): string {
  const { method, target, headers, body } = wireRequestOf("", request);
  const header = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value]]),
  );
  const line = {
    method,
    url: `${base}${target}`,
    ...(body.length > 0 && { body: Buffer.from(body).toString("base64") }),
    header,
    timestamp: formatInstant(dueMs),
  };
  return `${JSON.stringify(line)}\n`;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
