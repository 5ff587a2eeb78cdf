/**
 * Turns a recording into a scenario. The publishers, surfaces and impressions of another service don't exist in a simulated
 * world: there the publishers sign up first, with the surfaces that the recording names, and steps refer to those.
 */

import { nodeHost } from "../../adapters/node-host.ts";
import { parseInstant } from "../../base/calendar.ts";
import { jsonIn, memberOf } from "../../base/parse-json.ts";
import { eventIdIn, valuesOf } from "../../journal/entry-values.ts";
import type { RecordedEntry, RecordedWorld, Recording } from "../../journal/recorded-entry.ts";
import { plural } from "../../play/measure/quantities.ts";
import { createRequestSteps, type RequestSteps } from "../../play/scenario/request-step.ts";
import type { PublisherRef, RequestStep, Scenario } from "../../play/scenario/types.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import { DEFAULT_START } from "../../simulator/simulator-options.ts";
import {
  defaultAssumptions,
  nonDefaultChoices,
  resolveAssumptions,
} from "../../spec/assumptions/resolve.ts";
import { createScript, type Script } from "../../testing/contract/scenario-of.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import { msOf } from "../replay/recording-in.ts";
import { type Attributed, plainRequest } from "./recorded-requests.ts";

/** @throws InputError if the recorded world's settings are invalid. */
export function scenarioOfRecording(recording: Recording, name: string): Scenario {
  const sent = recording.entries.filter(({ leftOut }) => leftOut === undefined);
  const world = sent.find((one) => one.world !== undefined)?.world;
  const senderKnown = attributed(sent);
  const entries = recording.byAdsim ? senderKnown : senderKnown.map(plainRequest);
  const firstAt = sent.find(({ at }) => at !== undefined)?.at;
  const start = world?.start ?? firstAt ?? DEFAULT_START;
  const script = createScript(parseInstant(start) ?? 0);
  const senders = sendersOf(entries, script, world);
  for (const entry of entries) {
    script.advanceTo(msOf(entry));
    const sender = senders.get(entry.publisher);
    if (sender === undefined) continue;
    const step = sender.requests.stepOf(withKey(entry, sender.key, recording));
    script.add(withoutGuesses(step, entry, recording));
  }
  const assumptions = nonDefaultChoices(resolveAssumptions(world?.assumptions ?? {}));
  return {
    name,
    about: `${plural(sent.length, "recorded request")} of ${plural(senders.size, "publisher")}.`,
    ...(world === undefined ? { publishers: 1 } : settingsOf(world)),
    start,
    ...(Object.keys(assumptions).length > 0 && { assumptions }),
    steps: script.steps,
  };
}

function settingsOf({ seed, publishers, profile }: RecordedWorld): Partial<Scenario> {
  // A recording holds what the world's options were, which are checked when the scenario is parsed.
  return { seed, publishers, profile } as Partial<Scenario>;
}

/**
 * Finds out who sent each request: by its publisher_id, by the impression that it clicks on, by its key, or as the recording
 * says. What remains belongs to the first publisher.
 */
function attributed(entries: readonly RecordedEntry[]): readonly Attributed[] {
  const byImpression = new Map<string, string>();
  // A mask stands for the keys of several publishers, and says nothing then.
  const byKey = new Map<string, string | undefined>();
  const found = entries.map((entry) => {
    const { request, response } = entry;
    const isSuccess = response.status === 200;
    const values = valuesOf(request);
    const { authorization = "" } = request.headers;
    const publisher =
      (isSuccess ? values.get("publisher_id") : undefined) ??
      byImpression.get(values.get("impression_id") ?? "") ??
      entry.publisher ??
      byKey.get(authorization) ??
      values.get("publisher_id");
    if (publisher === undefined || !isSuccess) return { ...entry, publisher };
    const isOthers = byKey.has(authorization) && byKey.get(authorization) !== publisher;
    byKey.set(authorization, isOthers ? undefined : publisher);
    const id = eventIdIn(response, "impression");
    if (id !== undefined) byImpression.set(id, publisher);
    return { ...entry, publisher };
  });
  const first = found.find(({ publisher }) => publisher !== undefined)?.publisher ?? "publisher";
  return found.map(({ publisher = first, ...entry }) => ({ ...entry, publisher }));
}

interface Sender {
  readonly key: string;
  readonly requests: RequestSteps;
}

