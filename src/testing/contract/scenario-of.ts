/** Turns a client's session into a scenario: the same requests at the same instants, under the same fault rules. */

import { given } from "../../base/given.ts";
import { createScript, type Script } from "../../play/recording/script.ts";
import {
  createRequestSteps,
  type RequestSteps,
  type StepPublisher,
} from "../../play/scenario/request-step.ts";
import type { Expectation, PublisherRef, Scenario, Step } from "../../play/scenario/types.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { nonDefaultChoices } from "../../spec/assumptions/resolve.ts";
import { encodingOf } from "../../spec/build-request.ts";
import { SIGNED_UP, type TestWorldOptions } from "../driver/test-world.ts";
import type { Session, Step as SessionStep } from "../session/session.ts";
import { commandInWords } from "../session/words.ts";

export interface ScenarioOfOptions {
  /** Letters, digits and hyphens. */
  readonly name: string;
  readonly about: string;
  /** The options of the session's world. */
  readonly world: Pick<TestWorldOptions, "seed" | "start" | "publishers" | "profile">;
  /** Checked at the end, for the client's publisher unless they name another. @default none */
  readonly expectations?: readonly Expectation[] | undefined;
}

/** When played, the scenario gets the answers that the client got, and expects every status. It contains no keys. */
export function scenarioOf(session: Session, options: ScenarioOfOptions): Scenario {
  const { name, about, expectations = [] } = options;
  const { seed, start, publishers, profile } = options.world;
  const { settings } = resolveOptions({ start, publishers });
  const publisherRef = publisherRefOf(session, settings.publishers);
  const script = createScript(settings.startMs);
  if (typeof publisherRef === "string")
    script.add({ signUp: { surfaces: [...SIGNED_UP] }, as: publisherRef });
  const publisher = { ...session.publisher, ref: publisherRef };
  const requests = createRequestSteps(session.exchanges, [publisher]);
  const fired = new Set(session.sim.journal.entries({ fault: "any" }).map(ruleOf));
  for (const sessionStep of session.steps)
    write(script, sessionStep, { session, publisher, requests, fired });
  script.advanceTo(session.steps.at(-1)?.endMs ?? 0);
  const assumptions = nonDefaultChoices(session.assumptions);
  return {
    name,
    about,
    ...given({ seed, start, publishers, profile }),
    ...(Object.keys(assumptions).length > 0 && { assumptions }),
    steps: script.steps,
    ...(expectations.length > 0 && {
      expectations: expectations.map((one) => ofPublisher(one, publisherRef)),
    }),
  };
}

function publisherRefOf({ sim, publisher }: Session, population: number): PublisherRef {
  for (let ordinal = 0; ordinal < population; ordinal += 1) {
    if (sim.publishers.at(ordinal).id === publisher.id) return ordinal;
  }
  return "client";
}

interface WriteContext {
  readonly session: Session;
  /** The client's. */
  readonly publisher: StepPublisher;
  readonly requests: RequestSteps;
  /** Ids of the fault rules that fired. A rule that never fires makes a scenario's result unknown. */
  readonly fired: ReadonlySet<string | undefined>;
}

function ruleOf({ fault }: { readonly fault: { readonly rule: string } | undefined }): string {
  return fault?.rule ?? "";
}

function write(script: Script, sessionStep: SessionStep, context: WriteContext): void {
  const { publisher, requests, fired } = context;
  const { command, outcome, exchanges, shown } = sessionStep;
  switch (command.kind) {
    case "fault": {
      // Keep the id: the rule's random draws depend on it.
      const id = outcome.kind === "done" ? String(outcome.value) : undefined;
      if (!fired.has(id)) return;
      script.advanceTo(sessionStep.atMs);
      script.add({ fault: { ...command.rule, id } });
      return;
    }
    case "heal":
      script.advanceTo(sessionStep.atMs);
      script.add({ heal: "all" });
      return;
    case "spend":
      script.advanceTo(sessionStep.atMs);
      if (outcome.kind !== "done") return;
      script.add({
        repeat: { times: Number(outcome.value), steps: [spendingStep(command.of, context)] },
        note: commandInWords(command),
      });
      return;
    default: {
      const note = commandInWords(command, shown).slice(0, 2000);
      let isFirst = true;
      for (const exchange of exchanges) {
        // The fault rule duplicates the request in the scenario too.
        if (exchange.fault?.application === 2) continue;
        script.advanceTo(exchange.atMs);
        const step = requests.stepOf({ ...exchange, response: exchange.got }, publisher);
        script.add({ ...step, ...(isFirst && { note }) });
        isFirst = false;
      }
    }
  }
}

/** The request that another program sends to spend a limit. */
function spendingStep(
  limit: "recording" | "reporting",
  { session, publisher, requests }: WriteContext,
): Step {
  const sender = publisher.ref === 0 ? {} : { publisher: publisher.ref };
  if (limit === "reporting") return { stats: {}, ...sender };
  const surface = requests.referenceTo("surface", session.surfaces[0]?.id, publisher);
  const encoding = encodingOf(session.assumptions);
  return {
    impression: { surface, ad_id: "another-ad", session_id: "another-session" },
    ...(encoding !== "json" && { encoding }),
    ...sender,
  };
}

function ofPublisher(expectation: Expectation, publisherRef: PublisherRef): Expectation {
  const isReported =
    "stats" in expectation || "surfaces" in expectation || "payouts" in expectation;
  if (!isReported || publisherRef === 0 || expectation.publisher !== undefined) return expectation;
  return { ...expectation, publisher: publisherRef };
}
