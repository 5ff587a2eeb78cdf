/** One installed rule: it numbers the requests that it looks at and decides on some of them. */

import { formatInstant, LAST_INSTANT_MS, parseInstant } from "../base/calendar.ts";
import { durationMs } from "../base/duration.ts";
import { deriveKey, drawFraction, type Key, subKey } from "../base/random.ts";
import { delayMsOf } from "./delay.ts";
import { type Plan, planOf } from "./plan.ts";
import {
  copyOfRule,
  type FaultFunction,
  type FaultMatch,
  type FaultRequest,
  type FaultRule,
  parseVerdict,
} from "./rule.ts";
import type { Verdict, VerdictKind } from "./verdict.ts";

/** A copy of an installed rule. */
export interface InstalledRule {
  readonly id: string;
  /** Undefined for a function. */
  readonly match: FaultMatch | undefined;
  /** Undefined for a function. */
  readonly verdict: Verdict | undefined;
  /** When it ends, in ISO 8601 on the world's clock; undefined if it doesn't end. */
  readonly expires: string | undefined;
  /** How many requests it has looked at and numbered. */
  readonly seen: number;
  /** How many requests it decided on. */
  readonly fired: number;
}

/** A rule's decision on a request. */
export interface FiredRule {
  readonly rule: string;
  readonly kind: VerdictKind;
  readonly delayMs: number;
  readonly verdict: Verdict;
  readonly plan: Plan;
}

/** The request that rules are asked about. `caller` is the ordinal of the key's publisher or {@link UNAUTHENTICATED_CALLER}. */
export interface ArrivedRequest extends Omit<FaultRequest, "number" | "body"> {
  readonly body: string | Uint8Array;
  readonly caller: number;
}

/** All requests without a valid key count as one caller. */
export const UNAUTHENTICATED_CALLER = -1;
/** The counter of a rule that numbers the requests of all callers together. */
const ALL_CALLERS = -2;

export interface Rule {
  readonly id: string;
  readonly behaviour: DataRule | FunctionRule;
  readonly expiresMs: number;
  readonly fireKey: Key;
  readonly delayKey: Key;
  readonly noiseKey: Key;
  readonly seen: Map<number, number>;
  readonly fired: Map<number, number>;
}

interface DataRule {
  readonly kind: "data";
  readonly rule: FaultRule;
  readonly match: FaultMatch;
  readonly window: ActiveWindow;
}

interface FunctionRule {
  readonly kind: "function";
  readonly decide: FaultFunction;
}

/** `given` must be a checked copy. */
export function createRule(
  seed: string,
  id: string,
  given: FaultRule | FaultFunction,
  expiresMs: number,
): Rule {
  return {
    id,
    behaviour: typeof given === "function" ? { kind: "function", decide: given } : dataRule(given),
    // No world's clock reaches a later instant.
    expiresMs: expiresMs > LAST_INSTANT_MS ? Number.POSITIVE_INFINITY : expiresMs,
    fireKey: deriveKey(seed, "fault", id, "fires"),
    delayKey: deriveKey(seed, "fault", id, "delays"),
    noiseKey: deriveKey(seed, "fault", id, "noise"),
    seen: new Map(),
    fired: new Map(),
  };
}

function dataRule(rule: FaultRule): DataRule {
  const { match = {} } = rule;
  return { kind: "data", rule, match, window: windowOf(match) };
}

/** The rule with its counts, about other requests. */
export function rewritten(rule: Rule, rewrite: (rule: FaultRule) => FaultRule): Rule {
  const { behaviour } = rule;
  return behaviour.kind === "data"
    ? { ...rule, behaviour: dataRule(rewrite(behaviour.rule)) }
    : rule;
}

/** Numbers a request, if the rule looks at it. */
export function numberRequest(
  { behaviour, seen }: Rule,
  arrived: ArrivedRequest,
): number | undefined {
  if (behaviour.kind === "data" && !looksAt(behaviour, arrived)) return undefined;
  const counter = counterOf(behaviour, arrived);
  const number = (seen.get(counter) ?? 0) + 1;
  seen.set(counter, number);
  return number;
}

function counterOf(behaviour: Rule["behaviour"], { caller }: ArrivedRequest): number {
  return behaviour.kind === "data" && behaviour.match.per === "world" ? ALL_CALLERS : caller;
}

