/**
 * Turns a recording into a scenario. The publishers, surfaces and impressions of another service don't exist in a simulated
 * world: there the publishers sign up first, with the surfaces that the recording names, and steps refer to those.
 */

import { nodeHost } from "../../adapters/node-host.ts";
import { formatInstant, parseInstant } from "../../base/calendar.ts";
import { jsonIn } from "../../base/parse-json.ts";
import type {
  RecordedExchange,
  RecordedWorld,
  Recording,
} from "../../journal/recorded-exchange.ts";
import { eventIdIn, memberOf, type WireExchange } from "../../journal/wire-exchange.ts";
import { createRequestSteps, type RequestSteps } from "../../play/language/request-step.ts";
import type { PublisherRef, RequestStep, Scenario } from "../../play/language/scenario.ts";
import { plural } from "../../play/measure/quantities.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import {
  defaultAssumptions,
  nonDefaultChoices,
  resolveAssumptions,
} from "../../spec/assumptions/resolve.ts";
import { createScript, type Script } from "../../testing/contract/scenario-of.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import { plainRequest, wireExchangeOf } from "./recorded-requests.ts";

/** @throws InputError if the recorded world's settings are invalid. */
export function scenarioOfRecording(recording: Recording, name: string): Scenario {
  const sent = recording.exchanges.filter(({ skip }) => skip === undefined);
  const world = sent.find((one) => one.world !== undefined)?.world;
  const senderKnown = attributed(sent.map(wireExchangeOf), sent);
  const exchanges = recording.byAdsim ? senderKnown : senderKnown.map(plainRequest);
  const start = world?.start ?? startOf(sent);
  const script = createScript(parseInstant(start) ?? 0);
  const senders = sendersOf(exchanges, script, world);
  for (const exchange of exchanges) {
    script.advanceTo(exchange.atMs);
    const sender = senders.get(exchange.publisher);
    if (sender === undefined) continue;
    const step = sender.requests.stepOf(withKey(exchange, sender.key, recording));
    script.add(withoutGuesses(step, exchange, recording));
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

/** The first instant; the default start if no exchange has one. */
function startOf(sent: readonly RecordedExchange[]): string {
  const firstMs = sent.find(({ atMs }) => atMs !== undefined)?.atMs;
  return formatInstant(firstMs ?? resolveOptions({}).settings.startMs);
}

/** An exchange, and the id of the publisher that sent it. */
interface Attributed extends WireExchange {
  readonly publisher: string;
}

/**
 * Finds out who sent each request: by its publisher_id, by the impression that it clicks on, by its key, or as the recording
 * says. What remains belongs to the first publisher.
 */
function attributed(
  exchanges: readonly WireExchange[],
  sent: readonly RecordedExchange[],
): readonly Attributed[] {
  const byImpression = new Map<string, string>();
  // A mask stands for the keys of several publishers, and says nothing then.
  const byKey = new Map<string, string | undefined>();
  const found = exchanges.map((exchange, at) => {
    const { values, request, got } = exchange;
    const named = got.status === 200 ? values.get("publisher_id") : undefined;
    const { authorization = "" } = request.headers;
    const publisher =
      named ??
      byImpression.get(values.get("impression_id") ?? "") ??
      sent[at]?.publisher ??
      byKey.get(authorization) ??
      values.get("publisher_id");
    if (publisher === undefined || got.status !== 200) return { ...exchange, publisher };
    const isOthers = byKey.has(authorization) && byKey.get(authorization) !== publisher;
    byKey.set(authorization, isOthers ? undefined : publisher);
    const id = eventIdIn(got, "impression");
    if (id !== undefined) byImpression.set(id, publisher);
    return { ...exchange, publisher };
  });
  const first = found.find(({ publisher }) => publisher !== undefined)?.publisher ?? "publisher";
  return found.map(({ publisher = first, ...exchange }) => ({ ...exchange, publisher }));
}

interface Sender {
  readonly key: string;
  readonly requests: RequestSteps;
}

/** By publisher id, how its requests become steps. Publishers that the world doesn't have sign up. */
function sendersOf(
  exchanges: readonly Attributed[],
  script: Script,
  world: RecordedWorld | undefined,
): ReadonlyMap<string, Sender> {
  const seeded = world === undefined ? [] : seededIn(world);
  const assumptions =
    world === undefined ? defaultAssumptions : resolveAssumptions(world.assumptions);
  const senders = new Map<string, Sender>();
  for (const { publisher: id } of exchanges) {
    if (senders.has(id)) continue;
    const own = exchanges.filter(({ publisher }) => publisher === id);
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
  const ids = own.flatMap(({ got, operation, values }) => {
    if (got.status !== 200) return [];
    const listed = operation === "surfaces" ? memberOf(jsonIn(got.body), "surfaces") : undefined;
    const rows = Array.isArray(listed) ? listed.map((row) => memberOf(row, "id")) : [];
    return [...rows, values.get("surface")].filter((id) => typeof id === "string");
  });
  return [...new Set(ids)].map((id) => ({ id }));
}

/** The key of the first request that succeeded. Many recordings have no keys, or only masks. */
function keyIn(own: readonly Attributed[]): string {
  const [first] = own.filter(({ got }) => got.status === 200).map(authorizationOf);
  return /^bearer +(\S+)$/i.exec(first ?? "")?.[1] ?? "recorded-key";
}

function authorizationOf({ request }: WireExchange): string | undefined {
  return request.headers.authorization;
}

/**
 * Gives the request the publisher's key, unless it was refused for its key. Recordings often mask or leave out keys, and those
 * of other services are real.
 */
function withKey(exchange: Attributed, key: string, { byAdsim }: Recording): Attributed {
  const { got, request } = exchange;
  const isRefused = got.status === 401 || got.status === 403;
  const own = `Bearer ${key}`;
  const sent = authorizationOf(exchange);
  if (byAdsim ? isRefused !== (sent === own) : isRefused && sent === undefined) return exchange;
  const authorization = isRefused ? "Bearer another-key" : own;
  return { ...exchange, request: { ...request, headers: { ...request.headers, authorization } } };
}

/**
 * The step expects nothing that the recording can't tell: another service's refusals rest on its own choices, and a click
 * may name an impression from before the recording. A note says what the answer was.
 */
function withoutGuesses(
  step: RequestStep,
  { got }: Attributed,
  { byAdsim }: Recording,
): RequestStep {
  const isSuccess = got.status === 200;
  const isClickOnUnknown = "click" in step && typeof step.click?.impression_id === "string";
  if (isSuccess ? !isClickOnUnknown : byAdsim) return step;
  const { expect: _guess, ...others } = step;
  const why = isSuccess ? " Its impression isn't in the recording." : "";
  return { ...others, note: `The answer was ${got.status}.${why}` };
}
