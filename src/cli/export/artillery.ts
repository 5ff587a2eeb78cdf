/** Writes traffic as a script for Artillery 2, which reads JSON as well as YAML. Its source code is the reference. */

import { durationMs } from "../../base/duration.ts";
import { commandLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { ADS } from "../../play/traffic/request-factory.ts";
import { type ArrivalOperation, timeoutMsOf, weightsOf } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { operations } from "../../spec/operations.ts";
import { countArrivals } from "./arrival-counts.ts";
import type { Load, LoadPlan, Sender } from "./load-tool.ts";

/** A virtual user sends one request, and perhaps a click. Each kind of user is a scenario of Artillery. */
interface VirtualUser {
  readonly kind: ArrivalOperation;
  readonly sender: Sender;
  readonly traffic: Traffic;
  readonly clicks: boolean;
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
    for (const [user, share] of virtualUsersOf(step)) {
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
function virtualUsersOf({ traffic, senders }: PlannedStep): [VirtualUser, share: number][] {
  const kinds = weightsOf(traffic.mix);
  const sum = kinds.reduce((total, [, weight]) => total + weight, 0);
  return senders.flatMap((sender) =>
    kinds.flatMap(([kind, weight]): [VirtualUser, number][] => {
      const share = weight / sum / senders.length;
      const clicked = kind === "impression" ? (traffic.clicks?.rate ?? 0) : 0;
      // Those who click are users of their own: Artillery's probability is in whole per cent, and not exact.
      return [
        [{ kind, sender, traffic, clicks: false }, share * (1 - clicked)],
        [{ kind, sender, traffic, clicks: true }, share * clicked],
      ];
    }),
  );
}

/** Users with the same name are the same. */
function nameOf({ kind, sender, traffic, clicks }: VirtualUser): string {
  const name = `${kind} of publisher ${sender.ordinal}`;
  if (kind !== "impression") return name;
  const surfaces = traffic.surfaces === undefined ? "" : ` on ${traffic.surfaces} surfaces`;
  const session = traffic.sessions === false ? " without session" : "";
  return `${name}${surfaces}${session}${clicks ? `, clicked after ${clickMs(traffic)} ms` : ""}`;
}

function variablesOf({ kind, sender, traffic }: VirtualUser): [string, unknown][] {
  const { ordinal, id, apiKey, surfaces } = sender;
  const own: [string, unknown][] = [
    [`publisher_id_${ordinal}`, id],
    [`api_key_${ordinal}`, apiKey],
  ];
  // Each virtual user gets one item of a list.
  const used = surfaces.slice(0, traffic.surfaces);
  return kind === "impression" ? [...own, [surfaceVariable(sender, traffic), used]] : own;
}

function surfaceVariable({ ordinal }: Sender, { surfaces }: Traffic): string {
  return surfaces === undefined ? `surface_${ordinal}` : `surface_${ordinal}_of_${surfaces}`;
}

function flowOf({ kind, sender, traffic, clicks }: VirtualUser): object[] {
  const headers = { authorization: `Bearer {{ api_key_${sender.ordinal} }}` };
  const publisher = { publisher_id: `{{ publisher_id_${sender.ordinal} }}` };
  if (kind !== "impression") {
    return [{ get: { url: operations[kind].path, headers, qs: publisher } }];
  }
  const json = {
    ...publisher,
    surface: `{{ ${surfaceVariable(sender, traffic)} }}`,
    ad_id: `ad-{{ $randomNumber(1, ${ADS}) }}`,
    ...(traffic.sessions !== false && { session_id: "artillery-{{ $randomString(24) }}" }),
  };
  const impression = { url: operations.impression.path, headers, json };
  if (!clicks) return [{ post: impression }];
  const clicked = { impression_id: "{{ impression_id }}" };
  return [
    // If the answer has no such member, the flow ends, so a refused impression isn't clicked.
    { post: { ...impression, capture: [{ json: "$.impression_id", as: "impression_id" }] } },
    ...(clickMs(traffic) === 0 ? [] : [{ think: seconds(clickMs(traffic)) }]),
    { post: { url: operations.click.path, headers, json: clicked } },
  ];
}

function clickMs({ clicks }: Traffic): number {
  return durationMs(clicks?.after ?? 0);
}
