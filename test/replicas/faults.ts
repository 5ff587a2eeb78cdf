/** What becomes of broken connections behind a balancer, and of clients that give up. */

import { match, strictEqual } from "node:assert";
import { once } from "node:events";
import { connect } from "node:net";
import { Connection, requestText } from "./connection.ts";
import type { Service } from "./edges.ts";
import { type Audit, control, controlAll, replicaOf, resetAll } from "./replicas.ts";

const verdicts = [
  { kind: "drop", breaks: "before", applied: 0 },
  { kind: "lose-response", breaks: "before", applied: 1 },
  { kind: "reset", breaks: "before", applied: 0 },
  { kind: "truncate", breaks: "after", applied: 1 },
] as const;

export async function breaksAsFaultsSay(service: Service): Promise<void> {
  const { port, replicaPorts, publishers } = service;
  const [publisher] = publishers;
  if (publisher === undefined) throw new Error("There is no publisher.");
  const { id, apiKey, surfaces } = publisher;
  const own = replicaPorts[replicaOf("default", apiKey)] ?? 0;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ publisher_id: id, surface: surfaces[0]?.id, ad_id: "a" });
  const impression = requestText("POST", "/v1/impression", headers, body);
  const impressions = async (): Promise<Partial<Audit["publishers"][number]["impressions"]>> =>
    (await control<Audit>(own, "GET /_sim/audit")).publishers[0]?.impressions ?? {};
  const begin = async (verdict: Readonly<Record<string, string | number>>): Promise<Connection> => {
    await resetAll(replicaPorts);
    await controlAll(replicaPorts, "POST /_sim/faults", { verdict });
    return new Connection(port);
  };

  for (const { kind, breaks, applied } of verdicts) {
    const connection = await begin(kind === "truncate" ? { kind, atByte: 9 } : { kind });
    const answer = await connection.send(impression);
    connection.close();
    strictEqual(answer?.status, breaks === "before" ? 502 : undefined, kind);
    if (answer !== undefined) match(answer.text, /^x-ratelimit-remaining: \d+$/m);
    strictEqual((await impressions()).applied ?? 0, applied, `${kind}: recorded`);
  }

  await begin({ kind: "drip", bytesPerSecond: 0.001 });
  await expectHead(port, impression);

  const connection = await begin({ kind: "delay", delay: "1h" });
  void connection.send(impression);
  await until(async () => (await impressions()).applied === 1);
  connection.close();
  await until(async () => (await impressions()).lost === 1);
}

/** Waits for the head of an answer whose body practically never ends. */
async function expectHead(port: number, request: string): Promise<void> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write(request, "latin1");
  let received = "";
  while (!received.includes("\r\n\r\n")) received += (await once(socket, "data"))[0];
  match(received, /^HTTP\/1\.1 200 /);
  socket.destroy();
}

/** Asks until it is so. @throws Error after about ten seconds. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`It didn't come about: ${isSo}`);
}
