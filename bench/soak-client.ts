/** The clients of the soak, in a thread of their own: as many requests as go, whatever becomes of the answers. */

import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

interface Caller {
  readonly id: string;
  readonly apiKey: string;
  readonly surface: string;
}

const { url, callers, seconds } = workerData as {
  readonly url: string;
  readonly callers: readonly Caller[];
  readonly seconds: number;
};
const CONNECTIONS = 64;
/** How long a client waits for an answer, in milliseconds. */
const PATIENCE_MS = 250;

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const outcomes: Record<string, number> = {};
const endsAt = performance.now() + seconds * 1000;
let sent = 0;

function note(outcome: string): void {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}

/** Sends one request. Resolves with the text of its answer, or undefined where none came whole. */
function ask(
  method: string,
  path: string,
  apiKey: string,
  body: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "content-length": String(body.length),
    };
    const outgoing = request(url + path, { method, agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", () => undefined);
      response.on("close", () => {
        clearTimeout(timer);
        note(response.complete ? String(response.statusCode) : "broken off");
        resolve(response.complete ? text : undefined);
      });
    });
    const timer = setTimeout(() => outgoing.destroy(new Error("gave up")), PATIENCE_MS);
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      note(error.code ?? error.message);
      resolve(undefined);
    });
    outgoing.end(body);
  });
}

/** One user after another: an impression, sent again until it is answered, and now and then a click or a look at the figures. */
async function loop(): Promise<void> {
  while (performance.now() < endsAt) {
    const { id, apiKey, surface } = callers[sent % callers.length] as Caller;
    sent += 1;
    const body = JSON.stringify({
      publisher_id: id,
      surface,
      ad_id: `ad-${sent % 9}`,
      session_id: `session-${sent}`,
    });
    let answer: string | undefined;
    for (let attempt = 0; attempt < 3 && answer === undefined; attempt += 1) {
      answer = await ask("POST", "/v1/impression", apiKey, body);
    }
    const impression = /"impression_id":"([^"]+)"/.exec(answer ?? "")?.[1];
    if (impression !== undefined && sent % 5 === 0) {
      await ask("POST", "/v1/click", apiKey, JSON.stringify({ impression_id: impression }));
    }
    if (sent % 50 === 0) {
      const what = ["stats", "surfaces", "payouts"][sent % 3];
      await ask("GET", `/v1/publisher/${what}?publisher_id=${id}`, apiKey, "");
    }
  }
}

await Promise.all(Array.from({ length: CONNECTIONS }, loop));
agent.destroy();
parentPort?.postMessage(outcomes);
