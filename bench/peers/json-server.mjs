/** json-server in memory: each impression becomes a record of its store. `node json-server.mjs PORT ANSWERS` */

import { readFileSync } from "node:fs";
import jsonServer from "json-server";

const [port = "", file = ""] = process.argv.slice(2);
const { post, get } = JSON.parse(readFileSync(file, "utf8"));
const limit = "x-ratelimit-remaining";
const credited = JSON.parse(post.body).revenue_credited_inr;
const empty = () => ({ impression: [], stats: JSON.parse(get.body) });

const server = jsonServer.create();
const router = jsonServer.router(empty());
router.render = ({ method }, response) => {
  const { data } = response.locals;
  response.set(limit, (method === "POST" ? post : get).headers[limit]);
  response.json(
    method === "POST"
      ? { ok: true, impression_id: String(data.id), revenue_credited_inr: credited }
      : data,
  );
};
// Each record makes the next one slower. So every run begins with none.
server.delete("/impressions", (_, response) => {
  router.db.setState(empty());
  response.end();
});
server.use(jsonServer.defaults({ logger: false }));
server.use(
  jsonServer.rewriter({ "/v1/impression": "/impression", "/v1/publisher/stats*": "/stats" }),
);
server.use(router);
server.listen(Number(port), "127.0.0.1");
