/** Performs a command in both worlds, and notes what the service did and what the client got. */

import type { ApiRequest, ApiResponse } from "../../../src/index.ts";
import { expectEqual } from "../../oracle/check.ts";
import type { Command } from "./commands.ts";
import { type Attempt, learn, type Operation, timesApplied } from "./expectation.ts";
import { addRule, fork, land, reset, restore, type Stage, snapshot } from "./stage.ts";

type Event = Extract<Command, { readonly kind: Operation }>;

export function perform(command: Command, stage: Stage): void {
  const both = [stage.sim, stage.mirror];
  switch (command.kind) {
    case "impression":
    case "click":
      attemptUntilAnswered(command, stage);
      break;
    case "advance":
      for (const { clock } of both) clock.advance(command.ms);
      land(stage);
      break;
    case "add":
      addRule(stage, command.rule);
      break;
    case "remove":
      stage.sim.faults.clear();
      break;
    case "rotate": {
      const { id, apiKey } = stage.sim.publishers.at(command.who);
      stage.deadKey = apiKey;
      for (const { publishers } of both) publishers.rotateKey(id);
      break;
    }
    default:
      travels[command.kind](stage);
  }
}

const travels = { snapshot, restore, fork, reset };

/** Sends it as often as the client tries. */
function attemptUntilAnswered(command: Event, stage: Stage): void {
  let isRecorded = false;
  for (let left = command.tries; left > 0; left -= 1) {
    const { effects, hasAnswer } = attempt(command, stage);
    const [effect] = effects;
    if (isRecorded && effect !== undefined)
      stage.sometimes(`the retry of a lost ${command.kind}: ${effect.kind}`);
    isRecorded ||= effect?.kind === "applied";
    if (hasAnswer) return;
  }
}

/** Sends it once, compares what the service did with what the mirror does, and lets the client see what arrives. */
function attempt(
  command: Event,
  stage: Stage,
): { readonly effects: Attempt["effects"]; readonly hasAnswer: boolean } {
  const { sim, mirror, truth, sometimes } = stage;
  const request = requestOf(command, stage);
  const response = sim.handle(request);
  const [last] = sim.journal.entries({ limit: 1 });
  const verdict = last?.fault && stage.verdicts.get(last.fault.rule);
  if (verdict !== undefined) sometimes(`fired: ${verdict.kind}`);

  const times = timesApplied(verdict);
  const entries = times === 0 ? [] : sim.journal.entries({ limit: times });
  const own = entries.map((entry) => entry.fault?.lost ?? entry.response);
  const effects = own.map(({ status, headers, body }) => {
    const exact = mirror.handle(request);
    const expected = [exact.status, exact.headers, exact.body];
    expectEqual("the service's answer (R7)", [status, headers, body], expected);
    return learn(truth, command.kind, exact);
  });
  if (times === 2) sometimes(`the copy: ${effects[1]?.kind}`);

  const arrival = arrivalOf(response);
  const shown = verdict?.kind === "duplicate" && verdict.answer === "second" ? 1 : 0;
  const isOwn = arrival?.status === own[shown]?.status && arrival?.body === own[shown]?.body;
  const arrived = times === 0 ? arrival !== undefined : isOwn;
  const publisher = command.key === "own" ? sim.publishers.at(command.who).id : "";
  const made: Attempt = { operation: command.kind, publisher, effects, shown, arrived };
  truth.attempts.push(made);

  const { delivery } = response;
  if (delivery === undefined || command.gone === "no")
    return { effects, hasAnswer: arrival?.status === 200 };
  stage.inFlight.push(() => {
    delivery.undelivered();
    made.arrived = false;
  });
  if (command.gone === "at once") land(stage);
  return { effects, hasAnswer: false };
}

function requestOf(command: Event, { sim, truth, deadKey }: Stage): ApiRequest {
  const { id, apiKey, surfaces } = sim.publishers.at(command.who);
  const headers = { authorization: `Bearer ${command.key === "own" ? apiKey : deadKey}` };
  const path = `/v1/${command.kind}`;
  if (command.kind === "click") {
    const known = truth.events.impression;
    // Every tenth is a click on nothing.
    const impression_id = known[command.pick % Math.max(1, known.length)];
    const body = { impression_id: command.pick === 9 ? undefined : impression_id };
    return { method: "POST", path, headers, body };
  }
  const session_id = command.session === undefined ? undefined : `session ${command.session}`;
  const body = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id };
  return { method: "POST", path, headers, body };
}

/** What a client gets; undefined if that is no HTTP response, or one that breaks off. */
function arrivalOf({
  status,
  body,
  delivery,
}: ApiResponse): Pick<ApiResponse, "status" | "body"> | undefined {
  switch (delivery?.kind) {
    case "cut":
    case "noise":
    case "close":
    case "reset":
    case "silence":
      return undefined;
    case "bytes":
      return { status, body: new TextDecoder().decode(delivery.bytes) };
    default:
      return { status, body };
  }
}
