/**
 * Turns a recording into a scenario. Publishers become ordinals or sign up, and ids become references: the publishers, surfaces
 * and impressions that were recorded need not exist where the scenario is played.
 */

import { assert } from "../../base/assert.ts";
import { parseInstant } from "../../base/calendar.ts";
import { given } from "../../base/given.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { InputError } from "../../base/input.ts";
import { parametersOf, valuesOf } from "../../journal/entry-values.ts";
import type { RecordedEntry, RecordedWorld, Recording } from "../../journal/recorded-entry.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import { DEFAULT_START } from "../../simulator/simulator-options.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { nonDefaultChoices, resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { buildRequest, type Encoding } from "../../spec/build-request.ts";
import { operations } from "../../spec/operations.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import { fakerHost } from "../../world/publishers/people.ts";
import { plural } from "../measure/quantities.ts";
import { parseScenario } from "../scenario/parse-scenario.ts";
import {
  createRequestSteps,
  type RequestSteps,
  type StepPublisher,
} from "../scenario/request-step.ts";
import type { AnswerExpectation, RequestStep, Scenario } from "../scenario/types.ts";
import { expectedAnswer } from "./expected-answer.ts";
import { createScript } from "./script.ts";
import { type Attributed, attributed, surfacesIn } from "./senders.ts";

export interface RecordingOptions {
  readonly name: string;
  /** What the steps expect: statuses that don't rest on a service's own choices, or the recorded answers. */
  readonly expects: "statuses" | "answers";
  /**
   * `world`: those of the world that the recording names, and the others sign up. `numbered`: 0, 1, … in the order of the
   * recording, supplied by the service that the scenario is played at.
   */
  readonly publishers: "world" | "numbered";
  /** Whether time passes between the requests as recorded. @default true */
  readonly keepsTime?: boolean | undefined;
  /** Settings in place of the recorded world's. */
  readonly world?: Partial<RecordedWorld> | undefined;
  /** The publishers of the world in which it is played. @default those with which the recorded world began */
  readonly known?: readonly Credentials[] | undefined;
}

export interface RecordedScenario {
  readonly scenario: Scenario;
  /** The recorded requests by the paths of their steps. */
  readonly entries: ReadonlyMap<string, RecordedEntry>;
  readonly leftOut: readonly RecordedEntry[];
  readonly publishers: readonly StepPublisher[];
}

/** @throws InputError if the recorded world's settings are invalid. */
export function scenarioOfRecording(
  recording: Recording,
  options: RecordingOptions,
): RecordedScenario {
  const { byAdsim } = recording;
  const { name, world: chosen = {}, keepsTime = true } = options;
  const isNumbered = options.publishers === "numbered";
  const recorded = recording.entries.find(({ world }) => world !== undefined)?.world;
  const all = recording.entries.map((entry): RecordedEntry => {
    return { ...entry, leftOut: entry.leftOut ?? whyLeftOut(entry, byAdsim, recorded) };
  });
  const sent = attributed(all.filter(({ leftOut }) => leftOut === undefined));
  const entries = sent.map((one) => withKey(byAdsim ? one : plainRequest(one), byAdsim));
  const publishers = publishersOf(entries, recorded ?? chosen, options);
  const firstAt = entries.find(({ at }) => at !== undefined)?.at;
  const { start = firstAt ?? DEFAULT_START, ...world } = { ...recorded, ...chosen };
  const choicesIn = (one: Partial<RecordedWorld> = {}): Assumptions =>
    resolveAssumptions({ ...one.assumptions, ...chosen.assumptions });

  const byId = new Map(publishers.map((publisher) => [publisher.id, publisher]));
  const byPath = new Map<string, RecordedEntry>();
  const leftOut = all.filter((one) => one.leftOut !== undefined);
  const script = createScript(parseInstant(start) ?? 0);
  for (const { ref, surfaces } of publishers) {
    const names = surfaces.map((_, at) => `Surface ${at + 1}`);
    if (typeof ref === "string")
      script.add({ signUp: names.length === 0 ? {} : { surfaces: names }, as: ref });
  }
  const requests = createRequestSteps(entries, publishers);
  let inForce = choicesIn(recorded);
  for (const entry of entries) {
    const sender = byId.get(entry.sender);
    assert(sender !== undefined, "Every entry has a sender.");
    if (keepsTime) script.advanceTo(parseInstant(entry.at ?? "") ?? 0);
    const now = entry.world === undefined || isNumbered ? inForce : choicesIn(entry.world);
    const changes = changesOf(inForce, now);
    if (Object.keys(changes).length > 0) script.add({ assume: changes });
    inForce = now;
    // Before the step names its answer, to which no expectation of its own can refer.
    const expect = expectationOf(entry, sender, requests, { ...options, ...recording });
    const { expect: _status, note, ...step } = requests.stepOf(entry, sender);
    if (!canBeSent(step, entry)) {
      leftOut.push({ ...entry, leftOut: "unsendable" });
      continue;
    }
    const { status } = entry.response;
    const isOnUnknown = "click" in step && typeof step.click?.impression_id === "string";
    const why = isOnUnknown && status === 200 ? "Its impression isn't in the recording." : note;
    byPath.set(`steps.${script.steps.length}`, entry);
    // What rests on ids that another world doesn't have can't be expected.
    if (expect !== undefined && why === undefined) script.add({ ...step, expect });
    else
      script.add({
        ...step,
        note: `The answer was ${status}.${why === undefined ? "" : ` ${why}`}`,
      });
  }
  const { seed, profile, publishers: population } = world;
  const assumptions = nonDefaultChoices(choicesIn(recorded));
  const scenario: Scenario = {
    name,
    about: `${plural(entries.length, "recorded request")} of ${plural(publishers.length, "publisher")}.`,
    // A service has its own time and its own choices. The options are checked when the scenario is parsed.
    ...(!isNumbered && (given({ seed, publishers: population, profile }) as Partial<Scenario>)),
    ...(isNumbered && publishers.length > USUAL_POPULATION && { publishers: publishers.length }),
    ...(!isNumbered && { start }),
    ...(!isNumbered && Object.keys(assumptions).length > 0 && { assumptions }),
    steps: script.steps,
  };
  return { scenario, entries: byPath, leftOut, publishers };
}

const USUAL_POPULATION = 25;

/** Why a request can't be a step. What another service received can be anything. */
function whyLeftOut(
  { operation, request, response, world }: RecordedEntry,
  byAdsim: boolean,
  first: RecordedWorld | undefined,
): RecordedEntry["leftOut"] {
  const isOther = world !== undefined && first !== undefined && nameOf(world) !== nameOf(first);
  if (byAdsim) return isOther ? "other-world" : undefined;
  if (operation === undefined) return "no-operation";
  const values = valuesOf(request);
  const isWhole = Object.entries(operations[operation].parameters).every(
    // Without a publisher_id it belongs to the sender.
    ([name, { required }]) => !required || name === "publisher_id" || values.has(name),
  );
  return isWhole || response.status !== 200 ? undefined : "incomplete";
}

function nameOf({ seed, start, publishers, profile }: RecordedWorld): string {
  return JSON.stringify([seed, start, publishers, profile]);
}

/** The request with the API's parameters alone, and with the sender's publisher_id if a success has none. */
function plainRequest(entry: Attributed): Attributed {
  const { operation, request, response, sender } = entry;
  if (operation === undefined) return entry;
  const { parameters } = operations[operation];
  const sent = parametersOf(request).filter(([name]) => Object.hasOwn(parameters, name));
  const isOwn = response.status === 200 && "publisher_id" in parameters;
  const values = { ...(isOwn && { publisher_id: sender }), ...Object.fromEntries(sent) };
  const { authorization } = request.headers;
  const own = authorization === undefined ? {} : { authorization };
  const built = buildRequest(operation, values, { encoding: encodingIn(request), headers: own });
  const { method, path, query = "", headers = {}, body = "" } = built;
  return {
    ...entry,
    request: { method, path, query: String(query), headers, body: String(body) },
  };
}

function encodingIn({ headers, body }: RecordedEntry["request"]): Encoding {
  if (body === "") return "query";
  return headers["content-type"]?.includes("form") === true ? "form" : "json";
}

/** Stands for each publisher's own key. Recordings often mask or leave out keys, and those of other services are real. */
const OWN_KEY = "recorded-key";
const OTHER_KEY = "another-key";

/** Gives the request the publisher's key, unless another key was sent, or none. */
function withKey(entry: Attributed, byAdsim: boolean): Attributed {
  const { request, response, publisher } = entry;
  // A journal names the publisher whose key was sent.
  const isOwn = byAdsim ? publisher !== undefined : !/^40[13]$/.test(`${response.status}`);
  if (!isOwn && request.headers.authorization === undefined) return entry;
  const authorization = `Bearer ${isOwn ? OWN_KEY : OTHER_KEY}`;
  return { ...entry, request: { ...request, headers: { ...request.headers, authorization } } };
}

function publishersOf(
  entries: readonly Attributed[],
  world: Partial<RecordedWorld>,
  { publishers: which, known }: RecordingOptions,
): readonly StepPublisher[] {
  const seeded = known ?? (which === "world" ? seededIn(world) : []);
  const bySender = groupedBy(entries, ({ sender }) => sender);
  return Array.from(bySender, ([id, own], place): StepPublisher => {
    const isNumbered = which === "numbered";
    const ordinal = isNumbered ? place : seeded.findIndex((one) => one.id === id);
    const surfaces = seeded[ordinal]?.surfaces ?? surfacesIn(own);
    return {
      ref: ordinal >= 0 ? ordinal : `publisher-${place + 1}`,
      ...{ id, apiKey: OWN_KEY, surfaces },
    };
  });
}

/** More seeded publishers than a recording has. */
const MOST_SEEDED = 10_000;

/** @throws InputError if the recorded settings are invalid. */
function seededIn(world: Partial<RecordedWorld>): readonly Credentials[] {
  const { seed, start, publishers, profile } = world;
  const assumptions = resolveAssumptions(world.assumptions ?? {});
  const settings = { seed, start, publishers, profile, assumptions };
  const sim = createSimulatorCore(settings, fakerHost);
  return sim.publishers.credentials(Math.min(sim.publishers.total, MOST_SEEDED));
}

/** Whether a scenario can have such a step. A raw request may be anything that a simulator was asked in process. */
function canBeSent({ raw, headers }: RequestStep, { request }: RecordedEntry): boolean {
  if (raw === undefined) return true;
  if (request.bodyBase64 !== undefined) return false;
  try {
    parseScenario({ name: "step", about: "A step.", steps: [{ raw, headers }] });
    return true;
  } catch (error) {
    if (error instanceof InputError) return error.field.endsWith(".ref");
    throw error;
  }
}

function changesOf(before: Assumptions, after: Assumptions): Partial<Assumptions> {
  const old: Readonly<Record<string, string>> = before;
  return Object.fromEntries(Object.entries(after).filter(([key, now]) => old[key] !== now));
}

/** Undefined if the recording can't tell: another service's refusals rest on its own choices. */
function expectationOf(
  entry: Attributed,
  sender: StepPublisher,
  { referenceTo }: RequestSteps,
  { expects, byAdsim, form }: RecordingOptions & Recording,
): AnswerExpectation | undefined {
  const { status } = entry.response;
  if (expects === "statuses") return byAdsim || status === 200 ? { status } : undefined;
  // The history, prices and names of a publisher that signs up are others than the recorded one's.
  const isNewcomer = typeof sender.ref === "string";
  // What was wrong with the key isn't recorded.
  const isRefused = entry.request.headers.authorization === `Bearer ${OTHER_KEY}`;
  if (isNewcomer || isRefused || form === "CSV") return { status };
  return expectedAnswer(entry, (name, text) =>
    referenceTo(name === "id" ? "surface" : name, text, sender),
  );
}
