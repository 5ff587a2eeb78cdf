/** The oracle about one simulator's world: told of its publishers, its past and its time, so that a test only shows it answers. */

import { InputError } from "../base/input.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { addDays, dayOfInstant } from "./oracle/calendar.ts";
import { type Call, type OperationName, operations, plainWay, requestOf } from "./oracle/calls.ts";
import type { History } from "./oracle/expectation.ts";
import type { Account } from "./oracle/facts.ts";
import { microsOf } from "./oracle/money.ts";
import { createOracle, type Oracle } from "./oracle/oracle.ts";

/** Who sends a call, where that doesn't follow from what it says. */
export interface CallSender {
  /** @default the key of the publisher that the call names, or whose impression is clicked */
  readonly apiKey?: string | undefined;
}

/** What every answer of one world must be. */
export interface SimulatorOracle {
  /**
   * Holds an answer that came just now, at the simulator's time, against what it must be: status, headers, every figure.
   * Show it every answer in its turn: from what it hasn't seen nothing follows. What is changed through `sim.publishers`
   * and `sim.clock` it follows by itself.
   *
   * @throws Error that says what was expected and what came instead.
   * @throws InputError where nobody's key follows from the call, and where the simulator goes on under other readings or
   * went back in time.
   */
  see(call: Call, response: ApiResponse, sender?: CallSender): void;
  /** Sends the call to the simulator and holds the answer against what it must be. @throws as `see` does. */
  ask(call: Call, sender?: CallSender): ApiResponse;
  /** What is known to have happened. */
  readonly facts: Oracle["facts"];
}

/** A call that is sent in the usual way: its values in a JSON body, or in the query of a GET. */
export function plainCall(operation: OperationName, values: Call["values"]): Call {
  const carrier = operations[operation].method === "GET" ? "query" : "json";
  return { operation, values, way: plainWay(operation, carrier) };
}

/**
 * A second opinion on a simulator: recomputes from the plain list of what was sent what the answer must be, with a
 * calendar, limits and sums of its own. Also for who writes an implementation of the API: give that the simulator's
 * publishers, send it the same calls at the same times, and show the oracle what it answers. Only the prices of events
 * are taken from answers; each must lie in its bounds, and every sum must follow from them. Where amounts are rounded to
 * paise an event's exact price is the simulator's, which has to be sent the same.
 *
 * @throws InputError for a simulator that has answered before: make it anew, or reset it.
 */
export function oracleFor(sim: SimulatorCore): SimulatorOracle {
  mustBeNew(sim);
  const readings = sim.assumptions;
  const oracle = createOracle({
    readings,
    publishers: sim.publishers.list({ limit: sim.publishers.total }),
    history: historyOf(sim),
    sometimes: () => undefined,
  });
  const asked = JSON.stringify(readings);
  const isRounded = readings["money.precision"] === "paise";
  let latestMs = sim.clock.now();
  let recordedMicros = 0;

  function follow(): number {
    const nowMs = sim.clock.now();
    if (JSON.stringify(sim.assumptions) !== asked)
      throw new InputError(
        "assumptions",
        "are others than the oracle was made for: make a new one",
        conflict,
      );
    if (nowMs < latestMs)
      throw new InputError(
        "clock",
        "went back: after a reset or a snapshot put back the oracle needs to be made anew",
        conflict,
      );
    latestMs = nowMs;
    followPublishers(sim, oracle);
    return nowMs;
  }

  /** What the answer would be without rounding: the price of what was written down since the last one. */
  function unrounded(response: ApiResponse): ApiResponse {
    if (!isRounded) return response;
    const before = recordedMicros;
    recordedMicros = microsOf(sim.audit().total.creditedRecordedInr);
    if (response.status !== 200 || !response.body.includes('"revenue_credited_inr"'))
      return response;
    const revenue_credited_inr = (recordedMicros - before) / 1_000_000;
    const body = JSON.stringify({ ...JSON.parse(response.body), revenue_credited_inr });
    return { ...response, body };
  }

  function see(call: Call, response: ApiResponse, sender: CallSender = {}): void {
    const atMs = follow();
    const apiKey = sender.apiKey ?? keyFor(call, oracle);
    oracle.see({ apiKey, call, atMs, response, exact: unrounded(response) });
  }

  return {
    see,
    ask(call, sender = {}) {
      follow();
      const apiKey = sender.apiKey ?? keyFor(call, oracle);
      const response = sim.handle(requestOf(call, apiKey));
      see(call, response, { apiKey });
      return response;
    },
    facts: oracle.facts,
  };
}

