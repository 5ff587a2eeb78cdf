/** Plays in a world of an adsim over HTTP as if it were in this process: the play controls its clock and state. */

import * as v from "valibot";
import { InputError } from "../../../base/input.ts";
import type { Snapshot } from "../../../world/accounts/snapshot.ts";
import { type ControlApi, createControlApi } from "./control-api.ts";
import { playControlledTraffic } from "./controlled-traffic.ts";
import { performWith } from "./drive.ts";
import { createHttpClient, LARGEST_BODY_BYTES } from "./http-client.ts";
import { readWorld } from "./read-world.ts";
import type { AsyncPerformers, Target, TargetOptions } from "./target.ts";
import { readSpeed, type TargetUrl } from "./target-url.ts";
import {
  createWorldPerformers,
  instantOf,
  type RemoteWorld,
  type WorldPerformers,
} from "./world-performers.ts";

/** One connection, so that answers arrive in order. */
const CONNECTIONS = 1;
const LONGEST_NAME = 64;

/**
 * Imports the scenario's world and takes control of it. `version`: the target's adsim version.
 *
 * @throws InputError (as a rejection) for wrong options; Error that says what to do if the target refuses.
 */
export async function openAdsimTarget(
  target: TargetUrl,
  version: string,
  options: TargetOptions,
): Promise<Target> {
  const { origin } = target;
  const speed = options.speed === undefined ? undefined : readSpeed(options.speed);
  const client = await createHttpClient(origin, {
    connections: CONNECTIONS,
    mostBodyBytes: LARGEST_BODY_BYTES,
  });
  const token = options.controlToken;
  const apiAt = (prefix: string): ControlApi =>
    createControlApi({ client, origin, prefix, token, version });
  const name = options.worldName.slice(0, LONGEST_NAME);
  const prefix = target.namesWorld ? target.prefix : `${target.prefix}/@${name}`;
  const api = apiAt(prefix);
  try {
    const world = await importRecords(api, options.snapshot());
    const played: RemoteWorld = { ...world, client, prefix, api, speed };
    const { performers, removeScratch } = performersOf(played, apiAt, options);
    return {
      capabilities: {
        time: speed === undefined ? { kind: "virtual" } : { kind: "paced", speed },
        control: true,
      },
      performers,
      description: { kind: "adsim", url: `${origin}${prefix}` },
      async close() {
        // The result is complete, so a server that is gone doesn't matter.
        await removeScratch().catch(() => undefined);
        await client.close();
      },
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

const health = v.looseObject({ now: v.string() });
const journal = v.looseObject({ total: v.number() });

/** Imports the snapshot, empties the journal and freezes the clock. */
async function importRecords(
  api: ControlApi,
  snapshot: Snapshot,
): Promise<Pick<RemoteWorld, "nowMs" | "journalTotal">> {
  try {
    // The snapshot goes first: if it is rejected, an existing world stays unchanged.
    await api.ask("PUT", "snapshot", snapshot);
    if ((await api.askParsed(journal, "GET", "journal?limit=1")).total > 0) {
      // Only a reset makes the journal count from 1 again.
      await api.ask("POST", "reset");
      await api.ask("PUT", "snapshot", snapshot);
    }
    const { now } = await api.askParsed(health, "PUT", "clock", { mode: "frozen" });
    return { nowMs: instantOf(now), journalTotal: 0 };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // Not an InputError: no field of the scenario is at fault.
    throw new Error(`The target rejected the scenario's world: ${error.message}`, {
      cause: error,
    });
  }
}

function performersOf(
  world: RemoteWorld,
  apiAt: (prefix: string) => ControlApi,
  { onProgress }: Pick<TargetOptions, "onProgress">,
): { readonly performers: AsyncPerformers; removeScratch(): Promise<void> } {
  const own = createWorldPerformers(world);
  const [root = "", name = ""] = splitAtName(world.prefix);
  let scratch: { readonly name: string; readonly performers: WorldPerformers } | undefined;

  async function removeScratch(): Promise<void> {
    const path = scratch && `worlds/${encodeURIComponent(scratch.name)}`;
    scratch = undefined;
    if (path !== undefined) await world.api.ask("DELETE", path);
  }
  const performers: AsyncPerformers = {
    ...own,
    traffic: ({ order }) =>
      playControlledTraffic(order, {
        speed: world.speed,
        onProgress,
        send: (outgoing) => own.send({ kind: "send", outgoing }),
        moveClock: own.moveClock,
      }),
    world: () => readWorld(world.api, name),
    async fork() {
      await removeScratch();
      const forked = await forkScratch(world.api, name);
      const prefix = `${root}/@${forked}`;
      const nowMs = await own.now({ kind: "now" });
      const fresh = { nowMs, journalTotal: 0, speed: undefined };
      scratch = {
        name: forked,
        performers: createWorldPerformers({ ...world, ...fresh, prefix, api: apiAt(prefix) }),
      };
      return undefined;
    },
    async scratch({ effect }) {
      if (scratch === undefined) throw new Error("There is no scratch copy: fork the world first.");
      return await performWith({ ...performers, ...scratch.performers }, effect);
    },
  };
  return { performers, removeScratch };
}

/** The part before `/@NAME`, and the name. */
function splitAtName(prefix: string): readonly string[] {
  const at = prefix.lastIndexOf("/@");
  return [prefix.slice(0, at), prefix.slice(at + 2)];
}

const MAX_TRIES = 100;

/** Makes a scratch copy of the named world. @returns its name, which was unused. */
async function forkScratch(api: ControlApi, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? ".scratch" : `.scratch-${number}`;
    const scratchName = `${name.slice(0, LONGEST_NAME - ending.length)}${ending}`;
    try {
      await api.ask("POST", "worlds", { name: scratchName });
      return scratchName;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      // The name is taken by another user, or by a play that was killed.
      if (number < MAX_TRIES && (await namesOfWorlds(api)).includes(scratchName)) continue;
      // Not an InputError: no field of the scenario is at fault.
      throw new Error(`The target can't copy its world: ${error.message}`, { cause: error });
    }
  }
}

const worldList = v.looseObject({ worlds: v.array(v.looseObject({ name: v.string() })) });

async function namesOfWorlds(api: ControlApi): Promise<readonly string[]> {
  const { worlds } = await api.askParsed(worldList, "GET", "worlds");
  return worlds.map(({ name }) => name);
}
