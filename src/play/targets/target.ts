/**
 * What a scenario is played on: a world in this process, a world of an adsim over HTTP, or another service. Also its URL and speed,
 * parsed, and what its answers over a limit say about when to come back.
 */

import { MINUTE_MS } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import type { InstalledRule } from "../../faults/faults.ts";
import type { FaultRule } from "../../faults/rule.ts";
import type { ClientExchange, Member, Outgoing } from "../../invariants/client-exchange.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import type { MaybeLater } from "../../simulator/worlds.ts";
import type { SignUpRequest, SurfaceChange } from "../../world/accounts/publisher-directory.ts";
import type { AdvanceStep } from "../scenario/types.ts";
import type { Punctuality, TrafficOrder } from "../traffic/source.ts";

export interface Target {
  readonly kind: "in-process" | "adsim" | "service";
  /** The base URL of requests, with the world's name; undefined in process. */
  readonly url: string | undefined;
  readonly time: TargetTime;
  /** The choices that a service which isn't adsim is known to make. */
  readonly knownChoices?: Choices | undefined;
  /** Without it, steps that need it are skipped, and the report says so. */
  readonly control?: Control | undefined;
  /** The target's time, in milliseconds since 1970. */
  now(): number;
  /** The publisher with this ordinal; undefined if there is none. */
  member(ordinal: number): MaybeLater<Member | undefined>;
  send(outgoing: Outgoing): MaybeLater<ClientExchange>;
  /** Lets time pass: moves the clock, or waits. */
  wait(ms: number): MaybeLater<void>;
  /** Waits until a key has quota again. Only where others' requests count, too. */
  waitForQuota?(ms: number): Promise<void>;
  /** Ends when every answer is in. */
  traffic(order: TrafficOrder): Promise<Punctuality>;
}

/** `virtual`: the play moves the clock at once. `paced`: it moves it at `speed`. `real`: the target's own clock. */
type TargetTime =
  | { readonly kind: "virtual"; readonly speed?: undefined }
  | { readonly kind: "paced" | "real"; readonly speed: number };

/** In real time the target's clock can't be moved, so an advance works only at speed 1, and to no instant. */
export function whyAdvanceIsSkipped(
  time: TargetTime,
  { advance }: AdvanceStep,
): string | undefined {
  if (time.kind !== "real") return undefined;
  if (time.speed !== 1) return `the target's clock can't run at speed ${time.speed}`;
  const isTo = typeof advance === "object" && "to" in advance;
  return isTo ? "the target's clock can't be set" : undefined;
}

/** What only an adsim can do. */
export interface Control {
  /** The world as it is now, to be audited and copied. */
  world(): MaybeLater<PlayedWorld>;
  assume(choices: Choices): MaybeLater<unknown>;
  /** @returns the rule's id. */
  fault(rule: FaultRule): MaybeLater<string>;
  rules(): MaybeLater<readonly InstalledRule[]>;
  /** Removes these rules; undefined removes all. @throws InputError for an unknown id. */
  heal(ids: readonly string[] | undefined): MaybeLater<void>;
  signUp(request: SignUpRequest): MaybeLater<Member>;
  setSurface(publisher: string, surface: string, change: SurfaceChange): MaybeLater<unknown>;
  rotateKey(publisher: string): MaybeLater<Member>;
  /** The last `limit` entries. */
  journal(limit: number): MaybeLater<readonly JournalEntry[]>;
}

/** A play copies and audits it, and never changes it. */
export type PlayedWorld = Pick<SimulatorCore, "audit" | "fork" | "assumptions">;

/** How a target at a URL is opened. */
export interface TargetOptions {
  /** The token for an adsim's control requests. */
  readonly controlToken?: string | undefined;
  /** How many times as fast as real time. @default virtual time for an adsim, 1 for another service */
  readonly speed?: number | undefined;
  /**
   * Publishers of the service, by their ordinals in the scenario. With these, the target is played as a service even if it
   * is an adsim.
   */
  readonly credentials?: readonly ServiceCredentials[] | undefined;
  /** Choices of a service that isn't adsim, by assumption. @default none known */
  readonly assumptions?: Choices | undefined;
  /** Called before the play waits for quota at a service, in milliseconds. */
  readonly onWait?: ((ms: number) => void) | undefined;
  /** Aborts the play: it rejects with the signal's reason, and connections to a target are closed. */
  readonly signal?: AbortSignal | undefined;
}

/** A publisher of a service that isn't adsim. */
export interface ServiceCredentials {
  readonly id: string;
  readonly apiKey: string;
  /** Ids of its surfaces. @default requested from the service once */
  readonly surfaces?: readonly string[] | undefined;
}

export interface TargetUrl {
  /** As given, without a slash at the end. */
  readonly url: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path prefix of every request, without a slash at the end. */
  readonly prefix: string;
  /** The world that the path names at its end: `/@NAME`. */
  readonly worldName: string | undefined;
}

/** A target can't be reached, or refuses what a play needs. The message says what to do. */
export class TargetError extends Error {
  override readonly name = "TargetError";
}

/** The message of a {@link TargetError}. */
export function unreachable(url: string, why: string): string {
  return `The target ${url} can't be reached: ${why}. Start the service, or check the address: host, port, http or https.`;
}

/** @throws InputError for anything but a plain http or https URL. */
export function readTargetUrl(target: string | URL): TargetUrl {
  const must = (be: string): never => {
    throw new InputError("target", `must be a URL ${be}`);
  };
  const text = String(target);
  if (!URL.canParse(text)) must('such as "http://127.0.0.1:4010"');
  const { protocol, origin, pathname, search, hash, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol)) must("that begins with http:// or https://");
  if (username || password || search || hash) must("without user, password, ? and #");
  const prefix = pathname.replace(/\/+$/, "");
  const worldName = /\/@([^/]+)$/.exec(prefix)?.[1];
  return { url: `${origin}${prefix}`, origin, prefix, worldName };
}

/** @throws InputError unless `speed` is a number above 0. */
export function readSpeed(speed: number): number {
  if (Number.isFinite(speed) && speed > 0) return speed;
  throw new InputError("speed", "must be a number above 0. 1 is real time");
}

/** Sends a request that isn't the scenario's. If a limit is used up, waits until there is quota, and sends it again. */
export async function sendWhenAllowed(
  { send, waitForQuota }: Pick<Target, "send" | "waitForQuota">,
  outgoing: Outgoing,
): Promise<ClientExchange> {
  const answer = await send(outgoing);
  if (!isOverLimit(answer)) return answer;
  // As the answer says, at most a minute: the limits are per minute.
  await waitForQuota?.(Math.min(retryAfterMs(answer) ?? MINUTE_MS, MINUTE_MS));
  return await send(outgoing);
}

/** Whether the answer was refused for a used-up limit. The specification names no status for it. */
function isOverLimit({ status, headers }: ClientExchange): boolean {
  if (status < 400 || headers["x-ratelimit-remaining"] !== "0") return false;
  return status === 429 || status === 503 || headers["retry-after"] !== undefined;
}

/** The wait in milliseconds after the answer: its Retry-After is in seconds or a date (RFC 9110 §10.2.3). */
export function retryAfterMs({
  headers,
  atMs,
}: Pick<ClientExchange, "headers" | "atMs">): number | undefined {
  const hint = headers["retry-after"];
  if (hint === undefined) return undefined;
  if (/^\d+$/.test(hint)) return Number(hint) * 1000;
  const untilMs = Date.parse(hint);
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - atMs);
}
