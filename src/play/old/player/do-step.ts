/** Plays each kind of step. A missing kind is a type error. */

import { LAST_INSTANT_MS, parseInstant } from "../../../base/calendar.ts";
import { durationMs } from "../../../base/duration.ts";
import { inField } from "../../../base/input.ts";
import type { ClientExchange, Member } from "../../../invariants/client-exchange.ts";
import { inconclusive } from "../../../invariants/ensure.ts";
import { createTally, type Tally } from "../../measure/tally.ts";
import { kindOf, type StepKind, type StepOf } from "../../scenario/step-kind.ts";
import type { AdvanceStep, Matcher, Step } from "../../scenario/types.ts";
import {
  type Capabilities,
  type EffectGenerator,
  type EffectKind,
  type EffectOf,
  type Effects,
  makesChoices,
  perform,
} from "./effects.ts";
import { checkExpectation } from "./expectations.ts";
import { match } from "./matching.ts";
import { type StepOutcome, unknownBy } from "./record-step.ts";
import { retryAfterMs } from "./retry-after.ts";
import {
  addSignedUp,
  createObserver,
  NEEDS_CONTROL,
  publisherOf,
  type Run,
  recordRule,
  refreshMembers,
  scopeFor,
  updateMember,
} from "./run.ts";
import { playRequest, playTogether } from "./step-requests.ts";
import { answerOf, type Scope } from "./values.ts";

interface StepContext {
  readonly run: Run;
  readonly path: string;
  /** Plays the steps inside this one. */
  readonly playSteps: (steps: readonly Step[], path: string) => EffectGenerator<void>;
}

/** Kinds that need the control API, so another service can't do them. */
const controlling: ReadonlySet<StepKind> = new Set([
  "assume",
  "fault",
  "heal",
  "signUp",
  "setSurface",
  "rotateKey",
]);

/** Plays a step, or skips it if the target can't do it. @throws InputError that names the step that the target rejects. */
export function* doStep(context: StepContext, step: Step): EffectGenerator<StepOutcome> {
  const kind = kindOf(step);
  const { capabilities } = context.run;
  if (controlling.has(kind) && !capabilities.control) {
    const isAlreadySo = "assume" in step && makesChoices(capabilities, step.assume);
    return isAlreadySo ? done : skipped(NEEDS_CONTROL);
  }
  // The cast is safe: the player was looked up by the step's kind.
  const player = stepPlayers[kind] as (on: StepContext, step: Step) => EffectGenerator<StepOutcome>;
  try {
    return yield* player(context, step);
  } catch (thrown) {
    return unknownBy(thrown);
  }
}

type StepPlayers = {
  readonly [Kind in StepKind]: (
    context: StepContext,
    step: StepOf<Kind>,
  ) => EffectGenerator<StepOutcome>;
};

const stepPlayers: StepPlayers = {
  impression: ({ run }, step) => playRequest(run, step),
  click: ({ run }, step) => playRequest(run, step),
  stats: ({ run }, step) => playRequest(run, step),
  surfaces: ({ run }, step) => playRequest(run, step),
  payouts: ({ run }, step) => playRequest(run, step),
  raw: ({ run }, step) => playRequest(run, step),
  *advance({ run, path }, step) {
    const skipReason = whyAdvanceIsSkipped(run.capabilities, step);
    if (skipReason !== undefined) return skipped(skipReason);
    const nowMs = yield* perform({ kind: "now" });
    const ms = advanceMs(step, nowMs, yield* scopeFor(run, step));
    yield* wait(run, ms, `${path}.advance`);
    return done;
  },
  *traffic({ run }, { traffic, expect }) {
    const members: Member[] = [];
    for (const publisherRef of traffic.publishers ?? [0]) {
      const member = yield* publisherOf(run, publisherRef);
      if (member === undefined) return skipped(`there is no publisher ${publisherRef}`);
      members.push(member);
    }
    if (run.hasTemporaryRule) yield* noteFiredRules(run);
    const startMs = yield* perform({ kind: "now" });
    const before = openTally(run);
    const count = createObserver(run);
    const { brief } = run.digest;
    const order = {
      traffic,
      members,
      seed: run.settings.seed,
      number: run.trafficStepsPlayed,
      ...{ runId: run.sending.runId, startMs },
      observe(exchange: ClientExchange) {
        count(exchange);
        brief(exchange);
      },
    };
    run.trafficStepsPlayed += 1;
    const punctuality = yield* perform({ kind: "traffic", order });
    run.tally.addPunctuality(punctuality);
    return yield* closeTally(run, before, expect);
  },
  *assume({ run, path }, { assume }) {
    yield* performHere(`${path}.assume`, { kind: "assume", choices: assume });
    run.trace.recordAssume();
    yield* refreshMembers(run);
    return done;
  },
  *fault({ run, path }, { fault }) {
    const id = yield* performHere(`${path}.fault`, { kind: "fault", rule: fault });
    recordRule(run, fault, id, `${path}.fault`);
    return done;
  },
  *heal({ run, path }, { heal }) {
    yield* noteFiredRules(run);
    const ids = heal === "all" ? undefined : typeof heal === "string" ? [heal] : heal;
    yield* performHere(`${path}.heal`, { kind: "heal", ids });
    return done;
  },
  *signUp({ run, path }, { signUp }) {
    const member = yield* performHere(`${path}.signUp`, { kind: "signUp", request: signUp });
    addSignedUp(run, member);
    return { checks: [], output: { kind: "publisher", member } };
  },
  *setSurface({ run, path }, { setSurface }) {
    const { publisher, surface = 0, ...change } = setSurface;
    const member = yield* publisherOf(run, publisher);
    const of = member?.surfaces[surface];
    if (member === undefined || of === undefined) {
      return skipped(`publisher ${publisher ?? 0} has no surface ${surface}`);
    }
    const changed = { publisher: member.id, surface: of.id, change };
    yield* performHere(`${path}.setSurface`, { kind: "setSurface", ...changed });
    run.trace.recordSurface(of.id, change);
    const { status = of.status, cpmRange = of.cpmRange } = change;
    const surfaces = member.surfaces.with(surface, { ...of, status, cpmRange });
    updateMember(run, { ...member, surfaces });
    return done;
  },
  *rotateKey({ run, path }, { rotateKey }) {
    const member = yield* publisherOf(run, rotateKey.publisher);
    if (member === undefined) return skipped("there is no such publisher");
    const renewed = yield* performHere(`${path}.rotateKey`, {
      kind: "rotateKey",
      publisher: member.id,
    });
    updateMember(run, renewed);
    const keys = { apiKey: renewed.apiKey, oldKey: member.apiKey };
    return { checks: [], output: { kind: "content", content: keys } };
  },
  *repeat({ run, path, playSteps }, { repeat, expect }) {
    const before = openTally(run);
    for (let round = 1; round <= repeat.times; round += 1) {
      run.rounds.push(round);
      yield* playSteps(repeat.steps, `${path}.repeat.steps`);
      run.rounds.pop();
      const everyMs = durationMs(repeat.every ?? 0);
      if (everyMs > 0) yield* wait(run, everyMs, `${path}.repeat.every`);
    }
    return yield* closeTally(run, before, expect);
  },
  *parallel({ run, path }, { parallel, expect }) {
    const before = openTally(run);
    yield* playTogether(run, parallel, path);
    return yield* closeTally(run, before, expect);
  },
  *expect({ run }, { expect }) {
    return { checks: yield* checkExpectation(run, expect) };
  },
};

