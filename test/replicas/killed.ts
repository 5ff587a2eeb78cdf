/**
 * One of four replicas is killed under load and comes back from its last snapshot. Its own publishers get errors meanwhile, the
 * others notice nothing, and the audits miss exactly what was acknowledged between the snapshot and the kill.
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Publisher } from "../../src/index.ts";
import type { Balancer, Places } from "./balancers.ts";
import { Connection, requestText } from "./connection.ts";
import { kill, type Replica } from "./processes.ts";
import { type Audit, control, controlAll, replicaOf, resetAll, startOne } from "./replicas.ts";

/** How long a client waits before it repeats a request, in milliseconds. */
const PAUSE_MS = 20;
const ENOUGH = 5;

/** One publisher's client. It repeats a request in the same session until that is acknowledged. */
interface Client {
  readonly publisher: Publisher;
  readonly number: number;
  readonly replica: number;
  acknowledged: number;
  /** How many were acknowledged at the first error. */
  beforeError: number | undefined;
  /** How often each error came: a status, or `closed`. */
  readonly errors: Map<number | "closed", number>;
}

interface Load {
  readonly clients: readonly Client[];
  /** The number of the replica that is away. */
  away: number | undefined;
  /** Resolves when all of these clients are as they should be. */
  until(chosen: readonly Client[], isSo: (client: Client) => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Lets all clients record impressions until `stop` is called. */
function startLoad(publishers: readonly Publisher[], port: number): Load {
  let isStopping = false;
  let waiting: { readonly isOver: () => boolean; readonly resolve: () => void }[] = [];
  const clients = publishers.map((publisher, number): Client => {
    const replica = replicaOf("default", publisher.apiKey);
    const counts = { acknowledged: 0, beforeError: undefined, errors: new Map() };
    return { publisher, number, replica, ...counts };
  });
  function look(): void {
    for (const { isOver, resolve } of waiting) if (isOver()) resolve();
    waiting = waiting.filter(({ isOver }) => !isOver());
  }
  async function run(client: Client): Promise<void> {
    const connection = new Connection(port);
    while (!isStopping) {
      await record(client, connection, load, look);
      look();
    }
    connection.close();
  }
  const load: Load = {
    clients,
    away: undefined,
    until: (chosen, isSo) =>
      Promise.race([
        // If a client fails, nobody needs to wait.
        running,
        new Promise<void>((resolve) => {
          waiting.push({ isOver: () => chosen.every(isSo), resolve });
          look();
        }),
      ]),
    async stop() {
      isStopping = true;
      await running;
    },
  };
  const running = Promise.all(clients.map(run)).then(() => undefined);
  return load;
}

/** Records one impression, in as many attempts as it takes. @throws Error if another replica than its own answers. */
async function record(
  client: Client,
  connection: Connection,
  load: Pick<Load, "away">,
  failed: () => void,
): Promise<void> {
  const { publisher, errors, replica } = client;
  const event = {
    publisher_id: publisher.id,
    surface: publisher.surfaces[0]?.id,
    ad_id: "ad",
    session_id: `session-${client.acknowledged}`,
  };
  const headers = {
    authorization: `Bearer ${publisher.apiKey}`,
    "content-type": "application/json",
  };
  const request = requestText("POST", "/v1/impression", headers, JSON.stringify(event));
  for (;;) {
    const isAway = load.away === replica;
    const answer = await connection.send(request);
    if (answer?.status === 200) {
      ok(!isAway, `${publisher.id} was answered although its replica is away`);
      break;
    }
    const error = answer?.status ?? "closed";
    errors.set(error, (errors.get(error) ?? 0) + 1);
    client.beforeError ??= client.acknowledged;
    failed();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  client.acknowledged += 1;
}

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
  const { clients, until, stop } = load;
  const isOwn = ({ replica }: Client): boolean => replica === 0;
  const own = clients.filter(isOwn);
  const others = clients.filter((client) => !isOwn(client));

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
  const atError = new Map(others.map((client) => [client, client.acknowledged]));
  await until(others, (client) => client.acknowledged >= (atError.get(client) ?? 0) + ENOUGH);
  const file = join(folder, "snapshot.json");
  writeFileSync(file, JSON.stringify(snapshot));
  load.away = undefined;
  replicas[0] = await startOne(victim.port, "--load", file);
  await until(own, (client) => client.acknowledged >= (client.beforeError ?? 0) + ENOUGH);
  await stop();

  for (const { errors } of others) deepStrictEqual([...errors], []);
  for (const { errors } of own) {
    deepStrictEqual(
      [...errors.keys()].filter((error) => error !== away && !isBreak(error)),
      [],
    );
    // Only the request that was on its way when the replica ended.
    ok([...errors].every(([error, count]) => error === away || count === 1));
  }
  const audits = await controlAll<Audit>(ports, "GET /_sim/audit");
  const lost = clients.map((client) => {
    const { publisher, acknowledged, beforeError } = client;
    const found = audits.flatMap((audit) =>
      audit.publishers.filter((one) => one.publisher === publisher.id),
    );
    strictEqual(found.length, 1, `${publisher.id} is on one replica`);
    strictEqual(found[0]?.impressions.duplicatesSuppressed, 0);
    const missing = acknowledged - (found[0]?.impressions.applied ?? 0);
    const expected = isOwn(client) ? (beforeError ?? 0) - inSnapshot(client) : 0;
    strictEqual(missing, expected, `${publisher.id}: acknowledged and not in the books`);
    return missing;
  });
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const errors = sum(own.flatMap((client) => [...client.errors.values()]));
  return `${sum(clients.map(({ acknowledged }) => acknowledged))} acknowledged, ${sum(lost)} lost, all after the snapshot, of ${own.length} publishers; they got ${errors} errors, the other ${others.length} none`;
}

/** What the request gets that is on its way when a replica ends. HAProxy closes a connection that was used before. */
function isBreak(error: number | "closed"): boolean {
  return error === 502 || error === "closed";
}
