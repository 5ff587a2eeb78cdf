/** What clients see of each verdict, of an answer that others overtake, and what the journal says of a client that left. */

import { expect, test, vi } from "vitest";
import { type Connected, cases, impression, listing, nameOf, patienceFor } from "./cases.ts";
import { expectShown, type Wording } from "./expect-shown.ts";
import type { Seen } from "./observe.ts";

export const WAIT = { timeout: 20_000, interval: 5 };

export interface Subject {
  connect(): Connected<Seen>;
  readonly wording: Wording;
  /** Whether adsim notices that the client leaves. */
  readonly tellsAbort: boolean;
}

const late = [
  { kind: "delay", delay: "1h" },
  { kind: "reorder", atMost: "1h" },
  { kind: "truncate", atByte: 5, delay: "1h" },
  { kind: "drip", bytesPerSecond: 1 },
  { kind: "respond", status: 503, delay: "1h" },
] as const;

/** `some`: fewer for clients that get the same bytes as another one, and have their own words for them. */
export function testClient({ connect, wording, tellsAbort }: Subject, some = cases): void {
  test.each(some.map((one) => [nameOf(one), one] as const))("sees %s", async (_name, one) => {
    await expectShown(connect(), one, wording);
  });

  test.each(["lose-response", "drop"] as const)(
    "%s doesn't affect the next request",
    async (kind) => {
      const { observe, sim, baseUrl } = connect();
      const whole = await observe(listing(sim, baseUrl));
      sim.faults.add({ match: { nth: 2 }, verdict: { kind } });
      const seen: Seen[] = [];
      for (let count = 0; count < 3; count += 1) seen.push(await observe(listing(sim, baseUrl)));
      expect(seen.map(({ status }) => status)).toEqual([200, undefined, 200]);
      expect(seen[2]?.body.equals(whole.body)).toBe(true);
      expect(sim.journal.total).toBe(4);
    },
  );

  test("reorder: by 2, the answer comes once two later ones were sent", async () => {
    const { observe, sim, baseUrl } = connect();
    sim.faults.add({ match: { nth: 1 }, verdict: { kind: "reorder", by: 2, atMost: "1h" } });
    const order: string[] = [];
    const ask = async (which: string): Promise<void> => {
      const { status } = await observe(listing(sim, baseUrl));
      order.push(`${which} ${status}`);
    };
    const first = ask("first");
    await vi.waitUntil(() => sim.journal.total === 1, WAIT);
    await ask("second");
    expect(order).toEqual(["second 200"]);
    const third = ask("third");
    await Promise.all([first, third]);
    expect(order.toSorted()).toEqual(["first 200", "second 200", "third 200"]);
    expect(sim.journal.entries()[0]?.fault).toMatchObject({ kind: "reorder", received: "whole" });
  });

  test.each(some === cases ? late : late.slice(0, 1))(
    "a request whose client leaves during %j is journalled without an answer, if that is noticed",
    async (verdict) => {
      const { observe, sim, baseUrl } = connect();
      sim.faults.add({ verdict });
      const seen = await observe({ ...impression(sim, baseUrl), patience: patienceFor(sim) });
      expect(seen.failure).toMatch(wording.silent ?? "no wording for silent");
      const received = (): string | undefined => sim.journal.entries()[0]?.fault?.received;
      if (!tellsAbort) {
        expect(received()).toBe(verdict.kind === "truncate" ? "part" : "whole");
        return;
      }
      await vi.waitUntil(() => received() === "nothing", WAIT);
      const [entry] = sim.journal.entries();
      const served = verdict.kind !== "respond";
      const lost = served ? { status: 200 } : undefined;
      expect(entry).toMatchObject({ fault: { served, lost }, response: { status: 0 } });
      expect(sim.journal.total).toBe(1);
    },
  );
}
