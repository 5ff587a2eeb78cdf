/** The option timeZone: a client's local dates are those of another machine. */

import { expect, test } from "vitest";
import type { DriverContext } from "../../../src/contract.ts";
import { openTestWorld } from "../../../src/testing/driver/test-world.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { createExampleClient } from "../contract/example-client.ts";
import { runContract } from "../contract/run-contract.ts";

const replaced = { globals: "replaced", publishers: 1 } as const;

test("a client sees the zone in dates and Intl, and afterwards it is the machine's again", async () => {
  const offsetAt = (): number => new Date("2026-01-15T00:00:00Z").getTimezoneOffset();
  const before = [process.env.TZ, offsetAt()];
  const seen: unknown[] = [];
  for (const timeZone of ["Asia/Kolkata", "America/Los_Angeles"]) {
    const driver = (): { impression(): void } => {
      seen.push(offsetAt(), new Intl.DateTimeFormat().resolvedOptions().timeZone);
      return { impression() {} };
    };
    await runSession(driver, [], { ...replaced, timeZone });
  }
  expect(seen).toEqual([-330, "Asia/Calcutta", 480, "America/Los_Angeles"]);
  expect([process.env.TZ, offsetAt()]).toEqual(before);
});

test("a zone that doesn't exist is refused, and the globals stay", async () => {
  const { fetch } = globalThis;
  const opened = openTestWorld({ ...replaced, timeZone: "Asia/Bangalor" });
  await expect(opened).rejects.toThrow("timeZone must be the name of a time zone");
  expect(globalThis.fetch).toBe(fetch);
});

test("the contract finds a client that takes the machine's days for the service's, and names the zone", async () => {
  const options = {
    driver(context: DriverContext) {
      const client = createExampleClient(context);
      const today = (): string => new Date().toLocaleDateString("en-CA");
      const stats: typeof client.stats = ({ to = today(), ...query }) =>
        client.stats({ ...query, to });
      return { ...client, stats };
    },
    assumptions: { "date.timezone": "utc" },
    globals: "replaced",
    only: ["answers"],
    runs: 20,
  } as const;
  const { tests } = await runContract(options);
  expect(String(tests.answers)).toMatch(
    /\nThe machine's time zone: (Asia|America|Pacific|Australia)\/\w+\n/,
  );
  const inUtc = await runContract({ ...options, timeZone: "UTC" });
  expect(inUtc.tests.answers).toBe("passed");
});
