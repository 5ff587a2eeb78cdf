/**
 * Twelve worlds on four replicas behind HAProxy, and behind nginx, answer the same bytes as on one server, control API included:
 * `npm run test:replicas`. Needs both programs, which run with the files of deploy/.
 */

import { deepEqual, equal, match } from "node:assert/strict";
import type { SimulatorOptions } from "../../src/index.ts";
import { type Server, startServer } from "../../src/server.ts";
import { inFolder } from "../package/project.ts";
import { type RecordedRequest, recordRequests } from "../parity-requests.ts";
import { freePort } from "../ports.ts";
import { balancers, endAll, missingPrograms, REPLICAS, start } from "./balancers.ts";

const settings: SimulatorOptions = {
  seed: "replicas",
  publishers: 12,
  profile: "adversarial",
  clock: "frozen",
};
/** Base URLs without the origin. The first is the world `default`. */
const prefixes = ["", ...Array.from({ length: 11 }, (_, index) => `/@world-${index}`)];
const recorded = recordRequests(settings);

const ask = (target: string, method = "GET"): RecordedRequest => ({ method, target, headers: {} });
const tell = (method: string, target: string, body: object): RecordedRequest => ({
  ...{ method, target, body: JSON.stringify(body) },
  headers: { "content-type": "application/json" },
});

/** What a world is sent. The number makes worlds differ. */
const requestsTo = (world: number): readonly RecordedRequest[] => [
  ask("/_sim/publishers"),
  ...recorded,
  tell("POST", "/_sim/clock/advance", { by: `${world + 1}h` }),
  tell("PATCH", "/_sim/assumptions", { "dedup.repeat": "conflict" }),
  tell("POST", "/_sim/faults", { id: "late", verdict: { kind: "respond", status: 503 } }),
  ...recorded.slice(0, world),
  ask("/_sim/faults", "DELETE"),
  tell("POST", "/_sim/publishers", { name: `Newcomer ${world}` }),
  ...recorded.slice(0, world),
  ...["audit", "journal?limit=20", "journal?format=har&limit=20", "history", "snapshot"].map(
    (path) => ask(`/_sim/${path}`),
  ),
  ask("/_sim/nothing"),
];

/** What belongs to a connection and not to an answer. nginx adds Server. */
const ofTheConnection = ["connection", "date", "keep-alive", "server", "transfer-encoding"];

/** What balancers change about a request, as journals show it: the connection is their own, and nginx moves the length. */
const inJournals =
  /"(?:connection|content-length)":"[^"]*",|,"(?:connection|content-length)":"[^"]*"|\{"name":"(?:connection|content-length)","value":"[^"]*"\},|,\{"name":"(?:connection|content-length)","value":"[^"]*"\}/g;

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
  return text.replaceAll(`127.0.0.1:${port}`, "ADDRESS").replaceAll(inJournals, "");
}

/** Each world's answers, in order. The worlds are asked at the same time. */
function play(port: number): Promise<string[][]> {
  return Promise.all(
    prefixes.map(async (prefix, world) => {
      const answers: string[] = [];
      for (const request of requestsTo(world)) answers.push(await answerTo(port, prefix, request));
      return answers;
    }),
  );
}

/** @throws Error that shows the first answer that differs, from a little before the difference. */
function expectSame(expected: string[][], actual: string[][]): void {
  for (const [world, answers] of expected.entries()) {
    for (const [index, text] of answers.entries()) {
      const other = actual[world]?.[index] ?? "";
      if (other === text) continue;
      const at = Array.from(text).findIndex((letter, place) => letter !== other[place]);
      const part = (of: string): string => of.slice(Math.max(at - 200, 0), at + 200);
      const { method, target } = requestsTo(world)[index] ?? {};
      equal(part(other), part(text), `${method} ${prefixes[world]}${target?.slice(0, 200)}`);
    }
  }
}

/** Every world is on one replica, and no replica is without one. */
async function expectPartition(replicaPorts: readonly number[]): Promise<void> {
  const named = await Promise.all(
    replicaPorts.map(async (port) => {
      const answer = await fetch(`http://127.0.0.1:${port}/_sim/worlds`);
      const { worlds } = (await answer.json()) as { worlds: { name: string; requests: number }[] };
      return worlds.filter(({ requests }) => requests > 0).map(({ name }) => name);
    }),
  );
  const expected = prefixes.map((prefix) => prefix.slice(2) || "default");
  deepEqual(named.flat().sort(), expected.sort());
  equal(
    named.some((names) => names.length === 0),
    false,
  );
}

/** What concerns more than one world is refused. */
async function refusesMany(port: number): Promise<void> {
  for (const request of [
    ask("/_sim/worlds?x=1"),
    ask("/_sim/worlds", "POST"),
    ask("/_sim/worlds/world-1", "DELETE"),
    ask("/@world-1/_sim/metrics"),
  ]) {
    const text = await answerTo(port, "", request);
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
    await start(balancer, port, replicaPorts, folder);
    expectSame(expected, await play(port));
    await refusesMany(port);
    const ofDefault = await answerTo(port, "/@default", ask("/_sim/audit"));
    equal(ofDefault, await answerTo(port, "", ask("/_sim/audit")));
    await expectPartition(replicaPorts);
    console.log(`${balancer.name}: ${expected.flat().length} answers`);
  }
}

if (missingPrograms.length > 0) {
  console.warn(
    `The tests in test/replicas were skipped. This machine lacks ${missingPrograms.join(" and ")} (HAPROXY_PROGRAM and NGINX_PROGRAM name others).`,
  );
  if (process.env.ALL_TESTS === "1") process.exitCode = 1;
} else {
  await inFolder((folder) =>
    main(folder).finally(async () => {
      endAll();
      for (const server of running) await server.close();
    }),
  );
}
