/** A custom emulator of vercel-labs/emulate that counts impressions by surface. `node emulate.mjs PORT ANSWERS` */

import { readFileSync } from "node:fs";
import { createEmulator, defineEmulator } from "emulate";

const [port = "", file = ""] = process.argv.slice(2);
const { post, get } = JSON.parse(readFileSync(file, "utf8"));
const limit = "x-ratelimit-remaining";
const credited = JSON.parse(post.body).revenue_credited_inr;
const stats = JSON.parse(get.body);

const service = defineEmulator({
  name: "ads",
  state: () => ({ impressions: 0 }),
  setup({ app, state }) {
    app.post("/v1/impression", async (context) => {
      const { ad_id } = await context.req.json();
      if (typeof ad_id !== "string") return context.json({ error: "ad_id" }, 400);
      state.impressions += 1;
      const id = `imp_${state.impressions}`;
      const record = { ok: true, impression_id: id, revenue_credited_inr: credited };
      return context.json(record, 200, { [limit]: post.headers[limit] });
    });
    app.get("/v1/publisher/stats", (context) =>
      context.json(stats, 200, { [limit]: get.headers[limit] }),
    );
  },
});
await createEmulator({ service, port: Number(port), inspector: false });
