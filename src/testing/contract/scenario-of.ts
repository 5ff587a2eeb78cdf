/** Turns a client's session into a scenario: the same requests at the same instants, under the same fault rules. */

import { given } from "../../base/given.ts";
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
import type { Change, Sent, Session } from "../session/session.ts";
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
  const publisher = {
    ...session.world.publisher,
    ref: publisherRefOf(session, settings.publishers),
  };
  const script = createScript(settings.startMs);
  if (typeof publisher.ref === "string")
    script.add({ signUp: { surfaces: [...SIGNED_UP] }, as: publisher.ref });
  const requests = createRequestSteps(session.requests, [publisher]);
  for (const happened of inOrder(session)) {
    script.advanceTo(happened.atMs);
    if ("request" in happened) {
      const step = requests.stepOf({ ...happened, response: happened.got }, publisher);
      script.add({ ...step, ...noteOf(session, happened) });
    } else for (const step of stepsOf(happened, { session, publisher, requests })) script.add(step);
  }
  script.advanceTo(session.world.endMs);
  const assumptions = nonDefaultChoices(session.assumptions);
  return {
    name,
    about,
    ...given({ seed, start, publishers, profile }),
    ...(Object.keys(assumptions).length > 0 && { assumptions }),
    steps: script.steps,
    ...(expectations.length > 0 && {
      expectations: expectations.map((one) => ofPublisher(one, publisher.ref)),
    }),
  };
}

function publisherRefOf({ world: { publisher } }: Session, population: number): PublisherRef {
  return publisher.ordinal < population ? publisher.ordinal : "client";
}

/** Changes of a step come before its requests. */
function inOrder({ changes, requests }: Session): readonly (Change | Sent)[] {
  return [...changes, ...requests].sort(
    (one, other) => one.atMs - other.atMs || one.step - other.step,
  );
}

/** The first request of a call names the call. */
function noteOf({ calls, requests }: Session, { step, sequence }: Sent): { note?: string } {
  const [call] = calls.filter((one) => one.step === step);
  const first = requests.find((one) => one.step === step);
  if (call === undefined || first?.sequence !== sequence) return {};
  return { note: commandInWords(call.command, call.shown).slice(0, 2000) };
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
      const hasFired = context.session.requests.some(({ fault }) => fault?.rule === result);
      return hasFired ? [{ fault: { ...command.rule, id: String(result) } }] : [];
    }
    case "heal":
      return [{ heal: "all" }];
    case "spend": {
      const note = commandInWords(command);
      return [
        { repeat: { times: Number(result), steps: [spendingStep(command.of, context)] }, note },
      ];
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

function ofPublisher(expectation: Expectation, publisherRef: PublisherRef): Expectation {
  const isReported =
    "stats" in expectation || "surfaces" in expectation || "payouts" in expectation;
  if (!isReported || publisherRef === 0 || expectation.publisher !== undefined) return expectation;
  return { ...expectation, publisher: publisherRef };
}
