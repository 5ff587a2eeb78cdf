/** Traffic as a script for Artillery 2, which takes JSON as well as YAML. Its sources say what words it knows. */

import { durationMs } from "../../base/duration.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { operations } from "../../spec/operations.ts";
import type { GivenPublisher } from "../play/credentials.ts";
import { type Phase, phasesOf, totalOf } from "./phases.ts";

/** A traffic of the scenario with those whose requests it sends. */
export interface PlannedTraffic {
  readonly traffic: Traffic;
  readonly senders: readonly Sender[];
  /** Of the world, when it begins. */
  readonly startMs: number;
}

/** A publisher that the script knows. */
export interface Sender extends GivenPublisher {
  readonly ordinal: number;
}

/** What a virtual user of the script does. */
interface Visit {
  readonly kind: "impression" | "stats" | "surfaces" | "payouts";
  readonly sender: Sender;
  /** The first so many of the sender's; undefined: all. */
  readonly surfaces: number | undefined;
  readonly hasSession: boolean;
  /** How long after an impression its click comes; undefined: there is none. */
  readonly clickAfterMs: number | undefined;
}

const DEFAULT_TIMEOUT = "10s";
const ADS = 20;

/** A script as Artillery reads it. */
export function artilleryScript(planned: readonly PlannedTraffic[], target: string): object {
  const weights = new Map<string, { readonly visit: Visit; weight: number }>();
  const phases: Phase[] = [];
  let timeoutMs = 0;
  for (const { traffic, senders, startMs } of planned) {
    const own = phasesOf(traffic, startMs);
    phases.push(...own);
    timeoutMs = Math.max(timeoutMs, durationMs(traffic.timeout ?? DEFAULT_TIMEOUT));
    for (const { visit, share } of visitsOf(traffic, senders)) {
      const name = nameOf(visit);
      const known = weights.get(name) ?? { visit, weight: 0 };
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
        [...new Set(entries.map(([, { visit }]) => visit))].flatMap(variablesOf),
      ),
      phases,
    },
    scenarios: entries.map(([name, { visit }], index) => ({
      name,
      weight: whole[index],
      flow: rateCurveOf(visit),
    })),
  };
}

/** What arrivals turn into, with their shares of all. */
function visitsOf(
  { mix = { impression: 1 }, clicks, surfaces, sessions = true }: Traffic,
  senders: readonly Sender[],
): { readonly visit: Visit; readonly share: number }[] {
  const kinds = (["impression", "stats", "surfaces", "payouts"] as const).filter(
    (kind) => (mix[kind] ?? 0) > 0,
  );
  const sum = kinds.reduce((total, kind) => total + (mix[kind] ?? 0), 0);
  const { rate = 0, after = 0 } = clicks ?? {};
  return senders.flatMap((sender) =>
    kinds.flatMap((kind) => {
      const share = (mix[kind] ?? 0) / sum / senders.length;
      const visit = { kind, sender, surfaces, hasSession: sessions, clickAfterMs: undefined };
      if (kind !== "impression" || rate === 0) return [{ visit, share }];
      // Who clicks is a user of another kind: Artillery's own probability counts in whole per cent, and not quite.
      const clicking = { ...visit, clickAfterMs: durationMs(after) };
      return [
        { visit, share: share * (1 - rate) },
        { visit: clicking, share: share * rate },
      ];
    }),
  );
}

function nameOf({ kind, sender, surfaces, hasSession, clickAfterMs }: Visit): string {
  const isImpression = kind === "impression";
  return [
    `${kind} of publisher ${sender.ordinal}`,
    ...(isImpression && surfaces !== undefined ? [` on ${surfaces} surfaces`] : []),
    ...(isImpression && !hasSession ? [" without session"] : []),
    ...(clickAfterMs === undefined ? [] : [`, clicked after ${clickAfterMs} ms`]),
  ].join("");
}

function variablesOf({ sender, surfaces }: Visit): [string, unknown][] {
  const { ordinal, id, apiKey } = sender;
  return [
    [`publisher_id_${ordinal}`, id],
    [`api_key_${ordinal}`, apiKey],
    // Of a list each virtual user gets one.
    [surfaceVariable(ordinal, surfaces), sender.surfaces.slice(0, surfaces)],
  ];
}

function surfaceVariable(ordinal: number, surfaces: number | undefined): string {
  return surfaces === undefined ? `surface_${ordinal}` : `surface_${ordinal}_of_${surfaces}`;
}

function rateCurveOf({ kind, sender, surfaces, hasSession, clickAfterMs }: Visit): object[] {
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
    // Where there is no such member, the user's flow ends: what was refused isn't clicked.
    { post: { ...impression, capture: [{ json: "$.impression_id", as: "impression_id" }] } },
    ...(clickAfterMs === 0 ? [] : [{ think: thinkTime(clickAfterMs) }]),
    { post: click },
  ];
}

/** Numbers are seconds there. */
function thinkTime(ms: number): number | string {
  return ms % 1000 === 0 ? ms / 1000 : `${ms}ms`;
}

/** It lists each choice a hundred times its weight: a sum beyond this would take its memory. */
const LARGEST_SUM = 10_000;

/** Whole numbers in the proportion of `weights`, all above 0: the smallest that fit, or the nearest of those that are allowed. */
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
