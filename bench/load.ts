/**
 * Puts an HTTP server under load, from this process. Raw sockets, and answers that are counted by their lengths: so the load takes
 * less time than the server, which sets the pace.
 */

import { connect } from "node:net";

export const CONNECTIONS = 32;

/** Answers a second. `next`: the text of one request more. @throws Error if an answer isn't a success. */
export async function answersPerSecond(
  port: number,
  seconds: number,
  next: () => string,
): Promise<number> {
  const begin = performance.now();
  const endsAt = begin + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => askUntil(endsAt, port, next)),
  );
  const answered = counts.reduce((sum, count) => sum + count, 0);
  return (answered * 1000) / (performance.now() - begin);
}

/** Resolves with the number of answers on one connection. */
function askUntil(endsAt: number, port: number, next: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }).setEncoding("latin1");
    let answered = 0;
    let received = "";
    const ask = (): boolean => socket.write(next(), "latin1");
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`The server closed a connection: ${received}`)));
    socket.on("data", (text: string) => {
      received += text;
      if (received.length < endOfAnswer(received)) return;
      if (!received.startsWith("HTTP/1.1 20")) reject(new Error(`No success: ${received}`));
      received = "";
      answered += 1;
      if (performance.now() < endsAt) return void ask();
      resolve(answered);
      socket.destroy();
    });
    ask();
  });
}

/** Where the first answer ends, in a text that may have to grow until then. */
function endOfAnswer(received: string): number {
  const head = received.indexOf("\r\n\r\n");
  const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(received) ?? [];
  return head < 0 || length === undefined ? Number.POSITIVE_INFINITY : head + 4 + Number(length);
}
