/** Writes traffic as a script for Artillery 2, which reads JSON as well as YAML. Its source code is the reference. */

import { durationMs } from "../../base/duration.ts";
import { commandLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { ADS } from "../../play/traffic/request-factory.ts";
import { type ArrivalOperation, timeoutMsOf, weightsOf } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { operations } from "../../spec/operations.ts";
import { artilleryDuration, type Phase, phasesOf, totalOf } from "./artillery-phases.ts";
import { type LoadPlan, type LoadTool, type Sender, UNNAMED_FILE } from "./load-tool.ts";
import { isNearlyWhole } from "./rates.ts";

export const artillery: LoadTool = {
  limits: {
    lacks: ["repeatedSessions"],
    mixesSteps: true,
    hasOneTimeout: true,
    aboutThresholds: "use Artillery's config.ensure instead",
  },
  load: (plan) => ({
    files: [{ file: plan.out, content: indentedJson(scriptOf(plan)) }],
    runLine: commandLine(["npx", "artillery", "run", plan.out ?? UNNAMED_FILE]),
  }),
};

/** The behaviour of a virtual user in the script. */
interface VirtualUser {
  readonly kind: ArrivalOperation;
  readonly sender: Sender;
  /** Only the sender's first surfaces, this many; undefined: all. */
  readonly surfaces: number | undefined;
  readonly hasSession: boolean;
  /** The time from an impression to its click; undefined: no click. */
  readonly clickAfterMs: number | undefined;
}

function scriptOf({ steps, target }: LoadPlan): object {
  const weights = new Map<string, { readonly user: VirtualUser; weight: number }>();
  const phases: Phase[] = [];
  for (const { traffic, senders, startMs } of steps) {
    const own = phasesOf(traffic, startMs);
    phases.push(...own);
    for (const { user, share } of virtualUsersOf(traffic, senders)) {
      const name = nameOf(user);
      const known = weights.get(name) ?? { user, weight: 0 };
      known.weight += share * totalOf(own);
      weights.set(name, known);
    }
  }
  const timeoutMs = Math.max(...steps.map(({ traffic }) => timeoutMsOf(traffic)));
  const entries = [...weights].filter(([, { weight }]) => weight > 0);
  const whole = wholeWeights(entries.map(([, { weight }]) => weight));
  return {
    config: {
      target,
      http: { timeout: Math.max(1, Math.ceil(timeoutMs / 1000)) },
      variables: Object.fromEntries(entries.flatMap(([, { user }]) => variablesOf(user))),
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
  { mix, clicks, surfaces, sessions = true }: Traffic,
  senders: readonly Sender[],
): { readonly user: VirtualUser; readonly share: number }[] {
  const kinds = weightsOf(mix);
  const sum = kinds.reduce((total, [, weight]) => total + weight, 0);
  const { rate = 0, after = 0 } = clicks ?? {};
  return senders.flatMap((sender) =>
    kinds.flatMap(([kind, weight]) => {
      const share = weight / sum / senders.length;
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

function variablesOf({ kind, sender, surfaces }: VirtualUser): [string, unknown][] {
  const { ordinal, id, apiKey } = sender;
  // Each virtual user gets one item of a list.
  const used = sender.surfaces.slice(0, surfaces);
  return [
    [`publisher_id_${ordinal}`, id],
    [`api_key_${ordinal}`, apiKey],
    ...(kind === "impression"
      ? [[surfaceVariable(ordinal, surfaces), used] satisfies [string, unknown]]
      : []),
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
    ...(clickAfterMs === 0 ? [] : [{ think: artilleryDuration(clickAfterMs) }]),
    { post: click },
  ];
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
