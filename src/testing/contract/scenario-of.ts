/** A client's life as a scenario: its requests as they arrived, at the same instants, under the same fault rules. */

import type { Duration } from "../../base/duration.ts";
import { withoutSecrets } from "../../journal/secrets.ts";
import type { Cast, Expectation, Scenario, Step } from "../../play/language/scenario.ts";
import { readOptions } from "../../simulator/simulator-options.ts";
import { nonDefaultChoices } from "../../spec/assumptions/resolve.ts";
import { SIGNED_UP, type TestWorldOptions } from "../driver/test-world.ts";
import type { Step as Lived, Session } from "../session/session.ts";
import { commandInWords } from "../session/words.ts";
import { createRequestSteps, type RequestSteps } from "./request-step.ts";

export interface ScenarioOfOptions {
  /** Letters, digits and hyphens. */
  readonly name: string;
  readonly about: string;
  /** What the session's world was made from. */
  readonly world: Pick<TestWorldOptions, "seed" | "start" | "publishers" | "profile">;
  /** What must hold in the end, of the client's publisher unless they say otherwise. @default none */
  readonly expectations?: readonly Expectation[] | undefined;
}

/** Played, it gets the answers that the client got; every status is expected. Keys are not in it. */
export function scenarioOf(session: Session, options: ScenarioOfOptions): Scenario {
  const { name, about, world, expectations = [] } = options;
  const { settings } = readOptions({ start: world.start, publishers: world.publishers });
  const cast = castOf(session, settings.publishers);
  const script = createScript(settings.startMs);
  if (typeof cast === "string") script.add({ signUp: { surfaces: [...SIGNED_UP] }, as: cast });
  const requests = createRequestSteps(session, cast);
  const fired = new Set(session.sim.journal.entries({ fault: "any" }).map(ruleOf));
  for (const lived of session.steps) write(script, lived, { requests, fired });
  script.comeTo(session.steps.at(-1)?.endMs ?? 0);
  const assumptions = nonDefaultChoices(session.assumptions);
  return {
    name,
    about: withoutSecrets(about),
    ...given(world),
    ...(Object.keys(assumptions).length > 0 && { assumptions }),
    steps: script.steps,
    ...(expectations.length > 0 && {
      expectations: expectations.map((one) => ofPublisher(one, cast)),
    }),
  };
}

function castOf({ sim, publisher }: Session, population: number): Cast {
  for (let ordinal = 0; ordinal < population; ordinal += 1) {
    if (sim.publishers.at(ordinal).id === publisher.id) return ordinal;
  }
  return "client";
}

interface Script {
  readonly steps: readonly Step[];
  add(step: Step): void;
  /** Lets time pass until then. */
  comeTo(ms: number): void;
}

function createScript(startMs: number): Script {
  const steps: Step[] = [];
  let nowMs = startMs;
  return {
    steps,
    add(step) {
      steps.push(step);
    },
    comeTo(ms) {
      if (ms <= nowMs) return;
      steps.push({ advance: durationOf(ms - nowMs) });
      nowMs = ms;
    },
  };
}

function durationOf(ms: number): Duration {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

interface About {
  readonly requests: RequestSteps;
  /** Ids of the fault rules that did something. One that never does makes a scenario's result unknown. */
  readonly fired: ReadonlySet<string | undefined>;
}

function ruleOf({ fault }: { readonly fault: { readonly rule: string } | undefined }): string {
  return fault?.rule ?? "";
}

function write(script: Script, lived: Lived, { requests, fired }: About): void {
  const { command, outcome, exchanges, shown } = lived;
  switch (command.kind) {
    case "fault": {
      // With the id that it had, for what it draws depends on that.
      const id = outcome.kind === "done" ? String(outcome.value) : undefined;
      if (!fired.has(id)) return;
      script.comeTo(lived.atMs);
      script.add({ fault: { ...command.rule, id } });
      return;
    }
    case "heal":
      script.comeTo(lived.atMs);
      script.add({ heal: "all" });
      return;
    case "spend":
      script.comeTo(lived.atMs);
      if (outcome.kind !== "done") return;
      script.add({
        repeat: { times: Number(outcome.value), steps: [requests.spent(command.of)] },
        note: commandInWords(command),
      });
      return;
    default: {
      const note = withoutSecrets(commandInWords(command, shown)).slice(0, 2000);
      let isFirst = true;
      for (const exchange of exchanges) {
        // The rule that has it done twice does so here as well.
        if (exchange.fault?.application === 2) continue;
        script.comeTo(exchange.atMs);
        script.add({ ...requests.stepOf(exchange), ...(isFirst && { note }) });
        isFirst = false;
      }
    }
  }
}

function given(members: ScenarioOfOptions["world"]): Partial<Scenario> {
  const { seed, start, publishers, profile } = members;
  const all = Object.entries({ seed, start, publishers, profile });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

function ofPublisher(expectation: Expectation, cast: Cast): Expectation {
  const isReported =
    "stats" in expectation || "surfaces" in expectation || "payouts" in expectation;
  if (!isReported || cast === 0 || expectation.publisher !== undefined) return expectation;
  return { ...expectation, publisher: cast };
}
