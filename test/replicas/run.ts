/**
 * Forty worlds on four replicas behind HAProxy, and behind nginx, answer the same bytes as on one server, control API included:
 * `npm run test:replicas`. Needs both programs, which run with the files of deploy/.
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SimulatorOptions } from "../../src/index.ts";
import { type Server, startServer } from "../../src/server.ts";
import { type RecordedRequest, recordRequests } from "../parity-requests.ts";
import { balancers, endAll, freePort, missingPrograms, REPLICAS } from "./balancers.ts";

const settings: SimulatorOptions = {
  seed: "replicas",
  publishers: 12,
  profile: "adversarial",
  clock: "frozen",
};
/** Base URLs without the origin. The first is the world `default`. */
const prefixes = ["", ...Array.from({ length: 39 }, (_, index) => `/@world-${index}`)];

const ask = (target: string): RecordedRequest => ({ method: "GET", target, headers: {} });
const tell = (method: string, target: string, body: object): RecordedRequest => ({
  method,
  target,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** What a world is sent. The number makes worlds differ. */
function requestsTo(world: number): RecordedRequest[] {
  const recorded = recordRequests(settings);
  const later = recorded.filter((_, index) => index % 40 === world);
  return [
    ask("/_sim/clock"),
    ask("/_sim/publishers"),
    ...recorded,
    tell("POST", "/_sim/clock/advance", { by: `${world + 1}h` }),
    tell("PATCH", "/_sim/assumptions", { "dedup.repeat": "conflict" }),
    tell("POST", "/_sim/faults", { id: "late", verdict: { kind: "respond", status: 503 } }),
    ...later,
    ask("/_sim/faults"),
    { method: "DELETE", target: "/_sim/faults", headers: {} },
    tell("POST", "/_sim/publishers", { name: `Newcomer ${world}` }),
    ...later,
    tell("POST", "/_sim/publishers", {}),
    ask("/_sim/publishers?offset=10"),
    ask("/_sim/audit"),
    ask("/_sim/journal?limit=20"),
    ask("/_sim/journal?format=har&limit=20"),
    ask("/_sim/history"),
    ask("/_sim/snapshot"),
    ask("/_sim/nothing"),
    ask("/_sim"),
  ];
}

/** What belongs to a connection and not to an answer. nginx adds Server. */
const ofTheConnection = ["connection", "date", "keep-alive", "server", "transfer-encoding"];

/** What balancers change about a request, as journals show it: the connection is their own, and nginx moves the length. */
const inJournals = [
  /"(?:connection|content-length)":"[^"]*",|,"(?:connection|content-length)":"[^"]*"/g,
  /\{"name":"(?:connection|content-length)","value":"[^"]*"\},|,\{"name":"(?:connection|content-length)","value":"[^"]*"\}/g,
];

interface Answer {
  readonly request: string;
  readonly text: string;
}

/** Status, headers and body, without what is of the connection or names the server's own address. */
async function answerTo(
  port: number,
  prefix: string,
  { target, body, ...request }: RecordedRequest,
): Promise<string> {
  const url = `http://127.0.0.1:${port}${prefix}${target}`;
  const answer = await fetch(url, { ...request, body: body ?? null, redirect: "manual" });
  const content = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  const left = content === "" ? ofTheConnection : [...ofTheConnection, "content-length"];
  const lines = Array.from(answer.headers)
    .filter(([name]) => !left.includes(name))
    .map(([name, value]) => `${name}: ${value}`);
  const text = [answer.status, ...lines.sort(), "", content].join("\n");
  const own = text.replaceAll(`127.0.0.1:${port}`, "ADDRESS");
  return inJournals.reduce((left, pattern) => left.replaceAll(pattern, ""), own);
}

/** Each world's answers, in order. The worlds are asked at the same time. */
function play(port: number): Promise<readonly (readonly Answer[])[]> {
  const all = prefixes.map(async (prefix, world) => {
    const answers: Answer[] = [];
    for (const request of requestsTo(world)) {
      const name = `${request.method} ${prefix}${request.target.slice(0, 200)}`;
      answers.push({ request: name, text: await answerTo(port, prefix, request) });
    }
    return answers;
  });
  return Promise.all(all);
}

type Play = Awaited<ReturnType<typeof play>>;

/** @throws Error that shows where the first difference begins. */
function expectSame(expected: Play, actual: Play): void {
  for (const [world, answers] of expected.entries()) {
    for (const [index, { request, text }] of answers.entries()) {
      const other = actual[world]?.[index]?.text ?? "";
      if (other === text) continue;
      const at = Array.from(text).findIndex((letter, place) => letter !== other[place]);
      const part = (of: string): string => of.slice(Math.max(at - 200, 0), at + 200);
      strictEqual(part(other), part(text), `answered otherwise: ${request}`);
    }
  }
}

/** Every world is on one replica, and no replica is without one. @returns how many each has. */
async function expectPartition(replicaPorts: readonly number[]): Promise<readonly number[]> {
  const named = await Promise.all(
    replicaPorts.map(async (port) => {
      const answer = await fetch(`http://127.0.0.1:${port}/_sim/worlds`);
      const { worlds } = (await answer.json()) as { worlds: { name: string; requests: number }[] };
      return worlds.filter(({ requests }) => requests > 0).map(({ name }) => name);
    }),
  );
  const expected = prefixes.map((prefix) => prefix.slice(2) || "default");
  deepStrictEqual(named.flat().sort(), expected.sort());
  ok(named.every((names) => names.length > 0));
  return named.map((names) => names.length);
}

const ofManyWorlds = [
  "GET /_sim/worlds",
  "POST /_sim/worlds",
  "GET /_sim/worlds?x=1",
  "DELETE /_sim/worlds/world-1",
  "POST /@world-1/_sim/worlds",
  "GET /_sim/metrics",
  "GET /@world-1/_sim/metrics",
];

/** What concerns more than one world is refused. */
async function refusesMany(port: number): Promise<void> {
  for (const request of ofManyWorlds) {
    const [method = "", target = ""] = request.split(" ");
    const text = await answerTo(port, "", { method, target, headers: {} });
    match(text, /^421\n.*content-type: application\/problem\+json\n.*Send it to a replica/s);
  }
}

const running: Server[] = [];

/** @returns its port. */
async function startReplica(): Promise<number> {
  const server = await startServer({ ...settings, port: 0 });
  running.push(server);
  return Number(new URL(server.url).port);
}

async function main(folder: string): Promise<void> {
  const expected = await play(await startReplica());
  for (const balancer of balancers) {
    const port = await freePort();
    const replicaPorts = await Promise.all(Array.from({ length: REPLICAS }, startReplica));
    await balancer.run(port, replicaPorts, folder);
    expectSame(expected, await play(port));
    await refusesMany(port);
    const ofDefault = await answerTo(port, "/@default", ask("/_sim/audit"));
    strictEqual(ofDefault, await answerTo(port, "", ask("/_sim/audit")));
    const counts = await expectPartition(replicaPorts);
    const sent = expected.flat().length;
    console.log(`${balancer.name}: ${sent} answers, worlds on each replica: ${counts.join(", ")}`);
  }
}

const missing = missingPrograms();
if (missing.length > 0) {
  console.warn(
    `The tests in test/replicas were skipped. This machine lacks ${missing.join(" and ")} (HAPROXY_PROGRAM and NGINX_PROGRAM name others).`,
  );
  if (process.env.ALL_TESTS === "1") process.exitCode = 1;
} else {
  const folder = await mkdtemp(join(tmpdir(), "adsim-replicas-"));
  try {
    await main(folder);
  } finally {
    endAll();
    for (const server of running) await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
