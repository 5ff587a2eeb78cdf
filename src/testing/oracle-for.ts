/** Connects the oracle to one simulator's publishers, history and clock, so that a test only shows it the answers. */

import { InputError } from "../base/input.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { addDays, dayOfInstant } from "./oracle/calendar.ts";
import { type Call, type OperationName, operations, plainWay, requestOf } from "./oracle/calls.ts";
import type { History } from "./oracle/expectation.ts";
import type { Account } from "./oracle/facts.ts";
import { microsOf } from "./oracle/money.ts";
import { createOracle, type Oracle } from "./oracle/oracle.ts";

/** The sender of a call, if the call itself doesn't tell. */
export interface CallSender {
  /** @default the key of the publisher that the call names, or that the clicked impression belongs to */
  readonly apiKey?: string | undefined;
}

/** Checks the answers of one world. */
export interface SimulatorOracle {
  /**
   * Checks the status, headers and every figure of an answer that arrived just now, at the simulator's time. Show it
   * every answer in order: it knows nothing of requests that it hasn't seen. It picks up changes made through
   * `sim.publishers` and `sim.clock` by itself.
   *
   * @throws Error that says what was expected and what came instead.
   * @throws InputError if the call doesn't tell whose key was used, if the simulator's assumptions changed, or if its
   * clock went back.
   */
  see(call: Call, response: ApiResponse, sender?: CallSender): void;
  /** Sends the call to the simulator and checks the answer. @throws as `see` does. */
  ask(call: Call, sender?: CallSender): ApiResponse;
  /** What the oracle has seen happen. */
  readonly facts: Oracle["facts"];
}

/** A call sent in the usual way: its values are in a JSON body, or in the query of a GET. */
export function plainCall(operation: OperationName, values: Call["values"]): Call {
  const carrier = operations[operation].method === "GET" ? "query" : "json";
  return { operation, values, way: plainWay(operation, carrier) };
}

/**
 * A second opinion on a simulator: from the plain list of requests it computes each answer anew, with its own calendar,
 * limits and sums. It can also test another implementation of the API: give that the simulator's publishers, send it
 * the same calls at the same times, and show its answers to the oracle. Only the prices of events are taken from the
 * answers: each must be within its bounds, and every sum must follow from them. If amounts are rounded to paise, the
 * exact prices come from the simulator, so send it the same calls too.
 *
 * @throws InputError for a simulator that has already answered requests: make a new one, or reset it.
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
        "differ from those that the oracle was made for: make a new oracle",
        conflict,
      );
    if (nowMs < latestMs)
      throw new InputError(
        "clock",
        "went back: after a reset or a restored snapshot, make a new oracle",
        conflict,
      );
    latestMs = nowMs;
    followPublishers(sim, oracle);
    return nowMs;
  }

  /** The answer without rounding: its price is what the ledger recorded since the last answer. */
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

/** Takes over what the test changed through `sim.publishers` since the last answer. */
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

/** The key of the publisher that the call is about. */
function keyFor({ operation, values }: Call, { facts }: Oracle): string {
  const impression = facts.impressions.find(({ id }) => id === values.impression_id);
  const named = operation === "click" ? impression?.publisherId : values.publisher_id;
  const account: Account | undefined = facts.accounts.find(({ id }) => id === named);
  if (account !== undefined) return account.apiKey;
  const what = operation === "click" ? "an impression" : "a publisher";
  throw new InputError(
    "apiKey",
    `must be given: the call names ${what} that the oracle doesn't know`,
  );
}

/** With these, every figure is exact to the micro, today's included. */
const exactFigures = {
  "date.future": "allow",
  "errors.body": "problem",
  "money.precision": "exact",
  "response.extra-fields": "none",
  "stats.today": "live",
  "stats.surfaces": "all",
} as const;

/** The seeded history of a simulator, read from a fork in which nothing is ever recorded. */
export function historyOf(sim: SimulatorCore): History {
  const world = sim.fork();
  world.clock.set({ mode: "frozen" });
  world.faults.clear();
  world.assume(exactFigures);
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
    // A publisher that signed up later has no history.
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
  // A new key always has quota left.
  const { apiKey } = world.publishers.rotateKey(publisherId);
  const { status, body } = world.handle(requestOf(plainCall("stats", values), apiKey));
  if (status !== 200) throw new Error(`Can't read the history of ${publisherId}: ${body}`);
  const { impressions, clicks, revenue_inr } = JSON.parse(body);
  return { impressions, clicks, micros: microsOf(revenue_inr) };
}
