/** Performs a command, and counts its effects: the true ones, and those that a client sees. */

import type { ApiRequest, ApiResponse, JournalEntry } from "../../../src/index.ts";
import { buildRequest } from "../../../src/spec/build-request.ts";
import { type Arrival, arrivalOf, beliefOf, takeIn } from "./client.ts";
import type { Command, Other } from "./commands.ts";
import {
  type Application,
  applicationsOf,
  arrivesWhole,
  count,
  learn,
  lineOf,
  type Operation,
} from "./expectation.ts";
import {
  addRule,
  fill,
  fork,
  land,
  publisherAt,
  reset,
  restore,
  type Stage,
  snapshot,
} from "./stage.ts";

/** A request with what it is about. */
interface Attempt {
  readonly request: ApiRequest;
  /** Undefined where no tally counts it. */
  readonly operation: Operation | undefined;
  /** Whom it counts for; `""` without a valid key. */
  readonly subject: string;
  /** Whom the client means it for. */
  readonly intended: string;
  /** The impression that is clicked. */
  readonly impression?: string | undefined;
  readonly gone: "no" | "at once" | "later";
}

export function perform<Kind extends Command["kind"]>(command: Of<Kind>, stage: Stage): void {
  // A command of a kind goes to the performer of that kind.
  const performer = performers[command.kind] as (command: Of<Kind>, stage: Stage) => void;
  performer(command, stage);
}

type Of<Kind extends Command["kind"]> = Extract<Command, { readonly kind: Kind }>;

const performers: {
  readonly [Kind in Command["kind"]]: (command: Of<Kind>, stage: Stage) => void;
} = {
  impression: performImpression,
  click: performClick,
  other: performOther,
  advance({ ms }, stage) {
    stage.sim.clock.advance(ms);
    stage.mirror.clock.advance(ms);
    land(stage);
  },
  add: ({ rule }, stage) => addRule(stage, rule),
  remove(_, { sim }) {
    const [first] = sim.faults.list();
    if (first !== undefined) sim.faults.remove(first.id);
  },
  assume({ choices }, { sim, mirror }) {
    sim.assume(choices);
    mirror.assume(choices);
  },
  rotate({ who }, stage) {
    const { id, apiKey } = publisherAt(stage.sim, who);
    stage.deadKey = apiKey;
    stage.sim.publishers.rotateKey(id);
    stage.mirror.publishers.rotateKey(id);
  },
  fill: ({ who }, stage) => fill(stage, who),
  snapshot: (_, stage) => snapshot(stage),
  restore: (_, stage) => restore(stage),
  fork: (_, stage) => fork(stage),
  reset: (_, stage) => reset(stage),
};

function performImpression(command: Of<"impression">, stage: Stage): void {
  const { sim } = stage;
  const caller = publisherAt(sim, command.who);
  const named = publisherAt(sim, command.for);
  const scope = sim.assumptions["auth.key-scope"];
  const surface = { first: 0, second: 1, none: -1 }[command.surface];
  const body = {
    publisher_id: named.id,
    surface: named.surfaces[surface]?.id ?? (command.surface === "none" ? "srf_none" : ""),
    ad_id: `ad ${command.ad}`,
  };
  const isValid = body.surface !== "";
  const again = {
    "the same session": command.session,
    "no session": undefined,
    "another session": (command.session ?? 0) + 7,
  }[command.retryWith];
  const headers = keyHeaders(command, stage);
  const isKnown = headers.authorization === `Bearer ${caller.apiKey}`;
  const subject = isValid && scope === "any" ? named.id : caller.id;
  attemptUntilBelieved(stage, command, "an impression", (tries) => {
    const session = tries === 0 ? command.session : again;
    const session_id = session === undefined ? undefined : `session ${session}`;
    return {
      request: { method: "POST", path: "/v1/impression", headers, body: { ...body, session_id } },
      operation: "impressions",
      subject: isKnown ? subject : "",
      intended: named.id,
      gone: command.gone,
    };
  });
}

