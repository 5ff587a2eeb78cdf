/** Reads an adsim's world over HTTP, so that invariants can be judged here: restores its snapshot in this process. */

import * as v from "valibot";
import { InputError } from "../../../base/input.ts";
import type { PlayedWorld } from "../../../invariants/log.ts";
import { createSimulatorCore } from "../../../simulator/core.ts";
import type { Snapshot } from "../../../world/accounts/snapshot.ts";
import { fakerHost } from "../../../world/publishers/people.ts";
import type { ControlApi } from "./control-api.ts";

/** A larger world takes seconds to read, and hundreds of megabytes. */
const MAX_IMPRESSIONS = 1_000_000;

const listed = v.looseObject({
  worlds: v.array(v.looseObject({ name: v.string(), impressions: v.number() })),
});

/** `name`: the world's name. @returns the world, or why it can't be read: too large, or from another version. */
export async function readWorld(api: ControlApi, name: string): Promise<PlayedWorld | string> {
  const { worlds } = await api.askParsed(listed, "GET", "worlds");
  const impressions = worlds.find((one) => one.name === name)?.impressions ?? 0;
  if (impressions > MAX_IMPRESSIONS)
    return `the target's world has ${impressions} impressions: a world with more than ${MAX_IMPRESSIONS} isn't read`;
  const world = createSimulatorCore({}, fakerHost);
  try {
    // The cast is safe: restoring checks every field.
    world.restore((await api.ask("GET", "snapshot")) as Snapshot);
    return world;
  } catch (error) {
    if (error instanceof InputError) return `the target's world can't be read: ${error.message}`;
    throw error;
  }
}
