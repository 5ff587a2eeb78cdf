/**
 * Plays in a world of an adsim over HTTP as if it were in this process: the world's clock is frozen, and the play moves it.
 * What is asked of a copy is asked in this process, where the world's snapshot is restored. Errors of the control API say which
 * request was refused and why.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { timerMs } from "../../base/drip.ts";
import { InputError } from "../../base/input.ts";
import { jsonIn, memberOf } from "../../base/parse-json.ts";
import { printable } from "../../base/text.ts";
import { VERSION } from "../../base/version.ts";
import type { InstalledRule } from "../../faults/faults.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import { fakerHost } from "../../world/publishers/people.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";
import { playClockTraffic } from "./play-traffic.ts";
import {
  type Control,
  readSpeed,
  type Target,
  TargetError,
  type TargetOptions,
  type TargetUrl,
  unreachable,
} from "./target.ts";
import type { Turns } from "./turns.ts";

interface AdsimOptions extends Pick<TargetOptions, "controlToken" | "speed" | "signal"> {
  /** The scenario's world. */
  readonly snapshot: Snapshot;
  /** The world's name, if the URL has none. */
  readonly worldName: string;
  readonly turns: Turns;
}

/** The audit or snapshot of a large world is long. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** One connection, so that answers arrive in order. */
export function createAdsimClient(origin: string, signal?: AbortSignal): Promise<HttpClient> {
  return createHttpClient(origin, { connections: 1, maxBodyBytes: MAX_BODY_BYTES, signal });
}

/**
 * Imports the scenario's world and takes control of it.
 *
 * @throws InputError (as a rejection) for a wrong speed; Error that says what to do if the target refuses, or isn't an adsim.
 */
export async function openAdsimTarget(
  { origin, ...target }: TargetUrl,
  client: HttpClient,
  { snapshot, worldName, controlToken: token, turns, signal, ...options }: AdsimOptions,
): Promise<Target> {
  const speed = options.speed === undefined ? undefined : readSpeed(options.speed);
  const version = await askVersion({ client, origin, prefix: target.prefix, token });
  const prefix = target.worldName ? target.prefix : `${target.prefix}/@${worldName}`;
  const api = createControlApi({ client, origin, prefix, token });
  let nowMs = await importWorld(api, snapshot, version);
  let dueMs = performance.now();

  const send: Target["send"] = async (outgoing) => {
    const { operation, request } = outgoing;
    const { why: _asInProcess, ...seen } = await client.send(prefix, outgoing);
    if (seen.outcome === "timed-out") await untilNoticed(api);
    return { operation, atMs: nowMs, request, ...seen };
  };
  async function wait(ms: number): Promise<void> {
    dueMs += ms / (speed ?? Number.POSITIVE_INFINITY);
    const leftMs = dueMs - performance.now();
    // Timers have whole milliseconds. A shorter wait is added to the next one.
    if (leftMs >= 1) await sleep(timerMs(leftMs), undefined, { signal });
    nowMs = await setClock(api, "POST", "clock/advance", { by: ms });
  }

  return {
    kind: "adsim",
    url: `${origin}${prefix}`,
    time: speed === undefined ? { kind: "virtual" } : { kind: "paced", speed },
    now: () => nowMs,
    async member(ordinal) {
      const path = `publishers?offset=${ordinal}&limit=1`;
      const [found] = (await api<{ publishers: Publisher[] }>("GET", path)).publishers;
      // Sign-ups follow the population and have ordinals of their own.
      return found?.ordinal === ordinal ? found : undefined;
    },
    send,
    wait,
    traffic: (order) => playClockTraffic(order, { send, wait, turns }),
    control: controlOver(api),
  };
}

/** Empties the world, imports the snapshot and freezes the clock. @returns the world's time. */
async function importWorld(api: ControlApi, snapshot: Snapshot, version: string): Promise<number> {
  try {
    // Only a reset makes the journal count from 1 again.
    await api("POST", "reset");
    await api("PUT", "snapshot", snapshot);
    return await setClock(api, "PUT", "clock", { mode: "frozen" });
  } catch (error) {
    const other = version === VERSION ? "" : ` It is adsim ${version}, and this is ${VERSION}.`;
    // Not an InputError: no field of the scenario is at fault.
    const why = `${(error as Error).message}${other}`;
    throw new TargetError(`The scenario's world can't be imported: ${why}`, { cause: error });
  }
}

/** @returns the world's time. */
async function setClock(api: ControlApi, ...request: Parameters<ControlApi>): Promise<number> {
  return Date.parse((await api<{ now: string }>(...request)).now);
}

