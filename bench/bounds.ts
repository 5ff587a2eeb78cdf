/**
 * What a hostile or careless client costs the others: the longest wait of a client that sends one request each 5 ms, and
 * the server's memory, while somebody else does the worst that one case is about. `node bench/bounds.ts CASE …`;
 * `MAIN=path/to/main.ts` measures another checkout.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { residentMib } from "./measure.ts";

const main = process.env.MAIN ?? join(import.meta.dirname, "../src/cli/main.ts");
const MAX_MS = Number(process.env.MAX_MS ?? 120_000);

interface Ready {
  readonly url: string;
  readonly publishers: readonly { id: string; apiKey: string; surfaces: { id: string }[] }[];
}
interface Ground extends Ready {
  readonly port: number;
  /** Sends these bytes on one connection, and reads until it closes or says nothing for a second. */
  raw(pieces: Iterable<string | Buffer>): Promise<void>;
  ask(method: string, path: string, body?: string | Buffer): Promise<number>;
  impression(world: string, number: number): string;
}

const cases: Readonly<Record<string, (ground: Ground) => Promise<unknown>>> = {
  "keyless-posts": async ({ raw }) => {
    const body = "x".repeat(64_000);
    for (let world = 0; world < 80; world += 1) {
      await raw(
        Array.from({ length: 520 }, () => post(`/@w${world}/v1/impression`, body, "text/plain")),
      );
    }
  },
  "worlds-425": (ground) => traffic(ground, 425, 10_000),
  "worlds-1000": (ground) => traffic(ground, 1000, 200),
  "worlds-2000-in-a-row": (ground) => traffic(ground, 2000, 100),
  "play-assume": ({ ask }) => ask("POST", "/_sim/scenarios/play", million({ assume: {} })),
  "play-audit": ({ ask }) =>
    ask("POST", "/_sim/scenarios/play", million({ expect: { audit: { balanced: true } } })),
  "play-sign-up": ({ ask }) => ask("POST", "/_sim/scenarios/play", million({ signUp: {} })),
  "play-requests": ({ ask }) =>
    ask("POST", "/_sim/scenarios/play", million({ impression: {} }, 199_000)),
  "play-traffic": ({ ask }) =>
    ask(
      "POST",
      "/_sim/scenarios/play",
      scenario([{ traffic: { rate: "1000/s", for: "190s", sessions: { count: 1000 } } }]),
    ),
  // What the next three cases begin with, which is no control request.
  "impressions-pipelined": ({ raw, impression }) =>
    raw(Array.from({ length: 10_000 }, (_, index) => impression("", index))),
  "journal-pipelined": async ({ raw, impression }) => {
    await raw(Array.from({ length: 10_000 }, (_, index) => impression("", index)));
    await raw(Array.from({ length: 1300 }, () => get("/_sim/journal")));
  },
  "journal-har": async ({ ask, raw, impression }) => {
    await raw(Array.from({ length: 10_000 }, (_, index) => impression("", index)));
    return ask("GET", "/_sim/journal?format=har");
  },
  "audit-and-report": async ({ ask, raw, impression }) => {
    await raw(Array.from({ length: 10_000 }, (_, index) => impression("", index)));
    return [await ask("GET", "/_sim/audit"), await ask("GET", "/_sim/report")].join();
  },
  "snapshot-of-objects": ({ ask }) =>
    ask("PUT", "/_sim/snapshot", Buffer.from(`{"a":[${"{},".repeat(85_000_000)}{}]}`)),
  "snapshot-deep": ({ ask }) =>
    ask(
      "PUT",
      "/_sim/snapshot",
      Buffer.from(`{"a":${"[".repeat(120_000_000)}${"]".repeat(120_000_000)}}`),
    ),
  "snapshot-of-text": ({ ask }) =>
    ask("PUT", "/_sim/snapshot", Buffer.from(`{"a":"${"x".repeat(255_000_000)}"}`)),
  "snapshot-of-5-million": async ({ ask, port }) => {
    const file = process.env.SNAPSHOT;
    if (file === undefined) return "needs SNAPSHOT=file";
    const put = await ask("PUT", "/_sim/snapshot", readFileSync(file));
    return [port && put, await ask("GET", "/_sim/snapshot")].join();
  },
  "faults-300": async ({ ask }) => {
    const body = "x".repeat(1_000_000);
    const answers = new Set<number>();
    for (let rule = 0; rule < 300; rule += 1) {
      const given = { match: { nth: 999 }, verdict: { kind: "respond", status: 200, body } };
      answers.add(await ask("POST", "/_sim/faults", JSON.stringify(given)));
    }
    return [...answers, await ask("GET", "/_sim/faults")].join();
  },
  "publishers-1000": ({ ask }) => ask("GET", "/_sim/publishers?limit=1000"),
  "reset-and-fork": async ({ ask, raw, impression }) => {
    await raw(Array.from({ length: 10_000 }, (_, index) => impression("", index)));
    const fork = await ask("POST", "/_sim/worlds", '{"name":"fork"}');
    return [fork, await ask("POST", "/_sim/reset", '{"seed":"x"}')].join();
  },
  "metrics-of-1000-worlds": async (ground) => {
    await traffic(ground, 999, 10);
    return [
      await ground.ask("GET", "/_sim/metrics"),
      await ground.ask("GET", "/_sim/worlds"),
    ].join();
  },
};

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

