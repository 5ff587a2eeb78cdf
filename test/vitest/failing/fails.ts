import { describe, vi } from "vitest";
import { expect, test } from "../../../src/vitest.ts";

const urls: string[] = [];

describe("a failed test", () => {
  test.override("transport", "http");

  test("fails", async ({ sim, baseUrl, fetch, publisher, surface, apiKey }) => {
    urls.push(baseUrl);
    await fetch(`${baseUrl}/v1/impression`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}` },
      body: new URLSearchParams({ publisher_id: publisher.id, surface: surface.id, ad_id: "ad-1" }),
    });
    expect(sim).toHaveRecordedImpression({ ad: "ad-2" });
  });
});

test("its server is closed", async () => {
  expect(urls).toHaveLength(1);
  await expect(fetch(`${urls[0]}/v1/click`)).rejects.toThrow("fetch failed");
});

describe("fake timers that are left on", () => {
  test.override("transport", "http");

  test("pass, though an answer is held back", async ({ sim, baseUrl, fetch }) => {
    vi.useFakeTimers();
    sim.faults.add({ verdict: { kind: "delay", delay: "1h" } });
    void fetch(`${baseUrl}/v1/click`).catch(() => undefined);
    await sim.journal.waitFor({});
  });
});

describe("a test that has to fail", () => {
  test.fails("fails, which is right", async ({ sim, fetch, baseUrl }) => {
    await fetch(`${baseUrl}/v1/click`, { method: "POST" });
    expect(sim).toHaveRecordedImpression();
  });
});

test("the environment's choices are in force", ({ sim }) => {
  expect(sim.assumptions["dedup.repeat"]).toBe("conflict");
});

describe("wrong transport", () => {
  test.override("transport", "smtp" as "http");
  test("is refused", ({ sim }) => expect(sim).toBalance());
});

describe("an unknown option", () => {
  test.override("simOptions", { sede: "42" } as never);
  test("is refused", ({ sim }) => expect(sim).toBalance());
});
