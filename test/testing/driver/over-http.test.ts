/** A client that doesn't use fetch, against the real server, in real time. */

import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { playScenario } from "../../../src/play/play-scenario.ts";
import { parseScenario } from "../../../src/play/scenario/parse-scenario.ts";
import { scenarioOf } from "../../../src/testing/contract/scenario-of.ts";
import type { Driver, DriverContext } from "../../../src/testing/driver/driver.ts";
import { openTestWorld } from "../../../src/testing/driver/test-world.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";

const start = "2026-01-15T00:00:00Z";
const world = { transport: "http", publishers: 1, seed: "socket", start } as const;

/** A client on node:http that tries once more after 10 ms. `patienceMs`: its wait for an answer. */
function onNodeHttp(
  { baseUrl, apiKey, publisherId }: DriverContext,
  patienceMs = 3000,
): Driver<string> {
  function once(path: string, values: object): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      const sent = request(
        `${baseUrl}${path}`,
        { method: "POST", headers, agent: false },
        (got) => {
          let text = "";
          got.on("data", (piece: Buffer) => {
            text += piece.toString();
          });
          got.on("error", reject);
          got.on("end", () => {
            if (got.statusCode === 200) resolve(JSON.parse(text));
            else reject(Object.assign(new Error("refused"), { status: got.statusCode }));
          });
        },
      );
      sent.on("error", reject);
      sent.setTimeout(patienceMs, () => sent.destroy(new Error("no answer")));
      sent.end(JSON.stringify(values));
    });
  }
  async function send(path: string, values: object): Promise<string> {
    const answer = await once(path, values).catch(async (error: object) => {
      if ("status" in error) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
      return await once(path, values);
    });
    return String(answer.impression_id ?? answer.click_id);
  }
  return {
    impression: ({ surface, ad, session }) =>
      send("/v1/impression", {
        publisher_id: publisherId,
        surface,
        ad_id: ad,
        session_id: session,
      }),
    click: (id) => send("/v1/click", { impression_id: id }),
  };
}

const lossy: Command = {
  kind: "fault",
  rule: { match: { operation: "click", times: 1 }, verdict: { kind: "drop", as: "reset" } },
};

describe("over a socket", () => {
  test("a client on node:http runs a session, and the session's scenario gets the same answers", async () => {
    const session = await runSession(
      onNodeHttp,
      [
        { kind: "impression", surface: 0 },
        lossy,
        { kind: "click", impression: 0 },
        { kind: "advance", byMs: 60_000 },
        { kind: "heal" },
        { kind: "spend", left: 0, of: "reporting" },
        { kind: "impression", surface: 1 },
      ],
      world,
    );
    expect(session.requests.map(({ operation, got }) => [operation, got.status])).toEqual([
      ["impression", 200],
      ["click", 0],
      ["click", 200],
      ["impression", 200],
    ]);
    const [first, , , last] = session.requests;
    expect((last?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(60_000);
    const scenario = parseScenario(
      scenarioOf(session, { name: "socket", about: "A life.", world }),
    );
    const { steps } = await playScenario(scenario);
    const bodies = steps.flatMap(({ kind, exchange }) =>
      kind === "impression" || kind === "click" ? [exchange?.body] : [],
    );
    expect(bodies).toEqual(session.requests.map(({ got }) => got.body));
  });

  test("a request that the client gave up on is recorded as unanswered", async () => {
    const session = await runSession(
      (context) => onNodeHttp(context, 500),
      [
        { kind: "fault", rule: { match: { nth: 1 }, verdict: { kind: "delay", delay: "10s" } } },
        { kind: "impression", surface: 0 },
      ],
      world,
    );
    const [first, second] = session.requests;
    expect(first).toMatchObject({ got: { status: 0 }, served: [{ status: 200 }] });
    expect(second).toMatchObject({ got: { status: 200 }, fault: undefined });
  });

  test("a client that never stops sending is stopped", async () => {
    const session = await runSession(
      (context): Driver => {
        const { impression } = onNodeHttp(context);
        return {
          async impression(shown) {
            for (;;) await impression(shown);
          },
        };
      },
      [{ kind: "impression", surface: 0 }],
      world,
    );
    expect(session.calls.find(({ command }) => command.kind === "impression")?.outcome).toEqual({
      kind: "flooded",
    });
  });

  test("the world's time is the machine's, unless the test chooses it", async () => {
    const { start: _, ...unset } = world;
    const beforeMs = Date.now() - 1000;
    const { sim, close } = await openTestWorld(unset);
    const nowMs = sim.clock.now();
    await close();
    expect(nowMs).toBeGreaterThanOrEqual(beforeMs);
    expect(nowMs).toBeLessThanOrEqual(Date.now() + 1000);
  });

  test("globals can't be replaced, since time is real", async () => {
    await expect(openTestWorld({ ...world, globals: "replaced" })).rejects.toThrow("globals");
  });
});
