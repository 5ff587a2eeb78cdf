/** Performs effects in one world of an adsim over HTTP. The world's clock is frozen and moved only by the play. */

import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { parseInstant } from "../../../base/calendar.ts";
import { timerMs } from "../../../base/drip.ts";
import { InputError } from "../../../base/input.ts";
import type { ClientExchange, Member, Outgoing } from "../../../invariants/client-exchange.ts";
import type { Effects } from "../player/effects.ts";
import type { ControlApi } from "./control-api.ts";
import { controlRequests } from "./control-requests.ts";
import { createDisconnectWatcher } from "./disconnect-watcher.ts";
import type { HttpClient } from "./http-client.ts";
import type { AsyncPerformers } from "./target.ts";

/** The effects that any world can perform, including a scratch copy. */
export type WorldPerformers = Omit<AsyncPerformers, "traffic" | "world" | "fork" | "scratch"> & {
  /** Without waiting. */
  moveClock(ms: number): Promise<void>;
};

export interface RemoteWorld {
  readonly client: HttpClient;
  /** The path prefix of every request. */
  readonly prefix: string;
  readonly api: ControlApi;
  /** The time of its frozen clock, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Requests that its journal has counted so far. */
  readonly journalTotal: number;
  /** How many times as fast as real time; undefined for virtual time. */
  readonly speed: number | undefined;
}

const clock = v.looseObject({ now: v.string() });
const member = v.looseObject({
  ordinal: v.number(),
  id: v.string(),
  apiKey: v.string(),
  joined: v.string(),
  surfaces: v.array(v.looseObject({ id: v.string() })),
});
const listed = v.looseObject({ publishers: v.array(member) });
const rule = v.looseObject({ id: v.string() });
const rules = v.looseObject({ faults: v.array(rule) });
const entries = v.looseObject({ entries: v.array(v.unknown()) });

export function createWorldPerformers(world: RemoteWorld): WorldPerformers {
  const { client, prefix, api, speed } = world;
  const disconnects = createDisconnectWatcher(api, world.journalTotal);
  const pace = speed === undefined ? noPace : createPace(speed);
  let nowMs = world.nowMs;

  async function send(outgoing: Outgoing): Promise<ClientExchange> {
    const { operation, request } = outgoing;
    const sending = client.send(prefix, outgoing);
    disconnects.countSent();
    const { why: _asInProcess, ...seen } = await sending;
    if (seen.outcome === "timed-out") await disconnects.waitUntilNoticed();
    return { operation, atMs: nowMs, request, ...seen };
  }

  async function moveClock(ms: number): Promise<void> {
    const { now } = await api.askParsed(clock, ...controlRequests.wait({ kind: "wait", ms }));
    nowMs = instantOf(now);
  }

  return {
    now: async () => nowMs,
    pass: async () => undefined,
    async member({ ordinal }) {
      const path = `publishers?offset=${ordinal}&limit=1`;
      const [found] = (await api.askParsed(listed, "GET", path)).publishers;
      // Sign-ups follow the population and have ordinals of their own.
      return found?.ordinal === ordinal ? memberOf(found) : undefined;
    },
    async publisher({ id }) {
      try {
        const path = `publishers/${encodeURIComponent(id)}`;
        return memberOf(await api.askParsed(member, "GET", path));
      } catch (error) {
        if (error instanceof InputError && error.reason === "not-found") return undefined;
        throw error;
      }
    },
    send: ({ outgoing }) => send(outgoing),
    async together({ outgoing }) {
      const exchanges: ClientExchange[] = [];
      for (const one of outgoing) exchanges.push(await send(one));
      return exchanges;
    },
    async wait({ ms }) {
      await pace(ms);
      await moveClock(ms);
      return undefined;
    },
    moveClock,
    signUp: async (effect) =>
      memberOf(await api.askParsed(member, ...controlRequests.signUp(effect))),
    async setSurface(effect) {
      await api.ask(...controlRequests.setSurface(effect));
      return undefined;
    },
    rotateKey: async (effect) =>
      memberOf(await api.askParsed(member, ...controlRequests.rotateKey(effect))),
    ...rulePerformers(api),
    // The answers below have the same shape as in process, if the versions are the same.
    async assume(effect) {
      // As in process, assuming nothing changes nothing.
      if (Object.values(effect.choices).some((choice) => choice !== undefined)) {
        await api.ask(...controlRequests.assume(effect));
      }
      return undefined;
    },
    assumptions: async () =>
      (await api.ask("GET", "assumptions")) as Effects["assumptions"]["output"],
    audit: async () => (await api.ask("GET", "audit")) as Effects["audit"]["output"],
    async journal({ limit }) {
      if (limit < 1) return [];
      const found = await api.askParsed(entries, "GET", `journal?limit=${limit}`);
      return found.entries as Effects["journal"]["output"];
    },
  };
}

function rulePerformers(api: ControlApi): Pick<WorldPerformers, "fault" | "rules" | "heal"> {
  return {
    fault: async ({ rule: given }) => (await api.askParsed(rule, "POST", "faults", given)).id,
    async rules() {
      const { faults } = await api.askParsed(rules, "GET", "faults");
      // The same shape as in process.
      return faults as unknown as Effects["rules"]["output"];
    },
    async heal({ ids }) {
      if (ids === undefined) {
        await api.ask("DELETE", "faults");
        return undefined;
      }
      const paths = ids.map((id) => `faults/${encodeURIComponent(id)}`);
      // Check first that all exist, so that an error changes nothing.
      for (const path of paths) await api.ask("GET", path);
      for (const path of new Set(paths)) await api.ask("DELETE", path);
      return undefined;
    },
  };
}

function memberOf({ id, apiKey, surfaces, joined }: v.InferOutput<typeof member>): Member {
  // Surfaces have the same shape as in process.
  return { id, apiKey, joined, surfaces: surfaces as unknown as Member["surfaces"] };
}

async function noPace(): Promise<void> {}

/** At most this much of the time that requests took is deducted from later waits, to keep the pace. */
const MAX_CAUGHT_UP_MS = 1000;

function createPace(speed: number): (ms: number) => Promise<void> {
  let dueMs = performance.now();
  return async (ms) => {
    const realMs = performance.now();
    dueMs = Math.max(dueMs, realMs - MAX_CAUGHT_UP_MS) + ms / speed;
    // Timers have whole milliseconds. A shorter wait is added to the next one.
    if (dueMs - realMs >= 1) await sleep(timerMs(dueMs - realMs));
  };
}

/** @throws Error for anything but an instant. */
export function instantOf(now: string): number {
  const ms = parseInstant(now);
  if (ms !== undefined) return ms;
  throw new Error("The target's clock doesn't show a valid instant. Is it an adsim?");
}