function looksAt({ match, window }: DataRule, arrived: ArrivedRequest): boolean {
  const { operation, publisher, surface } = match;
  return (
    isOpen(window, arrived.nowMs) &&
    isOneOf(operation, arrived.operation) &&
    isOneOf(publisher, arrived.publisher) &&
    // Checked last, because it has to be read from the body.
    (surface === undefined || isOneOf(surface, arrived.surface))
  );
}

function isOneOf<Item extends string>(
  wanted: Item | readonly Item[] | undefined,
  found: Item | undefined,
): boolean {
  if (wanted === undefined) return true;
  return found !== undefined && (Array.isArray(wanted) ? wanted.includes(found) : wanted === found);
}

/** The rule's decision on a numbered request; undefined to let it pass. */
export function fire(rule: Rule, arrived: ArrivedRequest, number: number): FiredRule | undefined {
  const { id, behaviour, delayKey, noiseKey, fired } = rule;
  const counter = counterOf(behaviour, arrived);
  const verdict =
    behaviour.kind === "data"
      ? chosen(rule, behaviour, number, counter)
      : parseVerdict(id, behaviour.decide(faultRequestOf(arrived, number)));
  if (verdict === undefined) return undefined;
  fired.set(counter, (fired.get(counter) ?? 0) + 1);
  return {
    rule: id,
    kind: verdict.kind,
    verdict,
    delayMs: delayMsOf(verdict.delay, streamOf(delayKey, counter), number),
    plan: planOf(verdict, {
      key: streamOf(noiseKey, counter),
      ordinal: number,
      operation: arrived.operation,
    }),
  };
}

function chosen(
  { fireKey, fired }: Rule,
  { rule, match }: DataRule,
  number: number,
  counter: number,
): Verdict | undefined {
  if (match.times !== undefined && (fired.get(counter) ?? 0) >= match.times) return undefined;
  const { nth, every, share } = match;
  const isChosen =
    (nth === undefined || (typeof nth === "number" ? nth === number : nth.includes(number))) &&
    (every === undefined || number % every === 0) &&
    (share === undefined || drawFraction(streamOf(fireKey, counter), number) < share);
  return isChosen ? rule.verdict : undefined;
}

/** Counters start at -2, sub-keys at 0. */
function streamOf(key: Key, counter: number): Key {
  return subKey(key, counter - ALL_CALLERS);
}

/** A copy of the request for a function, which must not be able to change the request itself. */
function faultRequestOf(arrived: ArrivedRequest, number: number): FaultRequest {
  const { nowMs, method, path, query, operation, publisher } = arrived;
  return Object.freeze({
    number,
    nowMs,
    method,
    path,
    query,
    operation,
    publisher,
    // Computed on demand: few functions read all of these.
    get headers(): Readonly<Record<string, string>> {
      const fields = Object.entries(arrived.headers);
      return Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
    },
    get body(): string {
      const { body } = arrived;
      return typeof body === "string"
        ? body
        : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
    },
    get surface(): string | undefined {
      return arrived.surface;
    },
  });
}

/** A rule as users see it. */
export function publicRule({ id, behaviour, expiresMs, seen, fired }: Rule): InstalledRule {
  const rule = behaviour.kind === "data" ? copyOfRule(behaviour.rule) : undefined;
  return {
    id,
    match: rule && (rule.match ?? {}),
    verdict: rule?.verdict,
    expires: Number.isFinite(expiresMs) ? formatInstant(expiresMs) : undefined,
    seen: sum(seen),
    fired: sum(fired),
  };
}

function sum(counts: ReadonlyMap<number, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}

/** The times at which a rule is active. */
interface ActiveWindow {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly repeat: { readonly forMs: number; readonly everyMs: number } | undefined;
}

function windowOf({ from, until, repeat }: FaultMatch): ActiveWindow {
  return {
    // A world's time is never before 1970.
    fromMs: from === undefined ? 0 : (parseInstant(from) ?? 0),
    untilMs: (until === undefined ? undefined : parseInstant(until)) ?? Number.POSITIVE_INFINITY,
    repeat: repeat && { forMs: durationMs(repeat.for), everyMs: durationMs(repeat.every) },
  };
}

function isOpen({ fromMs, untilMs, repeat }: ActiveWindow, nowMs: number): boolean {
  if (nowMs < fromMs || nowMs >= untilMs) return false;
  return repeat === undefined || (nowMs - fromMs) % repeat.everyMs < repeat.forMs;
}
