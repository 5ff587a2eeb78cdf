/** Servers to play at: an adsim, another service, and one whose client's leaving shows late. */

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import net from "node:net";
import { onTestFinished } from "vitest";
import { type Server, type ServerOptions, startServer } from "../../../src/server.ts";

export async function serverFor(options: ServerOptions = {}): Promise<Server> {
  const server = await startServer({ port: 0, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Starts a service that isn't an adsim. @returns its base URL. */
export function foreign(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return listening(server);
}

/** A proxy to the server that hides for so long that a client has gone. @returns its base URL. */
export function tellingLate(url: string, ms: number): Promise<string> {
  const { hostname, port } = new URL(url);
  const proxy = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    client.pipe(upstream, { end: false });
    upstream.pipe(client);
    client.on("close", () => setTimeout(() => upstream.destroy(), ms));
    for (const socket of [client, upstream]) socket.on("error", () => socket.destroy());
  });
  return listening(proxy);
}

async function listening(server: net.Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}
