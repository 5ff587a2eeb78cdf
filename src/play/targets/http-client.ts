/**
 * Sends requests over HTTP/1.1 unchanged and reports what the client sees: no redirects, no decompression, no retries.
 * undici is loaded only when there is a URL to call.
 */

import type { Dispatcher } from "undici";
import { timerMs } from "../../base/drip.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { plainRequest } from "../../exchange/plain-request.ts";
import type { ClientExchange, Outgoing } from "../../invariants/client-exchange.ts";

/** What the client sees of its request. */
export type Answer = Omit<ClientExchange, "operation" | "atMs" | "request">;

export type HttpClient = Awaited<ReturnType<typeof createHttpClient>>;

interface HttpClientOptions {
  /** Most connections at once. Further requests wait for a free one. */
  readonly connections: number;
  /** A longer body counts as cut, and the rest isn't read. */
  readonly maxBodyBytes: number;
  /** Closes the client. */
  readonly signal?: AbortSignal | undefined;
}

export async function createHttpClient(
  origin: string,
  { connections, maxBodyBytes, signal }: HttpClientOptions,
) {
  const { Pool } = await import("undici");
  const pool = new Pool(origin, {
    connections,
    maxHeaderSize: 256 * 1024,
    // The request's own timeout is the only one.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  /** Closes all connections. Requests in flight are lost. */
  const close = (): Promise<void> => {
    signal?.removeEventListener("abort", close);
    return pool.destroy();
  };
  signal?.addEventListener("abort", close);
  return {
    close,
    /**
     * `prefix`: goes before the request's path. `latencyMs` counts from the call.
     *
     * @throws InputError (as a rejection) if HTTP can't carry the request. Any other failure is an outcome.
     */
    send: (prefix: string, outgoing: Omit<Outgoing, "operation">): Promise<Answer> =>
      answerTo(pool, maxBodyBytes, prefix, outgoing),
  };
}

async function answerTo(
  pool: Dispatcher,
  maxBodyBytes: number,
  prefix: string,
  { request, timeoutMs }: Omit<Outgoing, "operation">,
): Promise<Answer> {
  const { method, path, query, headers, body } = plainRequest(request);
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
      ? { ...head, text: decoder.decode(Buffer.concat(pieces)) }
      : { status: 0, headers: {}, text: "" }),
    latencyMs: performance.now() - beganMs,
    why,
  });
  try {
    const answer = await pool.request({
      ...{ path: `${prefix}${path}${query && "?"}${query}`, headers, signal: ending.signal },
      // Any token is a valid method, but the type knows only a few.
      method: method as Dispatcher.HttpMethod,
      body: body.length === 0 ? null : body,
    });
    head = { status: answer.statusCode, headers: fieldsOf(answer.headers) };
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBodyBytes)
        return seen("cut", `its body is longer than ${maxBodyBytes} bytes: the rest isn't read`);
      pieces.push(piece);
    }
    return seen("answered");
  } catch (error) {
    if (ending.signal.aborted)
      return seen("timed-out", `no complete answer came within ${timeoutMs} ms`);
    const { code, message } = error as NodeJS.ErrnoException;
    // A value that a step took from an answer may be no header.
    if (code === "UND_ERR_INVALID_ARG")
      throw new InputError("request", `can't be sent over HTTP: ${message}`);
    return seen(head === undefined ? "lost" : "cut", causeOf(error));
  } finally {
    clearTimeout(timer);
  }
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

/** The values of a repeated header are joined. */
function fieldsOf(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}
