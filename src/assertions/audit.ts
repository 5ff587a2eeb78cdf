/** Checks the statistics, that the audit balances, and that it agrees with what the client believes. */

import * as v from "valibot";
import { AuditError, type ClientCounts } from "../audit/assert-counts.ts";
import { formatDay, parseDay } from "../base/calendar.ts";
import { InputError, parseInput } from "../base/input.ts";
import { given } from "../base/plain-data.ts";
import { strictObject, wholeFrom } from "../base/schemas.ts";
import type { PublisherStats } from "../client/api.ts";
import { dayReader } from "../exchange/operations/time-choices.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { buildRequest } from "../spec/build-request.ts";
import { type Check, check, conditionsText, readSim, table } from "./check.ts";
import { amountSchema } from "./events.ts";

const DAY_EXPECTED = "must be a day, YYYY-MM-DD";
const isDay = v.check<string, string>((text) => parseDay(text) !== undefined, DAY_EXPECTED);
const day = v.optional(v.pipe(v.string(DAY_EXPECTED), isDay));
const surfaceFigures = strictObject({
  impressions: v.optional(wholeFrom(0)),
  revenueInr: v.optional(amountSchema),
});
const statsMatch = strictObject({
  /** The publisher's id. */
  publisher: v.string("must be the id of a publisher"),
  /** Days, `YYYY-MM-DD`, both inclusive. @default from the world's first day, after its seeded history, to today */
  period: v.optional(strictObject({ from: day, to: day })),
  /** Only of this surface. @default all */
  surface: v.optional(v.string("must be the id of a surface")),
  clicks: v.optional(wholeFrom(0)),
  ...surfaceFigures.entries,
  /** By surface id. A surface that isn't listed has zeros. */
  surfaces: v.optional(v.record(v.string(), surfaceFigures)),
});

export interface SurfaceFigures extends v.InferOutput<typeof surfaceFigures> {}
/** The expected statistics. Only the given figures are compared. */
export interface StatsMatch extends v.InferOutput<typeof statsMatch> {}

/** @throws InputError, also if the service refuses the request. */
export function stats(value: unknown, match: StatsMatch): Check {
  const { publisher, period, surface, ...wanted } = parseInput(statsMatch, match, "stats");
  const sim = readSim(value, { publisher, surface });
  const answer = askInFork(sim, publisher, { ...period, surface });
  const shown = new Map(figuresIn(answer));
  const rows = figuresIn(wanted).map((row) => [...row, shown.get(row[0]) ?? 0] as const);
  if (rows.length === 0) throw new InputError("stats", "must name a figure, such as impressions");
  const differing = rows.filter(([, figure, actual]) => figure !== actual).length;
  const what = `"${publisher}"${conditionsText({ surface })} from ${answer.from} to ${answer.to}`;
  return check({
    pass: differing === 0,
    expected: Object.fromEntries(rows.map(([name, figure]) => [name, figure])),
    actual: Object.fromEntries(rows.map(([name, , actual]) => [name, actual])),
    says: [`these figures of ${what}`, `${differing} of ${rows.length} differ`],
    lines: () => table([["", "expected", "actual"], ...rows.map((row) => row.map(String))]),
  });
}

/** All numbers within, each with the names that lead to it, such as `surfaces srf_1 impressions`. */
function figuresIn(all: object, path = ""): (readonly [name: string, figure: number])[] {
  return Object.entries(all).flatMap(([name, figure]) => {
    if (typeof figure === "number") return [[path + name, figure] as const];
    return typeof figure === "object" ? figuresIn(figure, `${path}${name} `) : [];
  });
}

/** Asks a copy of the world, with a new key, which has its own quota, and without fault rules. */
function askInFork(sim: SimulatorCore, publisher: string, question: object) {
  const copy = sim.fork();
  copy.faults.clear();
  const { apiKey } = copy.publishers.rotateKey(publisher);
  const from = formatDay(dayReader(copy.assumptions)(copy.snapshot().start));
  const parameters = { publisher_id: publisher, from, ...given(question) };
  const response = copy.handle(buildRequest("stats", parameters, { key: apiKey }));
  if (response.status !== 200) {
    const reason = copy.journal.entries({ limit: 1 })[0]?.reason;
    throw new InputError("stats.period", `was refused with status ${response.status}, ${reason}`);
  }
  const { period, surfaces, revenue_inr, ...all }: PublisherStats = JSON.parse(response.body);
  const named = surfaces.map(({ id, revenue, ...one }) => [id, { ...one, revenueInr: revenue }]);
  return { ...period, ...all, revenueInr: revenue_inr, surfaces: Object.fromEntries(named) };
}

/** The tallies, the ledger and the payouts agree with each other. */
export function balances(value: unknown): Check {
  const { balanced, discrepancies } = readSim(value).audit();
  return check({
    pass: balanced,
    expected: [],
    actual: discrepancies,
    says: [
      "an audit that balances",
      balanced ? "it does" : "a snapshot was edited, or adsim is wrong",
    ],
    lines: () => discrepancies,
  });
}

/** On record are exactly the events that the client believes are recorded, each once. @throws InputError */
export function nothingLostOrDoubled(
  value: unknown,
  clientCounts: ClientCounts | readonly ClientCounts[],
): Check {
  let found: AuditError | undefined;
  try {
    readSim(value).audit().assertNothingLostOrDoubled(clientCounts);
  } catch (error) {
    if (!(error instanceof AuditError)) throw error;
    found = error;
  }
  const { message, differences = [] } = found ?? {};
  return check({
    pass: message === undefined,
    expected: differences.map(({ publisher, what, client }) => ({ publisher, [what]: client })),
    actual: differences.map(({ publisher, what, ledger }) => ({ publisher, [what]: ledger })),
    says: ["nothing lost or doubled", message === undefined ? "nothing is" : "something is"],
    lines: () => (message === undefined ? [] : [message]),
  });
}
