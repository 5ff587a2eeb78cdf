/** A client that doesn't use the world's fetch, against the real server, in real time. */

import { describe, expect, test } from "vitest";
import { playScenario } from "../../../src/play/play-scenario.ts";
import { parseScenario } from "../../../src/play/scenario/parse-scenario.ts";
import { scenarioOf } from "../../../src/testing/contract/scenario-of.ts";
import type { Driver, DriverContext } from "../../../src/testing/driver/driver.ts";
import { openTestWorld } from "../../../src/testing/driver/test-world.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { createPlainDriver, type Recorded } from "../plain-driver.ts";

const start = "2026-01-15T00:00:00Z";
const world = { transport: "http", publishers: 1, seed: "socket", start } as const;

/** Tries once more without an answer. `patienceMs`: its wait for an answer. */
function onceMore(context: DriverContext, patienceMs = 3000): Driver<Recorded> {
  const send: typeof fetch = (to, init) =>
    fetch(to, { ...init, signal: AbortSignal.timeout(patienceMs) });
  return createPlainDriver({
    ...context,
    fetch: (to, init) => send(to, init).catch(() => send(to, init)),
  });
}

const lossy: Command = {
  kind: "fault",
  rule: { match: { operation: "click", times: 1 }, verdict: { kind: "drop", as: "reset" } },
};

describe("over a socket", () => {
  test("a client runs a session, and the session's scenario gets the same answers", async () => {
    const session = await runSession(
      onceMore,
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
      (context) => onceMore(context, 500),
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
        const { impression } = onceMore(context);
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
});
