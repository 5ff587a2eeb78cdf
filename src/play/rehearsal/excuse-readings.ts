/**
 * Tells a service's mistakes from what the specification leaves open. A scenario that was broken at another service is
 * rehearsed at many imagined correct services. An expectation that fails at one of them rests on a reading of the
 * specification, or on adsim's own data: then it is unknown whether the service is wrong.
 */

import { formatInstant } from "../../base/calendar.ts";
import { formatList } from "../../base/did-you-mean.ts";
import { MINUTE_MS } from "../../base/duration.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import type { Readings } from "../../simulator/simulator-options.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import { contentTypes } from "../../spec/build-request.ts";
import type { PersonGenerator } from "../../world/publishers/people.ts";
import { countRequests } from "../language/parse/count-requests.ts";
import type { Scenario } from "../language/scenario.ts";
import { concludeAgain } from "../player/conclude.ts";
import type { Capabilities, Performers } from "../player/effects.ts";
import { checkInWords, verdictOf } from "../player/matching.ts";
import type { Sending } from "../player/outgoing-of.ts";
import { play } from "../player/play.ts";
import {
  driveAtOnce,
  memberOf,
  performersOn,
  withHandle,
  worldOf,
} from "../player/play-in-process.ts";
import type { Check, PlayResult, StepResult } from "../player/result.ts";
import {
  type ImaginedService,
  servicesWithOneOtherChoice,
  servicesWithOtherData,
  servicesWithOtherPairs,
} from "./imagined-services.ts";

export interface Rehearsal {
  readonly scenario: Scenario;
  /** As the scenario was played. */
  readonly capabilities: Capabilities;
  readonly sending: Sending;
  /** How many publishers took part. */
  readonly publishers: number;
}

/** A scenario with more requests isn't rehearsed: it would be played a hundred times. */
const MAX_REQUESTS = 50_000;

/** The result, in which what isn't proven to be a mistake of the service is unknown. */
export function excuseReadings(result: PlayResult, rehearsal: Rehearsal): PlayResult {
  const open = openQuestions(result);
  if (open.length === 0) return result;
  if (countRequests(rehearsal.scenario) > MAX_REQUESTS) {
    for (const one of open) one.why = "the scenario is too large to find out what this rests on";
    return withAnswers(result, open);
  }
  const known = withAcceptedEncoding(rehearsal.capabilities.knownChoices ?? {}, result);
  const startMs = Date.parse(result.startedAt);
  const tryAt = (services: readonly ImaginedService[]): void => {
    for (const service of services) {
      answerQuestions(
        open,
        rehearse(rehearsal, service, { startMs, sent: result.tally.sent }),
        service,
      );
    }
  };
  const isOpen = ({ why, restsOn, isAboutErrors }: Question): boolean =>
    why === undefined && restsOn.length === 0 && !isAboutErrors;
  tryAt(servicesWithOtherData(known));
  if (open.some(({ why }) => why === undefined)) tryAt(servicesWithOneOtherChoice(known));
  if (open.some(isOpen)) tryAt(servicesWithOtherPairs(known));
  return withAnswers(result, open);
}

/** A service that accepted an event as JSON isn't one that wants forms or queries only. */
function withAcceptedEncoding(known: Readings, { steps }: PlayResult): Readings {
  const posts = steps.flatMap(({ exchange }) =>
    exchange?.request.method === "POST" ? [exchange] : [],
  );
  const areJson = posts.every(
    ({ request }) => request.headers["content-type"] === contentTypes.json,
  );
  const hasAccepted = areJson && posts.some(({ status }) => status === 200);
  return hasAccepted ? { "request.encoding": "any", ...known } : known;
}

/** A check that came out broken. Laws aren't in question: at another service they judge only what the specification decides. */
interface Question {
  readonly path: string;
  readonly about: string;
  readonly restsOn: AssumptionKey[];
  /** Whether it rests on the form of an error answer, or on what is an error. */
  isAboutErrors: boolean;
  /** Why it may be no mistake, whatever is chosen. */
  why: string | undefined;
}

function openQuestions({ steps }: PlayResult): Question[] {
  return steps.flatMap(({ path, checks }) =>
    checks.flatMap(({ verdict, about }) =>
      verdict === "broken" && !about.startsWith("invariant ")
        ? [{ path, about, restsOn: [], isAboutErrors: false, why: undefined }]
        : [],
    ),
  );
}

