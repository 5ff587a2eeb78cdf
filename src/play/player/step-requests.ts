/** Plays steps that send requests: one, or several at one instant. */

import type { ClientExchange, Outgoing } from "../../invariants/client-exchange.ts";
import type { ParallelStep, RequestStep } from "../scenario/types.ts";
import { checkAnswer } from "./expectations.ts";
import { record, type StepOutcome, undecidedBy } from "./record-step.ts";
import { outgoingOf } from "./requests.ts";
import { observeSingle, type Run } from "./run.ts";

export async function playRequest(run: Run, step: RequestStep): Promise<StepOutcome> {
  return answered(run, step, await run.target.send(outgoingOf(run, step)));
}

/** Sends all requests of all rounds before it reads the first answer. */
export async function playTogether(
  run: Run,
  { times = 1, steps }: ParallelStep["parallel"],
  path: string,
): Promise<void> {
  const sent: { step: RequestStep; path: string; round: number; outgoing: Outgoing }[] = [];
  for (let round = 1; round <= times; round += 1) {
    run.round = round;
    for (const [index, step] of steps.entries()) {
      const at = `${path}.parallel.steps.${index}`;
      try {
        sent.push({ step, path: at, round, outgoing: outgoingOf(run, step) });
      } catch (thrown) {
        await record(run, step, at, undecidedBy(thrown));
      }
    }
  }
  const exchanges = await sendTogether(run, sent);
  for (const [index, { step, path: at, round }] of sent.entries()) {
    const exchange = exchanges[index];
    if (exchange === undefined) throw new Error("A request of a parallel step got no answer.");
    run.round = round;
    await record(run, step, at, answered(run, step, exchange));
  }
}

/** At once in real time. Where the play moves the clock, they arrive in this order at one instant. */
async function sendTogether(
  { target, turns }: Run,
  sent: readonly { readonly outgoing: Outgoing }[],
): Promise<readonly ClientExchange[]> {
  if (target.time.kind === "real")
    return await Promise.all(sent.map(({ outgoing }) => target.send(outgoing)));
  const exchanges: ClientExchange[] = [];
  for (const { outgoing } of sent) {
    exchanges.push(await target.send(outgoing));
    await turns();
  }
  return exchanges;
}

function answered(run: Run, { as, expect }: RequestStep, exchange: ClientExchange): StepOutcome {
  observeSingle(run, exchange);
  const checks = expect ? checkAnswer(expect, exchange, as ?? "answer", run) : [];
  return { checks, exchange, output: { kind: "answer", exchange } };
}
