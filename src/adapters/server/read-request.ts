/** Reads a request of Node's as plain data. */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { RequestParts } from "../../spec/messages.ts";

export type RequestHead = Omit<RequestParts, "body">;

export function readHead(message: IncomingMessage): RequestHead {
  const { method = "", url = "" } = message;
  // Node joins repeated fields, except one that only responses have.
  const sent = message.headers as RequestHead["headers"];
  const [origin, host] = /^https?:\/\/([^/?#]*)\/?/i.exec(url) ?? [];
  const target = origin === undefined ? url : `/${url.slice(origin.length)}`;
  // It overrules the Host header (RFC 9112 §3.2.2).
  const headers = host === undefined ? sent : { ...sent, host };
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  return { method, path, query, headers };
}

/** Calls `then` when the body has arrived. What is beyond its limit is dropped but for a byte, so that it is seen as too long. */
export function readBody(
  message: IncomingMessage,
  limitBytes: number,
  then: (body: string | Buffer) => void,
): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  message.on("data", (piece: Buffer) => {
    if (bytes <= limitBytes) pieces.push(piece);
    bytes += piece.length;
  });
  message.on("end", () => {
    then(textOrBytes(Buffer.concat(pieces).subarray(0, limitBytes + 1)));
  });
}

/** Text if that loses nothing, because bytes would keep all that Node has read with them. */
function textOrBytes(body: Buffer): string | Buffer {
  // A byte order mark begins with this byte. Whoever reads the body handles it.
  return body[0] !== 0xef && isUtf8(body) ? body.toString() : body;
}
