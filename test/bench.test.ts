/** `npm run bench:http` relies on this: its load uses up no key's quota, however fast the machine is. */

import { expect, test } from "vitest";
import { CALLERS, CONNECTIONS, hurried } from "../bench/quota.ts";
import { type ApiRequest, createSimulator } from "../src/index.ts";

/** The clock of a machine so fast that no time passes. */
const standing = (): number => Date.parse("2026-01-15T00:00:00Z");

test.each(["impression", "stats"] as const)(
  "%s: 400,000 requests at one instant, over connections of different speeds, all get 200",
  (kind) => {
    const sim = createSimulator({
      clock: "system",
      wallClock: hurried(standing),
      publishers: CALLERS[kind],
      journalEntries: 0,
    });
    const requests = sim.publishers.credentials(CALLERS[kind]).map(({ id, apiKey, surfaces }) => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const shown = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" };
      return kind === "stats"
        ? { method: "GET", path: "/v1/publisher/stats", query: { publisher_id: id }, headers }
        : { method: "POST", path: "/v1/impression", headers, body: shown };
    }) satisfies ApiRequest[];
    // autocannon goes through all requests on each connection. Some connections are quicker than others.
    const next = Array.from({ length: CONNECTIONS }, () => 0);
    const refused = new Set<number>();
    for (let sent = 0; sent < 400_000; sent += 1) {
      const connection = (sent * 7 + (sent >> 4) * (sent % 3)) % CONNECTIONS;
      const request = requests[(next[connection] ?? 0) % requests.length];
      next[connection] = (next[connection] ?? 0) + 1;
      if (request === undefined) throw new Error("There is nobody to ask for.");
      const { status } = sim.handle(request);
      if (status !== 200) refused.add(status);
    }
    expect([...refused]).toEqual([]);
  },
);
