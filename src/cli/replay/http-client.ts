/** Sends requests as they are, one after the other, and reads answers byte for byte. `fetch` would add to both. */

import http from "node:http";
import https from "node:https";
import { whyNot } from "../../base/file-error.ts";
import type { Answered } from "../../play/replay/compare.ts";
import type { Sendable } from "../../play/replay/resend.ts";
import { CommandFailure, exitCodes } from "../exit.ts";

export type Sent =
  | ({ readonly kind: "answered" } & Answered)
  /** Nobody is there. */
  | { readonly kind: "unreachable"; readonly why: string }
  /** There was a connection, and it gave no whole answer. */
  | { readonly kind: "broken"; readonly why: string }
  /** HTTP has no way to say it. */
  | { readonly kind: "unsendable" };

export interface HttpClient {
  /** `path`: below the base URL. Never rejects. */
  send(request: Sendable): Promise<Sent>;
  close(): void;
}

/** Longer than any answer takes that isn't held back on purpose. */
const MOST_WAIT_MS = 30_000;

/** How much of an answer is taken. */
export interface AnswerLimits {
  /** An answer that isn't over by then isn't waited for, however steadily it drips. */
  readonly ms: number;
  readonly bodyBytes: number;
}

/** What a recording holds is shorter. Only one answer is read at a time. */
const usualLimits: AnswerLimits = { ms: 120_000, bodyBytes: 64 * 1024 * 1024 };

/** What the connection to another server needs to say for itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function createHttpClient(base: URL, limits: AnswerLimits = usualLimits): HttpClient {
  const transport = base.protocol === "https:" ? https : http;
  const agent = new transport.Agent({ keepAlive: true, maxSockets: 1 });
  const prefix = base.pathname.replace(/\/$/, "");

  function send({ method, path, query, headers, body }: Sendable): Promise<Sent> {
    const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
    const own = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
    const length = bytes.length > 0 ? { "content-length": String(bytes.length) } : {};
    // A tunnel isn't an answer.
    if (method === "CONNECT" || !path.startsWith("/"))
      return Promise.resolve({ kind: "unsendable" });
    let request: http.ClientRequest;
    try {
      request = transport.request(base, {
        agent,
        method,
        path: `${prefix}${path}${query === "" ? "" : `?${query}`}`,
        headers: { ...Object.fromEntries(own), ...length },
        timeout: MOST_WAIT_MS,
      });
    } catch {
      return Promise.resolve({ kind: "unsendable" });
    }
    const sent = answerTo(request, limits);
    request.end(bytes);
    return sent;
  }

  return { send, close: () => agent.destroy() };
}

function answerTo(request: http.ClientRequest, limits: AnswerLimits): Promise<Sent> {
  return new Promise((resolve) => {
    let isConnected = false;
    const fail = (error: unknown): void => {
      const { code = "" } = error as NodeJS.ErrnoException;
      const why = code === "" ? whyNot(error) : `${whyNot(error)} (${code})`;
      const never = !isConnected || code === "ECONNREFUSED";
      resolve({ kind: never ? "unreachable" : "broken", why });
    };
    request.on("socket", (socket) => {
      if (!socket.connecting) isConnected = true;
      else socket.once("connect", () => (isConnected = true));
    });
    const stop = (why: string): void => {
      const error = new Error(why);
      fail(error);
      request.destroy(error);
    };
    request.on("error", fail);
    request.on("timeout", () => stop(`nothing came for ${MOST_WAIT_MS / 1000} s`));
    const { ms, bodyBytes } = limits;
    const deadline = setTimeout(() => stop(`the answer wasn't over after ${ms / 1000} s`), ms);
    request.on("close", () => clearTimeout(deadline));
    request.on("response", (response) => {
      const pieces: Buffer[] = [];
      let length = 0;
      response.on("data", (piece: Buffer) => {
        length += piece.length;
        pieces.push(piece);
        if (length <= bodyBytes) return;
        stop(`its body is longer than ${bodyBytes} bytes, and the rest wasn't read`);
      });
      response.on("error", fail);
      response.on("end", () => {
        resolve({
          kind: "answered",
          status: response.statusCode ?? 0,
          headers: fieldsOf(response),
          body: Buffer.concat(pieces),
        });
      });
    });
  });
}

/** Repeated fields joined, as recordings have them. */
function fieldsOf({ headersDistinct }: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")]),
  );
}

/** What is said where nobody is there. */
export function unreachableAt(target: string, why: string): CommandFailure {
  return new CommandFailure(
    exitCodes.couldNotRun,
    `--target ${target} can't be reached: ${why}. Start the service, or check the address.`,
  );
}