function controlOver(api: ControlApi): Control {
  return {
    async world() {
      const world = createSimulatorCore({}, fakerHost);
      world.restore(await api<Snapshot>("GET", "snapshot"));
      return world;
    },
    assume: (choices) => api("PATCH", "assumptions", choices),
    fault: async (rule) => (await api<InstalledRule>("POST", "faults", rule)).id,
    rules: async () => (await api<{ faults: InstalledRule[] }>("GET", "faults")).faults,
    async heal(ids) {
      const paths = ids?.map((id) => `faults/${encodeURIComponent(id)}`) ?? ["faults"];
      for (const path of paths) await api("DELETE", path);
    },
    signUp: (request) => api<Publisher>("POST", "publishers", request),
    setSurface: (publisher, surface, change) =>
      api("PATCH", `publishers/${publisher}/surfaces/${surface}`, change),
    rotateKey: (publisher) => api<Publisher>("POST", `publishers/${publisher}/rotate-key`),
    journal: (limit) => journalOf(api, limit),
  };
}

async function journalOf(api: ControlApi, limit: number): Promise<readonly JournalEntry[]> {
  return (await api<{ entries: JournalEntry[] }>("GET", `journal?limit=${limit}`)).entries;
}

/**
 * Waits until the server has noticed that its client gave up on the last request, two seconds at most. Only then does it
 * record the answer as lost, which happens immediately in process.
 */
async function untilNoticed(api: ControlApi): Promise<void> {
  for (let asked = 0; asked < 200; asked += 1) {
    await sleep(10);
    // Two, because a rule may have applied the request twice.
    const entries = await journalOf(api, 2);
    if (entries.every(({ fault }) => fault === undefined || fault.received === "nothing")) return;
  }
}

interface ControlApiOptions {
  readonly client: HttpClient;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path prefix of every request. */
  readonly prefix: string;
  readonly token: string | undefined;
}

/**
 * Asks for `path` below `/_sim/`, and returns the answer's JSON. It has the shape that it has in this version.
 *
 * @throws InputError (as a rejection) if the server names a wrong field; Error for any other refusal, and if the server
 * can't be reached.
 */
type ControlApi = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

/** Enough for importing the largest snapshot. */
const MAX_WAIT_MS = 60_000;

function createControlApi(options: ControlApiOptions): ControlApi {
  const { client, origin, prefix, token } = options;
  const url = `${origin}${prefix}`;
  return async <Answer>(method: string, path: string, body?: object) => {
    const headers = {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const json = body === undefined ? undefined : JSON.stringify(body);
    const request = { method, path: `/_sim/${path}`, headers, body: json };
    const answer = await client.send(prefix, { request, timeoutMs: MAX_WAIT_MS });
    const { outcome, status, text, why = outcome } = answer;
    if (outcome !== "answered") throw new TargetError(unreachable(url, why));
    const value = jsonIn(text);
    if (status >= 200 && status < 300) return value as Answer;
    throw refusalOf(value, url, `${method} /_sim/${path} with status ${status}`);
  };
}

/** @returns the target's adsim version. @throws Error (as a rejection) if it isn't an adsim, or refuses control requests. */
async function askVersion(options: ControlApiOptions): Promise<string> {
  const health = await createControlApi(options)("GET", "health");
  if (memberOf(health, "status") === "ok") return textIn(health, "version");
  throw notAdsim(`${options.origin}${options.prefix}`, "GET /_sim/health with something else");
}

/** `answered`: a request, and how it was answered. */
function notAdsim(url: string, answered: string): Error {
  return new TargetError(
    `The target ${url} is not an adsim: it answered ${answered}. Give a publisher of this service with --api-key KEY and --publisher ID.`,
  );
}

/** A server's text, made safe to print on one line of a terminal. */
function textIn(value: unknown, name: string): string {
  return printable(String(memberOf(value, name) ?? ""));
}

function refusalOf(problem: unknown, url: string, answered: string): Error {
  const type = textIn(problem, "type");
  const detail = textIn(problem, "detail");
  const field = textIn(problem, "field");
  if (!type.startsWith("urn:adsim:control:")) return notAdsim(url, answered);
  // Such a detail begins with the field.
  if (field !== "" && /:(?:invalid|not-found|conflict)$/.test(type))
    return new InputError(field, detail.replace(`${field} `, ""));
  const help = /:(?:unauthorized|forbidden)$/.test(type)
    ? " Give its control token (--control-token), or play at it as at any other service (--api-key, --publisher)."
    : "";
  return new TargetError(`The adsim at ${url} answered ${answered}: ${detail}${help}`);
}
