/** Writes traffic as a script for Artillery 2, which reads JSON as well as YAML. Its source code is the reference. */

import { durationMs } from "../../base/duration.ts";
import { commandLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { ADS } from "../../play/traffic/request-factory.ts";
import { type ArrivalOperation, timeoutMsOf, weightsOf } from "../../play/traffic/source.ts";
import { operations } from "../../spec/operations.ts";
import { countArrivals } from "./arrival-counts.ts";
import type { Load, LoadPlan, Sender } from "./load-tool.ts";

/** A virtual user sends one request, and perhaps a click. Each kind of user is a scenario of Artillery. */
interface VirtualUser {
  readonly kind: ArrivalOperation;
  readonly sender: Sender;
  /** Only the sender's first surfaces, this many; undefined: all. */
  readonly surfaces: number | undefined;
  readonly hasSession: boolean;
  /** The time from an impression to its click; undefined: no click. */
  readonly clickAfterMs: number | undefined;
}

type PlannedStep = LoadPlan["steps"][number];

/** Artillery lists each scenario as many times as its weight, so a large sum would use up its memory. */
const SUM_OF_WEIGHTS = 10_000;

export function artillery(plan: LoadPlan): Load {
  return {
    files: [{ file: plan.out, content: indentedJson(scriptOf(plan)) }],
    leftOut: leftOutOf(plan),
    runLine: commandLine(["npx", "artillery", "run", plan.out ?? "FILE"]),
  };
}

function leftOutOf({ steps, thresholds }: LoadPlan): readonly string[] {
  const traffic = steps.map((step) => step.traffic);
  const requests = traffic.map(({ for: _, arrivals: _arrivals, ...rest }) => JSON.stringify(rest));
  const timeouts = new Set(traffic.map(timeoutMsOf));
  const cases = [
    [thresholds.length > 0, "thresholds: use Artillery's config.ensure instead"],
    [
      traffic.some(({ repeatedSessions = 0 }) => repeatedSessions > 0),
      "repeatedSessions: every impression has a session of its own",
    ],
    [
      new Set(requests).size > 1,
      "the traffic steps send different requests: the script mixes them in all phases, in the right amounts",
    ],
    [timeouts.size > 1, "the traffic steps have different timeouts: all requests have the longest"],
  ] as const;
  return cases.filter(([isSo]) => isSo).map(([, what]) => what);
}

function scriptOf({ steps, target }: LoadPlan): object {
  const all = new Map<string, { readonly user: VirtualUser; count: number }>();
  const phases = steps.flatMap((step) => {
    const { stretches, total } = countArrivals(step);
    for (const { user, share } of virtualUsersOf(step)) {
      const name = nameOf(user);
      const known = all.get(name) ?? { user, count: 0 };
      known.count += share * total;
      all.set(name, known);
    }
    const name = step.traffic.arrivals.kind;
    return stretches.map(({ lengthMs, count }) =>
      count > 0
        ? { name, duration: seconds(lengthMs), arrivalCount: count }
        : { name, pause: seconds(lengthMs) },
    );
  });
  const users = [...all].filter(([, { count }]) => count > 0);
  const sum = users.reduce((so, [, { count }]) => so + count, 0);
  const timeoutMs = Math.max(...steps.map(({ traffic }) => timeoutMsOf(traffic)));
  return {
    config: {
      target,
      http: { timeout: Math.max(1, Math.ceil(timeoutMs / 1000)) },
      variables: Object.fromEntries(users.flatMap(([, { user }]) => variablesOf(user))),
      phases,
    },
    scenarios: users.map(([name, { user, count }]) => ({
      name,
      weight: Math.max(1, Math.round((count / sum) * SUM_OF_WEIGHTS)),
      flow: flowOf(user),
    })),
  };
}

/** Artillery takes numbers as seconds. */
function seconds(ms: number): number | string {
  return ms % 1000 === 0 ? ms / 1000 : `${ms}ms`;
}

/** The kinds of virtual users, each with its share of the arrivals. */
function virtualUsersOf({
  traffic,
  senders,
}: PlannedStep): { readonly user: VirtualUser; readonly share: number }[] {
  const { mix, clicks, surfaces, sessions: hasSession = true } = traffic;
  const kinds = weightsOf(mix);
  const sum = kinds.reduce((total, [, weight]) => total + weight, 0);
  const { rate = 0, after = 0 } = clicks ?? {};
  return senders.flatMap((sender) =>
    kinds.flatMap(([kind, weight]) => {
      const share = weight / sum / senders.length;
      const user = { kind, sender, surfaces, hasSession, clickAfterMs: undefined };
      if (kind !== "impression") return [{ user, share }];
      // Those who click are users of their own: Artillery's probability is in whole per cent, and not exact.
      return [
        { user, share: share * (1 - rate) },
        { user: { ...user, clickAfterMs: durationMs(after) }, share: share * rate },
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
  const used: [string, unknown] = [
    surfaceVariable(ordinal, surfaces),
    sender.surfaces.slice(0, surfaces),
  ];
  return [
    [`publisher_id_${ordinal}`, id],
    [`api_key_${ordinal}`, apiKey],
    ...(kind === "impression" ? [used] : []),
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
  const clicked = { impression_id: "{{ impression_id }}" };
  return [
    // If the answer has no such member, the flow ends, so a refused impression isn't clicked.
    { post: { ...impression, capture: [{ json: "$.impression_id", as: "impression_id" }] } },
    ...(clickAfterMs === 0 ? [] : [{ think: seconds(clickAfterMs) }]),
    { post: { url: operations.click.path, headers, json: clicked } },
  ];
}
