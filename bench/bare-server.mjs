/**
 * The floor for the benchmarks over HTTP: node:http and nothing else, as anyone would write it. Reads and parses a body, answers
 * fixed bytes and headers. `node bare-server.mjs PORT ANSWERS`
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [port = "", file = ""] = process.argv.slice(2);
const { impression, stats } = JSON.parse(readFileSync(file, "utf8"));

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, stats.headers).end(stats.body);
    return;
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const parsed = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof parsed !== "object") throw new Error("The body is not an object.");
    response.writeHead(200, impression.headers).end(impression.body);
  });
});
// With a time-out Node sets a timer for every answer, and adds a header that ours don't have.
server.keepAliveTimeout = 0;
server.listen(Number(port), "127.0.0.1");
