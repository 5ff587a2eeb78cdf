/**
 * Sends requests as they are over HTTP/1.1 and says what the client sees of each: no redirects, no decompression, nothing
 * sent twice. undici is loaded when there is a URL to call.
 */

import type { Dispatcher } from "undici";
import { timerMs } from "../../base/drip.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import type { ClientExchange, Outgoing } from "../../laws/client-exchange.ts";

import { type WireRequest, wireRequestOf } from "./wire-request.ts";

/** What the client sees of a request. */
export interface Answer
  extends Pick<ClientExchange, "outcome" | "status" | "headers" | "text" | "bytes" | "latencyMs"> {
  /** What broke; undefined of a whole answer. */
  readonly why: string | undefined;
}

export interface HttpClient {
  /**
   * `prefix`: what the path begins with at this server. `latencyMs` counts from now.
   *
   * @throws InputError (as a rejection) where HTTP can't carry the request. Any other end is an outcome.
   */
  send(prefix: string, outgoing: Omit<Outgoing, "operation">): Promise<Answer>;
  /** Closes all connections; what is on its way is lost. */
  close(): Promise<void>;
}

/** A response may have fields of any size that the service is fond of. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Answers of the API have a few kilobytes. With a thousand connections, this much of each fits into memory. */
const MAX_BODY_BYTES = 1024 * 1024;

export interface HttpClientOptions {
  /** How many there are at most; a request beyond waits for one. */
  readonly connections: number;
  /** An answer whose body is longer is cut: the rest isn't read. @default 1 MiB */
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
    // The client's own patience is the only one.
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
      end("timed-out", `nothing whole came within ${timeoutMs} ms`);
      controller?.abort(gaveUp);
    };
    // Where this process was busy, the answer may be here and not looked at yet: a late client isn't a slow service.
    const timer = setTimeout(() => setImmediate(giveUp), timerMs(timeoutMs));

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(given) {
        controller = given;
        // It waited for its connection for too long.
        if (hasEnded) given.abort(gaveUp);
      },
      onResponseStart({ rawHeaders }, code) {
        // What is only provisional (1xx) isn't the answer.
        if (code < 200) return;
        status = code;
        fields = fieldsOf(rawHeaders);
      },
      onResponseData(given, piece) {
        if (came.append(piece)) return;
        end("cut", `its body is longer than ${mostBodyBytes} bytes, and the rest wasn't read`);
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
    // Any token is a method; the type knows a few.
    const options = { path: target, method: method as Dispatcher.HttpMethod, headers };
    pool.dispatch({ ...options, body: body.length === 0 ? null : body }, handler);
  });
}

/** Whether undici didn't take the request. */
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
  // One for each address of a name.
  if (errors !== undefined && errors.length > 0) return errors.map(causeOf).join(", ");
  // What OpenSSL says is for who writes it.
  const why = code.startsWith("ERR_SSL_")
    ? "TLS failed, or isn't spoken there"
    : describeError(error);
  return code === "" || why.includes(code) ? why : `${why} (${code})`;
}

interface Body {
  /** Keeps it, unless the body is too long with it. */
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

/** A byte order mark is part of what came. */
const decoder: TextDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Names in lower case; of a field that is repeated, the values joined. */
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
