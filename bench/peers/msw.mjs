/** Two handlers of msw, served by its http-middleware. `node msw.mjs PORT ANSWERS` */

import { readFileSync } from "node:fs";
import { createServer } from "@mswjs/http-middleware";
import { HttpResponse, http } from "msw";

const [port = "", file = ""] = process.argv.slice(2);
const { post, get } = JSON.parse(readFileSync(file, "utf8"));
const limit = "x-ratelimit-remaining";
const credited = JSON.parse(post.body).revenue_credited_inr;
const stats = JSON.parse(get.body);

const answer = (value, { headers }) =>
  HttpResponse.json(value, { headers: { [limit]: headers[limit] } });

let recorded = 0;
createServer(
  http.post("*/v1/impression", async ({ request }) => {
    const { ad_id } = await request.json();
    if (typeof ad_id !== "string") return HttpResponse.json({ error: "ad_id" }, { status: 400 });
    recorded += 1;
    const id = `imp_${recorded}`;
    return answer({ ok: true, impression_id: id, revenue_credited_inr: credited }, post);
  }),
  http.get("*/v1/publisher/stats", () => answer(stats, get)),
).listen(Number(port), "127.0.0.1");
