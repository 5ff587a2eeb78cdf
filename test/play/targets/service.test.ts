import { expect, test } from "vitest";
import type { Effect, EffectKind } from "../../../src/play/player/effects.ts";
import { performWith } from "../../../src/play/targets/drive.ts";
import { foreign, impressionBy, opened, performEffect, serverFor } from "./remote-world.ts";

const credentials = [
  { id: "pub_1", apiKey: "key_aaaaaaaaaaaaa", surfaces: ["srf_1", "srf_2"] },
  { id: "pub_2", apiKey: "key_bbbbbbbbbbbbb" },
];

test("members are the publishers whose credentials are given, with their surfaces", async () => {
  let asked = 0;
  const url = await foreign((request, response) => {
    asked += 1;
    expect(request.url).toBe("/base/v1/publisher/surfaces?publisher_id=pub_2");
    expect(request.headers.authorization).toBe("Bearer key_bbbbbbbbbbbbb");
    response.end('{"surfaces":[{"id":"srf_9","name":"Nine","status":"paused","cpm_range":[1,2]}]}');
  });
  const target = await opened(`${url}/base/`, { credentials });
  expect(target.description).toEqual({ kind: "service", url: `${url}/base` });
  expect(await performEffect(target, "member", { ordinal: 0 })).toMatchObject({
    id: "pub_1",
    joined: undefined,
    surfaces: [{ id: "srf_1" }, { id: "srf_2" }],
  });
  for (const _time of ["first", "second"]) {
    expect(await performEffect(target, "member", { ordinal: 1 })).toEqual({
      id: "pub_2",
      apiKey: "key_bbbbbbbbbbbbb",
      joined: undefined,
      surfaces: [{ id: "srf_9", name: "Nine", status: "paused", cpmRange: [1, 2] }],
    });
  }
  expect(asked).toBe(1);
  expect(await performEffect(target, "member", { ordinal: 2 })).toBeUndefined();
});

test("if a service doesn't list the surfaces, the error says what to do and shows no key", async () => {
  const url = await foreign((_, response) => response.writeHead(401).end("key_bbbbbbbbbbbbb"));
  const target = await opened(url, { credentials });
  const refused = await performEffect(target, "member", { ordinal: 1 }).catch((error) => error);
  expect(refused.message).toContain(
    `can't read the surfaces of publisher pub_2 at ${url}: it answered`,
  );
  expect(refused.message).toContain("status 401. Check --api-key and --publisher");
  expect(refused.message).not.toContain("key_");
});

test("requests at one instant are in flight together", async () => {
  const waiting: (() => void)[] = [];
  const url = await foreign((_, response) => {
    waiting.push(() => response.end());
    // No request is answered before all have arrived.
    if (waiting.length === 100) for (const answer of waiting) answer();
  });
  const target = await opened(url, { credentials });
  const [member] = [{ ...credentials[0], id: "pub_1", apiKey: "key_", surfaces: [] }];
  const outgoing = Array.from({ length: 100 }, () => impressionBy(member));
  const exchanges = await performEffect(target, "together", { outgoing });
  expect(exchanges.map(({ outcome }) => outcome)).toEqual(outgoing.map(() => "answered"));
  expect(exchanges[7]?.request).toBe(outgoing[7]?.request);
});

test("waiting takes real time, divided by the speed", async () => {
  const { url } = await serverFor();
  const target = await opened(url, { credentials, speed: 10 });
  expect(target.capabilities).toEqual({ time: { kind: "real", speed: 10 }, control: false });
  const beganMs = Date.now();
  await performEffect(target, "wait", { ms: 1000 });
  const nowMs = await performEffect(target, "now");
  // A timer may be a millisecond early.
  expect(nowMs - beganMs).toBeGreaterThanOrEqual(98);
  expect(nowMs).toBeLessThanOrEqual(Date.now());
});

test("what only an adsim can do is refused", async () => {
  const { url } = await serverFor();
  const target = await opened(url, { credentials });
  const controlling: readonly EffectKind[] = ["audit", "journal", "rules", "assumptions", "fork"];
  for (const kind of controlling) {
    const asked = performWith(target.performers, { kind } as Effect);
    await expect(asked).rejects.toThrow(`can't do this: ${kind}.`);
  }
});

test.each([0, 1.5, 1025])("%d connections are refused", async (connections) => {
  const refused = opened("http://127.0.0.1:9", { credentials, connections });
  await expect(refused).rejects.toMatchObject({ name: "InputError", field: "connections" });
});
