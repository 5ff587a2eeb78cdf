/**
 * Sends requests over HTTP/1.1 unchanged and reports what the client sees: no redirects, no decompression, no retries.
 * undici is loaded only when there is a URL to call.
 */

import type { Dispatcher } from "undici";
import { timerMs } from "../../../base/drip.ts";
import { describeError } from "../../../base/file-error.ts";
import { InputError } from "../../../base/input.ts";
import type { ClientExchange, Outgoing } from "../../../invariants/client-exchange.ts";

import { type WireRequest, wireRequestOf } from "./wire-request.ts";

/** What the client sees of its request. */
export interface Answer
  extends Pick<ClientExchange, "outcome" | "status" | "headers" | "text" | "bytes" | "latencyMs"> {
  /** What broke; undefined for a whole answer. */
  readonly why: string | undefined;
}

export interface HttpClient {
  /**
   * `prefix`: goes before the request's path. `latencyMs` counts from the call.
   *
   * @throws InputError (as a rejection) if HTTP can't carry the request. Any other failure is an outcome.
   */
  send(prefix: string, outgoing: Omit<Outgoing, "operation">): Promise<Answer>;
  /** Closes all connections. Requests in flight are lost. */
  close(): Promise<void>;
}

/** Large, because a service may send headers of any size. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Answers of the API have a few kilobytes. This much per answer fits into memory with a thousand connections. */
const MAX_BODY_BYTES = 1024 * 1024;

/** For a client of the control API: the audit or journal of a large world is long, and only one answer is read at a time. */
export const LARGEST_BODY_BYTES = 256 * 1024 * 1024;

export interface HttpClientOptions {
  /** Most connections at once. Further requests wait for a free one. */
  readonly connections: number;
  /** A longer body counts as cut, and the rest isn't read. @default 1 MiB */
  readonly mostBodyBytes?: number | undefined;
}

export async function createHttpClient(
  origin: string,
  { connections, mostBodyBytes = MAX_BODY_BYTES }: HttpClientOptions,
): Promise<HttpClient> {
  const { Pool } = await import("undici");
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The request's own timeout is the only one.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async send(prefix, { request, timeoutMs }) {
      return await answerTo(pool, wireRequestOf(prefix, request), { timeoutMs, mostBodyBytes });
    },
    close: () => pool.destroy(),
  };
}

const none: Readonly<Record<string, string>> = Object.freeze({});
const gaveUp: Error = new Error("the client gave up");
const tooLong: Error = new Error("the body is too long");

function answerTo(
  pool: Dispatcher,
  { method, target, headers, body }: WireRequest,
  { timeoutMs, mostBodyBytes }: { readonly timeoutMs: number; readonly mostBodyBytes: number },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const beganMs = performance.now();
    let controller: Dispatcher.DispatchController | undefined;
    let hasEnded = false;
    let status = 0;
    let fields = none;
    const came = createBody(mostBodyBytes);

    const end = (outcome: Answer["outcome"], why?: string): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      const latencyMs = performance.now() - beganMs;
      const hasResponse = outcome === "answered" || outcome === "cut";
      resolve(
        hasResponse
          ? { outcome, status, headers: fields, ...came.read(), latencyMs, why }
          : { outcome, status: 0, headers: none, text: "", latencyMs, why },
      );
    };
    const giveUp = (): void => {
      if (hasEnded) return;
      end("timed-out", `no complete answer came within ${timeoutMs} ms`);
      controller?.abort(gaveUp);
    };
    // If this process was busy, the answer may have arrived but not been read yet, so read pending input first.
    const timer = setTimeout(() => setImmediate(giveUp), timerMs(timeoutMs));

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(given) {
        controller = given;
        // The timeout passed while it waited for a connection.
        if (hasEnded) given.abort(gaveUp);
      },
      onResponseStart({ rawHeaders }, code) {
        // Skip provisional responses (1xx).
        if (code < 200) return;
        status = code;
        fields = fieldsOf(rawHeaders);
      },
      onResponseData(given, piece) {
        if (came.append(piece)) return;
        end("cut", `its body is longer than ${mostBodyBytes} bytes, so the rest wasn't read`);
        given.abort(tooLong);
      },
      onResponseEnd() {
        end("answered");
      },
      onResponseError(_, error) {
        if (isRefused(error)) {
          clearTimeout(timer);
          hasEnded = true;
          reject(new InputError("request", `can't be sent over HTTP: ${error.message}`));
        } else {
          end(status === 0 ? "lost" : "cut", causeOf(error));
        }
      },
    };
    // Any token is a valid method, but the type knows only a few.
    const options = { path: target, method: method as Dispatcher.HttpMethod, headers };
    pool.dispatch({ ...options, body: body.length === 0 ? null : body }, handler);
  });
}

/** Whether undici rejected the request. */
function isRefused(error: Error & { readonly code?: string }): boolean {
  const { code = "" } = error;
  return (
    code === "UND_ERR_INVALID_ARG" ||
    code === "UND_ERR_NOT_SUPPORTED" ||
    code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"
  );
}

function causeOf(error: unknown): string {
  const { code = "", errors } = error as NodeJS.ErrnoException & { errors?: readonly unknown[] };
  // A host name with several addresses has an error for each.
  if (errors !== undefined && errors.length > 0) return errors.map(causeOf).join(", ");
  // OpenSSL's own messages don't help users.
  const why = code.startsWith("ERR_SSL_")
    ? "TLS failed, or the server doesn't use it"
    : describeError(error);
  return code === "" || why.includes(code) ? why : `${why} (${code})`;
}

interface Body {
  /** Appends the piece. @returns false, and drops it, if the body gets too long. */
  append(piece: Buffer): boolean;
  read(): Pick<Answer, "text" | "bytes">;
}

function createBody(mostBytes: number): Body {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return {
    append(piece) {
      bytes += piece.length;
      if (bytes > mostBytes) return false;
      pieces.push(piece);
      return true;
    },
    read() {
      const [first] = pieces;
      const whole = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
      const text = decoder.decode(whole);
      return text.includes("\ufffd") ? { text, bytes: whole } : { text };
    },
  };
}

/** Keeps a byte order mark, because it is part of the body. */
const decoder: TextDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Headers by lower-case name. Values of a repeated header are joined. */
function fieldsOf(raw: Dispatcher.DispatchController["rawHeaders"]): Record<string, string> {
  const fields: Record<string, string> = {};
  if (!Array.isArray(raw)) return fields;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = latin1(raw[at]).toLowerCase();
    const value = latin1(raw[at + 1]);
    fields[name] = Object.hasOwn(fields, name) ? `${fields[name]}, ${value}` : value;
  }
  return fields;
}

function latin1(value: Buffer | string | undefined): string {
  return typeof value === "string" ? value : (value?.toString("latin1") ?? "");
}
