/** A world of an adsim somewhere, played over HTTP as if it were in this process: its clock is ours, and its state too. */

import * as v from "valibot";
import { durationMs } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import type { Exchange, Outgoing } from "../../laws/seen-exchange.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import type { Observer, Punctuality } from "../player/effects.ts";
import { createTrafficSource, type TrafficSource } from "../traffic/source.ts";
import { createAsideWorlds } from "./aside.ts";
import { type ControlApi, createControlApi } from "./control-api.ts";
import { performWith } from "./drive.ts";
import { askHealth } from "./health.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";
import { readWorld } from "./read-world.ts";
import type { LatePerformers, Target, TrafficProgress } from "./target.ts";
import { readSpeed, readTargetUrl, type TargetUrl } from "./target-url.ts";
import {
  createWorldPerformers,
  instantOf,
  type PlayedWorld,
  type WorldPerformers,
} from "./world-performers.ts";

export interface AdsimTargetOptions {
  /** The base URL of the server, or of one of its worlds: that one is replaced. */
  readonly url: string | URL;
  /** What the server asks for on control requests. */
  readonly controlToken?: string | undefined;
  /** What the world is to be. */
  readonly snapshot: Snapshot;
  /** The world's name where the URL names none. */
  readonly worldName: string;
  /** How many times as fast as real time. @default nobody waits */
  readonly speed?: number | undefined;
  readonly onProgress?: ((progress: TrafficProgress) => void) | undefined;
}

/** One after the other: answers can't overtake each other. */
const CONNECTIONS = 1;
/** An audit or a journal of a large world is long. Only one answer is read at a time. */
const MOST_BODY_BYTES = 256 * 1024 * 1024;
const LONGEST_NAME = 64;

/**
 * Puts the world in its place and takes control of it.
 *
 * @throws InputError (as a rejection) for wrong options; Error that says what to do where there is no adsim, or it refuses.
 */
