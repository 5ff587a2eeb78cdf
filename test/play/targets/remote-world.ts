/** A server with a world that is played in over HTTP, and the same world in this process. */

import { createServer, type RequestListener } from "node:http";
import net from "node:net";
import { onTestFinished } from "vitest";
import { createSimulator, type Simulator, type SimulatorOptions } from "../../../src/index.ts";
import type { Outgoing } from "../../../src/invariants/client-exchange.ts";
import type { Effect, EffectKind, Effects } from "../../../src/play/player/effects.ts";
import { performWith } from "../../../src/play/targets/drive.ts";
import { openTarget } from "../../../src/play/targets/play-scenario.ts";
import { openServiceTarget } from "../../../src/play/targets/service-target.ts";
import type { ServiceOptions, Target, TargetOptions } from "../../../src/play/targets/target.ts";
import { readTargetUrl } from "../../../src/play/targets/target-url.ts";
import type { TrafficMember } from "../../../src/play/traffic/order.ts";
import { type Server, type ServerOptions, startServer } from "../../../src/server.ts";

export interface PlayedPair {
  readonly server: Server;
  readonly target: Target;
  /** The simulator whose snapshot the world began with; independent of it afterwards. */
  readonly sim: Simulator;
}

export async function serverFor(options: ServerOptions = {}): Promise<Server> {
  const server = await startServer({ port: 0, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Opens a target, and closes it when the test is over. */
export async function opened(
  url: string | URL,
  { credentials = [], ...options }: Partial<TargetOptions & ServiceOptions>,
): Promise<Target> {
  const snapshot = (): ReturnType<Simulator["snapshot"]> => createSimulator().snapshot();
  const plan = { reads: 0, asksSurfaces: true };
  const target = await (credentials.length > 0
    ? openServiceTarget(readTargetUrl(url), { credentials, plan, ...options })
    : openTarget(url, { snapshot, worldName: "played", ...options }));
  onTestFinished(() => target.close());
  return target;
}

export async function played(
  options: SimulatorOptions = {},
  target: Partial<TargetOptions> = {},
): Promise<PlayedPair> {
  const server = await serverFor();
  const sim = createSimulator(options);
  const snapshot = (): ReturnType<Simulator["snapshot"]> => sim.snapshot();
  return { server, sim, target: await opened(server.url, { snapshot, ...target }) };
}

/** Performs one effect. */
export function performEffect<Kind extends EffectKind>(
  { performers }: Target,
  kind: Kind,
  ...[input]: object extends Effects[Kind]["input"]
    ? [Effects[Kind]["input"]?]
    : [Effects[Kind]["input"]]
): Promise<Effects[Kind]["output"]> {
  // The cast is safe: the target answers with the output of its kind.
  const effect = { kind, ...input } as Effect;
  return performWith(performers, effect) as Promise<Effects[Kind]["output"]>;
}

export function impressionBy(member: TrafficMember, timeoutMs = 20_000): Outgoing {
  const request = {
    method: "POST",
    path: "/v1/impression",
    headers: { authorization: `Bearer ${member.apiKey}` },
    body: { publisher_id: member.id, surface: member.surfaces[0]?.id, ad_id: "ad-1" },
  };
  return { operation: "impression", request, timeoutMs };
}

/** The audit as the control API gives it. */
export function auditOf(sim: Pick<Simulator, "audit">): unknown {
  return JSON.parse(JSON.stringify(sim.audit()));
}

/** The headers without those that belong to the connection. */
export function withoutConnectionHeaders(headers: Readonly<Record<string, string>>): object {
  const { connection: _connection, "keep-alive": _keepAlive, ...own } = headers;
  return own;
}

/** Starts a service that isn't an adsim. @returns its base URL. */
export async function foreign(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

/** A proxy to the server that hides for so long that a client has gone. @returns its base URL. */
export async function tellingLate(url: string, ms: number): Promise<string> {
  const { hostname, port } = new URL(url);
  const network = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    client.on("data", (piece) => upstream.write(piece));
    client.on("error", () => client.destroy());
    client.on("close", () => setTimeout(() => upstream.destroy(), ms));
    upstream.on("data", (piece) => client.write(piece));
    upstream.on("error", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => {
    network.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    network.close();
  });
  return `http://127.0.0.1:${(network.address() as net.AddressInfo).port}`;
}
