/** Replays a recording to a URL. If the target is an adsim, it provides the keys, and its clock follows the recording. */

import * as v from "valibot";
import { parseInstant } from "../../base/calendar.ts";
import { clockModes } from "../../base/clock.ts";
import type { Outgoing } from "../../invariants/client-exchange.ts";
import type { RecordedWorld, Recording } from "../../journal/recorded-entry.ts";
import { plural } from "../../play/measure/quantities.ts";
import {
  askHealth,
  type ControlApi,
  createControlApi,
  type Health,
} from "../../play/old/targets/control-api.ts";
import { drive } from "../../play/old/targets/drive.ts";
import { createHttpClient } from "../../play/old/targets/http-client.ts";
import type { AsyncPerformers } from "../../play/old/targets/target.ts";
import { readTargetUrl } from "../../play/old/targets/target-url.ts";
import { connectionHeaders } from "../../play/old/targets/wire-request.ts";
import { createWorldPerformers } from "../../play/old/targets/world-performers.ts";
import { type Replay, type ReplayOptions, replay } from "../../play/replay/replay.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { type CommandFailure, couldNotRun, failureAtTarget } from "../output/exit.ts";
import type { ReplayFlags } from "./replay-options.ts";

type Performers = Partial<AsyncPerformers> & Pick<AsyncPerformers, "send">;

/** An adsim whose control API we can use. */
interface ControlledTarget {
  readonly api: ControlApi;
  readonly seed: string;
  readonly performersAt: (nowMs: number) => Performers;
}

/** How to replay to this kind of target. */
type ReplayMode = Pick<ReplayOptions, "time" | "unknownPublisher"> & {
  readonly performers: Performers;
  readonly notes: readonly string[];
};

/** Longer answers are cut. Only one is read at a time. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** @throws CommandFailure for a target that can't be reached or prepared; InputError if it isn't a URL. */
export async function replayAtTarget(
  recording: Recording,
  flags: ReplayFlags & { readonly target: string },
): Promise<Replay> {
  const { origin, prefix } = readTargetUrl(flags.target);
  const token = flags.controlToken;
  const client = await createHttpClient(origin, { connections: 1, mostBodyBytes: MAX_BODY_BYTES });
  const ask = (): Promise<Health> => askHealth({ client, origin, prefix, token });
  const performers: Performers = {
    now: async () => Date.now(),
    publisher: async () => undefined,
    async send({ outgoing }) {
      const answer = await client.send(prefix, { ...outgoing, request: sendableRequest(outgoing) });
      // Throws if the target has gone away.
      if (answer.outcome === "lost") await ask();
      return { ...outgoing, atMs: Date.now(), ...answer };
    },
  };
  try {
    const health = await ask();
    if (health.kind !== "adsim") {
      return await sendAgain(recording, flags, {
        ...{ time: "standing", performers },
        notes: [...(health.kind === "other" ? [] : [refusesControl(health.status)]), OWN_CLOCK],
        unknownPublisher: () =>
          "the recording has no keys, and the target doesn't tell any. Give one with --api-key",
      });
    }
    const { version, seed } = health;
    const api = createControlApi({ client, origin, prefix, token, version });
    const performersAt = (nowMs: number): Performers => ({
      ...createWorldPerformers({ client, prefix, api, nowMs, journalTotal: 0, speed: undefined }),
      ...{ send: performers.send },
    });
    return await atAdsim(recording, flags, { api, seed, performersAt });
  } catch (error) {
    throw failureAtTarget(error);
  } finally {
    await client.close();
  }
}

const OWN_CLOCK = "the target has its own clock, so dates and remaining quotas may differ";

function refusesControl(status: number): string {
  return `the target is an adsim that refuses control requests (${status}), so its clock can't be set and it tells no keys. Give --control-token, or --api-key`;
}

const clockState = v.looseObject({ mode: v.picklist(clockModes), now: v.string() });

