/** A hundred thousand requests of two hundred publishers through a balancer get the same bytes as from one server. */

import { deepStrictEqual, ok, strictEqual } from "node:assert";
import { createHash } from "node:crypto";
import type { Publisher } from "../../src/index.ts";
import { Connection } from "./connection.ts";
import { type Audit, control, controlAll, replicaOf, resetAll, WORLD } from "./replicas.ts";
import { createSender } from "./traffic.ts";

/** How far the clocks are moved after each batch: limits recover, days pass, and payouts become due. */
const batches = ["1m", "20s", "1h", "36h", "40d"] as const;
const REQUESTS_PER_BATCH = 100;

interface Exchange {
  readonly request: string;
  readonly answer: string;
}

/** What each publisher sent and got, in order. */
export type Play = readonly (readonly Exchange[])[];

/** Plays the traffic at `port`. `servers`: those whose clocks count. */
export async function play(
  publishers: readonly Publisher[],
  port: number,
  servers: readonly number[],
): Promise<Play> {
  await resetAll(servers);
  const senders = publishers.map((_, index) => createSender(publishers, index));
  const connections = publishers.map(() => new Connection(port));
  const exchanges = publishers.map((): Exchange[] => []);
  const sendBatch = async (index: number): Promise<void> => {
    for (let sent = 0; sent < REQUESTS_PER_BATCH; sent += 1) {
      const { text: request, learn } = senders[index]?.next() ?? { text: "" };
      const answer = await connections[index]?.send(request);
      if (answer === undefined) throw new Error(`No answer came: ${request}`);
      if (answer.status === 200) learn?.(answer.body);
      exchanges[index]?.push({ request, answer: answer.text });
    }
  };
  for (const by of batches) {
    await Promise.all(publishers.map((_, index) => sendBatch(index)));
    await controlAll(servers, "POST /_sim/clock/advance", { by });
    await controlAll(servers, `POST /@${WORLD}/_sim/clock/advance`, { by });
  }
  for (const connection of connections) connection.close();
  return exchanges;
}

export function digestOf(play: Play): string {
  const digest = createHash("sha256");
  for (const { request, answer } of play.flat()) digest.update(request).update(answer);
  return digest.digest("hex").slice(0, 16);
}

/** Expects that the traffic got everything that a client can get without faults. @returns how often each status came. */
export function expectAllStatuses(play: Play): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { answer } of play.flat()) {
    const status = answer.slice(0, 3);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  deepStrictEqual(Object.keys(counts), ["200", "400", "401", "403", "404", "405", "429"]);
  return counts;
}

/** @throws Error that shows the first difference in full. */
export function expectSame(expected: Play, actual: Play): void {
  for (const [publisher, exchanges] of expected.entries()) {
    for (const [index, { request, answer }] of exchanges.entries()) {
      const other = actual[publisher]?.[index];
      const name = `request ${index} of publisher ${publisher}`;
      strictEqual(other?.request, request, `${name} differs`);
      strictEqual(other.answer, answer, `${name} is answered otherwise:\n${request}`);
    }
  }
}

/** Expects each publisher on the replica that its key stands for, and nowhere else. @returns how many each replica has. */
export async function expectPartition(
  publishers: readonly Publisher[],
  replicaPorts: readonly number[],
): Promise<number[]> {
  for (const world of ["default", WORLD]) {
    const path = `GET /@${world}/_sim/audit`;
    const expected = replicaPorts.map((): string[] => []);
    for (const { id, apiKey } of publishers) expected[replicaOf(world, apiKey)]?.push(id);
    for (const [index, port] of replicaPorts.entries()) {
      const { publishers: found, balanced } = await control<Audit>(port, path);
      const ids = found.map(({ publisher }) => publisher);
      const foreign = ids.filter((id) => expected[index]?.includes(id) !== true);
      deepStrictEqual(foreign, [], `publishers that don't belong to replica ${index}`);
      strictEqual(balanced, true);
    }
  }
  const counts = replicaPorts.map(
    (_, index) => publishers.filter(({ apiKey }) => replicaOf("default", apiKey) === index).length,
  );
  ok(counts.every((count) => count > 0));
  return counts;
}
