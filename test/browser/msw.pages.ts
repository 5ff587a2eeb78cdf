/** What a page sees of each verdict if a worker of MSW 2 or 3 answers it, and what the journal then says. */

import { expect, test } from "@playwright/test";
import { fewCases, nameOf } from "../faults/cases.ts";
import { content, expectAsCase, type Wording } from "../faults/expect-shown.ts";
import { seenOf } from "../faults/observe.ts";
import { pageAt } from "./site.ts";

const failed = /^TypeError: Failed to fetch$/;
const wording: Wording = {
  ...content,
  closed: failed,
  reset: failed,
  noise: failed,
  silent: /^AbortError: /,
  // The worker may drop a part of a body that ends in an error: see below.
  half: undefined,
  head: undefined,
};

const cut = fewCases.filter(({ verdict }) => verdict.kind === "truncate");
const others = fewCases.filter((one) => !cut.includes(one));

for (const path of ["/msw-2/", "/msw-3/"] as const) {
  test(`the page ${path} sees every verdict, or its nearest network error, and the journal says what MSW knows`, async ({
    page,
  }) => {
    await page.goto(pageAt(path));
    for (const one of others) {
      await test.step(nameOf(one), async () => {
        const shown = await page.evaluate(async (given) => (await mswPage).show(given), one);
        const { seen, whole } = shown;
        expectAsCase({ ...shown, seen: seenOf(seen), whole: seenOf(whole) }, one, wording);
        if (one.verdict.kind === "drip") expect(seen.pieces.length).toBeGreaterThan(1);
      });
    }
    for (const one of cut) {
      await test.step(nameOf(one), async () => {
        const shown = await page.evaluate(async (given) => (await mswPage).show(given), one);
        const { length } = seenOf(shown.whole).body;
        expect(shown.seen).toMatchObject({ status: 200, failure: "TypeError: network error" });
        expect(shown.seen.headers["content-length"]).toBe(String(length));
        expect(seenOf(shown.seen).body.length).toBeLessThan(length);
        expect(shown.faults.map((fault) => fault?.received)).toEqual(["part"]);
      });
    }
    const order = await page.evaluate(async () => (await mswPage).reorder());
    expect(order).toEqual(["second 200", "first 200"]);

    // MSW doesn't tell that a page aborts a request. If a later version does, fault-rules.md says so.
    for (const verdict of [
      { kind: "delay", delay: "1m" },
      { kind: "reorder", atMost: "1m" },
      { kind: "drip", bytesPerSecond: 1 },
    ] as const) {
      const left = await page.evaluate(async (given) => (await mswPage).leave(given), verdict);
      expect(left.failure).toMatch(/^AbortError: /);
      expect(left.received, verdict.kind).toBe("whole");
    }
  });
}
