/** A page's own fetch, watched from a test. */

import type { Page } from "@playwright/test";
import { type Observe, seenOf } from "../faults/observe.ts";
import { pageAt } from "./site.ts";

/** Opens the page, too. */
export async function observePage(page: Page): Promise<Observe> {
  await page.goto(pageAt("/plain/"));
  return async ({ patience, ...sent }) => {
    const seeing = page.evaluate((one) => plainPage.observe(one), sent);
    void patience?.until.then(() => page.evaluate(() => plainPage.leave()));
    return seenOf(await seeing);
  };
}
