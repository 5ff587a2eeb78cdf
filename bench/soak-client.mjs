/** The clients of the soak, in a thread of their own: as many requests as go, whatever becomes of the answers. */

import { parentPort, workerData } from "node:worker_threads";

const { url, callers, seconds } = workerData;
const CONNECTIONS = 64;
/** How long a client waits for an answer, in milliseconds. */
const PATIENCE_MS = 250;

const outcomes = {};
const endsAt = performance.now() + seconds * 1000;
let sent = 0;

/** Sends one request. Resolves with the text of its answer, or undefined where none came whole. */
async function ask(method, path, apiKey, body) {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let outcome = "";
  try {
    const answer = await fetch(url + path, { method, headers, signal, ...(body && { body }) });
    const text = await answer.text();
    outcome = String(answer.status);
    return text;
  } catch (error) {
    outcome = error.cause?.code ?? error.name;
    return undefined;
  } finally {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
}

/** One user after another: an impression, sent again until it is answered, and now and then a click or a look at the figures. */
async function loop() {
  while (performance.now() < endsAt) {
    const { id, apiKey, surface } = callers[sent % callers.length];
    sent += 1;
    const shown = { publisher_id: id, surface, ad_id: `ad-${sent % 9}` };
    const body = JSON.stringify({ ...shown, session_id: `session-${sent}` });
    let answer;
    for (let attempt = 0; attempt < 3 && answer === undefined; attempt += 1) {
      answer = await ask("POST", "/v1/impression", apiKey, body);
    }
    const impression = /"impression_id":"([^"]+)"/.exec(answer ?? "")?.[1];
    if (impression !== undefined && sent % 5 === 0) {
      await ask("POST", "/v1/click", apiKey, JSON.stringify({ impression_id: impression }));
    }
    if (sent % 50 === 0) {
      const what = ["stats", "surfaces", "payouts"][sent % 3];
      await ask("GET", `/v1/publisher/${what}?publisher_id=${id}`, apiKey);
    }
  }
}

await Promise.all(Array.from({ length: CONNECTIONS }, loop));
parentPort.postMessage(outcomes);
