/** The script for k6: options and a table of what each traffic step sends, then code that is the same for all scenarios. */

import { indentedJson } from "../../base/text.ts";
import { ADS, RECENT } from "../../play/traffic/request-factory.ts";
import { type OperationId, operationIds, operations } from "../../spec/operations.ts";
import { lenientSchemas } from "../../spec/responses.ts";

export interface K6ScriptParts {
  /** The scenario's name. */
  readonly name: string;
  readonly target: string;
  /** The file with the publishers, beside the script. */
  readonly dataFile: string;
  readonly options: object;
  /** What each scenario of k6 sends, by name. */
  readonly traffic: object;
}

export function k6Script({ name, target, dataFile, options, traffic }: K6ScriptParts): string {
  const called = Object.fromEntries(operationIds.map((id) => [id, operationOf(id)]));
  return `// The traffic of the scenario ${name}, written by adsim: k6 run -e RUN_ID=1 FILE
// RUN_ID is a part of every session id. Give each run its own, or its impressions repeat those of
// another run. -e TARGET=URL sends to another base URL.

import { check, sleep } from "k6";
import { SharedArray } from "k6/data";
import exec from "k6/execution";
import http from "k6/http";
import { Counter, Rate } from "k6/metrics";

const TARGET = (__ENV.TARGET || ${JSON.stringify(target)}).replace(/[/]+$/, "");
const RUN_ID = __ENV.RUN_ID || "1";
const DATA = ${JSON.stringify(`./${dataFile}`)};
const publishers = new SharedArray("publishers", () => JSON.parse(open(DATA)));

// If k6 drops iterations because of insufficient VUs, raise preAllocatedVUs and maxVUs.
export const options = ${literal(options)};

// What each of these scenarios sends. Publishers are places in the data, and after is in seconds.
const traffic = ${literal(traffic)};

// How each operation is called, and which members its answer has.
const operations = ${literal(called)};

// Without a whole answer, or with a status from 500.
const errors = new Rate("errors");
const errorCount = new Counter("error_count");
// With a status from 400 to 499.
const refused = new Rate("refused");
const refusedCount = new Counter("refused_count");

${CODE}`;
}

function operationOf(id: OperationId): object {
  const { method, path } = operations[id];
  return { method, path, members: Object.keys(lenientSchemas[id].properties ?? {}) };
}

/** As JSON, with each innermost list and object on a line. */
function literal(value: unknown): string {
  return indentedJson(value)
    .trimEnd()
    .replaceAll(/[{[]\n[^{}[\]]*[}\]]/g, (inner) => inner.replaceAll(/\n\s*/g, " "));
}

const CODE = `// What a draw is for.
const [OPERATION, PUBLISHER, SURFACE, AD, REPEATS, REPEATED, CLICKS] = [0, 1, 2, 3, 4, 5, 6];

export default function () {
  const step = traffic[exec.scenario.name];
  // Its number in the whole test: several k6 that share the test send different requests.
  const number = exec.scenario.iterationInTest;
  const operation = operationOf(step, number);
  if (operation === "impression") sendImpression(step, number);
  else send(operation, step, publisherOf(step, number));
}

function sendImpression(step, number) {
  const shown = shownAt(step, number);
  const publisher = publisherOf(step, shown);
  const surfaces = publisher.surfaces.slice(0, step.surfaces);
  const impression = {
    publisher_id: publisher.id,
    surface: surfaces[below(surfaces.length, draw(step, shown, SURFACE))],
    ad_id: "ad-" + (1 + below(${ADS}, draw(step, shown, AD))),
  };
  if (step.sessions) impression.session_id = [RUN_ID, step.number, shown].join("-");
  const { impression_id } = send("impression", step, publisher, impression);
  if (impression_id === undefined || draw(step, number, CLICKS) >= step.clicks.rate) return;
  sleep(step.clicks.after);
  send("click", step, publisher, { impression_id });
}

// Sends a request and returns the JSON of the answer, or {} if the answer isn't 200 with JSON.
function send(operation, step, publisher, body) {
  const { method, path, members } = operations[operation];
  const query = method === "GET" ? "?publisher_id=" + encodeURIComponent(publisher.id) : "";
  const headers = { Authorization: "Bearer " + publisher.apiKey };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = http.request(method, TARGET + path + query, body && JSON.stringify(body), {
    headers,
    timeout: step.timeout,
    // Without it k6 has figures for each URL, and each publisher has its own.
    tags: { name: operation },
  });
  count(response.status);
  const answer = answerOf(response);
  check(response, {
    [operation + ": status 200"]: () => response.status === 200,
    [operation + ": has " + members.join(", ")]: () => members.every((name) => name in answer),
    // k6 writes the names of headers like this.
    "has X-RateLimit-Remaining": () => "X-Ratelimit-Remaining" in response.headers,
  });
  return answer;
}

function count(status) {
  const isError = status === 0 || status >= 500;
  const isRefused = status >= 400 && status < 500;
  errors.add(isError);
  refused.add(isRefused);
  if (isError) errorCount.add(1);
  if (isRefused) refusedCount.add(1);
}

function answerOf(response) {
  if (response.status !== 200) return {};
  try {
    return Object(response.json());
  } catch {
    return {};
  }
}

function operationOf(step, number) {
  const weights = Object.entries(step.mix);
  let left = draw(step, number, OPERATION) * weights.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [operation, weight] of weights) {
    if (left < weight) return operation;
    left -= weight;
  }
  return weights[0][0];
}

function publisherOf(step, number) {
  const places = step.publishers;
  return publishers[places[below(places.length, draw(step, number, PUBLISHER))]];
}

// The number of the impression that this one shows again, or its own.
function shownAt(step, number) {
  if (!repeats(step, number)) return number;
  const first = Math.max(0, number - ${RECENT});
  const latest = number - 1 - below(number - first, draw(step, number, REPEATED));
  for (let other = latest; other >= first; other -= 1) {
    if (operationOf(step, other) === "impression" && !repeats(step, other)) return other;
  }
  return number;
}

function repeats(step, number) {
  return draw(step, number, REPEATS) < step.repeatedSessions;
}

function below(count, drawn) {
  return Math.floor(drawn * count);
}

// A number from 0 up to 1. It depends only on the step, the number of the iteration and the purpose.
function draw(step, number, purpose) {
  const stream = Math.imul(step.number * 8 + purpose + 1, 0x85ebca77);
  let bits = Math.imul(number + 1, 0x9e3779b1) ^ stream;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 0x100000000;
}
`;
