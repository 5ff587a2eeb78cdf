/** Replays a recording to a URL. Where an adsim answers there, its clock follows the recording and it tells keys. */

import { formatInstant } from "../../base/calendar.ts";
import { differenceOf } from "../../play/replay/compare.ts";
import type { Outcome, Replay, Replayed } from "../../play/replay/outcome.ts";
import type { RecordedExchange, Recording } from "../../play/replay/recording.ts";
import { type Keys, sendablesOf } from "../../play/replay/resend.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { CommandFailure, exitCodes } from "../exit.ts";
import { type Control, controlOf } from "./control-client.ts";
import { createHttpClient, type HttpClient, type Sent, unreachableAt } from "./http-client.ts";
import type { ReplayFlags } from "./options.ts";

type TargetFlags = ReplayFlags & { readonly target: string };

/** @throws CommandFailure for a target that is no URL, can't be reached, or can't be made ready. */
export async function replayAtTarget(recording: Recording, flags: TargetFlags): Promise<Replay> {
  const client = createHttpClient(baseUrl(flags.target));
  const notes = new Set<string>();
  try {
    const control = await controlOf(client, flags.target, flags.controlToken, notes);
    const clock = control !== undefined && recording.byAdsim && flags.keepClock !== true;
    if (!clock) {
      notes.add("the target's clock is its own: dates and remaining quotas may differ for that");
    }
    if (control === undefined) return { replayed: await all(), notes: [...notes] };
    await compareWorlds(control, recording, notes);
    if (!clock) return { replayed: await all(control), notes: [...notes] };
    const world = worldOf(recording);
    const found = await control.clock();
    try {
      return {
        replayed: await all(control, (at) => control.setClock(at, world?.start)),
        notes: [...notes],
      };
    } finally {
      // As it was found, or the target's time would stand still from now on.
      if (found.mode !== "frozen") await control.setMode(found.mode).catch(() => undefined);
    }
  } finally {
    client.close();
  }

  async function all(
    control?: Control,
    setClock?: (at: string) => Promise<void>,
  ): Promise<readonly Replayed[]> {
    const replayed: Replayed[] = [];
    let latestMs = Number.NEGATIVE_INFINITY;
    let before: RecordedExchange | undefined;
    for (const exchange of recording.exchanges) {
      if (exchange.skip === undefined) {
        const { atMs = latestMs } = exchange;
        if (atMs > latestMs && setClock !== undefined) await setClock(formatInstant(atMs));
        latestMs = Math.max(latestMs, atMs);
        if (control !== undefined) await readAnew(control, before, exchange);
        before = exchange;
      }
      const keys = await keysFor(exchange, control, flags.apiKey, notes);
      replayed.push({ exchange, outcome: await outcomeOf(client, exchange, keys, flags.target) });
    }
    return replayed;
  }
}

function baseUrl(target: string): URL {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const isPlain = url !== undefined && url.search === "" && url.hash === "" && url.username === "";
  if (isPlain && /^https?:$/.test(url.protocol)) return url;
  throw new CommandFailure(
    exitCodes.wrongUsage,
    "--target must be an http or https base URL without a query, such as http://127.0.0.1:4010 or http://127.0.0.1:4010/@fresh.",
  );
}

/** The world that was recorded, where the recording says which. */
function worldOf({ exchanges }: Recording): RecordedExchange["world"] {
  return exchanges.find(({ world }) => world !== undefined)?.world;
}

/** Says beforehand in what the target's world isn't the recorded one. */
async function compareWorlds(
  control: Control,
  recording: Recording,
  notes: Set<string>,
): Promise<void> {
  const { exchanges, byAdsim } = recording;
  const answered = await control.answered();
  if (byAdsim && exchanges[0]?.sequence === 1 && answered > 0) {
    notes.add(
      `the target's world has answered ${answered} requests before: a fresh one is at /@NAME of the same server, with any new NAME`,
    );
  }
  const world = worldOf(recording);
  if (world === undefined) return;
  notes.add(
    `the recorded world began at ${world.start}: one that began at another --start has another past`,
  );
  if (world.seed !== control.seed) {
    notes.add(
      `the target's seed is ${JSON.stringify(control.seed)}, the recording's ${JSON.stringify(world.seed)}: publishers, keys and ids are others`,
    );
  }
  const now = await control.assumptions();
  const others = Object.entries(resolveAssumptions(world.assumptions)).filter(
    ([key, choice]) => now[key] !== choice,
  );
  for (const [key, choice] of others) {
    notes.add(`the target has ${key}=${now[key]}, the recording ${choice}`);
  }
}

/** Passes on what changed in the readings between two requests. */
async function readAnew(
  control: Control,
  before: RecordedExchange | undefined,
  { world }: RecordedExchange,
): Promise<void> {
  if (before?.world === undefined || world === undefined) return;
  const earlier: Readonly<Record<string, string>> = resolveAssumptions(before.world.assumptions);
  const changed = Object.entries(resolveAssumptions(world.assumptions)).filter(
    ([key, choice]) => earlier[key] !== choice,
  );
  if (changed.length > 0) await control.assume(Object.fromEntries(changed));
}

async function keysFor(
  { publisher, skip }: RecordedExchange,
  control: Control | undefined,
  given: string | undefined,
  notes: Set<string>,
): Promise<Keys> {
  if (publisher === undefined || skip !== undefined) return { given, of: () => undefined };
  const key = await control?.keyOf(publisher);
  if (key === undefined && given === undefined) {
    notes.add(
      control === undefined
        ? "the recording has no keys, and the target doesn't tell any: give one with --api-key"
        : `publisher ${publisher} isn't in the target's world`,
    );
  }
  return { given, of: () => key };
}

async function outcomeOf(
  client: HttpClient,
  exchange: RecordedExchange,
  keys: Keys,
  target: string,
): Promise<Outcome> {
  if (exchange.skip !== undefined) return { kind: "skipped", why: exchange.skip };
  const { choices, areHarmless } = sendablesOf(exchange, keys);
  let last: Outcome | undefined;
  // What has an effect can't be tried out.
  for (const request of areHarmless ? choices : choices.slice(0, 1)) {
    const outcome = outcomeFor(await client.send(request), exchange, target);
    if (outcome.kind === "same") return outcome;
    last ??= outcome;
  }
  return last ?? { kind: "skipped", why: "unsendable" };
}

function outcomeFor(sent: Sent, exchange: RecordedExchange, target: string): Outcome {
  switch (sent.kind) {
    case "answered": {
      const difference = differenceOf(exchange.response, sent);
      return difference === undefined ? { kind: "same" } : { kind: "different", difference };
    }
    case "broken":
      return { kind: "unanswered", why: sent.why };
    case "unsendable":
      return { kind: "skipped", why: "unsendable" };
    case "unreachable":
      throw unreachableAt(target, sent.why);
  }
}
