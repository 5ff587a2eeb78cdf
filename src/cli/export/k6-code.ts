/** The part of a script for k6 that is the same for all scenarios. Above it are its imports, options and tables. */

import { ADS } from "../../play/traffic/source.ts";

export const code = `export default function () {
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
