/** Writes down step by step what was done to a world: requests in a compact form, and changes by hand. */

import type { FaultRule } from "../faults/rule.ts";
import type { RuleList } from "../faults/rule-list.ts";
import type { JournalRecord } from "../journal/record.ts";
import { flawIn } from "../simulator/flawed-request.ts";
import type { HistoryStep, NotedChange, SavedCopy } from "../simulator/moment.ts";
import { hasLeft } from "../simulator/repetition.ts";
import type {
  RequestHead,
  SpecialRequest,
  TracedChange,
  TracedState,
  WorldBegin,
  WorldTrace,
} from "./trace-form.ts";
import { answerDigest, type TracedStep } from "./trace-form.ts";
import type { RequestTracer, TracedRequest } from "./trace-request.ts";
import { hiddenDecision, hiddenRule, hiddenSignUp, hiddenState, textsIn } from "./trace-rules.ts";
import type { HiderOf } from "./trace-secrets.ts";

export interface StepWriter {
  /** Takes secrets out of how the world begins. */
  begun(begin: WorldBegin): WorldBegin;
  /** `next`: the step after it. */
  step(step: HistoryStep, next: HistoryStep | undefined): void;
  /** The state was replaced by this one, in the step before. */
  replaced(copy: SavedCopy): void;
  written(): Pick<WorldTrace, "heads" | "steps" | "redacted" | "hasHiddenTexts">;
}

/** What takes secrets out. */
export interface Hiding {
  readonly tracer: RequestTracer;
  readonly hiderOf: HiderOf;
}

export function createStepWriter(
  { state, rules }: SavedCopy,
  { tracer, hiderOf }: Hiding,
): StepWriter {
  const heads: RequestHead[] = [];
  const places = new Map<string, number>();
  const steps: TracedStep[] = [];
  /** The ids of all rules so far that were functions. */
  const functions = new Set(functionsIn(rules));
  let redacted = 0;
  let hasHiddenTexts = false;
  /** The world's seed can change when its state is replaced. */
  let hider = hiderOf(state);
  let latestMs = state.clock.now;
  /** How the state was replaced last. */
  let replaced: ["restore" | "play", sinceMs: number] = ["restore", 0];

  function since(atMs: number): number {
    const sinceMs = atMs - latestMs;
    latestMs = atMs;
    return sinceMs;
  }
  /** Remembers whether anything was hidden. */
  function noted<Kept>(given: Kept, hidden: Kept): Kept {
    hasHiddenTexts ||= JSON.stringify(given) !== JSON.stringify(hidden);
    return hidden;
  }
  function placeOf(head: RequestHead): number {
    const text = JSON.stringify(head);
    const place = places.get(text) ?? heads.push(head) - 1;
    places.set(text, place);
    return place;
  }
  function request(record: JournalRecord, next: JournalRecord | undefined): TracedStep {
    const check = answerDigest(record);
    if (record.fault?.application === 2) return ["again", check];
    const traced = tracer(record, record.world);
    const { head, query, body, isRedacted } = traced;
    redacted += isRedacted ? 1 : 0;
    const sent = ["sent", since(record.nowMs), placeOf(head), query, body, check] as const;
    const special = specialOf(record, next, traced);
    return special === undefined ? sent : [...sent, special];
  }
  function specialOf(
    record: JournalRecord,
    next: JournalRecord | undefined,
    traced: TracedRequest,
  ): SpecialRequest | undefined {
    const { fault } = record;
    const flaw = flawIn(record);
    const isDuplicate = next?.fault?.application === 2;
    const special = {
      ...(flaw !== undefined && { flaw }),
      ...(fault &&
        functions.has(fault.rule) && {
          rule: fault.rule,
          verdict: noted(
            fault.verdict,
            hiddenDecision(fault.verdict, record, traced, hiderOf(record.world)),
          ),
        }),
      ...((hasLeft(record) || (isDuplicate && hasLeft(next))) && { left: true as const }),
    };
    return Object.keys(special).length === 0 ? undefined : special;
  }
  function changed({ change, atMs }: NotedChange): TracedChange | undefined {
    if (change.kind === "replace") {
      // A play counts as done in the old state. A restore is listed with the time of the new one.
      replaced = [change.by, change.by === "play" ? since(atMs) : 0];
      return undefined;
    }
    if (change.kind === "sign-up") {
      return { ...change, signUp: noted(change.signUp, hiddenSignUp(change.signUp, hider)) };
    }
    if (change.kind !== "fault") return change;
    const { kind, id, rule } = change;
    if (typeof rule !== "function") return { kind, id, rule: noted(rule, hiddenRule(rule, hider)) };
    functions.add(id);
    return { kind, id, rule: null };
  }

  function withoutSecrets(given: TracedState): TracedState {
    const hidden = hiddenState(given, hider);
    noted(textsIn(given), textsIn(hidden));
    return hidden;
  }

  return {
    begun(begin) {
      return begin.kind === "options" ? begin : { ...begin, state: withoutSecrets(begin.state) };
    },
    step(step, next) {
      if (step.kind === "request") {
        steps.push(request(step.record, next?.kind === "request" ? next.record : undefined));
        return;
      }
      const change = changed(step.noted);
      if (change !== undefined) steps.push(["changed", since(step.noted.atMs), change]);
    },
    replaced(copy) {
      for (const id of functionsIn(copy.rules)) functions.add(id);
      hider = hiderOf(copy.state);
      const [by, sinceMs] = replaced;
      const state = withoutSecrets(tracedState(copy));
      latestMs = state.clock.now;
      steps.push(["replaced", sinceMs, by, state]);
    },
    written: () => ({ heads, steps, redacted, hasHiddenTexts }),
  };
}

function functionsIn(rules: RuleList): readonly string[] {
  const ids: string[] = [];
  rules.copy((id, decide) => {
    ids.push(id);
    return decide;
  });
  return ids;
}

/** A rule that does nothing keeps the place of a function. */
const inPlace: FaultRule = { match: { share: 0 }, verdict: { kind: "delay", delay: 0 } };

export function tracedState({ state, rules }: SavedCopy): TracedState {
  return {
    ...state,
    faults: rules.save(state.clock.now, inPlace),
    accounts: state.accounts.map((account) => ({ ...account, book: account.book.save() })),
    functions: functionsIn(rules),
  };
}
