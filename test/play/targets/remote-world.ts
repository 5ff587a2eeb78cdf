/** Servers to play at: an adsim, another service, and one whose client's leaving shows late. */

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
