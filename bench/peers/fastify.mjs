/** fastify with a schema for what comes in and for what goes out. `node fastify.mjs PORT ANSWERS` */

import { readFileSync } from "node:fs";
import fastify from "fastify";

const [port = "", file = ""] = process.argv.slice(2);
const { post, get } = JSON.parse(readFileSync(file, "utf8"));
const limit = "x-ratelimit-remaining";
const credited = JSON.parse(post.body).revenue_credited_inr;
const stats = JSON.parse(get.body);

const text = { type: "string", minLength: 1 };
const whole = { type: "integer" };
const number = { type: "number" };

function object(properties, required = Object.keys(properties)) {
  return { type: "object", properties, required };
}

const server = fastify();
let recorded = 0;
const impression = object({ publisher_id: text, surface: text, ad_id: text, session_id: text }, [
  "publisher_id",
  "surface",
  "ad_id",
]);
const record = object({
  ok: { type: "boolean" },
  impression_id: text,
  revenue_credited_inr: number,
});
server.post(
  "/v1/impression",
  { schema: { body: impression, response: { 200: record } } },
  (_, reply) => {
    recorded += 1;
    reply.header(limit, post.headers[limit]);
    reply.send({ ok: true, impression_id: `imp_${recorded}`, revenue_credited_inr: credited });
  },
);
const question = object({ publisher_id: text });
const report = object({
  publisher_id: text,
  period: object({ from: text, to: text }),
  impressions: whole,
  clicks: whole,
  revenue_inr: number,
  surfaces: { type: "array", items: object({ id: text, impressions: whole, revenue: number }) },
});
server.get(
  "/v1/publisher/stats",
  { schema: { querystring: question, response: { 200: report } } },
  (_, reply) => {
    reply.header(limit, get.headers[limit]);
    reply.send(stats);
  },
);
await server.listen({ host: "127.0.0.1", port: Number(port) });
