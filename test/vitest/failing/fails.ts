import { describe } from "vitest";
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

describe("wrong transport", () => {
  test.override("transport", "smtp" as "http");
  test("is refused", ({ sim }) => expect(sim).toBalance());
});

describe("wrong options", () => {
  test.override("simOptions", "42" as never);
  test("are refused", ({ sim }) => expect(sim).toBalance());
});

describe("an unknown option", () => {
  test.override("simOptions", { sede: "42" } as never);
  test("is refused", ({ sim }) => expect(sim).toBalance());
});
