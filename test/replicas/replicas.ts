/** Four replicas and one server like them, and control requests that concern all of them. */

import { crc32 } from "node:zlib";
import type { SimulatorOptions } from "../../src/index.ts";
import { REPLICAS } from "./balancers.ts";
import { type Replica, startReplica } from "./processes.ts";

/** What the replicas and the one server have in common. */
export const settings: SimulatorOptions = {
  seed: "replicas",
  publishers: 200,
  profile: "adversarial",
  clock: "frozen",
};
/** Another world than the default one, in which other replicas have the publishers. */
export const WORLD = "green";

/** Starts one of them. `more`: further options. */
export function startOne(port: number, ...more: readonly string[]): Promise<Replica> {
  const common = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return startReplica(port, [...common, "--no-log", ...more]);
}

/** A control request to one replica. `adsim fleet` will do this for all. @throws Error unless it is answered with a success. */
export async function control<Reply>(
  port: number,
  request: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const [method = "", path = ""] = request.split(" ");
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${request} at port ${port}: ${answer.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Reply;
}

/** The same control request to every one of these servers. Replies come in their order. */
export function controlAll<Reply>(
  ports: readonly number[],
  request: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<Reply[]> {
  return Promise.all(ports.map((port) => control<Reply>(port, request, body)));
}

/** Starts over in both worlds. */
export async function resetAll(ports: readonly number[]): Promise<void> {
  await controlAll(ports, "POST /_sim/reset");
  await controlAll(ports, `POST /@${WORLD}/_sim/reset`);
}

export interface Audit {
  readonly balanced: boolean;
  /** Those with requests or records. */
  readonly publishers: readonly {
    readonly publisher: string;
    readonly impressions: {
      readonly applied: number;
      readonly duplicatesSuppressed: number;
      readonly lost: number;
    };
  }[];
}

/** The number of the replica that both balancers choose for a key, as deploy/haproxy.cfg and nginx compute it. */
export function replicaOf(world: string, apiKey: string): number {
  return ((crc32(`@${world}/${apiKey}`) >>> 16) & 0x7fff) % REPLICAS;
}
