/** Plays steps that send requests: one, or several at one instant. */

import type { ClientExchange, Outgoing } from "../../../invariants/client-exchange.ts";
import type { ParallelStep, RequestStep } from "../../scenario/types.ts";
import { type EffectGenerator, perform } from "./effects.ts";
import { checkAnswer } from "./expectations.ts";
import { outgoingOf } from "./outgoing-of.ts";
import { record, type StepOutcome, unknownBy } from "./record-step.ts";
import { observeSingle, type Run, scopeFor, senderOf } from "./run.ts";

export function* playRequest(run: Run, step: RequestStep): EffectGenerator<StepOutcome> {
  const outgoing = yield* outgoingFrom(run, step);
  const exchange = yield* perform({ kind: "send", outgoing });
  return yield* answered(run, step, exchange);
}

/** Sends all requests of all rounds before it reads the first answer. */
export function* playTogether(
  run: Run,
  { times = 1, steps }: ParallelStep["parallel"],
  path: string,
): EffectGenerator<void> {
  const sent: { step: RequestStep; path: string; round: number; outgoing: Outgoing }[] = [];
  for (let round = 1; round <= times; round += 1) {
    run.rounds.push(round);
    for (const [index, step] of steps.entries()) {
      const at = `${path}.parallel.steps.${index}`;
      try {
        sent.push({ step, path: at, round, outgoing: yield* outgoingFrom(run, step) });
      } catch (thrown) {
        record(run, step, at, unknownBy(thrown));
      }
    }
    run.rounds.pop();
  }
  const exchanges = yield* perform({
    kind: "together",
    outgoing: sent.map(({ outgoing }) => outgoing),
  });
  for (const [index, { step, path: at, round }] of sent.entries()) {
    const exchange = exchanges[index];
    if (exchange === undefined) throw new Error("A request of a parallel step got no answer.");
    run.rounds.push(round);
    record(run, step, at, yield* answered(run, step, exchange));
    run.rounds.pop();
  }
}

function* outgoingFrom(run: Run, step: RequestStep): EffectGenerator<Outgoing> {
  const sender = yield* senderOf(run, step.publisher);
  return outgoingOf(step, sender, yield* scopeFor(run, step), run.sending);
}

function* answered(
  run: Run,
  { as, expect }: RequestStep,
  exchange: ClientExchange,
): EffectGenerator<StepOutcome> {
  observeSingle(run, exchange);
  const output = { kind: "answer", exchange } as const;
  if (expect === undefined) return { checks: [], exchange, output };
  const checks = checkAnswer(expect, exchange, as ?? "answer", yield* scopeFor(run, expect));
  return { checks, exchange, output };
}
