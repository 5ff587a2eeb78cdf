/**
 * Sends requests over HTTP/1.1 unchanged and reports what the client sees: no redirects, no decompression, no retries.
 * undici is loaded only when there is a URL to call.
 */

import type { Dispatcher } from "undici";
import { timerMs } from "../../base/drip.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import type { ClientExchange, Outgoing } from "../../invariants/client-exchange.ts";
import { type WireRequest, wireRequestOf } from "./wire-request.ts";

/** What the client sees of its request. */
export type Answer = Pick<
  ClientExchange,
  "outcome" | "status" | "headers" | "text" | "bytes" | "latencyMs" | "why"
>;

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

export interface HttpClientOptions {
  /** Most connections at once. Further requests wait for a free one. */
  readonly connections: number;
  /** A longer body counts as cut, and the rest isn't read. @default 1 MiB */
  readonly maxBodyBytes?: number | undefined;
}

/** Large, because a service may send headers of any size. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Answers of the API have a few kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;

export async function createHttpClient(
  origin: string,
  { connections, maxBodyBytes = MAX_BODY_BYTES }: HttpClientOptions,
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
    send: async (prefix, { request, timeoutMs }) =>
      await answerTo(pool, wireRequestOf(prefix, request), { timeoutMs, maxBodyBytes }),
    close: () => pool.destroy(),
  };
}

async function answerTo(
  pool: Dispatcher,
  { method, target, headers, body }: WireRequest,
  { timeoutMs, maxBodyBytes }: { readonly timeoutMs: number; readonly maxBodyBytes: number },
): Promise<Answer> {
  const beganMs = performance.now();
  const ending = new AbortController();
  // If this process was busy, the answer may have arrived but not been read yet, so read pending input first.
  const timer = setTimeout(() => setImmediate(() => ending.abort()), timerMs(timeoutMs));
  const pieces: Buffer[] = [];
  let bytes = 0;
  let head: Pick<Answer, "status" | "headers"> | undefined;

  const seen = (outcome: Answer["outcome"], why?: string): Answer => ({
    outcome,
    ...(head !== undefined && (outcome === "answered" || outcome === "cut")
      ? { ...head, ...bodyOf(Buffer.concat(pieces)) }
      : { status: 0, headers: {}, text: "" }),
    latencyMs: performance.now() - beganMs,
    why,
  });
  try {
    const answer = await pool.request({
      ...{ path: target, headers, signal: ending.signal, responseHeaders: "raw" },
      // Any token is a valid method, but the type knows only a few.
      method: method as Dispatcher.HttpMethod,
      body: body.length === 0 ? null : body,
    });
    head = { status: answer.statusCode, headers: fieldsOf(answer.headers as unknown as string[]) };
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBodyBytes)
        return seen(
          "cut",
          `its body is longer than ${maxBodyBytes} bytes, so the rest wasn't read`,
        );
      pieces.push(piece);
    }
    return seen("answered");
  } catch (error) {
    if (ending.signal.aborted)
      return seen("timed-out", `no complete answer came within ${timeoutMs} ms`);
    if (isRefused(error as Error))
      throw new InputError("request", `can't be sent over HTTP: ${(error as Error).message}`);
    return seen(head === undefined ? "lost" : "cut", causeOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Whether undici rejected the request. */
function isRefused({ code = "" }: Error & { readonly code?: string }): boolean {
  return /^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)$/.test(code);
}

function causeOf(error: unknown): string {
  const { code = "", errors = [] } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  // A host name with several addresses has an error for each.
  if (errors.length > 0) return errors.map(causeOf).join(", ");
  // OpenSSL's own messages don't help users.
  const why = code.startsWith("ERR_SSL_")
    ? "TLS failed, or the server doesn't use it"
    : describeError(error);
  return code === "" || why.includes(code) ? why : `${why} (${code})`;
}

/** Keeps a byte order mark, because it is part of the body. */
const decoder: TextDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

function bodyOf(bytes: Buffer): Pick<Answer, "text" | "bytes"> {
  const text = decoder.decode(bytes);
  return text.includes("\ufffd") ? { text, bytes } : { text };
}

/** Headers by lower-case name. Values of a repeated header are joined. `raw`: names and values in turn. */
function fieldsOf(raw: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    const value = String(raw[at + 1]);
    fields[name] = Object.hasOwn(fields, name) ? `${fields[name]}, ${value}` : value;
  }
  return fields;
}
