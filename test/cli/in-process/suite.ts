/**
 * A test suite in miniature that simulates the service in its own process, as its first argument says. It fails if a repeated
 * impression is refused.
 */

import { type Choices, createSimulator, simulatorFromEnvironment } from "../../../src/index.ts";

const [how, own = "{}"] = process.argv.slice(2);
const assumptions: Choices = JSON.parse(own);
const sim =
  how === "msw" ? createSimulator({ assumptions }) : simulatorFromEnvironment({ assumptions });
if (how === "msw") {
  // It takes longer to load than all else.
  const { setupServer } = await import("msw/node");
  const { createHandlers } = await import("../../../src/msw.ts");
  setupServer(...createHandlers(sim)).listen();
}
const send = how === "msw" ? fetch : sim.fetch;

const { id, apiKey, surfaces } = sim.publishers.at(0);
const surface = surfaces.find(({ status }) => status === "active")?.id;
const impression = { publisher_id: id, surface, ad_id: "ad", session_id: "session" };

async function record(parameters: object): Promise<Response> {
  return await send("http://ads.test/v1/impression", {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(parameters),
  });
}

await record(impression);
const repeated = await record(impression);
if (!repeated.ok) throw new Error(`A repeated impression was refused with ${repeated.status}.`);
process.exit(0);
