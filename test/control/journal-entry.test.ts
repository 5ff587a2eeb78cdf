/** `GET journal/:sequence`: one entry, with the curl command and the step of a scenario that send its request again. */

import { describe, expect, test } from "vitest";
import type { ApiRequest, FaultRule } from "../../src/index.ts";
import { playScenario } from "../../src/play/play-scenario.ts";
import { parseScenario } from "../../src/play/scenario/parse-scenario.ts";
import type { RequestStep } from "../../src/play/scenario/types.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import { senderOf } from "../operation-sender.ts";
import { otherForm, parityOptions, recordRequests } from "../parity-requests.ts";
import { ask, askLater, JSON_BODY, worldsOf } from "../worlds.ts";
import { stage } from "./every-route.ts";

interface Shown {
  readonly entry: { readonly sequence: number; readonly request: { readonly headers: object } };
  readonly curl: string;
  readonly step: RequestStep | null;
  readonly whyNoStep?: string;
}

async function shown(worlds: Worlds, sequence: number, query = ""): Promise<Shown> {
  const response = await askLater(worlds, "GET", `/_sim/journal/${sequence}${query}`);
  expect(response.status, response.body).toBe(200);
  return JSON.parse(response.body);
}

test("shows the entry as the journal lists it, with secrets only if asked", async () => {
  const worlds = worldsOf();
  const world = worlds.get("default");
  const { apiKey } = world.publishers.at(0);
  const sender = senderOf(world);
  sender.impression("a");
  sender.nowhere();
  for (const [index, entry] of world.journal.entries().entries()) {
    const text = JSON.stringify(await shown(worlds, index + 1));
    expect(JSON.parse(text).entry).toEqual(JSON.parse(JSON.stringify(entry)));
    expect(text).not.toContain(apiKey);
    const open = await shown(worlds, index + 1, "?secrets=shown");
    const [same] = world.journal.entries({ after: index, limit: 1, secrets: "shown" });
    expect(open.entry).toEqual(JSON.parse(JSON.stringify(same)));
    expect(JSON.stringify(open.step)).not.toContain(apiKey);
  }
  expect((await shown(worlds, 1, "?secrets=shown")).curl).toContain(apiKey);
});

test("the command has the address by which the client asked", async () => {
  const worlds = worldsOf();
  senderOf(worlds.get("mine")).nowhere();
  const show = async (host: string): Promise<string> => {
    const request = { method: "GET", path: "/@mine/_sim/journal/1", headers: { host } };
    return JSON.parse((await worlds.begin(request)).body).curl;
  };
  expect(await show("127.0.0.1:4010")).toContain(`curl 'http://127.0.0.1:4010/@mine/nowhere'`);
  expect(await show("$(id)")).toContain(`curl "$ADSIM_URL"'/nowhere'`);
});

test.each(["0", "4", "1.5", "-1", "x", "1e0", "9".repeat(15), "9".repeat(400)])(
  "journal/%s isn't there",
  async (sequence) => {
    const worlds = worldsOf({ journalEntries: 2 });
    for (let count = 0; count < 3; count += 1) senderOf(worlds.get("default")).nowhere();
    const get = (path: string) => askLater(worlds, "GET", `/_sim/journal/${path}`);
    const found = await get(sequence);
    expect([found.status, JSON.parse(found.body).field]).toEqual([404, "sequence"]);
    expect((await get("1")).status).toBe(404);
    expect((await get("2")).status).toBe(200);
    worlds.get("default").journal.clear();
    expect((await get("2")).status).toBe(404);
  },
);