/** The outcome of a step without expectations. */
const done: StepOutcome = { checks: [] };

function skipped(why: string): StepOutcome {
  return { checks: [], skipped: why };
}

/** Performs an effect of a step. @throws InputError that names the step. */
function* performHere<Kind extends EffectKind>(
  path: string,
  effect: EffectOf<Kind>,
): EffectGenerator<Effects[Kind]["output"]> {
  try {
    return yield* perform(effect);
  } catch (error) {
    return inField(path, () => {
      throw error;
    });
  }
}

/** Notes which of the currently installed rules have fired. */
export function* noteFiredRules(run: Run): EffectGenerator<void> {
  for (const { id, fired } of yield* perform({ kind: "rules" })) {
    const seen = run.ruleById.get(id);
    if (seen !== undefined && fired > 0) seen.hasFired = true;
  }
}

/** Waits. If rules may expire meanwhile, notes first whether they have fired. */
function* wait(run: Run, ms: number, path: string): EffectGenerator<void> {
  if (run.hasTemporaryRule) yield* noteFiredRules(run);
  run.hasFreshScratch = false;
  yield* performHere(path, { kind: "wait", ms });
}

/** Starts a tally for a step. @returns the outer tally, for {@link closeTally}. */
function openTally(run: Run): Tally {
  const before = run.tally;
  run.tally = createTally();
  return before;
}

/** Ends a step's tally, adds it to the outer one (`before`), and checks it. */
function* closeTally(
  run: Run,
  before: Tally,
  expect: Matcher | undefined,
): EffectGenerator<StepOutcome> {
  const summary = run.tally.summary();
  before.add(run.tally);
  run.tally = before;
  const scope = yield* scopeFor(run, expect);
  const checks = expect !== undefined ? match(expect, summary, "tally", scope) : [];
  return { checks, tally: summary, output: { kind: "content", content: summary } };
}

/** In real time the target's clock can't be moved, so an advance usually works only at speed 1 and for a duration. */
export function whyAdvanceIsSkipped(
  { time }: Pick<Capabilities, "time">,
  { advance }: AdvanceStep,
): string | undefined {
  if (time.kind !== "real") return undefined;
  if (time.speed !== 1) return `the target's clock can't run at speed ${time.speed}`;
  const isTo = typeof advance === "object" && "to" in advance;
  return isTo ? "the target's clock can't be set" : undefined;
}

/** How many milliseconds to wait from `nowMs`. @throws Inconclusive if the instant is past or the answer has no usable hint. */
function advanceMs({ advance }: AdvanceStep, nowMs: number, scope: Scope): number {
  if (typeof advance !== "object") return durationMs(advance);
  if ("to" in advance) {
    const toMs = parseInstant(advance.to) ?? nowMs;
    return toMs >= nowMs ? toMs - nowMs : inconclusive(`the time is already past ${advance.to}`);
  }
  const { retryAfterOf, less = 0, more = 0 } = advance;
  const answer = answerOf(retryAfterOf, scope);
  const hinted = retryAfterMs(answer) ?? inconclusive(`${retryAfterOf} has no Retry-After`);
  const untilMs = answer.atMs + hinted - durationMs(less) + durationMs(more);
  if (untilMs > LAST_INSTANT_MS) inconclusive(`${retryAfterOf} says to wait beyond the year 9999`);
  return Math.max(0, untilMs - nowMs);
}