async function atAdsim(
  recording: Recording,
  flags: ReplayFlags & { readonly target: string },
  target: ControlledTarget,
): Promise<Replay> {
  const { api, performersAt } = target;
  const isFollowing = recording.byAdsim && flags.keepClock !== true;
  const manner: ReplayMode = {
    time: isFollowing ? "recorded" : "standing",
    performers: performersAt(0),
    notes: [...(isFollowing ? [] : [OWN_CLOCK]), ...(await differencesOf(target, recording))],
    unknownPublisher: (id) => `publisher ${id} isn't in the target's world`,
  };
  if (!isFollowing) return await sendAgain(recording, flags, manner);
  const { mode } = await api.askParsed(clockState, "GET", "clock");
  try {
    const { now } = await api.askParsed(clockState, "PUT", "clock", { mode: "frozen" });
    const nowMs = parseInstant(now) ?? 0;
    const first = recording.entries.find(({ at, leftOut }) => at !== undefined && !leftOut)?.at;
    if (first !== undefined && (parseInstant(first) ?? 0) < nowMs) {
      throw cantGoBack(flags.target, now, first, worldOf(recording));
    }
    return await sendAgain(recording, flags, { ...manner, performers: performersAt(nowMs) });
  } finally {
    // Restores the clock's mode, or the target's time would stand still from now on.
    if (mode !== "frozen") await api.ask("PUT", "clock", { mode }).catch(() => undefined);
  }
}

async function sendAgain(
  recording: Recording,
  { target, apiKey }: ReplayFlags,
  { performers, notes, time, unknownPublisher }: ReplayMode,
): Promise<Replay> {
  const playing = replay(recording.entries, {
    ...{ time, apiKey, chosen: {}, isOtherWorld: () => false },
    // Assumptions can only be set on an adsim that we control.
    choices: performers.assume === undefined ? undefined : worldOf(recording)?.assumptions,
    unknownPublisher: (id) => (apiKey === undefined ? unknownPublisher(id) : undefined),
  });
  const { replayed, refusal, notes: more } = await drive(playing, performers);
  if (refusal === undefined) return { replayed, notes: [...notes, ...more] };
  throw couldNotRun(
    `--target ${target} is an adsim that refuses PATCH /_sim/assumptions: ${refusal.message} Is it another version?`,
  );
}

/** Headers of the recorded connection. The connection to the target has its own. */
const leftOut: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  ...["accept-encoding", "content-length", "host", "proxy-authorization"],
]);

/** The request without connection headers. The query moves into the path: a separate query would lose a leading ?. */
function sendableRequest({ request }: Outgoing): Outgoing["request"] {
  const { path, query = "", headers = {} } = request;
  const kept = Object.entries(headers).filter(([name]) => !leftOut.has(name));
  return {
    ...request,
    path: query === "" ? path : `${path}?${query}`,
    query: "",
    headers: Object.fromEntries(kept),
  };
}

/** The recorded world, if the recording has it. */
function worldOf({ entries }: Recording): RecordedWorld | undefined {
  return entries.find(({ world }) => world !== undefined)?.world;
}

function cantGoBack(
  target: string,
  ahead: string,
  to: string,
  world: RecordedWorld | undefined,
): CommandFailure {
  // The seeded history depends on the start, so no other start gives the same answers.
  const from = world === undefined ? "and a --start before that" : `--start ${world.start}`;
  return couldNotRun(
    `--target ${target}: its clock is at ${ahead} and can't go back to ${to}, when the recording begins. Start a server with --clock frozen ${from}, name a new world of such a server (URL/@NAME), or leave its clock alone with --keep-clock.`,
  );
}

const journal = v.looseObject({ total: v.number() });
const choices = v.record(v.string(), v.string());

/** Describes in advance how the target's world differs from the recorded one. */
async function differencesOf(
  { api, seed }: ControlledTarget,
  recording: Recording,
): Promise<readonly string[]> {
  const { entries, byAdsim } = recording;
  const notes: string[] = [];
  const { total: answered } = await api.askParsed(journal, "GET", "journal?limit=1");
  if (byAdsim && entries[0]?.sequence === 1 && answered > 0) {
    notes.push(
      `the target's world has answered ${plural(answered, "request")} before. For a new world, use /@NAME of the same server, with any new NAME`,
    );
  }
  const world = worldOf(recording);
  if (world === undefined) return notes;
  notes.push(
    `the recorded world began at ${world.start}. A world with another --start has another history`,
  );
  if (world.seed !== seed) {
    notes.push(
      `the target's seed is ${JSON.stringify(seed)}, the recording's ${JSON.stringify(world.seed)}: publishers, keys and ids differ`,
    );
  }
  const now = await api.askParsed(choices, "GET", "assumptions");
  const others = Object.entries(resolveAssumptions(world.assumptions)).filter(
    ([key, choice]) => now[key] !== choice,
  );
  for (const [key, choice] of others) {
    notes.push(`the target has ${key}=${now[key]}, the recording has ${choice}`);
  }
  return notes;
}