/** Plays the scenario at the imagined service as it was played at the target. `sent`: how many requests were sent there. */
function rehearse(
  { scenario, capabilities, sending, publishers }: Rehearsal,
  { options, prepare, rewrite, answer, areNew, minuteEndsAt }: ImaginedService,
  { startMs, sent }: { readonly startMs: number; readonly sent: number },
): PlayResult {
  const nextMinuteMs = Math.ceil(startMs / MINUTE_MS) * MINUTE_MS;
  const start =
    minuteEndsAt === undefined ? startMs : nextMinuteMs - Math.round(sent * minuteEndsAt);
  const world = { ...worldOf(scenario), faults: [], start: formatInstant(start) };
  const sim = createSimulatorCore(
    {
      ...world,
      publishers: Math.max(publishers, 1),
      ...options,
      explain: rewrite !== undefined,
      journalEntries: 0,
    },
    { people: () => anyPerson },
  );
  const members = Array.from({ length: publishers }, (_, ordinal) =>
    memberOf(areNew === true ? sim.publishers.signUp() : sim.publishers.at(ordinal)),
  );
  prepare?.(sim, members);
  const performers: Performers = {
    ...performersOn(
      withHandle(sim, (handle, request) => {
        const response = answer?.(handle, request) ?? handle(request);
        if (minuteEndsAt !== undefined) sim.clock.advance(1);
        return rewrite?.(response) ?? response;
      }),
    ),
    member: ({ ordinal }) => members[ordinal],
  };
  const playing = play(scenario, {
    capabilities,
    sending,
    target: { kind: "service", url: undefined },
    reproduce: "",
    laws: [],
  });
  return driveAtOnce(playing, performers);
}

/** Quick to make. No name can be expected of another service, so these may be simple. */
const anyPerson: PersonGenerator = (seed, _, ordinal) => {
  const name = `${ordinal} of ${seed}`;
  return { name, contact: { name, email: `${ordinal}@example.com` }, upiId: `${ordinal}@invalid` };
};

const OTHERWISE =
  "a correct service may answer otherwise: the specification doesn't decide it, or it depends on the service's data or on other clients";

/** Answers the questions whose checks are broken in this rehearsal, too. */
function answerQuestions(
  open: readonly Question[],
  { steps }: PlayResult,
  service: ImaginedService,
): void {
  const brokenAt = new Map(
    steps.map(({ path, checks }) => [path, checks.filter(({ verdict }) => verdict === "broken")]),
  );
  for (const question of open) {
    const isBroken = brokenAt
      .get(question.path)
      ?.some(({ about }) => isPart(about, question.about) || isPart(question.about, about));
    if (isBroken !== true || question.why !== undefined) continue;
    const { differsIn, rewrite, answer } = service;
    if (rewrite !== undefined || answer !== undefined) question.isAboutErrors = true;
    else if (differsIn === undefined) question.why = OTHERWISE;
    else if (!question.restsOn.includes(differsIn)) question.restsOn.push(differsIn);
  }
}

/** Whether `part` is the same member, or one further inside. */
function isPart(part: string, whole: string): boolean {
  return part === whole || part.startsWith(`${whole}.`);
}

function withAnswers(result: PlayResult, questions: readonly Question[]): PlayResult {
  const steps = result.steps.map((step): StepResult => {
    const checks = step.checks.map((check): Check => {
      const question = questions.find(
        ({ path, about }) => path === step.path && about === check.about,
      );
      return question === undefined || check.verdict !== "broken"
        ? check
        : answered(check, question);
    });
    const open = checks.find((check) => check.verdict === "unknown");
    const verdict = verdictOf(checks);
    if (step.verdict !== "broken" || verdict === "broken" || open === undefined)
      return { ...step, checks };
    const why = `${checkInWords(open)}. Whether that is wrong is unknown: ${open.why}`;
    return { ...step, checks, verdict, why: step.why ?? why };
  });
  return concludeAgain({ ...result, steps });
}

function answered(check: Check, { restsOn, isAboutErrors, why }: Question): Check {
  if (why !== undefined) return { ...check, verdict: "unknown", why };
  if (restsOn.length === 0) {
    const undefinedErrors = "the specification defines no error answers";
    return isAboutErrors ? { ...check, verdict: "unknown", why: undefinedErrors } : check;
  }
  const rests = `it rests on ${formatList(restsOn)}, which the specification leaves open. If you know what the service chooses, say so with --assumptions`;
  return { ...check, verdict: "unknown", restsOn, why: rests };
}
