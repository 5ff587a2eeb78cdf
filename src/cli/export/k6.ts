/** Writes traffic as a script for k6: options and tables, then code that is the same for all. k6's documentation is the reference. */

import { durationMs } from "../../base/duration.ts";
import { indentedJson } from "../../base/text.ts";
import { ADS, sharesOf, timeoutMsOf } from "../../play/traffic/source.ts";
import { operationIds, operations } from "../../spec/operations.ts";
import type { LoadPlan, PlannedTraffic } from "./traffic-plan.ts";

/** In what time most answers come. A virtual user is busy until then. */
const USUAL_ANSWER_MS = 200;
/** A virtual user takes some megabytes. */
const MOST_USERS = 10_000;
/** k6 starts the last request at the end of the last stage, and stops then, unless there is another one. */
const LAST_STAGE = { duration: "1s", target: 0 };

export function k6({ name, steps, target }: LoadPlan): string {
  const scenarios: Record<string, object> = {};
  let fromMs = 0;
  for (const step of steps) {
    scenarios[step.name] = executorOf(step, fromMs);
    fromMs += step.stretches.reduce((ms, { intervals }) => ms + intervals * step.intervalMs, 0);
  }
  return `// The traffic of the scenario ${name}, written by adsim: k6 run -e RUN_ID=1 FILE
// RUN_ID is a part of every session id. Give each run its own, or its impressions repeat those of
// another run. -e TARGET=URL sends to another base URL.

import { check, sleep } from "k6";
import exec from "k6/execution";
import http from "k6/http";

const TARGET = (__ENV.TARGET || ${JSON.stringify(target)}).replace(/[/]+$/, "");
const RUN_ID = __ENV.RUN_ID || "1";

// If k6 drops iterations because of insufficient VUs, raise preAllocatedVUs.
export const options = ${json({ scenarios })};

// What each of the scenarios sends.
const traffic = ${json(Object.fromEntries(steps.map((step) => [step.name, sentBy(step)])))};

const operations = ${json(Object.fromEntries(called))};

${code}`;
}

const called = operationIds.map((id) => [id, [operations[id].method, operations[id].path]]);

function json(value: object): string {
  return indentedJson(value).trimEnd();
}

function sentBy({ traffic, senders }: LoadPlan["steps"][number]): object {
  const { mix, sessions = true, clicks: { rate = 0, after = 0 } = {} } = traffic;
  return {
    publishers: senders.map((sender) => {
      return { ...sender, surfaces: sender.surfaces.slice(0, traffic.surfaces) };
    }),
    mix: Object.fromEntries(sharesOf(mix)),
    sessions,
    clicks: { rate, afterSeconds: durationMs(after) / 1000 },
    timeout: seconds(timeoutMsOf(traffic)),
  };
}

/** `fromMs`: when it begins, counted from the beginning of the test. */
function executorOf({ traffic, intervalMs, stretches }: PlannedTraffic, fromMs: number): object {
  const { rate = 0, after = 0 } = traffic.clicks ?? {};
  const clickMs = durationMs(after);
  const peak = Math.max(...stretches.map(({ count }) => count)) / intervalMs;
  const users = Math.ceil(peak * (USUAL_ANSWER_MS + rate * clickMs));
  return {
    executor: "ramping-arrival-rate",
    startTime: seconds(fromMs),
    timeUnit: seconds(intervalMs),
    // k6 goes from one stage's target to the next in a line, so each stretch needs a jump first.
    stages: [
      ...stretches.flatMap(({ intervals, count: target }) => [
        { duration: "0s", target },
        { duration: seconds(intervals * intervalMs), target },
      ]),
      { duration: "0s", target: 0 },
      LAST_STAGE,
    ],
    preAllocatedVUs: Math.min(Math.max(users, 1), MOST_USERS),
    maxVUs: MOST_USERS,
    gracefulStop: seconds(2 * timeoutMsOf(traffic) + clickMs),
  };
}

/** k6 reads durations as Go does. */
function seconds(ms: number): string {
  return `${ms / 1000}s`;
}

/** Below its imports, options and tables a script is the same for all scenarios. */
const code = `export default function () {
  const step = traffic[exec.scenario.name];
  const operation = operationOf(step.mix);
  const publisher = oneOf(step.publishers);
  if (operation === "impression") sendImpression(step, publisher);
  else send(operation, step, publisher);
}

function sendImpression(step, publisher) {
  const impression = {
    publisher_id: publisher.id,
    surface: oneOf(publisher.surfaces),
    ad_id: "ad-" + (1 + Math.floor(Math.random() * ${ADS})),
  };
  // The iteration's number in the whole test: several k6 that share the test have different ones.
  const { name, iterationInTest } = exec.scenario;
  if (step.sessions) impression.session_id = [RUN_ID, name, iterationInTest].join("-");
  const { impression_id } = send("impression", step, publisher, impression);
  if (impression_id === undefined || Math.random() >= step.clicks.rate) return;
  sleep(step.clicks.afterSeconds);
  send("click", step, publisher, { impression_id });
}

// Sends a request and returns the JSON of the answer, or {} if the answer isn't 200 with JSON.
function send(operation, step, publisher, body) {
  const [method, path] = operations[operation];
  const query = method === "GET" ? "?publisher_id=" + encodeURIComponent(publisher.id) : "";
  const headers = { Authorization: "Bearer " + publisher.apiKey };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = http.request(method, TARGET + path + query, body && JSON.stringify(body), {
    headers,
    timeout: step.timeout,
    // Without it k6 has figures for each URL, and each publisher has its own.
    tags: { name: operation },
  });
  const isFine = check(response, { [operation + ": status 200"]: ({ status }) => status === 200 });
  try {
    return isFine ? Object(response.json()) : {};
  } catch {
    return {};
  }
}

function operationOf(mix) {
  let left = Math.random();
  const drawn = Object.entries(mix).find(([, share]) => {
    left -= share;
    return left < 0;
  });
  return drawn ? drawn[0] : Object.keys(mix)[0];
}

function oneOf(list) {
  return list[Math.floor(Math.random() * list.length)];
}
`;