export async function openAdsimTarget(options: AdsimTargetOptions): Promise<Target> {
  const target = readTargetUrl(options.url);
  const speed = options.speed === undefined ? undefined : readSpeed(options.speed);
  const client = await createHttpClient(target.origin, {
    connections: CONNECTIONS,
    mostBodyBytes: MOST_BODY_BYTES,
  });
  try {
    const version = await versionAt(target, client, options.controlToken);
    const name = options.worldName.slice(0, LONGEST_NAME);
    const prefix = target.namesWorld ? target.prefix : `${target.prefix}/@${name}`;
    const apiOf = (worldPrefix: string): ControlApi =>
      createControlApi({
        client,
        origin: target.origin,
        prefix: worldPrefix,
        token: options.controlToken,
        version,
      });
    const world = await takeOver(apiOf(prefix), options.snapshot);
    const played: PlayedWorld = { ...world, client, prefix, api: apiOf(prefix), speed };
    const { performers, removeAside } = performersOf(played, apiOf, options);
    return {
      abilities: {
        time: speed === undefined ? { kind: "virtual" } : { kind: "paced", speed },
        control: true,
      },
      performers,
      description: { kind: "adsim", url: `${target.origin}${prefix}` },
      async close() {
        // The result is there: a server that has gone takes nothing from it.
        await removeAside().catch(() => undefined);
        await client.close();
      },
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function versionAt(
  { url, origin, prefix }: TargetUrl,
  client: HttpClient,
  token: string | undefined,
): Promise<string> {
  const health = await askHealth({ client, origin, prefix, token });
  switch (health.kind) {
    case "adsim":
      return health.version;
    case "refusing":
      throw new Error(
        `The target ${url} is an adsim and refuses control (${health.status}): ${health.detail} Give its control token (--control-token), or --api-key and --publisher to play against it as against any other service.`,
      );
    case "other":
      throw new Error(
        `The target ${url} is no adsim: GET ${url}/_sim/health has status ${health.status}. Check the address, or give --api-key and --publisher to play against it as another service.`,
      );
  }
}

const health = v.looseObject({ now: v.string() });
const journal = v.looseObject({ total: v.number() });

/** Makes the world what the snapshot says, its journal empty and its clock frozen. */
async function takeOver(
  api: ControlApi,
  snapshot: Snapshot,
): Promise<Pick<PlayedWorld, "nowMs" | "journalled">> {
  try {
    // First, for it is checked whole: where it is refused, a world that was there stays as it is.
    await api.ask("PUT", "snapshot", snapshot);
    if ((await api.askFor(journal, "GET", "journal?limit=1")).total > 0) {
      // Only a reset lets the journal count from the beginning.
      await api.ask("POST", "reset");
      await api.ask("PUT", "snapshot", snapshot);
    }
    const { now } = await api.askFor(health, "PUT", "clock", { mode: "frozen" });
    return { nowMs: instantOf(now), journalled: 0 };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // Nothing that the scenario says is at fault.
    throw new Error(`The target doesn't take the scenario's world: ${error.message}`, {
      cause: error,
    });
  }
}

function performersOf(
  world: PlayedWorld,
  apiOf: (prefix: string) => ControlApi,
  { onProgress }: Pick<AdsimTargetOptions, "onProgress">,
): { readonly performers: LatePerformers; removeAside(): Promise<void> } {
  const own = createWorldPerformers(world);
  const [root = "", name = ""] = splitAtName(world.prefix);
  const asides = createAsideWorlds(world.api, name);
  let aside: WorldPerformers | undefined;

  const performers: LatePerformers = {
    ...own,
    traffic: ({ order }) =>
      playVirtualTraffic({
        source: createTrafficSource(order),
        forMs: durationMs(order.traffic.for),
        advance: async (ms) => {
          await own.wait({ kind: "wait", ms });
        },
        send: (outgoing) => own.send({ kind: "send", outgoing }),
        observe: order.observe,
        onProgress: (sent) => onProgress?.({ sent, ended: sent, waiting: 0, late: 0, dropped: 0 }),
      }),
    world: () => readWorld(world.api, name),
    async fork() {
      aside = undefined;
      const prefix = `${root}/@${await asides.fork()}`;
      const nowMs = await own.now({ kind: "now" });
      aside = createWorldPerformers({
        ...world,
        prefix,
        api: apiOf(prefix),
        nowMs,
        journalled: 0,
        speed: undefined,
      });
      return undefined;
    },
    async aside({ effect }) {
      if (aside === undefined) throw new Error("There is no world aside: fork it first.");
      return await performWith({ ...performers, ...aside }, effect);
    },
  };
  return { performers, removeAside: () => asides.remove() };
}

/** What comes before `/@NAME`, and the name. */
function splitAtName(prefix: string): readonly string[] {
  const at = prefix.lastIndexOf("/@");
  return [prefix.slice(0, at), prefix.slice(at + 2)];
}

interface VirtualTraffic {
  readonly source: TrafficSource;
  /** How long it lasts, where the last click doesn't come later. */
  readonly forMs: number;
  /** Lets the world's clock go on. */
  advance(ms: number): Promise<void>;
  send(outgoing: Outgoing): Promise<Exchange>;
  readonly observe: Observer;
  /** Is told after each request how many there were. */
  readonly onProgress?: ((sent: number) => void) | undefined;
}

/** It is always on time. */
const punctual: Punctuality = Object.freeze({ late: 0, dropped: 0 });

/** Over when the last answer is in, and its time has passed. */
async function playVirtualTraffic(order: VirtualTraffic): Promise<Punctuality> {
  const { source, onProgress } = order;
  let passedMs = 0;
  let sent = 0;
  for (let arrival = source.next(); arrival !== undefined; arrival = source.next()) {
    const { number, dueMs } = arrival;
    if (dueMs > passedMs) {
      await order.advance(dueMs - passedMs);
      passedMs = dueMs;
    }
    const exchange = await order.send(arrival);
    source.answered(number, exchange);
    order.observe(exchange);
    sent += 1;
    onProgress?.(sent);
  }
  if (order.forMs > passedMs) await order.advance(order.forMs - passedMs);
  return punctual;
}