function performClick(command: Of<"click">, stage: Stage): void {
  const { sim, truth } = stage;
  const caller = publisherAt(sim, command.who);
  const fake = beliefOf(stage.beliefs, caller.id).impressions.filter((id) => id === "fake");
  const own = Object.keys(truth.owners).filter((id) => truth.owners[id] === caller.id);
  const all = command.pick === 9 ? Object.keys(truth.owners) : [...own, ...fake];
  const known = all[command.pick % Math.max(1, all.length)];
  const impression = command.target === "nothing" ? "imp_0000000000000" : known;
  if (impression === undefined) return;
  const headers = keyHeaders(command, stage);
  const isKnown = headers.authorization === `Bearer ${caller.apiKey}`;
  const owner = truth.owners[impression];
  const scope = sim.assumptions["auth.key-scope"];
  const served = scope === "any" ? (owner ?? caller.id) : caller.id;
  attemptUntilBelieved(stage, command, "a click", () => ({
    request: { method: "POST", path: "/v1/click", headers, body: { impression_id: impression } },
    operation: "clicks",
    subject: isKnown ? served : "",
    intended: owner ?? caller.id,
    impression,
    gone: command.gone,
  }));
}

/** Sends it as often as the client tries, until the client believes that it was recorded. */
function attemptUntilBelieved(
  stage: Stage,
  { retries }: { readonly retries: number },
  what: string,
  attemptedAt: (tries: number) => Attempt,
): void {
  const before: Outcome[] = [];
  for (let tries = 0; tries <= retries; tries += 1) {
    const outcome = attempt(stage, attemptedAt(tries));
    markRetry(stage.sometimes, before, outcome, what);
    before.push(outcome);
    if (outcome.believed) return;
  }
}

const ofNothing = buildRequest("click", { impression_id: "x" }, {});
const others: Readonly<Record<Other, (publisher: string) => ApiRequest>> = {
  stats: (publisher_id) => buildRequest("stats", { publisher_id }, {}),
  HEAD: () => ({ method: "HEAD", path: "/v1/impression" }),
  nowhere: () => ({ ...ofNothing, path: "/v1/clicks" }),
  "no surface": (publisher_id) => buildRequest("impression", { publisher_id, ad_id: "ad" }, {}),
};

function performOther(command: Of<"other">, stage: Stage): void {
  const { sim } = stage;
  const caller = publisherAt(sim, command.who);
  const request = others[command.what](caller.id);
  const headers = keyHeaders(command, stage);
  const isKnown = headers.authorization === `Bearer ${caller.apiKey}`;
  const operation = {
    stats: undefined,
    HEAD: undefined,
    nowhere: undefined,
    "no surface": "impressions" as const,
  }[command.what];
  attempt(stage, {
    request: { ...request, headers: { ...request.headers, ...headers } },
    operation,
    subject: isKnown ? caller.id : "",
    intended: caller.id,
    impression: "x",
    gone: command.gone,
  });
}

function keyHeaders(
  { who, key }: { readonly who: number; readonly key: "own" | "wrong" },
  { sim, deadKey }: Stage,
): { readonly authorization: string } {
  const { apiKey } = publisherAt(sim, who);
  return { authorization: `Bearer ${key === "own" ? apiKey : (deadKey ?? "key_0000000000000")}` };
}

interface Outcome {
  readonly applications: readonly Application[];
  readonly reached: boolean;
  readonly believed: boolean;
  readonly arrival: Arrival;
}

