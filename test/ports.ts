/** Ports for other people's servers, which can't say at which one they listen. */

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // The cast is safe: it listens on TCP.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until something answers there. @throws Error after about a minute. */
export async function untilAnswered(url: string): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Nothing answers at ${url}.`);
}