const conflict = "conflict";

function mustBeNew(sim: SimulatorCore): void {
  const { total } = sim.audit();
  const answered = Math.max(sim.journal.total, total.attempts);
  if (answered === 0 && sim.usage().impressions === 0) return;
  throw new InputError(
    "sim",
    `has answered ${answered} requests that the oracle hasn't seen: make the oracle first, or reset the simulator`,
    conflict,
  );
}

/** Takes over what was changed by hand since the last answer. */
function followPublishers(sim: SimulatorCore, oracle: Oracle): void {
  for (let place = oracle.facts.accounts.length; place < sim.publishers.total; place += 1)
    oracle.add(sim.publishers.at(place));
  for (const account of oracle.facts.accounts) {
    const { apiKey, surfaces } = sim.publishers.get(account.id);
    if (apiKey !== account.apiKey) oracle.setKey(account.id, apiKey);
    for (const { id, status, cpmRange } of surfaces)
      oracle.setSurface(account.id, id, { status, cpmRange });
  }
}

/** Whose key goes with a call by itself. */
function keyFor({ operation, values }: Call, { facts }: Oracle): string {
  const impression = facts.impressions.find(({ id }) => id === values.impression_id);
  const named = operation === "click" ? impression?.publisherId : values.publisher_id;
  const account: Account | undefined = facts.accounts.find(({ id }) => id === named);
  if (account !== undefined) return account.apiKey;
  const what = operation === "click" ? "an impression" : "a publisher";
  throw new InputError(
    "apiKey",
    `must be told: the call names ${what} that the oracle doesn't know of`,
  );
}

/** All figures to the micro, those of today too. */
const plain = {
  "date.future": "allow",
  "errors.body": "problem",
  "money.precision": "exact",
  "response.extra-fields": "none",
  "stats.today": "live",
  "stats.surfaces": "all",
} as const;

/** Figures of the days before a world's own, read in a world aside in which nothing is ever recorded. */
export function historyOf(sim: SimulatorCore): History {
  const world = sim.fork();
  world.clock.set({ mode: "frozen" });
  world.faults.clear();
  world.assume(plain);
  const yesterday = addDays(dayOfInstant(world.clock.now(), sim.assumptions["date.timezone"]), -1);
  const { total } = world.publishers;
  const joined = new Map(
    world.publishers.list({ limit: total }).map((one) => [one.id, one.joined]),
  );
  const read = new Map<string, ReturnType<History>>();
  return (publisherId, range) => {
    const first = joined.get(publisherId);
    const from = first === undefined || range.from > first ? range.from : first;
    const to = range.to < yesterday ? range.to : yesterday;
    // Who signs up later has no history.
    if (first === undefined || from > to) return { impressions: 0, clicks: 0, micros: 0 };
    const known = { publisher_id: publisherId, from, to, surface: range.surface };
    const name = JSON.stringify(known);
    const figures = read.get(name) ?? figuresOf(world, publisherId, known);
    read.set(name, figures);
    return figures;
  };
}

function figuresOf(
  world: SimulatorCore,
  publisherId: string,
  values: Call["values"],
): ReturnType<History> {
  // With a new key there is always quota left.
  const { apiKey } = world.publishers.rotateKey(publisherId);
  const { status, body } = world.handle(requestOf(plainCall("stats", values), apiKey));
  if (status !== 200) throw new Error(`The past of ${publisherId} can't be read: ${body}`);
  const { impressions, clicks, revenue_inr } = JSON.parse(body);
  return { impressions, clicks, micros: microsOf(revenue_inr) };
}
