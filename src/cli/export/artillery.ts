/** Writes traffic as a script for Artillery 2, which reads JSON as well as YAML. Its source code is the reference. */

import { durationMs } from "../../base/duration.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { operations } from "../../spec/operations.ts";
import type { GivenPublisher } from "../play/credentials.ts";
import { type Phase, phasesOf, totalOf } from "./phases.ts";

/** A traffic step of the scenario, with the publishers that send its requests. */
export interface PlannedTraffic {
  readonly traffic: Traffic;
  readonly senders: readonly Sender[];
  /** The world's time at which it begins. */
  readonly startMs: number;
}

/** A publisher in the script. */
export interface Sender extends GivenPublisher {
  readonly ordinal: number;
}

/** The behaviour of a virtual user in the script. */
interface VirtualUser {
  readonly kind: "impression" | "stats" | "surfaces" | "payouts";
  readonly sender: Sender;
  /** Only the sender's first surfaces, this many; undefined: all. */
  readonly surfaces: number | undefined;
  readonly hasSession: boolean;
  /** The time from an impression to its click; undefined: no click. */
  readonly clickAfterMs: number | undefined;
}

const DEFAULT_TIMEOUT = "10s";
const ADS = 20;

export function artilleryScript(planned: readonly PlannedTraffic[], target: string): object {
  const weights = new Map<string, { readonly user: VirtualUser; weight: number }>();
  const phases: Phase[] = [];
  let timeoutMs = 0;
  for (const { traffic, senders, startMs } of planned) {
    const own = phasesOf(traffic, startMs);
    phases.push(...own);
    timeoutMs = Math.max(timeoutMs, durationMs(traffic.timeout ?? DEFAULT_TIMEOUT));
    for (const { user, share } of virtualUsersOf(traffic, senders)) {
      const name = nameOf(user);
      const known = weights.get(name) ?? { user, weight: 0 };
      known.weight += share * totalOf(own);
      weights.set(name, known);
    }
  }
  const entries = [...weights].filter(([, { weight }]) => weight > 0);
  const whole = wholeWeights(entries.map(([, { weight }]) => weight));
  return {
    config: {
      target,
      http: { timeout: Math.max(1, Math.ceil(timeoutMs / 1000)) },
      variables: Object.fromEntries(
        [...new Set(entries.map(([, { user }]) => user))].flatMap(variablesOf),
      ),
      phases,
    },
    scenarios: entries.map(([name, { user }], index) => ({
      name,
      weight: whole[index],
      flow: flowOf(user),
    })),
  };
}

/** The kinds of virtual users, each with its share of the arrivals. */
function virtualUsersOf(
  { mix = { impression: 1 }, clicks, surfaces, sessions = true }: Traffic,
  senders: readonly Sender[],
): { readonly user: VirtualUser; readonly share: number }[] {
  const kinds = (["impression", "stats", "surfaces", "payouts"] as const).filter(
    (kind) => (mix[kind] ?? 0) > 0,
  );
  const sum = kinds.reduce((total, kind) => total + (mix[kind] ?? 0), 0);
  const { rate = 0, after = 0 } = clicks ?? {};
  return senders.flatMap((sender) =>
    kinds.flatMap((kind) => {
      const share = (mix[kind] ?? 0) / sum / senders.length;
      const user = { kind, sender, surfaces, hasSession: sessions, clickAfterMs: undefined };
      if (kind !== "impression" || rate === 0) return [{ user, share }];
      // Clicks are a separate kind of user: Artillery's own probability is in whole per cent, and not exact.
      const clicking = { ...user, clickAfterMs: durationMs(after) };
      return [
        { user, share: share * (1 - rate) },
        { user: clicking, share: share * rate },
      ];
    }),
  );
}

function nameOf({ kind, sender, surfaces, hasSession, clickAfterMs }: VirtualUser): string {
  const isImpression = kind === "impression";
  return [
    `${kind} of publisher ${sender.ordinal}`,
    ...(isImpression && surfaces !== undefined ? [` on ${surfaces} surfaces`] : []),
    ...(isImpression && !hasSession ? [" without session"] : []),
    ...(clickAfterMs === undefined ? [] : [`, clicked after ${clickAfterMs} ms`]),
  ].join("");
}

function variablesOf({ sender, surfaces }: VirtualUser): [string, unknown][] {
  const { ordinal, id, apiKey } = sender;
  return [
    [`publisher_id_${ordinal}`, id],
    [`api_key_${ordinal}`, apiKey],
    // Each virtual user gets one item of a list.
    [surfaceVariable(ordinal, surfaces), sender.surfaces.slice(0, surfaces)],
  ];
}

function surfaceVariable(ordinal: number, surfaces: number | undefined): string {
  return surfaces === undefined ? `surface_${ordinal}` : `surface_${ordinal}_of_${surfaces}`;
}

function flowOf({ kind, sender, surfaces, hasSession, clickAfterMs }: VirtualUser): object[] {
  const { ordinal } = sender;
  const headers = { authorization: `Bearer {{ api_key_${ordinal} }}` };
  const publisher = { publisher_id: `{{ publisher_id_${ordinal} }}` };
  if (kind !== "impression") {
    return [{ get: { url: operations[kind].path, headers, qs: publisher } }];
  }
  const json = {
    ...publisher,
    surface: `{{ ${surfaceVariable(ordinal, surfaces)} }}`,
    ad_id: `ad-{{ $randomNumber(1, ${ADS}) }}`,
    ...(hasSession && { session_id: "artillery-{{ $randomString(24) }}" }),
  };
  const impression = { url: operations.impression.path, headers, json };
  if (clickAfterMs === undefined) return [{ post: impression }];
  const click = {
    url: operations.click.path,
    headers,
    json: { impression_id: "{{ impression_id }}" },
  };
  return [
    // If the answer has no such member, the flow ends, so a refused impression isn't clicked.
    { post: { ...impression, capture: [{ json: "$.impression_id", as: "impression_id" }] } },
    ...(clickAfterMs === 0 ? [] : [{ think: thinkTime(clickAfterMs) }]),
    { post: click },
  ];
}

/** Artillery takes numbers as seconds. */
function thinkTime(ms: number): number | string {
  return ms % 1000 === 0 ? ms / 1000 : `${ms}ms`;
}

/** Artillery lists each scenario a hundred times its weight: a larger sum would use up its memory. */
const LARGEST_SUM = 10_000;

/** Positive whole numbers in proportion to `weights`: the smallest exact ones, or the nearest within the largest sum. */
export function wholeWeights(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const least = Math.min(...weights);
  for (let times = 1; (times * sum) / least <= LARGEST_SUM; times += 1) {
    const scaled = weights.map((weight) => (weight / least) * times);
    if (scaled.every(isNearlyWhole)) return scaled.map(Math.round);
  }
  return weights.map((weight) => Math.max(1, Math.round((weight / sum) * LARGEST_SUM)));
}

function isNearlyWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6 * value;
}
