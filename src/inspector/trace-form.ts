/**
 * A recording of worlds as JSON: where each begins, and everything that was done to it since, in order. The engine of the file
 * form does it all again. Only the same version of adsim reads it, since both are in one file.
 */

import type { ClockMode } from "../base/clock.ts";
import { digestOf } from "../base/digest.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { Verdict } from "../faults/verdict.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { WorldChange } from "../simulator/world-change.ts";
import type { WorldState } from "../world/accounts/snapshot.ts";
import type { Person } from "../world/publishers/people.ts";
import type { Profile } from "../world/publishers/profiles.ts";
import type { WorldSettings } from "../world/publishers/world-settings.ts";

export interface Trace {
  readonly title: string;
  readonly options: TracedOptions;
  /** `default` first. */
  readonly worlds: readonly WorldTrace[];
  readonly people: readonly TracedPerson[];
}

/** The options that every world is made from. `faults`: null for a function; without secrets. */
export interface TracedOptions extends Omit<WorldSettings, "startMs"> {
  readonly start: string;
  readonly clock: ClockMode;
  readonly explain: boolean;
  readonly cors: string | readonly string[];
  readonly journalEntries: number;
  readonly faults: readonly (FaultRule | null)[];
}

/** A publisher whose name shows somewhere. All others get simple names. */
export interface TracedPerson extends Person {
  readonly seed: string;
  readonly profile: Profile;
  readonly ordinal: number;
}

export interface WorldTrace {
  readonly name: string;
  /** As `GET worlds` shows it, for a world that isn't rebuilt yet. */
  readonly summary: Readonly<Record<string, string | number>>;
  readonly begin: WorldBegin;
  /** The entries before the first one. */
  readonly first: number;
  /** The earlier entries that the journal kept, but that can't be rebuilt. */
  readonly leftOut: number;
  /** In milliseconds since 1970, at the end. */
  readonly nowMs: number;
  readonly heads: readonly RequestHead[];
  readonly steps: readonly TracedStep[];
  /** How many requests had something that was left out because it may be secret. */
  readonly redacted: number;
  /** Whether something was left out of fault rules, of what they decided, or of names. */
  readonly hasHiddenTexts: boolean;
}

export type WorldBegin =
  /** As its options make it, with another seed if it was reset with one. */
  | { readonly kind: "options"; readonly seed: string; readonly nowMs: number }
  | { readonly kind: "state"; readonly state: TracedState };

/** `functions`: the ids of the rules that are functions. A rule that does nothing stands in their place. */
export interface TracedState extends WorldState {
  readonly functions: readonly string[];
}

/** The parts that requests have in common. */
export interface RequestHead {
  readonly method: string;
  readonly path: TracedText;
  readonly headers: readonly (readonly [name: string, value: TracedText])[];
}

/** A text in pieces, where keys of the world are left out: they follow from the seed. */
export type TracedText = string | readonly (string | KeyReference)[];

/** `serial`: how often the key had been rotated. */
export type KeyReference = readonly [ordinal: number, serial: number];

/** Tuples, because there are thousands. `sinceMs` counts from the step before. */
export type TracedStep =
  | readonly [
      kind: "sent",
      sinceMs: number,
      head: number,
      query: TracedText,
      body: TracedText | TracedBytes,
      check: string,
      special?: SpecialRequest,
    ]
  /** The entry of the second application of a duplicated request. */
  | readonly [kind: "again", check: string]
  | readonly [kind: "changed", sinceMs: number, change: TracedChange]
  | readonly [kind: "replaced", sinceMs: number, by: "restore" | "play", state: TracedState];

export interface TracedBytes {
  readonly base64: string;
}

export interface SpecialRequest {
  /** What a rule decided that is a function. */
  readonly rule?: string;
  readonly verdict?: Verdict;
  /** The client left before its answer was handed over. */
  readonly left?: true;
  /** It couldn't be read as a request, for this reason. */
  readonly flaw?: number;
}

/** `rule`: null for a function. */
export type TracedChange =
  | Exclude<WorldChange, { readonly kind: "fault" | "replace" }>
  | { readonly kind: "fault"; readonly id: string; readonly rule: FaultRule | null };

/** Eight characters are enough to notice that an answer differs. The answer itself can't be read from them. */
const CHECK_LENGTH = 8;

/** What an answer is recognised by: its status, and a digest of what the client got and what it lost. */
export function answerDigest({ response, fault }: JournalRecord): string {
  const { lost } = fault ?? {};
  const parts = [response.body, String(lost?.status ?? ""), lost?.body ?? ""];
  return `${response.status} ${digestOf(parts).slice(0, CHECK_LENGTH)}`;
}
