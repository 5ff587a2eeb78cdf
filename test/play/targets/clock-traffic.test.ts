/** Latencies of traffic at an adsim that is played at a speed, with a clock that only the test moves. */

import { expect, test } from "vitest";
import type { ClientExchange, Member } from "../../../src/invariants/client-exchange.ts";
import { playClockTraffic } from "../../../src/play/targets/clock-traffic.ts";

const SERVICE_MS = 20;
const STALL_MS = 3000;

/** One request a second for a minute at 10 times the speed: one is due every 100 ms of real time. */
async function played(speed: number | undefined, stalls: (number: number) => boolean) {
  let realMs = 0;
  let clockMs = 0;
  let sent = 0;
  const latencies: number[] = [];
  const member: Member = {
    id: "pub_1",
    apiKey: "key_1",
    joined: undefined,
    surfaces: [{ id: "srf_1", name: "One", status: "active", cpmRange: [1, 2] }],
  };
  const punctuality = await playClockTraffic(
    {
      traffic: { for: "1m", arrivals: { kind: "constant", rate: "1/s" } },
      members: [member],
      startMs: 0,
      seed: "adsim",
      number: 0,
      observe: ({ latencyMs }) => latencies.push(latencyMs),
    },
    {
      speed,
      turns: () => undefined,
      async send({ operation, request }): Promise<ClientExchange> {
        const latencyMs = stalls(sent) ? STALL_MS : SERVICE_MS;
        sent += 1;
        realMs += latencyMs;
        const seen = { outcome: "answered", status: 200, headers: {}, text: "{}" } as const;
        return { operation, request, atMs: clockMs, latencyMs, ...seen };
      },
      async moveClock(ms) {
        clockMs += ms;
      },
      realTime: {
        now: () => realMs,
        async sleep(ms) {
          realMs += ms;
        },
      },
    },
  );
  return { latencies, punctuality, clockMs };
}

test("a stall shows in every request that was due in it, or while the backlog was worked off", async () => {
  const { latencies, punctuality, clockMs } = await played(10, (number) => number === 10);
  // Sixty requests, 100 ms apart. After the stall each takes 20 ms, so that the delay shrinks by 80 ms with each.
  const expected = Array.from({ length: 60 }, (_, number) =>
    number < 10 ? SERVICE_MS : Math.max(SERVICE_MS, STALL_MS - 80 * (number - 10)),
  );
  expect(latencies).toEqual(expected);
  expect(latencies.filter((ms) => ms > 1000)).toHaveLength(25);
  expect(punctuality).toEqual({
    late: expected.filter((ms) => ms > SERVICE_MS + 10).length - 1,
    dropped: 0,
  });
  expect(clockMs).toBe(60_000);
});

test("a request that isn't delayed has the latency of its answer, and in virtual time every one has", async () => {
  expect(new Set((await played(10, () => false)).latencies)).toEqual(new Set([SERVICE_MS]));
  const { latencies, punctuality } = await played(undefined, (number) => number === 10);
  expect(latencies.filter((ms) => ms !== SERVICE_MS)).toEqual([STALL_MS]);
  expect(punctuality).toEqual({ late: 0, dropped: 0 });
});