describe("the step", () => {
  const scenarioOf = (step: RequestStep | null, publishers = 12): object => ({
    ...{ name: "copied", about: "One step.", seed: "parity", profile: "adversarial" },
    ...{ publishers, steps: [step] },
  });

  test.each([
    ["the usual answers", parityOptions],
    ["another form of answers", otherForm],
  ])("of every kind of request is valid in a scenario, with %s", async (_, options) => {
    const requests = recordRequests(options);
    const worlds = worldsOf({ ...options, journalEntries: 10_000 });
    for (const { target, ...request } of requests) worlds.handle({ ...request, path: target });
    const kinds = new Set<string>();
    for (let sequence = 1; sequence <= requests.length; sequence += 1) {
      const { step, whyNoStep } = await shown(worlds, sequence);
      if (/isn't UTF-8/.test(whyNoStep ?? "")) continue;
      expect(() => parseScenario(scenarioOf(step)), JSON.stringify(step)).not.toThrow();
      kinds.add(Object.keys(step ?? {})[0] ?? "");
    }
    expect([...kinds].sort()).toEqual(
      ["click", "impression", "payouts", "raw", "stats", "surfaces"].sort(),
    );
  });

  test.each<[string, ApiRequest]>([
    ["broken JSON", { method: "POST", path: "/v1/click", headers: JSON_BODY, body: '{"a":' }],
    ["a list", { method: "POST", path: "/v1/click", headers: JSON_BODY, body: "[[[]]]" }],
    ["members of odd names", { method: "POST", path: "/v1/click", body: '{"__proto__":{"a":1}}' }],
    ["a long body", { method: "POST", path: "/v1/click", body: "x".repeat(60_000) }],
    ["a long header", { method: "GET", path: "/v1", headers: { x: "y".repeat(10_000) } }],
    ["a foreign key", { method: "GET", path: "/v1/x", headers: { authorization: "Bearer x" } }],
    [
      "two keys",
      { method: "GET", path: "/v1/x", headers: { authorization: "Bearer x, Bearer y" } },
    ],
  ])("of %s is valid", async (_, request) => {
    const worlds = stage();
    worlds.get("default").handle(request);
    const { step } = await shown(worlds, worlds.get("default").journal.total);
    expect(() => parseScenario(scenarioOf(step)), JSON.stringify(step).slice(0, 500)).not.toThrow();
  });

  test.each<[string, ApiRequest]>([
    ["binary", { method: "POST", path: "/v1/impression", body: Uint8Array.of(0xff, 0, 1) }],
    ["no method", { method: "", path: "/v1/click" }],
    ["an odd method", { method: "GE T\n", path: "/v1/click" }],
    ["CONNECT", { method: "CONNECT", path: "example.com:80" }],
    ["OPTIONS *", { method: "OPTIONS", path: "*" }],
    ["no path", { method: "GET", path: "" }],
    ["an odd path", { method: "GET", path: "/v1/ü" }],
    ["an odd query", { method: "GET", path: "/v1/x", query: "\u0000=ü" }],
    ["a long path", { method: "GET", path: `/${"x".repeat(100_000)}` }],
    ["odd headers", { method: "GET", path: "/v1", headers: { "x y": "1", "": "2" } }],
  ])("of %s isn't there, and the entry says why", async (_, request) => {
    const worlds = stage();
    worlds.get("default").handle(request);
    const { step, whyNoStep } = await shown(worlds, worlds.get("default").journal.total);
    expect(step).toBe(null);
    expect(whyNoStep).toMatch(/^steps\.0\..* must|^steps\.0\..* is|^The body isn't UTF-8/);
  });

  test.each<FaultRule["verdict"]>([
    { kind: "drop" },
    { kind: "lose-response" },
    { kind: "truncate", share: 0.5 },
    { kind: "delay", delay: "1s" },
    { kind: "duplicate" },
    { kind: "respond", status: 503 },
  ])("of a request with the verdict %j is valid", async (verdict) => {
    const worlds = worldsOf();
    worlds.get("default").faults.add({ verdict });
    senderOf(worlds.get("default")).impression("a");
    parseScenario(scenarioOf((await shown(worlds, 1)).step));
  });

  test("sends the same again, and gets the same status in a new world", async () => {
    const worlds = worldsOf({ seed: "parity", profile: "adversarial", publishers: 12 });
    const world = worlds.get("default");
    const { id } = world.publishers.at(3);
    const sender = senderOf(world, world.publishers.at(3));
    sender.impression("a");
    sender.stats("2026-01-01");
    sender.surfaces();
    sender.click("imp_nowhere");
    sender.nowhere();
    world.handle({ method: "POST", path: "/v1/impression", headers: JSON_BODY, body: '{"a":' });
    for (let sequence = 1; sequence <= world.journal.total; sequence += 1) {
      const { step } = await shown(worlds, sequence);
      const result = await playScenario(scenarioOf(step));
      expect(result.result, JSON.stringify(step)).toBe("passed");
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

  test("of an old key or of a publisher that signed up is that of a publisher that every world has", async () => {
    const worlds = worldsOf({ seed: "parity", profile: "adversarial", publishers: 12 });
    const world = worlds.get("default");
    const first = world.publishers.at(1);
    senderOf(world, first).surfaces();
    world.publishers.rotateKey(first.id);
    const names = Array.from({ length: 9 }, (_, index) => `Surface ${index}`);
    const added = world.publishers.signUp({ name: "Acme", surfaces: names });
    senderOf(world, added).surfaces();
    const [seeded, signedUp] = [(await shown(worlds, 1)).step, (await shown(worlds, 2)).step];
    expect(seeded).toEqual({ surfaces: {}, publisher: 1, expect: { status: 200 } });
    expect(signedUp).toEqual({
      surfaces: {},
      expect: { status: 200 },
      note: `Sent by ${added.id}, who had signed up.`,
    });
    for (const step of [seeded, signedUp]) {
      expect((await playScenario(scenarioOf(step))).result).toBe("passed");
    }
  });

  test("is there although the world has been replaced, and no longer has the publisher", async () => {
    const worlds = worldsOf();
    const world = worlds.get("default");
    const saved = world.snapshot();
    const added = world.publishers.signUp({ name: "Acme" });
    senderOf(world, added).surfaces();
    world.restore(saved);
    parseScenario(scenarioOf((await shown(worlds, 1)).step));
  });
});

test("GET catalogue has every assumption in its order, as it is documented", async () => {
  const { catalogue } = await import("../../src/spec/assumptions/catalogue.ts");
  const found = JSON.parse(ask(worldsOf(), "GET", "/_sim/catalogue").body);
  expect(Object.keys(found)).toEqual(Object.keys(catalogue));
  for (const point of Object.values(found)) {
    expect(point).toMatchObject({
      question: expect.stringMatching(/\?$/),
      spec: expect.any(String),
      default: expect.any(String),
      choices: expect.any(Object),
      caution: expect.stringMatching(/\.$/),
    });
  }
});
