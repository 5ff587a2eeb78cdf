/**
 * Records the examples of the OpenAPI document: for each operation a valid request with its answer. The answers come from a
 * fresh simulator; none is written by hand.
 */

import { day, formatDay } from "../base/calendar.ts";
import { dayReader } from "../exchange/operations/time-choices.ts";
import { buildRequest, encodingOf } from "../spec/build-request.ts";
import type { Examples, Values } from "../spec/openapi.ts";
import { type OperationId, operationIds } from "../spec/operations.ts";
import type { Credentials } from "../world/accounts/account.ts";
import type { SimulatorCore } from "./core.ts";

/** Uses the first publisher, with its current key and surfaces. */
export function recordExamples(of: SimulatorCore): Examples {
  const [publisher] = of.publishers.credentials(1);
  if (publisher === undefined) throw new Error("Every world has a publisher.");
  const trial = of.fresh();
  const surface = copySurfaces(publisher, trial);
  const key = trial.publishers.credentials(1)[0]?.apiKey ?? "";
  const today = dayReader(trial.assumptions)(trial.clock.now());
  const own = { publisher_id: publisher.id };
  const values: Record<OperationId, Values> = {
    stats: { ...own, from: formatDay(day(today - 7)), to: formatDay(day(today - 1)), surface },
    impression: { ...own, surface, ad_id: "ad-1", session_id: "session-1" },
    click: {},
    surfaces: own,
    payouts: { ...own, limit: 3 },
  };
  const encoding = encodingOf(trial.assumptions);
  const answers = operationIds.map((id) => {
    const answer = trial.handle(buildRequest(id, values[id], { key, encoding }));
    const body: unknown = JSON.parse(answer.body);
    // A click needs the answer to its impression (spec §4). The operations are in that order.
    if (id === "impression") values.click = clickOn(body);
    return [id, body];
  });
  // One entry per operation.
  const successes = Object.fromEntries(answers) as Examples["successes"];
  return { publisher, values, successes };
}

/** @returns the id of the surface for the examples, which is active. */
function copySurfaces({ id, surfaces }: Credentials, trial: SimulatorCore): string {
  const own = trial.publishers.credentials(1)[0]?.surfaces ?? [];
  for (const [index, { id: surface, status, cpmRange }] of surfaces.entries()) {
    const isSame = JSON.stringify(own[index]) === JSON.stringify(surfaces[index]);
    if (!isSame) trial.publishers.setSurface(id, surface, { status, cpmRange });
  }
  const [first] = surfaces;
  const active = surfaces.find(({ status }) => status === "active");
  if (first === undefined) throw new Error("Every publisher has a surface.");
  if (active === undefined) trial.publishers.setSurface(id, first.id, { status: "active" });
  return (active ?? first).id;
}

function clickOn(impression: unknown): Values {
  return { impression_id: (impression as { readonly impression_id: string }).impression_id };
}
