/** Reads a request of Node's as plain data. */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { RequestParts } from "../../spec/messages.ts";

export interface RequestHead extends Omit<RequestParts, "body"> {
  readonly httpVersion: string;
}

export function readHead(message: IncomingMessage): RequestHead {
  const { method = "", url = "", httpVersion } = message;
  // Node joins repeated fields, except one that only responses have.
  let headers = message.headers as RequestHead["headers"];
  let target = url;
  const [, host, rest = ""] = url.startsWith("/") ? [] : (absolute.exec(url) ?? []);
  if (host !== undefined) {
    target = rest.startsWith("/") ? rest : `/${rest}`;
    // It overrules the Host header (RFC 9112 §3.2.2). Two such headers are invalid all the same.
    if (!headers.host?.includes(",")) headers = { ...headers, host };
  }
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  return { method, path, query, headers, httpVersion };
}

/** A target with scheme and host. */
const absolute = /^https?:\/\/([^/?#]*)(.*)$/is;

/** How much of a body beyond its limit is read and dropped, so that its client can read the refusal. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024;

/** Calls `then` when the body has arrived, or is too long to read on. It is cut off behind its limit. */
export function readBody(
  message: IncomingMessage,
  limitBytes: number,
  then: (body: string | Buffer, isWhole: boolean) => void,
): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const finish = (isWhole: boolean): void => {
    const [first = Buffer.alloc(0)] = pieces;
    const all = pieces.length > 1 ? Buffer.concat(pieces) : first;
    then(textOrBytes(all, limitBytes), isWhole);
  };
  const take = (piece: Buffer): void => {
    if (bytes <= limitBytes) pieces.push(piece);
    bytes += piece.length;
    if (bytes <= limitBytes + MAX_DROPPED_BYTES) return;
    message.off("data", take).pause();
    finish(false);
  };
  message.on("data", take);
  message.on("end", () => finish(true));
}

/** Text if that loses nothing, because bytes would keep all that Node has read with them. A body that is too long is counted in bytes. */
function textOrBytes(body: Buffer, limitBytes: number): string | Buffer {
  if (body.length > limitBytes) return body.subarray(0, limitBytes + 1);
  return body[0] !== BYTE_ORDER_MARK && isUtf8(body) ? body.toString() : body;
}

/** Its first byte. Whoever reads the body handles it. */
const BYTE_ORDER_MARK = 0xef;
