/** A trace holds what a server would answer to the page, and no secret header. */

import { describe, expect, test } from "vitest";
import { controlModules } from "../../src/adapters/control-modules.ts";
import { createControl } from "../../src/control/control.ts";
import { createSimulator } from "../../src/index.ts";
import { traceOf } from "../../src/inspector/trace.ts";
import { createWorlds, type Worlds } from "../../src/simulator/worlds.ts";
import { fakerHost } from "../../src/world/publishers/people.ts";
import { isThorough } from "../budget.ts";
import { senderOf } from "../operation-sender.ts";
import { recordingIn } from "./recording-in.ts";

function worldsWith(maxWorlds: number): Worlds {
  return createWorlds({
    options: {},
    host: fakerHost,
    control: createControl(controlModules),
    maxWorlds,
  });
}

/** As it is on its way through JSON. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("a simulator's trace", () => {
  test("has its journal, changes, audit and report, and the state around each exchange", async () => {
    const sim = createSimulator({ seed: "file" });
    const { impression } = senderOf(sim);
    impression("a");
    sim.clock.advance("1h");
    sim.faults.add({ verdict: { kind: "respond", status: 503 }, match: { nth: 2 } });
    for (const session of ["a", "b", "c"]) impression(session);
    const { title, worlds, shared } = recordingIn(await sim.trace({ title: "A & B <i>" }));
    const answers = worlds.default ?? {};
    expect(title).toBe("A & B <i>");
    const { assertNothingLostOrDoubled: _, ...audit } = sim.audit();
    expect(answers).toMatchObject({
      clock: { now: "2026-01-15T01:00:00.000Z", mode: "frozen" },
      assumptions: sim.assumptions,
      audit: plain(audit),
      report: plain(sim.report()),
      faults: plain({ faults: sim.faults.list() }),
      events: expect.stringContaining('"text":"clock advanced by 1 h"'),
    });
    for (const entry of sim.journal.entries()) {
      const { sequence } = entry;
      expect(answers[`journal/${sequence}`]).toMatchObject({ entry: plain(entry) });
      expect(answers[`history/${sequence}`]).toMatchObject({
        after: {
          publisher: {
            recorded: { impressions: sim.fork({ after: sequence }).usage().impressions },
          },
        },
      });
    }
    expect(shared).toMatchObject({ worlds: { worlds: [{ name: "default", requests: 4 }] } });
  });

  test("leaves the simulator as it was", async () => {
    const sim = createSimulator({ seed: "file" });
    senderOf(sim).impression("a");
    const before = [sim.snapshot(), sim.journal.toNdjson()];
    await sim.trace();
    expect([sim.snapshot(), sim.journal.toNdjson()]).toEqual(before);
  });

  test("contains no value of a header that holds credentials, nor a publisher's key", async () => {
    const sim = createSimulator({ seed: "file" });
    const { apiKey } = sim.publishers.at(0);
    const secrets = {
      authorization: "Bearer hunter2-a",
      "Proxy-Authorization": "Basic hunter2-b",
      cookie: "sid=hunter2-c",
      "X-API-Key": "hunter2-d",
    };
    senderOf(sim).impression("a");
    sim.handle({ method: "GET", path: "/v1/publisher/stats", headers: secrets });
    senderOf(sim).nowhere();
    const html = await sim.trace();
    const found = ["hunter2", apiKey, "(redacted)"].filter((text) => html.includes(text));
    expect(found).toEqual(["(redacted)"]);
  });

  test("has the latest exchanges of a long journal, and says how many", async () => {
    const sim = createSimulator({ seed: "file" });
    // Each state is rebuilt from the first one.
    const sent = isThorough ? 1100 : 210;
    for (let number = 1; number <= sent; number += 1)
      sim.handle({ method: "GET", path: "/v1/publisher/stats" });
    const { worlds, notes } = recordingIn(await sim.trace());
    const names = Object.keys(worlds.default ?? {});
    const sequences = (of: string): number[] =>
      names.filter((name) => name.startsWith(of)).map((name) => Number(name.slice(of.length)));
    expect([sequences("journal/").at(0), sequences("journal/").at(-1)]).toEqual([
      Math.max(1, sent - 999),
      sent,
    ]);
    expect([sequences("history/").at(0), sequences("history/").at(-1)]).toEqual([sent - 199, sent]);
    if (isThorough)
      expect(notes.join()).toContain("the latest 1000 of them with headers and bodies");
  });

  test("needs a journal", async () => {
    const sim = createSimulator({ journalEntries: 0 });
    await expect(sim.trace()).rejects.toThrow("journalEntries must not be 0");
  });
});

describe("the trace of a server", () => {
  test("has every world, and names those that were dropped or reset", async () => {
    const worlds = worldsWith(3);
    for (const name of ["a", "b", "c"]) {
      senderOf(worlds.get(name)).impression(name);
    }
    worlds.get("c").reset();
    const { worlds: recorded, notes } = await traceOf(worlds, "t");
    expect(Object.keys(recorded)).toEqual(["default", "b", "c"]);
    expect(notes.slice(1)).toEqual([
      "These worlds are missing, because the server dropped them to make room: a.",
      "What happened before the latest reset or clearing of the journal is missing in: c.",
    ]);
  });
});
