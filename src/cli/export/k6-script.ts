/** The script for k6: options and a table of what each traffic step sends, then code that is the same for all scenarios. */

import { indentedJson } from "../../base/text.ts";
import { ADS, RECENT } from "../../play/traffic/request-factory.ts";
import { operationIds, operations } from "../../spec/operations.ts";

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
  const called = operationIds.map((id) => [id, [operations[id].method, operations[id].path]]);
  return `// The traffic of the scenario ${name}, written by adsim: k6 run -e RUN_ID=1 FILE
// RUN_ID is a part of every session id. Give each run its own, or its impressions repeat those of
// another run. -e TARGET=URL sends to another base URL.

import { check, sleep } from "k6";
import { SharedArray } from "k6/data";
import exec from "k6/execution";
import http from "k6/http";
import { Rate } from "k6/metrics";

const TARGET = (__ENV.TARGET || ${JSON.stringify(target)}).replace(/[/]+$/, "");
const RUN_ID = __ENV.RUN_ID || "1";
const DATA = ${JSON.stringify(`./${dataFile}`)};
const publishers = new SharedArray("publishers", () => JSON.parse(open(DATA)));

// If k6 drops iterations because of insufficient VUs, raise preAllocatedVUs and maxVUs.
export const options = ${indentedJson(options).trimEnd()};

// What each of these scenarios sends. Publishers are places in the data, and after is in seconds.
const traffic = ${indentedJson(traffic).trimEnd()};

// The method and the path of each operation.
const operations = ${indentedJson(Object.fromEntries(called)).trimEnd()};

// Without a whole answer, or with a status from 500.
const errors = new Rate("errors");
// With a status from 400 to 499.
const refused = new Rate("refused");

${CODE}`;
}

const CODE = `// The last impressions of this virtual user.
const recent = [];

export default function () {
  const step = traffic[exec.scenario.name];
  const operation = operationOf(step.mix);
  if (operation === "impression") sendImpression(step);
  else send(operation, step, publishers[oneOf(step.publishers)]);
}

function sendImpression(step) {
  const isRepeated = recent.length > 0 && Math.random() < step.repeatedSessions;
  const shown = isRepeated ? oneOf(recent) : newImpression(step);
  recent.push(shown);
  if (recent.length > ${RECENT}) recent.shift();
  const { impression_id } = send("impression", step, shown.publisher, shown.impression);
  if (impression_id === undefined || Math.random() >= step.clicks.rate) return;
  sleep(step.clicks.after);
  send("click", step, shown.publisher, { impression_id });
}

function newImpression(step) {
  const publisher = publishers[oneOf(step.publishers)];
  const impression = {
    publisher_id: publisher.id,
    surface: oneOf(publisher.surfaces.slice(0, step.surfaces)),
    ad_id: "ad-" + (1 + Math.floor(Math.random() * ${ADS})),
  };
  // The iteration's number in the whole test: several k6 that share the test have different ones.
  const number = exec.scenario.iterationInTest;
  if (step.sessions) impression.session_id = [RUN_ID, step.number, number].join("-");
  return { publisher, impression };
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
  const { status } = response;
  errors.add(status === 0 || status >= 500);
  refused.add(status >= 400 && status < 500);
  check(response, { [operation + ": status 200"]: () => status === 200 });
  try {
    return status === 200 ? Object(response.json()) : {};
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
