/** Plays on any service over HTTP, in real time. It has only requests: no control API. */

import { setTimeout as sleep } from "node:timers/promises";
import { timerMs } from "../../base/drip.ts";
import { MINUTE_MS } from "../../base/duration.ts";
import { jsonIn, memberOf } from "../../base/parse-json.ts";
import type { ClientExchange, Member, Outgoing } from "../../invariants/client-exchange.ts";
import { buildRequest } from "../../spec/build-request.ts";
import { documentedLimits } from "../../spec/operations.ts";
import type { Surface } from "../../world/accounts/account.ts";
import { createHttpClient } from "./http-client.ts";
import { playRealTraffic } from "./play-traffic.ts";
import {
  readSpeed,
  type ServiceCredentials,
  sendWhenAllowed,
  type Target,
  TargetError,
  type TargetOptions,
  type TargetUrl,
  unreachable,
} from "./target.ts";

interface ServiceTarget extends Target {
  /** Waits until each publisher's key has quota for this many GET requests, as far as answers told. */
  untilQuota(reads: number): Promise<void>;
  close(): Promise<void>;
}

/** Enough for what a scenario sends in parallel. Further requests wait. Answers of the API have a few kilobytes. */
const clientOptions = { connections: 1024, maxBodyBytes: 1024 * 1024 };
const SURFACES_TIMEOUT_MS = 10_000;
const READ_LIMIT = documentedLimits.reporting.requests;

/** It only has to differ from those of earlier runs at the same service. */
export function randomRunId(): string {
  return crypto.randomUUID().slice(0, 8);
}

/** @throws InputError (as a rejection) for a wrong speed. */
export async function openServiceTarget(
  { url, origin, prefix }: TargetUrl,
  { credentials = [], assumptions, onWait, signal, ...options }: TargetOptions,
): Promise<ServiceTarget> {
  const speed = readSpeed(options.speed ?? 1);
  const client = await createHttpClient(origin, { ...clientOptions, signal });
  const members = new Map<number, Member>();
  /** What the latest answer to a GET said, by the header with the key. */
  const quotas = new Map<string, { readonly left: number; readonly atMs: number }>();

  async function send(outgoing: Outgoing): Promise<ClientExchange> {
    const { operation, request } = outgoing;
    const atMs = Date.now();
    const answer = await client.send(prefix, outgoing);
    const left = answer.headers["x-ratelimit-remaining"];
    if (request.method === "GET" && left !== undefined)
      quotas.set(request.headers?.authorization ?? "", { left: Number(left), atMs });
    return { operation, atMs, request, ...answer };
  }
  const pass = (ms: number): Promise<void> => sleep(timerMs(ms), undefined, { signal });
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
    const answer = await sendWhenAllowed({ send, waitForQuota }, outgoing);
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
    traffic: (order) => playRealTraffic(order, { speed, send, signal }),
    async untilQuota(reads) {
      const wanted = Math.min(reads, READ_LIMIT);
      const ends = credentials.map(({ apiKey }) => {
        const { left = wanted, atMs = 0 } = quotas.get(`Bearer ${apiKey}`) ?? {};
        return left < wanted ? atMs + MINUTE_MS : 0;
      });
      const ms = Math.max(...ends) - Date.now();
      if (ms > 0) await waitForQuota(ms);
    },
    close: client.close,
  };
}

/** As far as the service tells about it. */
interface ListedSurface {
  readonly id: string;
  readonly name?: string;
  readonly status?: string;
  readonly cpm_range?: unknown;
}

/** @throws Error that says what to do if the service doesn't list the surfaces. */
function surfacesIn(answer: ClientExchange, publisher: string, url: string): readonly Surface[] {
  const { outcome, status, text, why = outcome } = answer;
  if (outcome === "lost" || outcome === "timed-out") throw new TargetError(unreachable(url, why));
  const listed = memberOf(jsonIn(text), "surfaces");
  const areListed =
    Array.isArray(listed) && listed.every((one) => typeof memberOf(one, "id") === "string");
  if (outcome === "answered" && status === 200 && areListed) {
    // Scenarios use the first surfaces, and what an inactive one does is left open (spec §3).
    const isInactive = (one: Surface): number => (one.status === "active" ? 0 : 1);
    return listed.map(surfaceOf).sort((one, other) => isInactive(one) - isInactive(other));
  }
  const list = status === 200 ? ", but no list of surfaces" : "";
  const how = outcome === "answered" ? `it answered with status ${status}${list}` : why;
  throw new TargetError(
    `adsim can't read the surfaces of publisher ${publisher} at ${url}: ${how}. Check --target (the part before /v1), --api-key and --publisher, or name its surfaces by --surface.`,
  );
}

/** Without a range, its price may be anything. */
function surfaceOf({ id, name = id, status = "active", cpm_range: range }: ListedSurface): Surface {
  const [lower, upper] = Array.isArray(range) ? range : [0, Number.POSITIVE_INFINITY];
  return { id, name, status, cpmRange: [lower, upper] };
}
