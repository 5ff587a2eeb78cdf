/** Fault rules over the control API: installs, lists and removes them. */

import type { InstalledRule } from "../faults/faults.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";

export const faultRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "faults",
    answer: ({ world }) => ({ kind: "json", value: { faults: world.faults.list() } }),
  },
  {
    method: "POST",
    path: "faults",
    body: "required",
    answer: install,
  },
  {
    method: "DELETE",
    path: "faults",
    answer({ world }) {
      world.faults.clear();
      return { kind: "nothing" };
    },
  },
  {
    method: "GET",
    path: "faults/:id",
    answer: (call) => ({ kind: "json", value: ruleOf(call) }),
  },
  {
    method: "DELETE",
    path: "faults/:id",
    answer(call) {
      call.world.faults.remove(ruleOf(call).id);
      return { kind: "nothing" };
    },
  },
];

/** @throws InputError if the path names no rule in force. */
function ruleOf({ world, part }: ControlCall): InstalledRule {
  return world.faults.get(part("id"));
}

function install({ world, prefix, body }: ControlCall): Reply {
  // The rule's schema checks it.
  const { rule } = world.faults.add(body as FaultRule);
  return {
    kind: "created",
    value: rule,
    location: `${prefix}/_sim/faults/${encodeURIComponent(rule.id)}`,
  };
}
