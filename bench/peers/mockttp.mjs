/** mockttp with two rules, and without its own record of the traffic. `node mockttp.mjs PORT ANSWERS` */

import { readFileSync } from "node:fs";
import { getLocal } from "mockttp";

const [port = "", file = ""] = process.argv.slice(2);
const { impression, stats } = JSON.parse(readFileSync(file, "utf8"));

const server = getLocal({ recordTraffic: false });
await server.start(Number(port));
await server.forPost("/v1/impression").thenReply(200, impression.body, impression.headers);
await server.forGet("/v1/publisher/stats").thenReply(200, stats.body, stats.headers);
