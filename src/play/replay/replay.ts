/** Sends a recording again and compares each answer with the recorded one. Like a play, it yields effects. */

import { formatInstant } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import type { ClientExchange, Outgoing } from "../../invariants/client-exchange.ts";
import { type Difference, differenceOf } from "../../journal/compare-answers.ts";
import type {
  RecordedExchange,
  RecordedRequest,
  RecordedWorld,
  SkipReason,
} from "../../journal/recorded-exchange.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { type EffectGenerator, perform, performInScratch } from "../player/effects.ts";
import { isKeyRedacted, resendCandidatesOf } from "./resend.ts";

export type Outcome =
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly difference: Difference }
  /** The connection broke, or no answer came in time. */
  | { readonly kind: "unanswered"; readonly why: string }
  | { readonly kind: "skipped"; readonly why: SkipReason };

export interface ReplayedExchange {
  readonly exchange: RecordedExchange;
  readonly outcome: Outcome;
}

export interface Replay {
  readonly replayed: readonly ReplayedExchange[];
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
  /** `scratch`: if several requests would look the same in a journal, a scratch copy is used to find the right one. */
  readonly trials: "scratch" | "none";
  /** Whether this recorded world is another than the current one. The replay ends there. */
  readonly isOtherWorld: (world: RecordedWorld) => boolean;
  /** The note for a publisher without a known key; undefined for none. */
  readonly unknownPublisher: (id: string) => string | undefined;
}

export interface ReplayedStretch extends Replay {
  /** The exchanges that weren't sent, because another world answered from there on. */
  readonly rest: readonly RecordedExchange[];
  /** Why the current world couldn't take the recorded assumptions. */
  readonly refusal?: InputError | undefined;
}

/** Longer than any answer takes that no fault delays. */
const ANSWER_TIMEOUT_MS = 30_000;

/** Replays in one world. @throws InputError for an unknown assumption or choice. */
export function* replay(
  exchanges: readonly RecordedExchange[],
  options: ReplayOptions,
): EffectGenerator<ReplayedStretch> {
  const replayed: ReplayedExchange[] = [];
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
  function* moveTime({ atMs = nowMs, place }: RecordedExchange): EffectGenerator<void> {
    if (atMs > nowMs) {
      yield* perform({ kind: "wait", ms: atMs - nowMs });
      nowMs = atMs;
    } else if (atMs < nowMs) {
      early ??= `${place} was recorded before this world's time, ${formatInstant(nowMs)}, and time doesn't go back. Use an earlier --start, or a snapshot from before`;
    }
  }
  function* keyOf(exchange: RecordedExchange): EffectGenerator<string | undefined> {
    const { publisher: id } = exchange;
    if (id === undefined || !isKeyRedacted(exchange)) return undefined;
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

  for (const [index, exchange] of exchanges.entries()) {
    if (exchange.skip !== undefined) {
      replayed.push({ exchange, outcome: { kind: "skipped", why: exchange.skip } });
      continue;
    }
    const entered = exchange.world === undefined ? "entered" : yield* enter(exchange.world);
    if (entered !== "entered") {
      const refusal = entered === "other" ? undefined : entered;
      return { ...done(), rest: exchanges.slice(index), refusal };
    }
    if (options.time === "recorded") yield* moveTime(exchange);
    const own = yield* keyOf(exchange);
    replayed.push({ exchange, outcome: yield* outcomeOf(exchange, own, options) });
  }
  return { ...done(), rest: [] };
}

function* outcomeOf(
  exchange: RecordedExchange,
  own: string | undefined,
  { apiKey, trials }: ReplayOptions,
): EffectGenerator<Outcome> {
  const { choices, areHarmless } = resendCandidatesOf(exchange, { own, given: apiKey });
  const [likeliest] = choices;
  // A request with an effect is sent only once.
  const chosen =
    trials === "scratch" ? yield* firstMatchingInScratch(exchange, choices) : likeliest;
  let first: Outcome | undefined;
  for (const request of areHarmless ? choices : [chosen]) {
    const outcome = yield* outcomeWith(request, exchange);
    if (outcome.kind === "same") return outcome;
    first ??= outcome;
  }
  return first ?? { kind: "skipped", why: "unsendable" };
}

/** The first choice that gets the recorded answer in a scratch copy. */
function* firstMatchingInScratch(
  { response }: RecordedExchange,
  choices: readonly [RecordedRequest, ...RecordedRequest[]],
): EffectGenerator<RecordedRequest> {
  if (choices.length === 1) return choices[0];
  for (const request of choices) {
    yield* perform({ kind: "fork" });
    const seen = yield* performInScratch({ kind: "send", outgoing: outgoingOf(request) });
    if (differenceOf(response, answerIn(seen)) === undefined) return request;
  }
  return choices[0];
}

function* outcomeWith(
  request: RecordedRequest,
  { response }: RecordedExchange,
): EffectGenerator<Outcome> {
  let seen: ClientExchange;
  try {
    seen = yield* perform({ kind: "send", outgoing: outgoingOf(request) });
  } catch (error) {
    if (error instanceof InputError) return { kind: "skipped", why: "unsendable" };
    throw error;
  }
  if (seen.outcome !== "answered") {
    return { kind: "unanswered", why: seen.why ?? endings[seen.outcome] };
  }
  const difference = differenceOf(response, answerIn(seen));
  return difference === undefined ? { kind: "same" } : { kind: "different", difference };
}

const endings: Readonly<Record<Exclude<ClientExchange["outcome"], "answered">, string>> = {
  cut: "the answer broke off",
  lost: "the connection broke off",
  "timed-out": `no complete answer came within ${ANSWER_TIMEOUT_MS} ms`,
};

function outgoingOf(request: RecordedRequest): Outgoing {
  return { operation: undefined, request, timeoutMs: ANSWER_TIMEOUT_MS };
}

function answerIn({
  status,
  headers,
  text,
  bytes,
}: ClientExchange): Parameters<typeof differenceOf>[1] {
  return { status, headers, body: bytes ?? text };
}
