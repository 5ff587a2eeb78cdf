/** Binds a server to its address, and says what is wrong where that can't be. */

import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

/** @throws Error that says what to do where the address can't be had. */
export function listen(server: HttpServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new Error(whyNotListening(error, port, host), { cause: error }));
    });
    server.listen({ port, host, backlog: 1024 }, () => {
      server.removeAllListeners("error");
      // What goes wrong later with accepting concerns one connection.
      server.on("error", () => undefined);
      // A server on TCP has an address of this form.
      resolve(server.address() as AddressInfo);
    });
  });
}

function whyNotListening(error: NodeJS.ErrnoException, port: number, host: string): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Stop what uses it, or choose another port; 0 picks a free one.`;
    case "EACCES":
      return `Port ${port} on ${host} may not be used by this user. Choose a port from 1024 on; 0 picks a free one.`;
    default:
      return `The server can't listen on host ${host}, port ${port} (${error.code ?? error.message}). Choose an address of this machine, such as 127.0.0.1.`;
  }
}

/** The base URL of a server that listens there. */
export function urlOf({ address, family, port }: AddressInfo): string {
  // A server on every address of the machine is reached at this one; the wildcard itself is no address to call.
  const callable = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return `http://${family === "IPv6" ? `[${callable}]` : callable}:${port}`;
}