function post(path: string, body: string, type = "application/json", key = "none"): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function scenario(steps: unknown): string {
  const about = "Costs what it can.";
  return JSON.stringify({ scenario: { name: "costly", about, steps, expectations: [] } });
}

/** A step, a million times. */
function million(step: object, times = 999_000): string {
  return scenario([{ repeat: { times, steps: [step] } }]);
}

async function traffic({ raw, impression }: Ground, worlds: number, requests: number) {
  for (let world = 0; world < worlds; world += 1) {
    await raw(Array.from({ length: requests }, (_, index) => impression(`/@w${world}`, index)));
  }
}

async function run(name: string, act: (ground: Ground) => Promise<unknown>): Promise<void> {
  const server = spawn(
    process.execPath,
    [main, "serve", "--port", "0", "--json", "--clock", "frozen"],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const ended = once(server, "exit");
  const [line] = await once(createInterface(server.stdout), "line");
  const ready = JSON.parse(line) as Ready;
  const prober = spawn(process.execPath, [import.meta.filename, "--probe", line], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(prober.stdout, "data");
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMib(server));
  }, 20);
  const began = performance.now();
  const result = await Promise.race([
    act(groundOf(ready)).catch((error: Error) => `failed: ${error.message}`),
    ended.then(() => "THE PROCESS ENDED"),
    new Promise((resolve) => setTimeout(resolve, MAX_MS, "not done in time").unref()),
  ]);
  const tookMs = performance.now() - began;
  const kept = residentMib(server);
  prober.stdin.end();
  const [told] = await once(prober.stdout, "data");
  clearInterval(watch);
  server.kill("SIGKILL");
  process.stdout.write(
    `${name.padEnd(24)} longest wait of others ${String(told).trim().padStart(7)} ms, memory at most ${peak.toFixed(0)} MiB, at the end ${kept.toFixed(0)} MiB, took ${(tookMs / 1000).toFixed(1)} s${result === undefined ? "" : `: ${result}`}\n`,
  );
}

function groundOf(ready: Ready): Ground {
  const port = Number(new URL(ready.url).port);
  const [publisher] = ready.publishers;
  if (publisher === undefined) throw new Error("There is no publisher.");
  const { id, apiKey, surfaces } = publisher;
  return {
    ...ready,
    port,
    raw: (pieces) => sendRaw(port, pieces),
    ask: (method, path, body) => ask(port, method, path, body),
    impression: (world, number) =>
      post(
        `${world}/v1/impression`,
        JSON.stringify({
          publisher_id: id,
          surface: surfaces[0]?.id,
          ad_id: "ad-17",
          session_id: `session-${number}`,
        }),
        "application/json",
        apiKey,
      ),
  };
}

async function sendRaw(port: number, pieces: Iterable<string | Buffer>): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let heard = performance.now();
  socket.on("data", () => {
    heard = performance.now();
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => undefined);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    if (!socket.write(piece)) await Promise.race([once(socket, "drain").catch(() => 0), closed]);
  }
  // The server answers what is in flight, and then its half of the connection closes.
  socket.end();
  const idle = setInterval(() => {
    if (performance.now() - heard > 60_000) socket.destroy();
  }, 1000);
  await closed;
  clearInterval(idle);
}

function ask(port: number, method: string, path: string, body?: string | Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const request = httpRequest(
      { port, method, path, ...(body === undefined ? {} : { headers }) },
      (response) => {
        response.resume();
        response.once("close", () => resolve(response.statusCode ?? 0));
      },
    );
    request.once("error", reject);
    request.end(body);
  });
}

/** Sends a request each 5 ms, and tells at the end how long the slowest waited. */
async function probe(ready: Ready): Promise<void> {
  const port = Number(new URL(ready.url).port);
  const path = `/v1/publisher/surfaces?publisher_id=${ready.publishers[1]?.id}`;
  const headers = { authorization: `Bearer ${ready.publishers[1]?.apiKey}` };
  let longest = 0;
  let isOver = false;
  const waiting = new Set<number>();
  const send = (): void => {
    const began = performance.now();
    waiting.add(began);
    const done = (): void => {
      waiting.delete(began);
      longest = Math.max(longest, performance.now() - began);
    };
    const request = httpRequest({ port, path, headers }, (response) => {
      response.resume();
      response.once("close", done);
    });
    request.once("error", () => waiting.delete(began));
    request.end();
  };
  for (let index = 0; index < 50; index += 1) {
    send();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  longest = 0;
  process.stdout.write("ready\n");
  process.stdin.once("end", () => {
    isOver = true;
  });
  process.stdin.resume();
  while (!isOver) {
    if (waiting.size < 200) send();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const began of waiting) longest = Math.max(longest, performance.now() - began);
  process.stdout.write(`${longest.toFixed(0)}\n`, () => process.exit());
}

const [first, ready = ""] = process.argv.slice(2);
if (first === "--probe") await probe(JSON.parse(ready) as Ready);
else {
  const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(cases);
  for (const name of chosen) {
    const act = cases[name];
    if (act === undefined) throw new Error(`There is no case ${name}: ${Object.keys(cases)}`);
    await run(name, act);
  }
  process.exit();
}
