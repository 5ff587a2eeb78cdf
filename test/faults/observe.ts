/** Three real clients that describe what they see of an answer in the same form. */

import { execFile } from "node:child_process";
// Not imported by name: MSW replaces these functions.
import http, { type IncomingMessage } from "node:http";
import { type Observed, observeInPieces, type SeenInPieces, type Sent } from "./observe-fetch.ts";

/** What a client saw. */
export interface Seen extends Observed {
  readonly body: Buffer;
  /** The number of pieces that the body came in; undefined if the client doesn't tell. */
  readonly pieces?: number | undefined;
}

export type Observe = (sent: Sent) => Promise<Seen>;

/** As {@link observeInPieces} does. */
export function observeFetch(send: typeof fetch): Observe {
  const observe = observeInPieces(send);
  return async (sent) => seenOf(await observe(sent));
}

export function seenOf({ pieces, ...seen }: SeenInPieces): Seen {
  return { ...seen, body: Buffer.concat(pieces), pieces: pieces.length };
}

/** As `node:http` reports it: the error's code and message. */
export const observeHttp: Observe = ({ url, method = "GET", headers = {}, body, patience }: Sent) =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let response: IncomingMessage | undefined;
    let failure: string | undefined;
    const fail = (error: Error & { code?: string }): void => {
      failure ??= [error.code, error.message].filter(Boolean).join(": ");
    };
    const done = (): void => {
      const { statusCode: status, headers: got = {} } = response ?? {};
      const fields = Object.entries(got).map(([name, value]) => [name, String(value)]);
      const complete = response === undefined || response.complete;
      if (!complete) failure ??= "incomplete";
      const seen = { status, headers: Object.fromEntries(fields), body: Buffer.concat(chunks) };
      resolve({ ...seen, pieces: chunks.length, failure });
    };
    // A separate connection, so that other requests can't affect this one.
    const sent = http.request(url, { method, headers, agent: false }, (incoming) => {
      response = incoming;
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", fail);
      incoming.on("close", done);
    });
    sent.on("error", (error) => {
      fail(error);
      if (response === undefined) done();
    });
    void patience?.until.then(() => sent.destroy(new Error("impatient")));
    sent.end(body);
  });

/** As curl reports it: its exit code. */
export const observeCurl: Observe = ({ url, method = "GET", headers = {}, body, patience }: Sent) =>
  new Promise((resolve) => {
    const named = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const data = body === undefined ? [] : ["--data-binary", String(body)];
    const limit = patience === undefined ? [] : ["--max-time", String(patience.ms / 1000)];
    const options = ["-sS", "-i", "-X", method, ...named, ...data, ...limit, url];
    execFile("curl", options, { encoding: "buffer" }, (error, output) => {
      const end = output.indexOf("\r\n\r\n");
      const [line = "", ...fields] = output.subarray(0, Math.max(end, 0)).toString().split("\r\n");
      const pairs = fields.map((field) => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      });
      resolve({
        status: end === -1 ? undefined : Number(line.split(" ")[1]),
        headers: Object.fromEntries(pairs),
        body: output.subarray(end === -1 ? output.length : end + 4),
        failure: error === null ? undefined : `exit ${error.code}`,
      });
    });
  });
