/**
 * Sends a recording again, as one more play: it yields what is to be done, is told what came of it, and compares every
 * answer with the recorded one.
 */

import { formatInstant } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import type {
  RecordedExchange,
  RecordedRequest,
  RecordedWorld,
  SkipReason,
} from "../../journal/recorded-exchange.ts";
import type { ClientExchange, Outgoing } from "../../laws/client-exchange.ts";
import type { Readings } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { type EffectGenerator, perform, performInScratch } from "../player/effects.ts";
import { type Difference, differenceOf } from "./compare.ts";
import { isKeyRedacted, resendCandidatesOf } from "./resend.ts";

export type Outcome =
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly difference: Difference }
  /** The connection broke off instead. */
  | { readonly kind: "unanswered"; readonly why: string }
  | { readonly kind: "skipped"; readonly why: SkipReason };

export interface ReplayedExchange {
  readonly exchange: RecordedExchange;
  readonly outcome: Outcome;
}

export interface Replay {
  readonly replayed: readonly ReplayedExchange[];
  /** What was noticed on the way. */
  readonly notes: readonly string[];
}

export interface ReplayOptions {
  /** Whether time stands still, or goes on as it did in the recording. */
  readonly time: "recorded" | "standing";
  /** How the world reads the spec when the replay begins. Undefined: it can't be told, so readings aren't passed on. */
  readonly readings: Readonly<Record<string, string>> | undefined;
  /** Readings in the place of what the recording says of its world. */
  readonly chosen: Readonly<Record<string, string>>;
  /** Stands in for a key that nobody knows. */
  readonly apiKey: string | undefined;
  /** `aside`: of several requests that look the same in a journal, the right one is found in a world aside. */
  readonly trials: "scratch" | "none";
  /** Whether another world answered than the one this is played in. There the replay ends. */
  readonly isOtherWorld: (world: RecordedWorld) => boolean;
  /** What to say of a publisher whose key nobody tells; undefined for nothing. */
  readonly unknownPublisher: (id: string) => string | undefined;
}

export interface ReplayedStretch extends Replay {
  /** What wasn't sent, since another world answered from there on. */
  readonly rest: readonly RecordedExchange[];
  /** Why the world can't become that one, where it was asked to. */
  readonly refusal?: InputError | undefined;
}

/** How long an answer is waited for, in milliseconds: longer than any takes that isn't held back on purpose. */
const ANSWER_TIMEOUT_MS = 30_000;

/** Replays in one world. @throws InputError for a reading that there isn't. */
export function* replay(
  exchanges: readonly RecordedExchange[],
  options: ReplayOptions,
): EffectGenerator<ReplayedStretch> {
  const replayed: ReplayedExchange[] = [];
  const notes = new Set<string>();
  const keys = new Map<string, string | undefined>();
  let early: string | undefined;
  let readings: Readings | undefined = options.readings && resolveAssumptions(options.readings);
  let nowMs = yield* perform({ kind: "now" });

  function* enter(world: RecordedWorld): EffectGenerator<InputError | "entered" | "other"> {
    if (options.isOtherWorld(world)) return "other";
    const before = readings;
    if (before === undefined) return "entered";
    try {
      const next = resolveAssumptions({ ...world.assumptions, ...options.chosen });
      const changed = Object.entries(next).filter(
        ([key, choice]) => before[key as keyof Readings] !== choice,
      );
      if (changed.length === 0) return "entered";
      yield* perform({ kind: "assume", readings: Object.fromEntries(changed) });
      readings = next;
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
      early ??= `${place} was recorded before the time that the world has here, ${formatInstant(nowMs)}, which doesn't go back. Begin with an earlier --start, or with a snapshot from before`;
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
  // What has an effect is sent once.
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

/** The first that gets the recorded answer in a world that is thrown away. */
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
  "timed-out": `nothing whole came within ${ANSWER_TIMEOUT_MS} ms`,
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
