/** Writes traffic as a script for Artillery 2, which reads JSON as well as YAML. Its source code is the reference. */

import { durationMs } from "../../base/duration.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { indentedJson } from "../../base/text.ts";
import { ADS, sharesOf, timeoutMsOf } from "../../play/traffic/source.ts";
import { operations } from "../../spec/operations.ts";
import type { LoadPlan, Sender } from "./traffic-plan.ts";

/** Artillery lists each scenario as many times as its weight, so a large sum would use up its memory. */
const SUM_OF_WEIGHTS = 10_000;

export function artillery({ steps, target }: LoadPlan): string {
  const groups = groupsOf(steps);
  const users = groups.flatMap(usersOf);
  const sum = users.reduce((so, { count }) => so + count, 0);
  const timeouts = groups.map(({ traffic }) => timeoutMsOf(traffic));
  return indentedJson({
    config: {
      target,
      http: { timeout: Math.max(1, Math.ceil(Math.max(...timeouts) / 1000)) },
      variables: Object.fromEntries(
        groups.flatMap(({ traffic, place, senders }) =>
          senders.map((sender) => [
            surfaceOf(sender, place),
            sender.surfaces.slice(0, traffic.surfaces),
          ]),
        ),
      ),
      phases: steps.flatMap(({ name, intervalMs, stretches }) =>
        stretches.map(({ intervals, count }) => {
          const lasts = seconds(intervals * intervalMs);
          if (count === 0) return { name, pause: lasts };
          return { name, duration: lasts, arrivalCount: intervals * count };
        }),
      ),
    },
    scenarios: users.map(({ name, count, flow }) => {
      return { name, weight: Math.max(1, Math.round((count / sum) * SUM_OF_WEIGHTS)), flow };
    }),
  });
}

/** Artillery takes numbers as seconds. */
function seconds(ms: number): number | string {
  return ms % 1000 === 0 ? ms / 1000 : `${ms}ms`;
}

/** The rounds of a repeat send the same: they are one group. */
function groupsOf(steps: LoadPlan["steps"]) {
  const rounds = groupedBy(steps, ({ traffic }) => traffic);
  return Array.from(rounds.values(), (all, place) => ({
    ...{ traffic: all[0].traffic, senders: all[0].senders, place },
    arrivals: all
      .flatMap(({ stretches }) => stretches)
      .reduce((sum, { intervals, count }) => sum + intervals * count, 0),
  }));
}

/** A virtual user sends one request, and perhaps a click. `count`: how many there are in the whole test. */
function usersOf({ traffic, place, senders, arrivals }: ReturnType<typeof groupsOf>[number]) {
  const { rate = 0, after = 0 } = traffic.clicks ?? {};
  const thinkMs = durationMs(after);
  const users = senders.flatMap((sender) =>
    sharesOf(traffic.mix).flatMap(
      ([kind, share]): { name: string; count: number; flow: object[] }[] => {
        const count = (arrivals * share) / senders.length;
        const name = `traffic ${place}: ${kind} of publisher ${sender.ordinal}`;
        const headers = { authorization: `Bearer ${sender.apiKey}` };
        const publisher = { publisher_id: sender.id };
        const { path: url } = operations[kind];
        if (kind !== "impression") {
          return [{ name, count, flow: [{ get: { url, headers, qs: publisher } }] }];
        }
        const json = {
          ...publisher,
          surface: `{{ ${surfaceOf(sender, place)} }}`,
          ad_id: `ad-{{ $randomNumber(1, ${ADS}) }}`,
          ...(traffic.sessions !== false && { session_id: "artillery-{{ $randomString(24) }}" }),
        };
        const post = { url, headers, json };
        const clicked = { impression_id: "{{ impression_id }}" };
        const click = [
          // If the answer has no such member, the flow ends, so a refused impression isn't clicked.
          { post: { ...post, capture: [{ json: "$.impression_id", as: "impression_id" }] } },
          ...(thinkMs === 0 ? [] : [{ think: seconds(thinkMs) }]),
          { post: { url: operations.click.path, headers, json: clicked } },
        ];
        // Those who click are users of their own: Artillery's probability is in whole per cent, and not exact.
        return [
          { name, count: count * (1 - rate), flow: [{ post }] },
          { name: `${name}, clicked`, count: count * rate, flow: click },
        ];
      },
    ),
  );
  return users.filter(({ count }) => count > 0);
}

/** The variable with a publisher's surfaces. Each virtual user gets one of a list. */
function surfaceOf({ ordinal }: Sender, place: number): string {
  return `surface_${place}_${ordinal}`;
}
