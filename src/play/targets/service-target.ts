/** Plays on any service over HTTP, in real time. It has only requests: no control API. */

import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { timerMs } from "../../base/drip.ts";
import { durationMs, MINUTE_MS } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { jsonIn } from "../../base/parse-json.ts";
import type { ClientExchange, Member, Outgoing } from "../../invariants/client-exchange.ts";
import { buildRequest } from "../../spec/build-request.ts";
import { documentedLimits } from "../../spec/operations.ts";
import type { Surface } from "../../world/accounts/account.ts";
import { createTrafficSource } from "../traffic/source.ts";
import { unreachable } from "./control-api.ts";
import { createHttpClient } from "./http-client.ts";
import { CONNECTIONS, playRealTraffic } from "./real-traffic.ts";
import { isOverLimit, quotaBackMs } from "./retry-after.ts";
import type { ServiceCredentials, Target, TargetOptions } from "./target.ts";
import { readSpeed, type TargetUrl } from "./target-url.ts";

export interface ServiceTarget extends Target {
  /** Waits until each publisher's key has quota for this many GET requests, as far as answers told. */
  untilQuota(reads: number): Promise<void>;
}

/** Enough for what a scenario sends in parallel. Further requests wait. */
const MAX_CONNECTIONS = 1024;
const SURFACES_TIMEOUT_MS = 10_000;
const READ_LIMIT = documentedLimits.reporting.requests;

/** Eight characters are enough: run ids only have to differ from those of earlier runs at the same service. */
export function randomRunId(): string {
  return crypto.randomUUID().slice(0, 8);
}

/** @throws InputError (as a rejection) for wrong options. */
export async function openServiceTarget(
  { url, origin, prefix }: TargetUrl,
  { credentials = [], assumptions, onProgress, onWait, signal, ...options }: TargetOptions,
): Promise<ServiceTarget> {
  const speed = readSpeed(options.speed ?? 1);
  const connections = options.connections ?? CONNECTIONS;
  if (!Number.isSafeInteger(connections) || connections < 1 || connections > MAX_CONNECTIONS) {
    throw new InputError("connections", `must be a whole number from 1 to ${MAX_CONNECTIONS}`);
  }
  const client = await createHttpClient(origin, { connections: MAX_CONNECTIONS });
  const members = new Map<number, Member>();
  /** What the latest answer to a GET said, by key. */
  const quotas = new Map<string, { readonly left: number; readonly atMs: number }>();

  async function send(outgoing: Outgoing): Promise<ClientExchange> {
    const { operation, request } = outgoing;
    const atMs = Date.now();
    const answer = await client.send(prefix, outgoing);
    const left = answer.headers["x-ratelimit-remaining"];
    const { authorization } = request.headers ?? {};
    const isOwn = credentials.some(({ apiKey }) => authorization === `Bearer ${apiKey}`);
    if (isOwn && request.method === "GET" && left !== undefined)
      quotas.set(authorization ?? "", { left: Number(left), atMs });
    return { operation, atMs, request, ...answer };
  }
  async function pass(ms: number): Promise<void> {
    await sleep(timerMs(ms), undefined, { signal });
  }
  async function waitForQuota(ms: number): Promise<void> {
    onWait?.(ms);
    await pass(ms);
  }

  async function load({ id, apiKey, surfaces = [] }: ServiceCredentials): Promise<Member> {
    const member = { id, apiKey, joined: undefined };
    if (surfaces.length > 0) {
      return { ...member, surfaces: surfaces.map((surface) => surfaceOf({ id: surface })) };
    }
    const request = buildRequest("surfaces", { publisher_id: id }, { key: apiKey });
    const outgoing = { operation: "surfaces", request, timeoutMs: SURFACES_TIMEOUT_MS } as const;
    let answer = await send(outgoing);
    if (isOverLimit(answer)) {
      await waitForQuota(quotaBackMs(answer, Date.now()));
      answer = await send(outgoing);
    }
    return { ...member, surfaces: surfacesIn(answer, id, url) };
  }

  return {
    kind: "service",
    url,
    time: { kind: "real", speed },
    knownChoices: assumptions,
    now: () => Date.now(),
    async member(ordinal) {
      const given = credentials[ordinal];
      const known = members.get(ordinal);
      if (known !== undefined || given === undefined) return known;
      const member = await load(given);
      members.set(ordinal, member);
      return member;
    },
    send,
    wait: (ms) => pass(ms / speed),
    waitForQuota,
    async traffic(order) {
      const startedMs = performance.now();
      const source = createTrafficSource(order);
      const { observe } = order;
      const punctuality = await playRealTraffic({
        ...{ source, speed, connections, observe, onProgress, signal },
        send: (outgoing) => client.send(prefix, outgoing),
      });
      const leftMs = durationMs(order.traffic.for) / speed - (performance.now() - startedMs);
      if (leftMs > 0) await pass(leftMs);
      return punctuality;
    },
    async untilQuota(reads) {
      const wanted = Math.min(reads, READ_LIMIT);
      const short = Array.from(quotas.values()).filter(({ left }) => left < wanted);
      const ms = Math.max(0, ...short.map(({ atMs }) => atMs + MINUTE_MS - Date.now()));
      if (ms > 0) await waitForQuota(ms);
    },
    close: () => client.close(),
  };
}

const price = v.number();
const listedSurface = v.looseObject({
  id: v.string(),
  name: v.optional(v.string()),
  status: v.optional(v.string()),
  cpm_range: v.optional(v.tuple([price, price])),
});
const listing = v.looseObject({ surfaces: v.array(listedSurface) });

/** @throws Error that says what to do if the service doesn't list the surfaces. */
function surfacesIn(answer: ClientExchange, publisher: string, url: string): readonly Surface[] {
  const { outcome, status, text, why = outcome } = answer;
  const found = v.safeParse(listing, jsonIn(text));
  if (outcome === "answered" && status === 200 && found.success) {
    // Scenarios use the first surfaces, and what an inactive one does is left open (spec §3).
    const isInactive = ({ status }: Surface): number => (status === "active" ? 0 : 1);
    const all = found.output.surfaces.map(surfaceOf);
    return all.sort((one, other) => isInactive(one) - isInactive(other));
  }
  if (outcome === "lost" || outcome === "timed-out") throw new Error(unreachable(url, why));
  const how = outcome === "answered" ? `it answered with status ${status}` : why;
  throw new Error(
    `adsim can't read the surfaces of publisher ${publisher} at ${url}: ${how}. Check --api-key and --publisher, or name its surfaces.`,
  );
}

/** Fills in what the service doesn't tell about a surface. Its price may be anything. */
function surfaceOf(listed: v.InferOutput<typeof listedSurface>): Surface {
  const { id, name = id, status = "active" } = listed;
  return { id, name, status, cpmRange: listed.cpm_range ?? [0, Number.POSITIVE_INFINITY] };
}
