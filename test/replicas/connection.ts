/**
 * A connection that sends one request after another, and reads answers byte for byte. A real client would need most of the
 * time for a hundred thousand requests.
 */

import { connect, type Socket } from "node:net";

export interface Answer {
  readonly status: number;
  /** As latin-1, which keeps every byte apart. */
  readonly body: string;
  /** Status, headers by name without those of the connection, and body. */
  readonly text: string;
}

/** The bytes of a request, as latin-1. */
export function requestText(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Uint8Array,
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${lines.join("")}`;
  if (body === undefined) return `${head}\r\n`;
  const bytes = Buffer.from(body).toString("latin1");
  return `${head}Content-Length: ${bytes.length}\r\n\r\n${bytes}`;
}

/** What belongs to a connection and not to an answer. nginx adds Server. */
const ofTheConnection = /^(?:connection|date|keep-alive|server):/;

export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received = "";
  #isHead = false;
  #resolve: ((answer: Answer | undefined) => void) | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** @returns undefined if the connection ended without a whole answer. */
  send(request: string): Promise<Answer | undefined> {
    this.#isHead = request.startsWith("HEAD ");
    this.#received = "";
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#socket ??= this.#open();
      this.#socket.write(request, "latin1");
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const socket = connect(this.#port, "127.0.0.1").setEncoding("latin1").setNoDelay();
    socket.on("data", (text: string) => {
      this.#received += text;
      const answer = answerIn(this.#received, this.#isHead);
      if (answer === undefined) return;
      if (answer.isLast) this.close();
      this.#end(answer);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#end(undefined);
    });
    return socket;
  }

  #end(answer: Answer | undefined): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(answer);
  }
}

interface ReadAnswer extends Answer {
  /** Whether the connection ends with it. */
  readonly isLast: boolean;
}

/** Undefined as long as the answer isn't complete. */
function answerIn(received: string, isHead: boolean): ReadAnswer | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = received.slice(0, end).split("\r\n");
  const status = Number(first.slice(9, 12));
  if (status < 200) return answerIn(received.slice(end + 4), isHead);
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return line.slice(0, colon).toLowerCase() + line.slice(colon);
  });
  const field = (name: string): string | undefined =>
    headers.find((header) => header.startsWith(`${name}: `))?.slice(name.length + 2);
  if (field("transfer-encoding") !== undefined) throw new Error(`Not as it was: ${received}`);
  const body = received.slice(end + 4);
  const length = isHead ? 0 : Number(field("content-length") ?? 0);
  if (body.length < length) return undefined;
  if (body.length > length) throw new Error(`More came than an answer: ${received}`);
  const own = headers.filter((header) => !ofTheConnection.test(header)).sort();
  const isLast = field("connection") === "close";
  return { status, body, text: `${status}\n${own.join("\n")}\n\n${body}`, isLast };
}
