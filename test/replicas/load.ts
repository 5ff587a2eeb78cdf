/** Clients that record impressions without an end, each of them one after another, and repeat what fails. */

import { ok } from "node:assert";
import type { Publisher } from "../../src/index.ts";
import { Connection, requestText } from "./connection.ts";
import { replicaOf } from "./replicas.ts";

/** How long a client waits before it repeats a request, in milliseconds. */
const PAUSE_MS = 20;

/** One publisher's client. It repeats a request in the same session until that is acknowledged. */
export interface Client {
  readonly publisher: Publisher;
  readonly number: number;
  readonly replica: number;
  acknowledged: number;
  /** How many were acknowledged at the first error. */
  beforeError: number | undefined;
  /** How often each error came: a status, or `closed`. */
  readonly errors: Map<number | "closed", number>;
}

export interface Load {
  readonly clients: readonly Client[];
  /** The number of the replica that is away. */
  away: number | undefined;
  /** Resolves when all of these clients are as they should be. */
  until(chosen: readonly Client[], isSo: (client: Client) => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Lets all clients record impressions until `stop` is called. */
export function startLoad(publishers: readonly Publisher[], port: number): Load {
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
