/** Talks to a server over a plain socket, to send what no HTTP client would. */

import { connect, type Socket } from "node:net";
import { type Server, type ServerOptions, startServer } from "../../src/server.ts";

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawExchange {
  readonly responses: readonly RawResponse[];
  /** Whether the server ended the connection. */
  readonly ended: boolean;
}

/** A server of the smallest world on a free port, closed by `await using`. */
export async function serve(
  options: ServerOptions = {},
): Promise<Server & { readonly port: number } & AsyncDisposable> {
  const server = await startServer({ port: 0, publishers: 3, clock: "frozen", ...options });
  return {
    ...server,
    port: Number(new URL(server.url).port),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Sends bytes and reads until `count` responses came, or the connection ended. Fails after 5 s. */
export function exchange(
  port: number,
  sent: string | Uint8Array | readonly (string | Uint8Array)[],
  {
    count = 1,
    method = "GET",
    waitForEnd = false,
  }: { count?: number; method?: string; waitForEnd?: boolean } = {},
): Promise<RawExchange> {
  const pieces = typeof sent === "string" || sent instanceof Uint8Array ? [sent] : sent;
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    const finish = (ended: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString();
      resolve({ responses: parseResponses(text, method), ended });
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer; received: ${Buffer.concat(chunks).toString().slice(0, 300)}`));
    }, 5000);
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      const got = parseResponses(Buffer.concat(chunks).toString(), method);
      if (!waitForEnd && got.length >= count) finish(false);
    });
    socket.on("end", () => finish(true));
    socket.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    for (const piece of pieces) socket.write(piece);
  });
}

/** The complete responses at the beginning of what was received, interim ones left out. */
export function parseResponses(text: string, method = "GET"): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  for (let end = rest.indexOf("\r\n\r\n"); end !== -1; end = rest.indexOf("\r\n\r\n")) {
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n");
    const status = Number(statusLine.split(" ")[1]);
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
    );
    rest = rest.slice(end + 4);
    if (status < 200) continue;
    const length = method === "HEAD" ? 0 : Number(headers["content-length"] ?? 0);
    // The API answers in ASCII where this is used, so that characters are bytes.
    if (rest.length < length) break;
    responses.push({ status, headers, body: rest.slice(0, length) });
    rest = rest.slice(length);
  }
  return responses;
}

/** An open connection. */
export function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** An open connection, with what it has received so far, a character for each byte. */
export interface RawConnection {
  readonly socket: Socket;
  text(): string;
  /** All received text, once the connection is closed. */
  readonly whole: Promise<string>;
}

export async function openRawConnection(port: number): Promise<RawConnection> {
  const socket = await open(port);
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  const whole = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
  return { socket, text: () => text, whole };
}
