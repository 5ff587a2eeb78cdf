/** Plays on any service over HTTP, in real time. It has only requests: no control API. */

import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { timerMs } from "../../../base/drip.ts";
import { durationMs, MINUTE_MS } from "../../../base/duration.ts";
import { InputError } from "../../../base/input.ts";
import { jsonIn } from "../../../base/parse-json.ts";
import type { ClientExchange, Member, Outgoing } from "../../../invariants/client-exchange.ts";
import { buildRequest } from "../../../spec/build-request.ts";
import type { Surface } from "../../../world/accounts/account.ts";
import { createTrafficSource } from "../../traffic/source.ts";
import { isOverLimit, quotaBackMs } from "../player/retry-after.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";
import { CONNECTIONS, playRealTraffic } from "./real-traffic.ts";
import { READ_LIMIT } from "./service-plan.ts";
import type { AsyncPerformers, ServiceCredentials, ServiceOptions, Target } from "./target.ts";
import { readSpeed, type TargetUrl } from "./target-url.ts";

/** Enough for what a scenario sends in parallel. Further requests wait. */
const MAX_CONNECTIONS = 1024;
const SURFACES_TIMEOUT_MS = 10_000;

/** @throws InputError (as a rejection) for wrong options. */
export async function openServiceTarget(
  { url, origin, prefix }: TargetUrl,
  { credentials, plan, knownChoices, onProgress, ...options }: ServiceOptions,
): Promise<Target> {
  const speed = readSpeed(options.speed ?? 1);
  const connections = options.connections ?? CONNECTIONS;
  if (!Number.isSafeInteger(connections) || connections < 1 || connections > MAX_CONNECTIONS) {
    throw new InputError("connections", `must be a whole number from 1 to ${MAX_CONNECTIONS}`);
  }
  const client = await createHttpClient(origin, { connections: MAX_CONNECTIONS });
  const members = credentials.map((one) => lazyMember(one, { client, prefix, url, plan }));

  async function send(outgoing: Outgoing): Promise<ClientExchange> {
    const { operation, request } = outgoing;
    const atMs = Date.now();
    return { operation, atMs, request, ...(await client.send(prefix, outgoing)) };
  }

  const performers: Partial<AsyncPerformers> = {
    now: async () => Date.now(),
    pass: async () => undefined,
    member: async ({ ordinal }) => await members[ordinal]?.(),
    send: ({ outgoing }) => send(outgoing),
    together: ({ outgoing }) => Promise.all(outgoing.map(send)),
    async wait({ ms }) {
      await sleep(timerMs(ms / speed));
      return undefined;
    },
    async traffic({ order }) {
      const startedMs = performance.now();
      const punctuality = await playRealTraffic({
        source: createTrafficSource(order),
        speed,
        connections,
        send: (outgoing) => client.send(prefix, outgoing),
        observe: order.observe,
        onProgress,
      });
      const leftMs = durationMs(order.traffic.for) / speed - (performance.now() - startedMs);
      if (leftMs > 0) await sleep(timerMs(leftMs));
      return punctuality;
    },
  };
  return {
    capabilities: { time: { kind: "real", speed }, control: false, knownChoices },
    performers,
    description: { kind: "service", url },
    close: () => client.close(),
  };
}

interface Service {
  readonly client: HttpClient;
  readonly prefix: string;
  readonly url: string;
  readonly plan: ServiceOptions["plan"];
}

/** The publisher, whose surfaces are requested from the service once, on first use. */
function lazyMember(
  { id, apiKey, surfaces = [] }: ServiceCredentials,
  service: Service,
): () => Promise<Member> {
  let member: Promise<Member> | undefined;
  const given = surfaces.map((surface) => surfaceOf({ id: surface }));
  const isAsked = given.length === 0 && service.plan.asksSurfaces;
  async function load(): Promise<Member> {
    const all = isAsked ? await surfacesAt(service, { id, apiKey }) : given;
    return { id, apiKey, joined: undefined, surfaces: all };
  }
  return () => {
    member ??= load();
    return member;
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

/** Fills in what the service doesn't tell about a surface. Its price may be anything. */
function surfaceOf(listed: v.InferOutput<typeof listedSurface>): Surface {
  const {
    id,
    name = id,
    status = "active",
    cpm_range: cpmRange = [0, Number.POSITIVE_INFINITY],
  } = listed;
  return { id, name, status, cpmRange };
}

/**
 * Asks for the surfaces. If the key has too little quota left for the play, then waits until a minute is over.
 *
 * @throws Error that says what to do if the service doesn't list the surfaces.
 */
async function surfacesAt(
  { client, prefix, url, plan }: Service,
  { id, apiKey }: Pick<ServiceCredentials, "id" | "apiKey">,
): Promise<Surface[]> {
  const request = buildRequest("surfaces", { publisher_id: id }, { key: apiKey });
  const outgoing = { request, timeoutMs: SURFACES_TIMEOUT_MS };
  let answer = await client.send(prefix, outgoing);
  if (isOverLimit(answer)) {
    await sleep(timerMs(quotaBackMs(answer, Date.now())));
    answer = await client.send(prefix, outgoing);
  }
  const { outcome, status, why, headers } = answer;
  const found = v.safeParse(listing, jsonIn(answer.text));
  if (outcome === "answered" && status === 200 && found.success) {
    const left = Number(headers["x-ratelimit-remaining"]);
    if (left < Math.min(plan.reads, READ_LIMIT)) await sleep(timerMs(MINUTE_MS));
    // Scenarios use the first surfaces, and what an inactive one does is left open (spec §3).
    const isInactive = ({ status }: Surface): number => (status === "active" ? 0 : 1);
    const all = found.output.surfaces.map(surfaceOf);
    return all.sort((one, other) => isInactive(one) - isInactive(other));
  }
  const how = outcome === "answered" ? `it answered with status ${status}` : (why ?? outcome);
  throw new Error(
    `adsim can't read the surfaces of publisher ${id} at ${url}: ${how}. Check --api-key and --publisher, or name its surfaces.`,
  );
}
