/** Plays each kind of step. A missing kind is a type error. */

import { LAST_INSTANT_MS, parseInstant } from "../../base/calendar.ts";
import { durationMs, MINUTE_MS } from "../../base/duration.ts";
import { InputError, inField } from "../../base/input.ts";
import type { ClientExchange, Outgoing } from "../../invariants/client-exchange.ts";
import { inconclusive } from "../../invariants/ensure.ts";
import { createTally } from "../measure/tally.ts";
import { kindOf, type StepKind, type StepOf } from "../scenario/step-kind.ts";
import type { AdvanceStep, Matcher, ParallelStep, RequestStep, Step } from "../scenario/types.ts";
import { choicesToMake } from "../targets/service-plan.ts";
import { type Control, retryAfterMs, whyAdvanceIsSkipped } from "../targets/target.ts";
import { checkAnswer, checkExpectation } from "./expectations.ts";
import { match } from "./matching.ts";
import { record, type StepOutcome, undecidedBy } from "./record-step.ts";
import { outgoingOf } from "./requests.ts";
import {
  createObserver,
  loadMembers,
  noteFiredRules,
  observeSingle,
  ordinalOf,
  publisherOf,
  type Run,
  recordRule,
  setMember,
} from "./run.ts";
import { answerOf } from "./values.ts";

/** Why a step is skipped at a target without a control API. */
export const NEEDS_CONTROL = "only an adsim that accepts control requests can do that";

export async function playStep(run: Run, step: Step, path: string): Promise<void> {
  await run.turns();
  run.nowMs = run.target.now();
  await record(run, step, path, await outcomeOf(run, step, path));
}

async function playSteps(run: Run, steps: readonly Step[], path: string): Promise<void> {
  for (const [index, step] of steps.entries()) await playStep(run, step, `${path}.${index}`);
}

/** @throws InputError (as a rejection) that names the step that the target rejects. */
async function outcomeOf(run: Run, step: Step, path: string): Promise<StepOutcome> {
  const kind = kindOf(step);
  // The cast is safe: the player was looked up by the step's kind.
  const player = stepPlayers[kind] as (run: Run, step: Step, path: string) => Promise<StepOutcome>;
  try {
    return await player(run, step, path);
  } catch (thrown) {
    // A step inside this one has named itself.
    if (!(thrown instanceof InputError) || thrown.field.startsWith(path))
      return undecidedBy(thrown);
    return inField(`${path}.${kind}`, () => {
      throw thrown;
    });
  }
}

type StepPlayers = {
  readonly [Kind in StepKind]: (run: Run, step: StepOf<Kind>, path: string) => Promise<StepOutcome>;
};

