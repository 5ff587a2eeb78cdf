/** `adsim replay FILE`: sends recorded requests again and compares the answers with the recorded ones, byte for byte. */

import { nodeHost } from "../../adapters/node-host.ts";
import { indentedJson } from "../../base/text.ts";
import { readRecording } from "../../journal/read-recording.ts";
import type { Recording } from "../../journal/recorded-entry.ts";
import { caveatsOf } from "../../play/replay/caveats.ts";
import type { Replay } from "../../play/replay/replay.ts";
import { replayInProcess } from "../../play/replay/replay-in-process.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import { isTokenGiven } from "../options/common-options.ts";
import { readLoadFlag } from "../options/load-flag.ts";
import { couldNotRun, exitCodes, wrongUsage } from "../output/exit.ts";
import { say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { replayAtTarget } from "./at-target.ts";
import { recordingIn } from "./recording-in.ts";
import type { ReplayFlags } from "./replay-options.ts";
import { resultOf, resultText } from "./replay-result.ts";

/** @returns 0 if all answers are the same, 1 if one differs. */
export async function replay(file: string, flags: ReplayFlags, host: HostProcess): Promise<number> {
  refuseWrongUsage(flags, host);
  const recording = await recordingIn(file, readRecording, "a journal as NDJSON, or a HAR file");
  const { target } = flags;
  const replayed =
    target === undefined
      ? await inProcess(recording, flags)
      : await replayAtTarget(recording, { ...flags, target });
  const caveats = caveatsOf(recording, flags);
  const result = resultOf({
    file,
    target,
    recording,
    replay: replayed,
    caveats,
    maxDifferences: flags.differences,
  });
  if (result.sent === 0) {
    throw couldNotRun(
      `none of the ${result.requests} requests in ${file} can be sent again: ${Object.keys(result.skippedFor).join(", ")}. Nothing was compared.`,
    );
  }
  if (flags.json === true) say(indentedJson(result), host.stdout);
  say(resultText(result), flags.json === true ? host.stderr : host.stdout);
  return result.different === 0 ? exitCodes.fine : exitCodes.checkFailed;
}

async function inProcess(recording: Recording, flags: ReplayFlags): Promise<Replay> {
  const { seed, start, publishers, profile, apiKey } = flags;
  const loaded = flags.load === undefined ? undefined : await readLoadFlag(flags.load, flags);
  const { chosen } = await readAssumptionFlags(flags);
  return replayInProcess(recording, {
    host: nodeHost,
    chosen: { seed, start, publishers, profile, assumptions: chosen },
    snapshot: loaded?.snapshot,
    apiKey,
    time: flags.clock === "frozen" ? "standing" : "recorded",
  });
}

function refuseWrongUsage(flags: ReplayFlags, host: HostProcess): void {
  const { target, clock } = flags;
  if (target === undefined) {
    if (flags.keepClock === true) throw wrongUsage("--keep-clock needs an adsim at --target.");
    if (isTokenGiven(flags, host)) throw wrongUsage("--control-token needs an adsim at --target.");
    if (clock === undefined || clock === "frozen") return;
    throw wrongUsage(
      `--clock ${clock} isn't possible: time follows the recording, or stands still with --clock frozen.`,
    );
  }
  const ofWorld = [
    "seed",
    "start",
    "clock",
    "publishers",
    "profile",
    "assume",
    "assumptions",
  ] as const;
  const given = ofWorld.find((name) => flags[name] !== undefined);
  if (given !== undefined) {
    throw wrongUsage(
      `--${given} is for a world in this process. It can't change the world at --target.`,
    );
  }
  if (flags.load === undefined) return;
  throw wrongUsage(
    "--load is for a world in this process. To load a snapshot into an adsim at --target: curl -X PUT -H 'Content-Type: application/json' --data-binary @FILE URL/_sim/snapshot.",
  );
}
