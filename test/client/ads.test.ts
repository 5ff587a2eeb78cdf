/** The client library against the simulated service, in virtual time. */

import { describe, expect, test } from "vitest";
import { live } from "../../src/testing/session/live.ts";
import { createAdsDriver } from "./ads-driver.ts";
import { createPlainDriver } from "./plain-driver.ts";

describe("lives", () => {
  test.each([
    ["ads", createAdsDriver],
    ["plain", createPlainDriver],
  ] as const)("%s: an impression and a click are recorded once", async (_, create) => {
    const session = await live<never>(create as never, [
      { kind: "impression", surface: 0 },
      { kind: "click", impression: 0 },
      { kind: "flush" },
    ]);
    expect(session.exchanges.map(({ operation, got }) => [operation, got.status])).toEqual([
      ...(create === (createAdsDriver as never) ? [["surfaces", 200]] : []),
      ["impression", 200],
      ["click", 200],
    ]);
  });
});
