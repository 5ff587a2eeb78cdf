/** Turns a client's session into a scenario: the same requests at the same instants, under the same fault rules. */

import { given } from "../../base/plain-data.ts";
import { createScript } from "../../play/recording/script.ts";
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
import type { Change, Session } from "../session/session.ts";
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
  const { settings } = resolveOptions({ seed, start, publishers, profile });
  const { calls, changes, requests: all, world } = session;
  const ref = world.publisher.ordinal < settings.publishers ? world.publisher.ordinal : "client";
  const publisher = { ...world.publisher, ref };
  const script = createScript(settings.startMs);
  if (typeof ref === "string") script.add({ signUp: { surfaces: [...SIGNED_UP] }, as: ref });
  const requests = createRequestSteps(all, [publisher]);
  const unnamed = new Map(calls.toReversed().map((call) => [call.step, call]));
  // Changes of a step come before its requests.
  const inOrder = [...changes, ...all].sort(
    (one, other) => one.atMs - other.atMs || one.step - other.step,
  );
  for (const happened of inOrder) {
    script.advanceTo(happened.atMs);
    if ("request" in happened) {
      const step = requests.stepOf({ ...happened, response: happened.got }, publisher);
      // The first request of a step says what was asked for.
      const call = unnamed.get(happened.step);
      unnamed.delete(happened.step);
      script.add({ ...step, ...(call && { note: commandInWords(call.command, call.shown) }) });
    } else for (const step of stepsOf(happened, { session, publisher, requests })) script.add(step);
  }
  script.advanceTo(world.endMs);
  const assumptions = nonDefaultChoices(session.assumptions);
  const scenario: Scenario = {
    name,
    about,
    ...given({ seed, start, publishers, profile }),
    ...(Object.keys(assumptions).length > 0 && { assumptions }),
    steps: script.steps,
    ...(expectations.length > 0 && { expectations: expectations.map((one) => by(ref, one)) }),
  };
  // A client may have sent its key in any place.
  return JSON.parse(JSON.stringify(scenario).replaceAll(world.publisher.apiKey, "the-key"));
}

function by(publisher: PublisherRef, expectation: Expectation): Expectation {
  const isOfOne = ["stats", "surfaces", "payouts"].some((name) => name in expectation);
  return isOfOne && publisher !== 0 ? { publisher, ...expectation } : expectation;
}

interface Context {
  readonly session: Session;
  /** The client's. */
  readonly publisher: StepPublisher;
  readonly requests: RequestSteps;
}

function stepsOf({ command, result }: Change, context: Context): Step[] {
  switch (command.kind) {
    case "fault": {
      // A rule that never acts makes a scenario's result undecided. The id stays: the rule's random draws depend on it.
      const { requests, changes } = context.session;
      const id = String(result);
      const hasActed =
        requests.some(({ fault }) => fault?.rule === id) ||
        changes.some(({ acted }) => acted.includes(id));
      return hasActed ? [{ fault: { ...command.rule, id } }] : [];
    }
    case "heal":
      return [{ heal: "all" }];
    case "spend": {
      const repeat = { times: Number(result), steps: [spendingStep(command.of, context)] };
      return [{ repeat, note: commandInWords(command) }];
    }
    case "advance":
      return [];
  }
}

/** The request that another program sends to spend a limit. */
function spendingStep(
  limit: "recording" | "reporting",
  { session, publisher, requests }: Context,
): Step {
  const sender = publisher.ref === 0 ? {} : { publisher: publisher.ref };
  if (limit === "reporting") return { stats: {}, ...sender };
  const surface = requests.referenceTo("surface", session.world.surfaces[0]?.id, publisher);
  const encoding = encodingOf(session.assumptions);
  return {
    impression: { surface, ad_id: "another-ad", session_id: "another-session" },
    ...(encoding !== "json" && { encoding }),
    ...sender,
  };
}
