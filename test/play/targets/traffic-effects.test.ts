import { expect, test, vi } from "vitest";
import type { ClientExchange, Member } from "../../../src/invariants/client-exchange.ts";
import type { Target } from "../../../src/play/targets/target.ts";
import type { TrafficOrder } from "../../../src/play/traffic/order.ts";
import type { TrafficSource } from "../../../src/play/traffic/source.ts";
import type { ApiRequest } from "../../../src/spec/messages.ts";
import { auditOf, foreign, impressionBy, opened, performEffect, played } from "./remote-world.ts";
import { successOf } from "./traffic-made-up.ts";

// These tests need no random traffic.
vi.mock("../../../src/play/traffic/source.ts", () => ({
  createTrafficSource: ({ members, traffic }: TrafficOrder) =>
    paired(members, traffic.arrivals.kind === "trace" ? (traffic.arrivals.atMs[0] ?? 0) : 0),
}));

const EVERY_MS = 7;
const TIMEOUT_MS = 1000;
/** How long traffic goes on after its last arrival. */
const REST_MS = 300;

/** Two requests at once every few milliseconds. The second clicks on what the answer to the first named. */
function paired(members: TrafficOrder["members"], untilMs: number): TrafficSource {
  const [member] = members;
  if (member === undefined) throw new Error("Nobody takes part.");
  let number = -1;
  let latest: string | undefined;
  const nextDueMs = (): number => {
    const dueMs = Math.floor((number + 1) / 2) * EVERY_MS;
    return dueMs < untilMs ? dueMs : Number.POSITIVE_INFINITY;
  };
  return {
    nextDueMs,
    next() {
      const dueMs = nextDueMs();
      if (dueMs === Number.POSITIVE_INFINITY) return undefined;
      number += 1;
      const timeoutMs = TIMEOUT_MS;
      if (number % 2 === 0) {
        const { request } = impressionBy(member);
        return { number, dueMs, operation: "impression", request, timeoutMs };
      }
      const { impression_id } = JSON.parse(latest ?? "{}");
      const headers = { authorization: `Bearer ${member.apiKey}` };
      const request: ApiRequest = { method: "POST", path: "/v1/click", headers };
      return {
        number,
        dueMs,
        operation: "click",
        request: { ...request, body: { impression_id } },
        timeoutMs,
      };
    },
    answered(_number, answer) {
      latest = successOf(answer);
    },
  };
}

/** `untilMs`: when the last of it arrives; it lasts longer. */
function orderOf(
  members: readonly Member[],
  untilMs: number,
  observed: ClientExchange[],
): TrafficOrder {
  return {
    traffic: { for: untilMs + REST_MS, arrivals: { kind: "trace", atMs: [untilMs] } },
    members,
    startMs: 0,
    seed: "seed",
    number: 0,
    observe: (exchange) => observed.push(exchange),
  };
}

async function memberOf(target: Target): Promise<Member> {
  const member = await performEffect(target, "member", { ordinal: 0 });
  if (member === undefined) throw new Error("There is no first publisher.");
  return member;
}

test("in virtual time each request comes exactly on time and in order, and the audit is as in process", async () => {
  const { sim, target, server } = await played({
    faults: [{ match: { every: 9 }, verdict: { kind: "empty" } }],
  });
  const member = await memberOf(target);
  const observed: ClientExchange[] = [];
  const beganMs = sim.clock.now();
  const punctuality = await performEffect(target, "traffic", {
    order: orderOf([member], 140, observed),
  });
  expect(punctuality).toEqual({ late: 0, dropped: 0 });

  const source = paired([member], 140);
  const here: string[] = [];
  for (let arrival = source.next(); arrival !== undefined; arrival = source.next()) {
    sim.clock.set({ nowMs: beganMs + arrival.dueMs });
    const { status, body } = sim.handle(arrival.request);
    source.answered(arrival.number, { outcome: "answered", status, text: body });
    here.push(body);
  }
  expect(observed.map(({ text }) => text)).toEqual(here);
  expect(observed.map(({ atMs }) => atMs - beganMs).slice(-3)).toEqual([126, 133, 133]);
  expect(observed.filter(({ outcome }) => outcome === "lost")).toHaveLength(4);
  sim.clock.set({ nowMs: beganMs + 140 + REST_MS });
  expect(await performEffect(target, "audit")).toEqual(auditOf(sim));
  // As in process, it lasts as long as it says, also when nothing more arrives.
  expect(server.worlds.get("played").clock.now()).toBe(beganMs + 140 + REST_MS);
});

test("paced traffic takes as long as the speed says, and every request succeeds", async () => {
  const beganMs = performance.now();
  const { sim, target, server } = await played({}, { speed: 10 });
  const observed: ClientExchange[] = [];
  const member = await memberOf(target);
  await performEffect(target, "traffic", { order: orderOf([member], 1400, observed) });
  // 1700 ms at ten times the speed; what is short of a timer's millisecond is waited for later.
  expect(performance.now() - beganMs).toBeGreaterThan(165);
  expect(observed).toHaveLength(400);
  expect(observed.every(({ status }) => status === 200)).toBe(true);
  expect(server.worlds.get("played").clock.now()).toBe(sim.clock.now() + 1400 + REST_MS);
});

test("at a service traffic is sent in real time, with the service's prefix and its own timeout, and lasts as long as it says", async () => {
  const paths: (string | undefined)[] = [];
  const url = await foreign(({ url: path }, response) => {
    paths.push(path);
    if (paths.length > 1) response.end('{"impression_id":"imp"}');
  });
  const credentials = [{ id: "pub", apiKey: "key_x", surfaces: ["srf"] }];
  const told: number[] = [];
  const onProgress = ({ ended }: { readonly ended: number }): number => told.push(ended);
  const target = await opened(`${url}/base`, { credentials, onProgress, speed: 0.5 });
  const observed: ClientExchange[] = [];
  const order = orderOf([await memberOf(target)], 70, observed);
  const lasting = { ...order, traffic: { ...order.traffic, for: 1250 } };
  const beganMs = performance.now();
  await performEffect(target, "traffic", { order: lasting });
  // Twice as slow, and longer than the answer that never comes is waited for.
  expect(performance.now() - beganMs).toBeGreaterThan(1250 / 0.5 - 5);
  expect(observed).toHaveLength(20);
  expect(observed.filter(({ outcome }) => outcome === "timed-out")).toHaveLength(1);
  expect(new Set(paths)).toEqual(new Set(["/base/v1/impression", "/base/v1/click"]));
  expect(told.at(-1)).toBe(20);
});
