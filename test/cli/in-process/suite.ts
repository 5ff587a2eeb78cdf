/** A test suite in miniature that simulates the service in its own process. It fails if a repeated impression is refused. */

import { setupServer } from "msw/node";
import { createSimulator } from "../../../src/index.ts";
import { createHandlers } from "../../../src/msw.ts";

const sim = createSimulator();
setupServer(...createHandlers(sim)).listen();

const { id, apiKey, surfaces } = sim.publishers.at(0);
const surface = surfaces.find(({ status }) => status === "active")?.id;
const sent = {
  method: "POST",
  headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
  body: JSON.stringify({ publisher_id: id, surface, ad_id: "ad", session_id: "session" }),
};

await fetch("http://ads.test/v1/impression", sent);
const { ok, status } = await fetch("http://ads.test/v1/impression", sent);
if (!ok) throw new Error(`A repeated impression was refused with ${status}.`);
process.exit(0);
