/**
 * The floor for `bench/http.ts`: node:http and nothing else, as anyone would write it. Reads and parses a body, answers
 * fixed bytes and headers.
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";

interface Fixed {
  readonly headers: Record<string, string>;
  readonly body: string;
}

const [port = "", file = ""] = process.argv.slice(2);
// The benchmark writes this file.
const fixed = JSON.parse(readFileSync(file, "utf8")) as { post: Fixed; get: Fixed };

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, fixed.get.headers).end(fixed.get.body);
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof parsed !== "object") throw new Error("The body is not an object.");
    response.writeHead(200, fixed.post.headers).end(fixed.post.body);
  });
});
// With a time-out Node sets a timer for every answer, and adds a header that ours don't have.
server.keepAliveTimeout = 0;
server.listen(Number(port), "127.0.0.1");
