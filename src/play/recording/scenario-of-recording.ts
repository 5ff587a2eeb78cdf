/**
 * Turns a recording into a scenario. Publishers become ordinals or sign up, and ids become references: the publishers, surfaces
 * and impressions that were recorded need not exist where the scenario is played. Ids that a service invents aren't compared.
 */

import { assert } from "../../base/assert.ts";
import { parseInstant } from "../../base/calendar.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { jsonIn } from "../../base/parse-json.ts";
import { orUndefined } from "../../base/text.ts";
import { parametersOf, valuesOf } from "../../journal/entry.ts";
import type { RecordedEntry, RecordedWorld, Recording } from "../../journal/recorded-entry.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import { DEFAULT_START } from "../../simulator/simulator-options.ts";
import { nonDefaultChoices, resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { buildRequest, type Encoding } from "../../spec/build-request.ts";
import { operations } from "../../spec/operations.ts";
import { fakerHost } from "../../world/publishers/people.ts";
import { plural } from "../measure/quantities.ts";
import { wordIn } from "../scenario/meanings.ts";
import type { Overrides } from "../scenario/parse-scenario.ts";
import {
  createRequestSteps,
  type RequestSteps,
  type StepPublisher,
} from "../scenario/request-step.ts";
import type {
  AnswerExpectation,
  Matcher,
  Reference,
  RequestStep,
  Scenario,
} from "../scenario/types.ts";
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
  /** The settings of the recorded world, if the recording doesn't tell them. */
  readonly world?: Overrides | undefined;
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
  const recorded = recording.entries.find((entry) => entry.world !== undefined)?.world;
  const world = recorded === undefined ? (options.world ?? {}) : settingsIn(recorded);
  const judged = recording.entries.map((entry): RecordedEntry => {
    return { ...entry, leftOut: entry.leftOut ?? whyLeftOut(entry, byAdsim, world) };
  });
  const sent = attributed(judged.filter(({ leftOut }) => leftOut === undefined));
  const entries = sent.map((one) => withKey(byAdsim ? one : plainRequest(one), byAdsim));
  const isNumbered = options.publishers === "numbered";
  const publishers = publishersOf(entries, isNumbered ? undefined : world);

  // A service has its own time and its own choices.
  const firstAt = entries.find(({ at }) => at !== undefined)?.at ?? DEFAULT_START;
  const { start = firstAt, assumptions } = isNumbered ? {} : world;
  const settings = isNumbered ? { publishers: publishers.length } : { ...world, start };
  const script = createScript(parseInstant(start) ?? 0);
  for (const { ref, surfaces } of publishers) {
    const names = surfaces.map((_, at) => `Surface ${at + 1}`);
    if (typeof ref === "string")
      script.add({ signUp: names.length === 0 ? {} : { surfaces: names }, as: ref });
  }
  const requests = createRequestSteps(entries, publishers);
  const byId = new Map(publishers.map((one) => [one.id, one]));
  const byPath = new Map<string, RecordedEntry>();
  let inForce: Readonly<Record<string, string>> = resolveAssumptions(assumptions ?? {});
  for (const entry of entries) {
    const sender = byId.get(entry.sender);
    assert(sender !== undefined, "Every entry has a sender.");
    if (options.keepsTime ?? true) script.advanceTo(parseInstant(entry.at ?? "") ?? 0);
    if (entry.world !== undefined && !isNumbered) {
      const now = resolveAssumptions(entry.world.assumptions);
      const changed = Object.entries(now).filter(([key, choice]) => choice !== inForce[key]);
      if (changed.length > 0) script.add({ assume: Object.fromEntries(changed) });
      inForce = now;
    }
    byPath.set(`steps.${script.steps.length}`, entry);
    script.add(stepOf(entry, sender, requests, { ...options, ...recording }));
  }
  const about = `${plural(entries.length, "recorded request")} of ${plural(publishers.length, "publisher")}.`;
  return {
    scenario: { name: options.name, about, ...settings, steps: script.steps },
    entries: byPath,
    leftOut: judged.filter((one) => one.leftOut !== undefined),
    publishers,
  };
}

