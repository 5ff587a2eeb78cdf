/**
 * One of four replicas is killed under load and comes back from its last snapshot. Its own publishers get errors meanwhile, the
 * others notice nothing, and the audits miss exactly what was acknowledged between the snapshot and the kill.
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Publisher } from "../../src/index.ts";
import type { Balancer, Places } from "./balancers.ts";
import { type Client, startLoad } from "./load.ts";
import { kill, type Replica } from "./processes.ts";
import { type Audit, control, controlAll, resetAll, startOne } from "./replicas.ts";

/** How many impressions each client records before the next thing happens. */
const ENOUGH = 5;

interface Saved {
  /** `ordinal`: the publisher's number. */
  readonly accounts: readonly {
    readonly ordinal: number;
    readonly tally: { readonly impression: { readonly applied: number } };
  }[];
}

/** @returns a line about what was lost. */
export async function killOne(
  { away }: Pick<Balancer, "away">,
  publishers: readonly Publisher[],
  { port, folder, replicas }: Places & { readonly replicas: Replica[] },
): Promise<string> {
  const ports = replicas.map((replica) => replica.port);
  await resetAll(ports);
  const [victim] = replicas;
  if (victim === undefined) throw new Error("There is no replica.");
  const load = startLoad(publishers, port);
  const { clients, until } = load;
  const own = clients.filter(({ replica }) => replica === 0);
  const others = clients.filter(({ replica }) => replica !== 0);

  await until(clients, ({ acknowledged }) => acknowledged >= ENOUGH);
  const snapshot = await control<Saved>(victim.port, "GET /_sim/snapshot");
  const saved = new Map(
    snapshot.accounts.map(({ ordinal, tally }) => [ordinal, tally.impression.applied]),
  );
  const inSnapshot = ({ number }: Client): number => saved.get(number) ?? 0;
  await until(own, (client) => client.acknowledged >= inSnapshot(client) + ENOUGH);
  await kill(victim.child, "SIGKILL");
  load.away = 0;
  await until(own, ({ errors }) => errors.has(away));
  const before = new Map(others.map((client) => [client, client.acknowledged]));
  await until(others, (client) => client.acknowledged >= (before.get(client) ?? 0) + ENOUGH);
  const file = join(folder, "snapshot.json");
  writeFileSync(file, JSON.stringify(snapshot));
  load.away = undefined;
  replicas[0] = await startOne(victim.port, "--load", file);
  await until(own, (client) => client.acknowledged >= (client.beforeError ?? 0) + ENOUGH);
  await load.stop();

  for (const { errors } of others) deepStrictEqual([...errors], []);
  for (const { errors } of own) expectErrors(errors, away);
  const audits = await controlAll<Audit>(ports, "GET /_sim/audit");
  for (const client of others) expectLost(client, 0, audits);
  const lost = own.map((client) => (client.beforeError ?? 0) - inSnapshot(client));
  for (const [index, client] of own.entries()) expectLost(client, lost[index] ?? 0, audits);
  const acknowledged = sum(clients.map((client) => client.acknowledged));
  const errors = sum(own.flatMap((client) => [...client.errors.values()]));
  return `${acknowledged} acknowledged, ${sum(lost)} of them lost, all after the snapshot and of its ${own.length} publishers, which got ${errors} errors; the other ${others.length} got none`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Only the request that was on its way when the replica ended may get another error than that it is away. */
function expectErrors(errors: Client["errors"], away: number): void {
  const others = [...errors].filter(([error]) => error !== away);
  // HAProxy closes a connection that was used before.
  ok(others.every(([error, count]) => (error === 502 || error === "closed") && count === 1));
}

/** So many of the acknowledged impressions are missing in the books of all replicas together, and none is there twice. */
function expectLost(
  { publisher, acknowledged }: Client,
  lost: number,
  audits: readonly Audit[],
): void {
  const found = audits.flatMap((audit) =>
    audit.publishers.filter((one) => one.publisher === publisher.id),
  );
  strictEqual(found.length, 1, `${publisher.id} is on one replica`);
  strictEqual(found[0]?.impressions.duplicatesSuppressed, 0);
  const missing = acknowledged - (found[0]?.impressions.applied ?? 0);
  strictEqual(missing, lost, `${publisher.id}: acknowledged and not in the books`);
}
