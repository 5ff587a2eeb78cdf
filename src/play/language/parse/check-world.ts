/** Plays only a scenario's clock, assumptions and fault rules, to reject in advance what a world would reject midway. */

import { formatInstant, LAST_INSTANT_MS, parseInstant } from "../../../base/calendar.ts";
import { didYouMean } from "../../../base/did-you-mean.ts";
import { durationMs } from "../../../base/duration.ts";
import { InputError, renamingField } from "../../../base/input.ts";
import { type FaultRule, MAX_RULES } from "../../../faults/rule.ts";
import { resolveOptions } from "../../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../../spec/assumptions/resolve.ts";
import type { AdvanceStep, HealStep, Scenario, Step } from "../scenario.ts";

/** What is known about the world at a step. */
interface World {
  /** The earliest possible time, in milliseconds since 1970. */
  nowMs: number;
  readings: Readonly<Record<string, unknown>>;
  /** Rules by id. Those with a ttl may have expired ("maybe"). */
  readonly rules: Map<string, "there" | "maybe">;
  /** Count of rules without an id. The world numbers them. */
  unnamed: number;
}

/** @throws InputError at the step that a world would reject. */
export function checkWorld({ start, assumptions = {}, faults = [], steps }: Scenario): void {
  const world: World = {
    nowMs: resolveOptions({ start }).settings.startMs,
    readings: assumptions,
    rules: new Map(),
    unnamed: 0,
  };
  faults.forEach((rule, index) => {
    install(rule, `faults.${index}`, world);
  });
  walk(steps, "steps", world);
}

function walk(steps: readonly Step[], path: string, world: World): void {
  steps.forEach((step, index) => {
    const at = `${path}.${index}`;
    if ("advance" in step) advance(step.advance, `${at}.advance`, world);
    else if ("traffic" in step) pass(durationMs(step.traffic.for), `${at}.traffic.for`, world);
    else if ("assume" in step) assume(step.assume, `${at}.assume`, world);
    else if ("fault" in step) install(step.fault, `${at}.fault`, world);
    else if ("heal" in step) heal(step.heal, `${at}.heal`, world);
    else if ("repeat" in step) repeat(step, at, world);
  });
}

/** Walks at most two rounds: if both succeed, later rounds only add the same time and the same number of rules. */
function repeat(
  { repeat: { times, every, steps } }: Extract<Step, { readonly repeat: unknown }>,
  at: string,
  world: World,
): void {
  let before = { nowMs: world.nowMs, unnamed: world.unnamed };
  for (let round = 1; round <= Math.min(times, 2); round += 1) {
    before = { nowMs: world.nowMs, unnamed: world.unnamed };
    walk(steps, `${at}.repeat.steps`, world);
    if (every !== undefined) pass(durationMs(every), `${at}.repeat.every`, world);
  }
  const more = Math.max(0, times - 2);
  pass(more * (world.nowMs - before.nowMs), `${at}.repeat.times`, world);
  world.unnamed += more * Math.max(0, world.unnamed - before.unnamed);
  checkRoom(`${at}.repeat.times`, world);
}

function advance(by: AdvanceStep["advance"], at: string, world: World): void {
  if (typeof by !== "object") {
    pass(durationMs(by), at, world);
    return;
  }
  if ("retryAfterOf" in by) return;
  const ms = parseInstant(by.to) ?? 0;
  if (ms < world.nowMs) {
    throw new InputError(
      `${at}.to`,
      `is before ${formatInstant(world.nowMs)}, which earlier steps have reached: time doesn't go back`,
    );
  }
  if (ms > LAST_INSTANT_MS) throw new InputError(`${at}.to`, "must not be after the year 9999");
  world.nowMs = ms;
}

function pass(ms: number, at: string, world: World): void {
  if (!(world.nowMs + ms <= LAST_INSTANT_MS)) {
    throw new InputError(at, "takes the world's clock past the year 9999");
  }
  world.nowMs += ms;
}

function assume(readings: object, at: string, world: World): void {
  const together = { ...world.readings, ...readings };
  const inStep = (field: string): string => field.replace(/^assumptions/, at);
  renamingField(inStep, () => resolveAssumptions(together));
  world.readings = together;
}

function install({ id, ttl }: FaultRule, at: string, world: World): void {
  const isLasting = ttl === undefined;
  if (id === undefined) {
    if (isLasting) world.unnamed += 1;
    else world.rules.set("rule-", "maybe");
  } else if (world.rules.get(id) === "there") {
    throw new InputError(
      `${at}.id`,
      "is the id of a rule that already exists. Heal that rule first, or choose another id",
    );
  } else world.rules.set(id, isLasting ? "there" : "maybe");
  checkRoom(at, world);
}

function checkRoom(at: string, world: World): void {
  const lasting = Array.from(world.rules.values()).filter((is) => is === "there").length;
  if (lasting + world.unnamed <= MAX_RULES) return;
  throw new InputError(at, `makes more than ${MAX_RULES} rules, which is the maximum`);
}

function heal(which: HealStep["heal"], at: string, world: World): void {
  if (which === "all") {
    world.rules.clear();
    world.unnamed = 0;
    return;
  }
  const isList = typeof which !== "string";
  (isList ? which : [which]).forEach((id, index) => {
    const isNumbered = /^rule-\d+$/.test(id) && (world.unnamed > 0 || world.rules.has("rule-"));
    if (!world.rules.delete(id)) {
      if (!isNumbered) {
        const hint = didYouMean(id, Array.from(world.rules.keys()));
        const place = isList ? `${at}.${index}` : at;
        throw new InputError(place, `names a rule that doesn't exist at that point.${hint}`);
      }
      world.unnamed = Math.max(0, world.unnamed - 1);
    }
  });
}
