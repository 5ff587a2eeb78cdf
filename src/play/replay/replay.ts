/** Sends a recording again and compares each answer with the recorded one. Like a play, it yields effects. */

import { formatInstant, parseInstant } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import { type Difference, differenceOf } from "../../choices/compare-answers.ts";
import type { ClientExchange } from "../../invariants/client-exchange.ts";
import type { LeftOut, RecordedEntry, RecordedWorld } from "../../journal/recorded-entry.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { RequestParts } from "../../spec/messages.ts";
import { type EffectGenerator, perform } from "../old/player/effects.ts";
import { bodyOf, isKeyRedacted, resendCandidatesOf } from "./resend.ts";

export type Outcome =
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly difference: Difference }
  /** The connection broke, or no answer came in time. */
  | { readonly kind: "unanswered"; readonly why: string }
  | { readonly kind: "skipped"; readonly why: LeftOut };

export interface ReplayedEntry {
  readonly entry: RecordedEntry;
  readonly outcome: Outcome;
}

export interface Replay {
  readonly replayed: readonly ReplayedEntry[];
  /** Notes for the report. */
  readonly notes: readonly string[];
}

export interface ReplayOptions {
  /** `recorded`: the clock follows the recording. `standing`: the clock isn't moved. */
  readonly time: "recorded" | "standing";
  /** The world's choices at the beginning. Undefined if they aren't known; then assumptions are never changed. */
  readonly choices: Readonly<Record<string, string>> | undefined;
  /** Choices that override the recorded world's. */
  readonly chosen: Readonly<Record<string, string>>;
  /** Sent in place of an unknown key. */
  readonly apiKey: string | undefined;
  /** Whether this recorded world is another than the current one. The replay ends there. */
  readonly isOtherWorld: (world: RecordedWorld) => boolean;
  /** The note for a publisher without a known key; undefined for none. */
  readonly unknownPublisher: (id: string) => string | undefined;
}

export interface ReplayedStretch extends Replay {
  /** The entries that weren't sent, because another world answered from there on. */
  readonly rest: readonly RecordedEntry[];
  /** Why the current world couldn't take the recorded assumptions. */
  readonly refusal?: InputError | undefined;
}

/** Longer than any answer takes that no fault delays. */
const ANSWER_TIMEOUT_MS = 30_000;

/** Replays in one world. @throws InputError for an unknown assumption or choice. */
export function* replay(
  entries: readonly RecordedEntry[],
  options: ReplayOptions,
): EffectGenerator<ReplayedStretch> {
  const replayed: ReplayedEntry[] = [];
  const notes = new Set<string>();
  const keys = new Map<string, string | undefined>();
  let early: string | undefined;
  let choices: Choices | undefined = options.choices && resolveAssumptions(options.choices);
  let nowMs = yield* perform({ kind: "now" });

  function* enter(world: RecordedWorld): EffectGenerator<InputError | "entered" | "other"> {
    if (options.isOtherWorld(world)) return "other";
    const before = choices;
    if (before === undefined) return "entered";
    try {
      const next = resolveAssumptions({ ...world.assumptions, ...options.chosen });
      const changed = Object.entries(next).filter(
        ([key, choice]) => before[key as keyof Choices] !== choice,
      );
      if (changed.length === 0) return "entered";
      yield* perform({ kind: "assume", choices: Object.fromEntries(changed) });
      choices = next;
      keys.clear();
      return "entered";
    } catch (error) {
      if (error instanceof InputError) return error;
      throw error;
    }
  }
  function* moveTime({ at = "", place }: RecordedEntry): EffectGenerator<void> {
    const atMs = parseInstant(at) ?? nowMs;
    if (atMs > nowMs) {
      yield* perform({ kind: "wait", ms: atMs - nowMs });
      nowMs = atMs;
    } else if (atMs < nowMs) {
      early ??= `${place} was recorded before this world's time, ${formatInstant(nowMs)}, and time doesn't go back. Use an earlier --start, or a snapshot from before`;
    }
  }
  function* keyOf(entry: RecordedEntry): EffectGenerator<string | undefined> {
    const { publisher: id } = entry;
    if (id === undefined || !isKeyRedacted(entry)) return undefined;
    if (!keys.has(id)) keys.set(id, (yield* perform({ kind: "publisher", id }))?.apiKey);
    const key = keys.get(id);
    const note = key === undefined ? options.unknownPublisher(id) : undefined;
    if (note !== undefined) notes.add(note);
    return key;
  }
  const done = (): Replay => ({
    replayed,
    notes: early === undefined ? [...notes] : [early, ...notes],
  });

  for (const [index, entry] of entries.entries()) {
    if (entry.leftOut !== undefined) {
      replayed.push({ entry, outcome: { kind: "skipped", why: entry.leftOut } });
      continue;
    }
    const entered = entry.world === undefined ? "entered" : yield* enter(entry.world);
    if (entered !== "entered") {
      const refusal = entered === "other" ? undefined : entered;
      return { ...done(), rest: entries.slice(index), refusal };
    }
    if (options.time === "recorded") yield* moveTime(entry);
    const own = yield* keyOf(entry);
    replayed.push({ entry, outcome: yield* outcomeOf(entry, own, options) });
  }
  return { ...done(), rest: [] };
}

/** What the service may have received: several candidates have no valid key, so all of them can be tried without effect. */
function* outcomeOf(
  entry: RecordedEntry,
  own: string | undefined,
  { apiKey }: ReplayOptions,
): EffectGenerator<Outcome> {
  let first: Outcome | undefined;
  for (const request of resendCandidatesOf(entry, { own, given: apiKey })) {
    const outcome = yield* outcomeWith(request, entry);
    if (outcome.kind === "same") return outcome;
    first ??= outcome;
  }
  return first ?? { kind: "skipped", why: "unsendable" };
}

function* outcomeWith(
  request: RequestParts,
  { response }: RecordedEntry,
): EffectGenerator<Outcome> {
  let seen: ClientExchange;
  try {
    seen = yield* perform({
      kind: "send",
      outgoing: { operation: undefined, request, timeoutMs: ANSWER_TIMEOUT_MS },
    });
  } catch (error) {
    if (error instanceof InputError) return { kind: "skipped", why: "unsendable" };
    throw error;
  }
  if (seen.outcome !== "answered") {
    return { kind: "unanswered", why: seen.why ?? endings[seen.outcome] };
  }
  const { status, headers, text, bytes } = seen;
  const recorded = { ...response, body: bodyOf(response) };
  const difference = differenceOf(recorded, { status, headers, body: bytes ?? text });
  return difference === undefined ? { kind: "same" } : { kind: "different", difference };
}

const endings: Readonly<Record<Exclude<ClientExchange["outcome"], "answered">, string>> = {
  cut: "the answer broke off",
  lost: "the connection broke off",
  "timed-out": `no complete answer came within ${ANSWER_TIMEOUT_MS} ms`,
};