/** Sends it, compares what the service did with what the mirror does, counts, and lets the client see what arrives. */
function attempt(stage: Stage, attempted: Attempt): Outcome {
  const { sim, sometimes } = stage;
  const { request, operation, subject, intended, gone } = attempted;
  const response = sim.handle(request);
  const last = sim.journal.entries({ limit: 1 });
  const isDuplicate = last[0]?.fault?.kind === "duplicate";
  const entries = isDuplicate ? sim.journal.entries({ limit: 2 }) : last;
  const fault = entries[0]?.fault;
  const verdict = fault && stage.verdicts.get(fault.rule);
  const asked = entries[0]?.operation;
  const times = applicationsOf(verdict, asked === "impression" || asked === "click");
  if (verdict !== undefined) sometimes(`fired: ${verdict.kind}`);

  const own = times === 0 ? [] : entries.map(ownAnswer);
  const done = own.map((answer): Application => {
    const exact = stage.mirror.handle(request);
    sameAnswer(answer, exact, sim.assumptions["money.precision"]);
    if (answer.status === 429 && verdict !== undefined)
      sometimes("a limiter's refusal under a rule");
    if (operation === undefined) return { effect: "refused", micros: 0 };
    return learn(stage.truth, operation, { subject, impression: attempted.impression }, exact);
  });
  if (own.length !== times) throw new Error(`Applied ${own.length} times under ${verdict?.kind}.`);
  const shown = verdict?.kind === "duplicate" && verdict.answer === "second" ? 1 : 0;
  const shownAnswer = own[shown];
  const isWhole = shownAnswer !== undefined && arrivesWhole(verdict, shownAnswer);
  if (times === 2) {
    sometimes(
      done.filter(({ effect }) => effect === "applied").length === 2
        ? "a duplicate doubled"
        : "a duplicate suppressed or refused",
    );
  }
  const line = operation === undefined ? undefined : lineOf(stage.truth, subject, operation);
  const isInjected = verdict?.kind === "respond" || verdict?.kind === "wrong-body";
  const returning = line && count(line, { done, shown, isWhole, isInjected });

  let arrival = arrivalOf(response);
  const { delivery } = response;
  if (delivery !== undefined && gone !== "no") {
    arrival = undefined;
    stage.inFlight.push({
      undelivered: delivery.undelivered,
      giveUp: () => returning?.giveUp(),
    });
    if (gone === "at once") land(stage);
  }
  const id = operation && takeIn(beliefOf(stage.beliefs, intended), operation, arrival);
  return { applications: done, reached: times > 0, believed: id !== undefined, arrival };
}

function ownAnswer({ fault, response }: JournalEntry): ApiResponse {
  return fault?.lost ?? response;
}

/** Throws where a service without rules answers otherwise. */
function sameAnswer(own: ApiResponse, exact: ApiResponse, precision: "exact" | "paise"): void {
  const [left, right] = [own, exact].map(({ status, headers, body }) =>
    precision === "paise"
      ? JSON.stringify([status, headers["x-ratelimit-remaining"], rounded(body)])
      : JSON.stringify([status, headers, body]),
  );
  if (left !== right) throw new Error(`R7 is broken: ${left} under a rule, ${right} without.`);
}

/** Figures of amounts as they are shown in paise. */
function rounded(body: string): string {
  return body.replaceAll(/("[a-z_]*(?:inr|revenue)":)([0-9.]+)/g, (_, name, amount) => {
    const micros = Math.round(Number(amount) * 1e6);
    return `${name}${Math.floor((micros + 5000) / 10_000) / 100}`;
  });
}

function markRetry(
  sometimes: (place: string) => void,
  before: readonly Outcome[],
  { applications }: Outcome,
  what: string,
): void {
  const [effect] = applications.map((one) => one.effect);
  const lost = before.some((one) => one.applications.some((two) => two.effect === "applied"));
  const dropped = before.some((one) => !one.reached);
  if (lost && effect === "duplicatesSuppressed") sometimes(`${what} lost, its retry suppressed`);
  if (lost && effect === "applied") sometimes(`${what} lost, its retry doubled`);
  if (dropped && !lost && effect === "applied") sometimes(`${what} dropped, its retry applied`);
}