const stepPlayers: StepPlayers = {
  impression: playRequest,
  click: playRequest,
  stats: playRequest,
  surfaces: playRequest,
  payouts: playRequest,
  raw: playRequest,
  async advance(run, step) {
    const skipReason = whyAdvanceIsSkipped(run.target.time, step);
    if (skipReason !== undefined) return skipped(skipReason);
    await wait(run, advanceMs(run, step));
    return done;
  },
  async traffic(run, { traffic, expect }) {
    const { publishers = [0] } = traffic;
    const members = publishers.map((publisherRef) => publisherOf(run, publisherRef));
    return await counted(run, expect, async () => {
      const count = createObserver(run);
      const punctuality = await run.target.traffic({
        traffic,
        members,
        seed: run.seed,
        number: run.trafficStepsPlayed,
        runId: run.sending.runId,
        startMs: run.nowMs,
        observe(exchange: ClientExchange) {
          count(exchange);
          run.digest.brief(exchange);
        },
      });
      run.trafficStepsPlayed += 1;
      run.tally.addPunctuality(punctuality);
    });
  },
  async assume(run, { assume }) {
    const { control, knownChoices } = run.target;
    const made = control === undefined ? knownChoices : {};
    if (choicesToMake(assume, made).length === 0) return done;
    return await controlled(run, async (by) => {
      await by.assume(assume);
      run.trace.recordAssume();
      // Assumptions can change their ids.
      await loadMembers(run, run.members.keys());
      return done;
    });
  },
  fault: (run, { fault }, path) =>
    controlled(run, async (by) => {
      recordRule(run, fault, await by.fault(fault), path);
      return done;
    }),
  heal: (run, { heal }) =>
    controlled(run, async (by) => {
      await noteFiredRules(run);
      await by.heal(heal === "all" ? undefined : [heal].flat());
      return done;
    }),
  signUp: (run, { signUp }) =>
    controlled(run, async (by) => {
      const ordinal = run.nextOrdinal;
      run.nextOrdinal += 1;
      setMember(run, ordinal, await by.signUp(signUp));
      return { checks: [], output: { kind: "publisher", ordinal } };
    }),
  setSurface: (run, { setSurface }) =>
    controlled(run, async (by) => {
      const { publisher, surface = 0, ...change } = setSurface;
      const member = publisherOf(run, publisher);
      const of = member.surfaces[surface];
      if (of === undefined) return skipped(`publisher ${publisher ?? 0} has no surface ${surface}`);
      await by.setSurface(member.id, of.id, change);
      run.trace.recordSurface(of.id, change);
      const { status = of.status, cpmRange = of.cpmRange } = change;
      const surfaces = member.surfaces.with(surface, { ...of, status, cpmRange });
      setMember(run, ordinalOf(run, publisher), { ...member, surfaces });
      return done;
    }),
  rotateKey: (run, { rotateKey }) =>
    controlled(run, async (by) => {
      const member = publisherOf(run, rotateKey.publisher);
      const renewed = await by.rotateKey(member.id);
      setMember(run, ordinalOf(run, rotateKey.publisher), renewed);
      const keys = { apiKey: renewed.apiKey, oldKey: member.apiKey };
      return { checks: [], output: { kind: "content", content: keys } };
    }),
  repeat: (run, { repeat, expect }, path) =>
    counted(run, expect, async () => {
      const everyMs = durationMs(repeat.every ?? 0);
      for (let round = 1; round <= repeat.times; round += 1) {
        run.round = round;
        await playSteps(run, repeat.steps, `${path}.repeat.steps`);
        if (everyMs > 0) await wait(run, everyMs);
      }
    }),
  parallel: (run, { parallel, expect }, path) =>
    counted(run, expect, () => playTogether(run, parallel, path)),
  expect: async (run, { expect }) => ({ checks: await checkExpectation(run, expect) }),
};

/** The outcome of a step without expectations. */
const done: StepOutcome = { checks: [] };

function skipped(why: string): StepOutcome {
  return { checks: [], result: "skipped", why };
}

/** Does what only an adsim can do, or skips the step. */
async function controlled(
  { target: { control } }: Run,
  act: (by: Control) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  return control === undefined ? skipped(NEEDS_CONTROL) : await act(control);
}

async function wait(run: Run, ms: number): Promise<void> {
  await run.target.wait(ms);
  run.nowMs = run.target.now();
}

/** Counts the requests of a step in a tally of its own, adds it to the outer one, and checks it. */
async function counted(
  run: Run,
  expect: Matcher | undefined,
  act: () => Promise<void>,
): Promise<StepOutcome> {
  const { tally: outer, round } = run;
  run.tally = createTally();
  await act();
  const tally = run.tally.summary();
  outer.add(run.tally);
  run.tally = outer;
  run.round = round;
  const subject = { actual: tally, about: "tally", scope: run };
  const checks = expect === undefined ? [] : match(expect, subject);
  return { checks, tally, output: { kind: "content", content: tally } };
}

/**
 * How many milliseconds to wait. Where another service gives no hint, a minute, because the limits are per minute (spec §8).
 * @throws Inconclusive if the instant is past or an adsim's answer has no usable hint.
 */
function advanceMs(run: Run, { advance }: AdvanceStep): number {
  if (typeof advance !== "object") return durationMs(advance);
  const { nowMs } = run;
  if ("to" in advance) {
    const toMs = parseInstant(advance.to) ?? nowMs;
    return toMs >= nowMs ? toMs - nowMs : inconclusive(`the time is already past ${advance.to}`);
  }
  const { retryAfterOf, less = 0, more = 0 } = advance;
  const answer = answerOf(retryAfterOf, run);
  const unsaid = run.target.kind === "service" ? MINUTE_MS : undefined;
  const hinted = retryAfterMs(answer) ?? unsaid;
  if (hinted === undefined) return inconclusive(`${retryAfterOf} has no Retry-After`);
  const untilMs = answer.atMs + hinted - durationMs(less) + durationMs(more);
  if (untilMs > LAST_INSTANT_MS) inconclusive(`${retryAfterOf} says to wait beyond the year 9999`);
  return Math.max(0, untilMs - nowMs);
}

async function playRequest(run: Run, step: RequestStep): Promise<StepOutcome> {
  return answered(run, step, await run.target.send(outgoingOf(run, step)));
}

/** Sends all requests of all rounds before it reads the first answer. */
async function playTogether(
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