/** By publisher id, how its requests become steps. Publishers that the world doesn't have sign up. */
function sendersOf(
  entries: readonly Attributed[],
  script: Script,
  world: RecordedWorld | undefined,
): ReadonlyMap<string, Sender> {
  const seeded = world === undefined ? [] : seededIn(world);
  const assumptions =
    world === undefined ? defaultAssumptions : resolveAssumptions(world.assumptions);
  const senders = new Map<string, Sender>();
  for (const { publisher: id } of entries) {
    if (senders.has(id)) continue;
    const own = entries.filter(({ publisher }) => publisher === id);
    const ordinal = seeded.findIndex((one) => one.id === id);
    const surfaces = seeded[ordinal]?.surfaces ?? surfacesIn(own);
    const ref: PublisherRef = ordinal >= 0 ? ordinal : `publisher-${senders.size + 1}`;
    if (typeof ref === "string") {
      const names = surfaces.map((_, at) => `Surface ${at + 1}`);
      script.add({ signUp: names.length === 0 ? {} : { surfaces: names }, as: ref });
    }
    const key = keyIn(own);
    const publisher = { id, apiKey: key, surfaces };
    const session = { publisher, surfaces, assumptions, exchanges: own };
    senders.set(id, {
      key,
      requests: createRequestSteps(session, ref, `sent-by-${senders.size + 1}-`),
    });
  }
  return senders;
}

/** More seeded publishers than a recording has. */
const MOST_SEEDED = 10_000;

/** @throws InputError if the recorded settings are invalid. */
function seededIn(world: RecordedWorld): readonly Credentials[] {
  const { seed, start, publishers, profile } = world;
  const sim = createSimulatorCore({ seed, start, publishers, profile }, nodeHost);
  return sim.publishers.credentials(Math.min(sim.publishers.total, MOST_SEEDED));
}

/** The surfaces that the service listed, or accepted in other requests, in the order in which they were seen. */
function surfacesIn(own: readonly Attributed[]): readonly { readonly id: string }[] {
  const ids = own.flatMap(({ operation, request, response }) => {
    const { status, body = "" } = response;
    if (status !== 200) return [];
    const listed = operation === "surfaces" ? memberOf(jsonIn(body), "surfaces") : undefined;
    const rows = Array.isArray(listed) ? listed.map((row) => memberOf(row, "id")) : [];
    return [...rows, valuesOf(request).get("surface")].filter((id) => typeof id === "string");
  });
  return [...new Set(ids)].map((id) => ({ id }));
}

/** The key of the first request that succeeded. Many recordings have no keys, or only masks. */
function keyIn(own: readonly Attributed[]): string {
  const [first] = own.filter(({ response }) => response.status === 200).map(authorizationOf);
  return /^bearer +(\S+)$/i.exec(first ?? "")?.[1] ?? "recorded-key";
}

function authorizationOf({ request }: RecordedEntry): string | undefined {
  return request.headers.authorization;
}

/**
 * Gives the request the publisher's key, unless it was refused for its key. Recordings often mask or leave out keys, and those
 * of other services are real.
 */
function withKey(entry: Attributed, key: string, { byAdsim }: Recording): Attributed {
  const { request, response } = entry;
  const isRefused = response.status === 401 || response.status === 403;
  const own = `Bearer ${key}`;
  const sent = authorizationOf(entry);
  if (byAdsim ? isRefused !== (sent === own) : isRefused && sent === undefined) return entry;
  const authorization = isRefused ? "Bearer another-key" : own;
  return { ...entry, request: { ...request, headers: { ...request.headers, authorization } } };
}

/**
 * The step expects nothing that the recording can't tell: another service's refusals rest on its own choices, and a click
 * may name an impression from before the recording. A note says what the answer was.
 */
function withoutGuesses(
  step: RequestStep,
  { response }: Attributed,
  { byAdsim }: Recording,
): RequestStep {
  const isSuccess = response.status === 200;
  const isClickOnUnknown = "click" in step && typeof step.click?.impression_id === "string";
  if (isSuccess ? !isClickOnUnknown : byAdsim) return step;
  const { expect: _guess, ...others } = step;
  const why = isSuccess ? " Its impression isn't in the recording." : "";
  return { ...others, note: `The answer was ${response.status}.${why}` };
}
