/**
 * Records the examples of the OpenAPI document: for each operation a valid request with its answer. The answers come from a
 * fresh simulator; none is written by hand.
 */

import { day, formatDay } from "../base/calendar.ts";
import { dayReader } from "../exchange/operations/time-choices.ts";
import { buildRequest, encodingOf } from "../spec/build-request.ts";
import type { Examples, Values } from "../spec/openapi.ts";
import { type OperationId, operationIds } from "../spec/operations.ts";
import type { SimulatorCore } from "./core.ts";

/** Uses the first publisher, with its current key and surfaces. */
export function recordExamples(of: SimulatorCore): Examples {
  const [publisher] = of.publishers.credentials(1);
  if (publisher === undefined) throw new Error("Every world has a publisher.");
  const trial = of.fresh();
  const active = publisher.surfaces.find(({ status }) => status === "active");
  const surface = (active ?? publisher.surfaces[0])?.id ?? "";
  for (const { id, status, cpmRange } of publisher.surfaces) {
    const terms = { status: id === surface ? "active" : status, cpmRange } as const;
    trial.publishers.setSurface(publisher.id, id, terms);
  }
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

function clickOn(impression: unknown): Values {
  return { impression_id: (impression as { readonly impression_id: string }).impression_id };
}
