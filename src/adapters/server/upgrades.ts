/**
 * Ignores a request's Upgrade header (RFC 9110 §7.8). Node's parser stops at such a request and would lose the rest of its
 * packet.
 */

import type { Server as HttpServer, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { afterLatest, stateOf } from "./connection-state.ts";

/**
 * From version 25 on, Node reads the body of such a request itself and wraps the connection meanwhile, so these requests are
 * left to it as ordinary ones. It still drops whatever follows the body, so the answer has to be the connection's last.
 */
const nodeReadsBodies = Number(process.versions.node.split(".")[0]) >= 25;

export const upgradeSettings = {
  shouldUpgradeCallback: (request: IncomingMessage): boolean => !isLeftToNode(request),
};

/** Feeds the same bytes to the parser again, without the word that stops it. */
export function ignoreUpgrades(server: HttpServer): void {
  server.on("upgrade", (request, stream, rest: Buffer) => {
    const socket = stream as Socket;
    const onError = (): void => void socket.destroy();
    socket.on("error", onError);
    afterLatest(socket, () => {
      socket.off("error", onError);
      if (stateOf(socket).isEnding || socket.destroyed) return;
      socket.unshift(Buffer.concat([Buffer.from(headOf(request), "latin1"), rest]));
      server.emit("connection", socket);
    });
  });
  if (!nodeReadsBodies) return;
  server.prependListener("request", (request, response) => {
    if (isLeftToNode(request)) response.shouldKeepAlive = false;
  });
}

function isLeftToNode({ headers }: IncomingMessage): boolean {
  if (!nodeReadsBodies || headers.upgrade === undefined) return false;
  const hasBody = "content-length" in headers || "transfer-encoding" in headers;
  return hasBody && /\bupgrade\b/i.test(headers.connection ?? "");
}

/** The head without the word `upgrade` in Connection. The field Upgrade alone has no effect. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = rawHeaders[index + 1] ?? "";
    if (name.toLowerCase() !== "connection") {
      lines.push(`${name}: ${value}`);
      continue;
    }
    const kept = value.split(",").filter((word) => word.trim().toLowerCase() !== "upgrade");
    if (kept.length > 0) lines.push(`${name}: ${kept.join(",").trim()}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}