function settingsIn({ seed, start, publishers, profile, assumptions }: RecordedWorld): Overrides {
  const choices = nonDefaultChoices(resolveAssumptions(assumptions));
  const some = Object.keys(choices).length > 0 ? { assumptions: choices } : {};
  return { seed, start, publishers, profile, ...some };
}

/** Why a request can't be a step. */
function whyLeftOut(
  { operation, request, response, world }: RecordedEntry,
  byAdsim: boolean,
  { seed }: Overrides,
): RecordedEntry["leftOut"] {
  if (byAdsim) {
    if (world !== undefined && world.seed !== seed) return "other-world";
    // It is sent as it was, and a simulator may be asked anything in process.
    const isText = request.bodyBase64 === undefined;
    const isPlain = isText && /^\/[!-"$-~]{0,15999}$/.test(request.path + request.query);
    const hasOddHeader = Object.values(request.headers).some((value) => !/^[ -~]*$/.test(value));
    return isPlain && !hasOddHeader ? undefined : "unsendable";
  }
  // What another service received can be anything.
  if (operation === undefined) return "no-operation";
  const values = valuesOf(request);
  const isWhole = Object.entries(operations[operation].parameters).every(
    // Without a publisher_id it belongs to the sender.
    ([name, { required }]) => !required || name === "publisher_id" || values.has(name),
  );
  return isWhole || response.status !== 200 ? undefined : "incomplete";
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

/** The senders. Those that the world doesn't have sign up. Without a world they are numbered. */
function publishersOf(
  entries: readonly Attributed[],
  world: Overrides | undefined,
): readonly StepPublisher[] {
  const seeded = world && createSimulatorCore(world, fakerHost).publishers;
  const bySender = groupedBy(entries, ({ sender }) => sender);
  return Array.from(bySender, ([id, own], place): StepPublisher => {
    const known = orUndefined(() => seeded?.get(id));
    const ref = known?.ordinal ?? (seeded === undefined ? place : `publisher-${place + 1}`);
    return { ref, id, apiKey: OWN_KEY, surfaces: known?.surfaces ?? surfacesIn(own) };
  });
}

function stepOf(
  entry: Attributed,
  sender: StepPublisher,
  requests: RequestSteps,
  how: RecordingOptions & Recording,
): RequestStep {
  // Before the step names its answer, to which no expectation of its own can refer.
  const expect = expectationOf(entry, sender, requests, how);
  const { expect: _status, note, ...step } = requests.stepOf(entry, sender);
  const { status } = entry.response;
  const isOnUnknown = status === 200 && typeof step.click?.impression_id === "string";
  const why = isOnUnknown ? "Its impression isn't in the recording." : note;
  // What rests on ids that another world doesn't have can't be expected.
  if (expect !== undefined && why === undefined) return { ...step, expect };
  return { ...step, note: `The answer was ${status}. ${why ?? ""}`.trim() };
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

/** What a service invents for each answer, by the name of its member. */
const invented = /(^|_)(id|instance|time|timestamp)$/i;

/** @param referenceTo What a text in the answer names. */
function expectedAnswer(
  { request, response }: Pick<RecordedEntry, "request" | "response">,
  referenceTo: (name: string, text: string) => Reference | undefined,
): AnswerExpectation {
  const { status, headers, body, bodyBase64 } = response;
  // Unless the period was asked for, it depends on the day.
  const days = ["from", "to"].filter((name) => !valuesOf(request).has(name));

  function matcherOf(value: unknown, name: string): Matcher {
    if (typeof value === "string") {
      const isInvented = invented.test(name) || days.includes(name);
      return referenceTo(name, value) ?? (isInvented ? { type: "string" } : value);
    }
    if (Array.isArray(value)) return value.map((one) => matcherOf(one, name));
    if (typeof value !== "object" || value === null) return value as Matcher;
    const members = Object.entries(value);
    if (wordIn(Object.keys(value)) !== undefined) return { type: "object" };
    return Object.fromEntries(members.map(([member, one]) => [member, matcherOf(one, member)]));
  }

  const type = headers["content-type"];
  const json = body === undefined ? undefined : jsonIn(body);
  return {
    status,
    ...(type !== undefined && { headers: { "content-type": type } }),
    ...(typeof json === "object" && json !== null
      ? { body: matcherOf(json, "") }
      : body !== undefined && bodyBase64 === undefined && { text: { equals: body } }),
  };
}
