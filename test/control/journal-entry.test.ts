/** `GET journal/:sequence`: one entry, with the curl command and the step of a scenario that send its request again. */

import { describe, expect, test } from "vitest";
import { playScenario } from "../../src/play/play-scenario.ts";
import { parseScenario } from "../../src/play/scenario/parse-scenario.ts";
import type { RequestStep } from "../../src/play/scenario/types.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import { senderOf } from "../operation-sender.ts";
import { parityOptions, recordRequests } from "../parity-requests.ts";
import { askLater, JSON_BODY, worldsOf } from "../worlds.ts";

interface Shown {
  readonly entry: object;
  readonly curl: string;
  readonly step: RequestStep | null;
}

async function shown(worlds: Worlds, sequence: number, query = ""): Promise<Shown> {
  const response = await askLater(worlds, "GET", `/_sim/journal/${sequence}${query}`);
  expect(response.status, response.body).toBe(200);
  return JSON.parse(response.body);
}

test("shows the entry as the journal lists it, with secrets only if asked", async () => {
  const worlds = worldsOf();
  const { journal, publishers } = worlds.get("default");
  const { apiKey } = publishers.at(0);
  senderOf(worlds.get("default")).impression("a");
  const hidden = await shown(worlds, 1);
  expect(hidden.entry).toEqual(JSON.parse(JSON.stringify(journal.entries()[0])));
  expect(JSON.stringify(hidden)).not.toContain(apiKey);
  const open = await shown(worlds, 1, "?secrets=shown");
  const [entry] = journal.entries({ secrets: "shown" });
  expect(open.entry).toEqual(JSON.parse(JSON.stringify(entry)));
  expect(open.curl).toContain(apiKey);
  expect(JSON.stringify(open.step)).not.toContain(apiKey);
});

test.each([
  ["127.0.0.1:4010", `curl 'http://127.0.0.1:4010/@mine/nowhere'`],
  ["$(id)", `curl "$ADSIM_URL"'/nowhere'`],
])("the command has the address by which the client asked: %s", async (host, command) => {
  const worlds = worldsOf();
  senderOf(worlds.get("mine")).nowhere();
  const request = { method: "GET", path: "/@mine/_sim/journal/1", headers: { host } };
  expect(JSON.parse((await worlds.begin(request)).body).curl).toContain(command);
});

describe("the step", () => {
  const scenarioOf = (step: RequestStep | null): object => ({
    ...{ name: "copied", about: "One step.", seed: "parity", profile: "adversarial" },
    ...{ publishers: 12, steps: [step] },
  });
  const parity = () => worldsOf({ seed: "parity", profile: "adversarial", publishers: 12 });
  test("of every kind of request is valid in a scenario", async () => {
    const requests = recordRequests(parityOptions);
    const worlds = worldsOf({ ...parityOptions, journalEntries: 10_000 });
    for (const { target, ...request } of requests) worlds.handle({ ...request, path: target });
    const kinds = new Set<string>();
    for (let sequence = 1; sequence <= requests.length; sequence += 1) {
      const { step } = await shown(worlds, sequence);
      if (step === null) continue;
      expect(() => parseScenario(scenarioOf(step)), JSON.stringify(step)).not.toThrow();
      kinds.add(Object.keys(step ?? {})[0] ?? "");
    }
    const operations = ["click", "impression", "payouts", "stats", "surfaces"];
    expect(kinds).toEqual(new Set(["raw", ...operations]));
  });

  test("of a body that isn't UTF-8 is null", async () => {
    const worlds = worldsOf();
    const body = Uint8Array.of(0xff, 0, 1);
    worlds.get("default").handle({ method: "POST", path: "/v1/impression", body });
    expect((await shown(worlds, 1)).step).toBeNull();
  });

  test("sends the same again, and gets the same status in a new world", async () => {
    const worlds = parity();
    const world = worlds.get("default");
    const { id } = world.publishers.at(3);
    const sender = senderOf(world, world.publishers.at(3));
    sender.impression("a");
    sender.stats("2026-01-01");
    sender.click("imp_nowhere");
    sender.nowhere();
    world.handle({ method: "POST", path: "/v1/impression", headers: JSON_BODY, body: '{"a":' });
    for (let sequence = 1; sequence <= world.journal.total; sequence += 1) {
      const { step } = await shown(worlds, sequence);
      const { result } = await playScenario(scenarioOf(step));
      expect(result, JSON.stringify(step)).toBe("passed");
    }
    expect((await shown(worlds, 1)).step).toEqual({
      impression: {
        surface: { ref: "publishers.3.surfaces.0.id" },
        ad_id: "ad",
        session_id: "a",
      },
      publisher: 3,
      expect: { status: 200 },
    });
    expect(JSON.stringify((await shown(worlds, 2)).step)).not.toContain(id);
  });

  test("of an old key, or of a publisher that signed up, is that of a publisher that every world has", async () => {
    const worlds = parity();
    const world = worlds.get("default");
    const first = world.publishers.at(1);
    senderOf(world, first).surfaces();
    world.publishers.rotateKey(first.id);
    const added = world.publishers.signUp({ name: "Acme" });
    senderOf(world, added).surfaces();
    const steps = [(await shown(worlds, 1)).step, (await shown(worlds, 2)).step];
    const expected = { surfaces: {}, expect: { status: 200 } };
    expect(steps).toEqual([{ ...expected, publisher: 1 }, expected]);
    for (const step of steps) {
      expect((await playScenario(scenarioOf(step))).result).toBe("passed");
    }
  });
});
