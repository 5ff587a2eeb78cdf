/** Requests of web pages, replayed from the journal and from a HAR, get the same answers. */

import { expect, test } from "vitest";
import { nodeHost } from "../../../src/adapters/node-host.ts";
import { createSimulator, type SimulatorOptions } from "../../../src/index.ts";
import { readRecording } from "../../../src/journal/read-recording.ts";
import { replayInProcess } from "../../../src/play/replay/replay-in-process.ts";
import { linesOf } from "./recorded.ts";

const page = "http://localhost:5173";

test.each<SimulatorOptions>([
  {},
  { cors: "https://app.example" },
  { cors: ["*", "https://app.example"] },
  { cors: "off" },
  { assumptions: { "http.cors": "none" } },
])("a page's requests get the same answers on replay with the options %j", (options) => {
  const sim = createSimulator(options);
  const { id, apiKey } = sim.publishers.at(0);
  const authorization = `Bearer ${apiKey}`;
  for (const origin of [page, "https://app.example", "https://evil.example", "null"]) {
    for (const path of ["/v1/publisher/stats", "/v1/nothing"]) {
      const asking = {
        "access-control-request-method": "GET",
        "access-control-request-private-network": "true",
      };
      sim.handle({ method: "OPTIONS", path, headers: { origin, ...asking } });
      sim.handle({
        method: "GET",
        path,
        query: { publisher_id: id },
        headers: { origin, authorization },
      });
    }
  }
  const har = sim.journal.toHar();
  for (const lines of [linesOf(sim, options), [har]]) {
    const { replayed } = replayInProcess(readRecording(lines), {
      host: nodeHost,
      chosen: { assumptions: {} },
      time: "recorded",
    });
    expect(replayed).toHaveLength(16);
    for (const { outcome } of replayed) expect(outcome).toEqual({ kind: "same" });
  }
});

test("an origin that another service allowed is a difference, not an error", () => {
  const sim = createSimulator();
  sim.handle({ method: "GET", path: "/v1/nothing", headers: { origin: page } });
  const [line = ""] = linesOf(sim, {});
  for (const allowed of ["null", "https://a.example, https://b.example", ""]) {
    const foreign = line.replaceAll(`origin":"${page}","access`, `origin":"${allowed}","access`);
    expect(foreign).not.toBe(line);
    const { replayed } = replayInProcess(readRecording([foreign]), {
      host: nodeHost,
      chosen: { assumptions: {} },
      time: "recorded",
    });
    expect(replayed[0]?.outcome.kind).toBe("different");
  }
});
