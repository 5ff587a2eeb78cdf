import { expect, test } from "../../../src/playwright.ts";

test("it passes", ({ sim }) => {
  sim.handle({ method: "GET", path: "/v1/click" });
  expect(sim).not.toHaveRecordedClick();
});

test.describe("a failed test", () => {
  test("fails", async ({ page, baseUrl, publisher, surface, apiKey, sim }) => {
    await page.setContent("<p>");
    const event = { publisher_id: publisher.id, surface: surface.id, ad_id: "ad-1" };
    await page.evaluate(
      async ([url = "", key = "", body = ""]) => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        await fetch(url, { method: "POST", headers, body });
      },
      [`${baseUrl}/v1/impression`, apiKey, JSON.stringify(event)],
    );
    expect(sim).toHaveRecordedImpression({ ad: "ad-2" });
  });
});

test("a rule that throws fails the test", async ({ page, baseUrl, sim }) => {
  sim.faults.add(() => {
    throw new Error("the rule's own error");
  });
  await page.setContent("<p>");
  await page.evaluate((url) => fetch(url).catch(() => {}), `${baseUrl}/v1/click`);
});
