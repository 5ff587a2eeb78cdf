/**
 * The laws, one function each, under their ids. Each looks at a finished run, tries things on forks of it or replays
 * it, and throws an Error that names the law and what broke it. None changes the run.
 */

import { createSimulator, type Simulator } from "../../src/index.ts";
import { assertNumbersArePlain, creditOf, methodOf, pathOf, requestSteps } from "./reading.ts";
import {
  type Action,
  createPlayer,
  type Reader,
  type Run,
  readerOf,
  replay,
  require,
  type Step,
  sameAnswers,
} from "./run.ts";

export type Invariant = (run: Run) => void;

const LAST_DATE = "9999-12-31";

/** Lifetime revenue = Σ payouts + pending, to the micro. */
export function M1({ sim, publishers }: Run): void {
  const reader = readerOf(sim);
  for (const { id, joined } of publishers) {
    const { payouts, pendingMicros } = reader.payouts(id);
    const paid = payouts.reduce((sum, payout) => sum + payout.micros, 0);
    const { micros } = reader.stats(id, { from: joined, to: LAST_DATE });
    require("M1", micros ===
      paid +
        pendingMicros, `${id} earned ${micros} micros, was paid ${paid}, waits for ${pendingMicros}`);
  }
}

/** Σ credited in answers = Σ revenue recorded. Counts from the last reset or restore on: they undo what was credited. */
export function M2(run: Run): void {
  const { steps, publishers } = run;
  const credited = new Map<string, number>();
  if (steps.some(({ action }) => action.kind === "restore")) {
    M2(withoutTimeTravel(run));
    return;
  }
  const lastReset = steps.findLastIndex(({ action }) => action.kind === "reset");
  const replays = run.options.assumptions;
  const repeatsCredit =
    replays?.["dedup.repeat"] === "replay" || replays?.["click.repeat"] === "replay";
  const seen = new Set<string>();
  for (const step of requestSteps(steps.slice(lastReset + 1))) {
    const credit = creditOf(step.response);
    // The bytes of a replayed answer name a credit that was made before: once an id.
    if (credit === undefined || (repeatsCredit && seen.has(credit.id))) continue;
    seen.add(credit.id);
    const { publisherId } = step.action;
    credited.set(publisherId, (credited.get(publisherId) ?? 0) + credit.micros);
  }
  const reader = readerOf(run.sim);
  const before = readerOf(run.pristine);
  for (const { id, joined } of publishers) {
    const range = { from: joined, to: LAST_DATE };
    const history = isSeeded(run, id) ? before.stats(id, range).micros : 0;
    const recorded = reader.stats(id, range).micros - history;
    const sum = credited.get(id) ?? 0;
    require("M2", recorded ===
      sum, `${id} was credited ${sum} micros, but has ${recorded} on record`);
  }
}

/** Every impression's credit lies within its surface's cpm range at that time, for one of a thousand. */
export function M3(run: Run): void {
  // Price ranges change, and a reset or a restore takes that back: replaying knows them at every step.
  const player = createPlayer(run.options);
  const surfaceOf = surfaceReader();
  for (const { action } of run.steps) {
    if (action.kind !== "request" || pathOf(action.request) !== "/v1/impression") {
      player.play(action);
      continue;
    }
    const credit = creditOf(player.play(action));
    if (credit === undefined || credit.micros === 0) continue;
    const id = surfaceOf(action);
    const surface = player.sim.publishers
      .get(action.publisherId)
      .surfaces.find((one) => one.id === id);
    if (surface === undefined) throw new Error(`M3 is broken: credit on no surface ${id}`);
    const [lower, upper] = surface.cpmRange.map((inr) => Math.round(inr * 1000));
    // A duplicate that is replayed was priced when it was new.
    if (run.options.assumptions?.["dedup.repeat"] === "replay") continue;
    require("M3", lower !== undefined &&
      upper !== undefined &&
      credit.micros >= lower &&
      credit.micros <=
        upper, `${credit.micros} micros on ${id}, whose range is ${surface.cpmRange} INR for a thousand`);
  }
}

/** No NaN, Infinity, -0, exponent, or more than 6 decimals in any body. */
export function M4({ steps, sim, publishers }: Run): void {
  for (const { response } of requestSteps(steps)) assertNumbersArePlain("M4", response?.body ?? "");
  const reader = readerOf(sim);
  for (const { id, joined } of publishers) {
    assertNumbersArePlain("M4", reader.payouts(id).text);
    assertNumbersArePlain("M4", reader.stats(id, { from: joined, to: LAST_DATE }).text);
  }
}

/** No payout below the threshold; what isn't paid rolls over unchanged: all revenue before a payout's month is paid by it. */
export function M5({ sim, publishers }: Run): void {
  const reader = readerOf(sim);
  for (const { id, joined } of publishers) {
    let paid = 0;
    for (const { date, micros } of reader.payouts(id).payouts.toReversed()) {
      require("M5", micros >= 500_000_000, `${id} was paid ${micros} micros on ${date}`);
      paid += micros;
      // Paid on the 7th for all months before: up to the last day of the month before.
      const month = `${date.slice(0, 8)}01`;
      const dayBefore = new Date(Date.parse(month) - 86_400_000).toISOString().slice(0, 10);
      const due = reader.stats(id, { from: joined, to: dayBefore }).micros;
      require("M5", paid === due, `${id} had ${due} micros due on ${date}, and was paid ${paid}`);
    }
  }
}

/** A payout once listed never changes. */
export function M6(run: Run): void {
  const [first, second] = halves(withoutTimeTravel(run).steps);
  const player = replay(run.options, first);
  const listed = player.sim.publishers.list({ limit: 100 }).map(({ id }) => {
    return { id, payouts: readerOf(player.sim).payouts(id).payouts };
  });
  for (const action of second) player.play(action);
  const reader = readerOf(player.sim);
  for (const { id, payouts } of listed) {
    const now = new Set(reader.payouts(id).payouts.map(({ text }) => text));
    const lost = payouts.find(({ text }) => !now.has(text));
    require("M6", lost === undefined, `${id} no longer has ${lost?.text}`);
  }
}

/** stats[a,c] = stats[a,b] + stats[b+1,c]. */
export function S1(run: Run): void {
  const reader = readerOf(run.sim);
  for (const { id, joined } of run.publishers) {
    const days = interestingDays(run, joined);
    for (let index = 0; index + 2 < days.length; index += 1) {
      const [a = "", b = "", c = ""] = days.slice(index, index + 3);
      const whole = reader.stats(id, { from: a, to: c });
      const parts = [
        reader.stats(id, { from: a, to: b }),
        reader.stats(id, { from: nextDay(b), to: c }),
      ];
      for (const figure of ["impressions", "clicks", "micros"] as const) {
        const sum = parts.reduce((total, part) => total + part[figure], 0);
        require("S1", whole[figure] ===
          sum, `${figure} of ${id} from ${a} over ${b} to ${c}: ${whole[figure]}, in parts ${sum}`);
      }
    }
  }
}

/** Totals = Σ surfaces. */
export function S2(run: Run): void {
  const reader = readerOf(run.sim);
  for (const { id, joined } of run.publishers) {
    for (const query of [{}, { from: joined, to: LAST_DATE }]) {
      const { impressions, micros, surfaces, text } = reader.stats(id, query);
      const sum = (figure: "impressions" | "micros"): number =>
        surfaces.reduce((total, row) => total + row[figure], 0);
      require("S2", impressions === sum("impressions") && micros === sum("micros"), text);
    }
  }
}

/** With `surface=s` the totals are those of s, and over all s they add up. */
export function S3(run: Run): void {
  const reader = readerOf(run.sim);
  for (const { id, joined, surfaces } of run.publishers) {
    const range = { from: joined, to: LAST_DATE };
    const all = reader.stats(id, range);
    let clicks = 0;
    for (const surface of surfaces) {
      const one = reader.stats(id, { ...range, surface: surface.id });
      const row = all.surfaces.find((candidate) => candidate.id === surface.id);
      clicks += one.clicks;
      require("S3", one.impressions === row?.impressions &&
        one.micros === row.micros &&
        one.surfaces.length === 1, `${surface.id} alone: ${one.text}; among all: ${all.text}`);
    }
    require("S3", clicks ===
      all.clicks, `clicks of ${id}: ${clicks} by surface, ${all.clicks} in all`);
  }
}

/** The default period is [today-30, today]. */
export function S4(run: Run): void {
  const reader = readerOf(run.sim);
  const today = todayOf(run);
  const from = daysLater(today, -30);
  for (const { id } of run.publishers) {
    const answers = [{}, { from }, { to: today }, { from, to: today }].map(
      (query) => reader.stats(id, query).text,
    );
    require("S4", new Set(answers).size ===
      1, `the default of ${id} isn't ${from} to ${today}: ${answers[0]}`);
  }
}

/** A GET changes nothing but limiter and journal. */
export function S5(run: Run): void {
  const sim = run.sim.fork();
  for (const { id, apiKey, surfaces } of run.publishers) {
    const headers = { authorization: `Bearer ${apiKey}` };
    const ask = (path: string, query: string): void => {
      sim.handle({ method: "GET", path, query: `publisher_id=${id}${query}`, headers });
    };
    // The first request opens the account, which a snapshot shows.
    ask("/v1/publisher/surfaces", "");
    const before = stateOf(sim);
    ask("/v1/publisher/stats", "");
    ask("/v1/publisher/stats", `&surface=${surfaces[0]?.id}&from=2020-01-01`);
    ask("/v1/publisher/stats", "&from=2026-02-30");
    ask("/v1/publisher/surfaces", "");
    ask("/v1/publisher/payouts", "&limit=3");
    ask("/v1/publisher/payouts", "&limit=999");
    require("S5", stateOf(sim) === before, `reading changed the state of ${id}`);
  }
}

/** Permuting a day's events of one surface leaves stats unchanged. */
export function S6(run: Run): void {
  const publisher = run.publishers[0];
  const active = publisher?.surfaces.find((one) => one.status === "active");
  if (publisher === undefined || active === undefined) return;
  // Sessions tie events to their order; without them an event is one of many.
  const count = 3 + (run.steps.length % 20);
  const played = (order: readonly number[]): string => {
    const sim = run.sim.fork();
    const { apiKey } = sim.publishers.rotateKey(publisher.id);
    sim.clock.advance("1m");
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    for (const ad of order) {
      const body = { publisher_id: publisher.id, surface: active.id, ad_id: `ad ${ad}` };
      const made = sim.handle({ method: "POST", path: "/v1/impression", headers, body });
      if (ad % 3 !== 0) continue;
      const { impression_id } = JSON.parse(made.body);
      sim.handle({ method: "POST", path: "/v1/click", headers, body: { impression_id } });
    }
    return readerOf(sim).stats(publisher.id).text;
  };
  const order = Array.from({ length: count }, (_, ad) => ad);
  const shuffled = order.toSorted((a, b) => ((a * 7) % 5) - ((b * 7) % 5) || b - a);
  require("S6", played(order) ===
    played(shuffled), `stats of ${publisher.id} follow the order of events`);
}

/** Past days are immutable. */
export function S7(run: Run): void {
  const [first, second] = halves(withoutTimeTravel(run).steps);
  const player = replay(run.options, first);
  const yesterday = daysLater(dayAt(run, player.sim.clock.now()), -1);
  const asked = player.sim.publishers
    .list({ limit: 100 })
    .filter(({ joined }) => joined <= yesterday)
    .map(({ id, joined }) => ({ id, query: { from: joined, to: yesterday } }));
  const read = (reader: Reader): string[] =>
    asked.map(({ id, query }) => reader.stats(id, query).text);
  const before = read(readerOf(player.sim));
  for (const action of second) player.play(action);
  const after = read(readerOf(player.sim));
  for (const [index, text] of before.entries())
    require("S7", after[index] === text, `${text} became ${after[index]}`);
}

/** An impression sent n times inside the window counts once, and the window's edge is exact (D2). */
export function D1(run: Run): void {
  if (run.options.assumptions?.["dedup.repeat"] === "count") {
    everyImpressionCounts(run);
    return;
  }
  const windowMs = 30 * 60_000;
  const counted = new Map<string, { atMs: number; id: string }>();
  for (const { action, atMs, response } of requestSteps(withoutTimeTravel(run).steps)) {
    if (pathOf(action.request) !== "/v1/impression") continue;
    const values = valuesOf(action.request);
    const session = values.get("session_id");
    const credit = creditOf(response);
    const conflict = response?.status === 409 && response.body.includes("duplicate_impression");
    if (session === undefined || (credit === undefined && !conflict)) continue;
    const same = [action.publisherId, values.get("surface"), values.get("ad_id"), session].join(
      "|",
    );
    const original = counted.get(same);
    const isRepeat = original !== undefined && atMs - original.atMs < windowMs;
    const isNew = credit !== undefined && credit.id !== original?.id;
    require("D1", isNew !==
      isRepeat, `${same} at ${atMs}, counted at ${original?.atMs}: ${response?.body}`);
    if (credit !== undefined && isNew) counted.set(same, { atMs, id: credit.id });
  }
}

/** The window's edge is exact: W-1 ms is a duplicate, W is not. */
export function D2(run: Run): void {
  const publisher = run.publishers[0];
  const active = publisher?.surfaces.find((one) => one.status === "active");
  if (publisher === undefined || active === undefined) return;
  if (run.options.assumptions?.["dedup.repeat"] === "count") return;
  const sim = run.sim.fork();
  sim.clock.advance("1h");
  const record = (session_id: string): string => {
    const headers = { authorization: `Bearer ${publisher.apiKey}` };
    const body = { publisher_id: publisher.id, surface: active.id, ad_id: "edge", session_id };
    const response = sim.handle({ method: "POST", path: "/v1/impression", headers, body });
    return response.status === 409 ? "repeat" : JSON.parse(response.body).impression_id;
  };
  const first = record("edge");
  // A later one keeps the memory of the first alive: it is the window that has to let it pass.
  sim.clock.advance("29m");
  record("later");
  sim.clock.advance(60_000 - 1);
  const inside = record("edge");
  require("D2", inside === first || inside === "repeat", "W-1 ms later it counted again");
  sim.clock.advance(1);
  const outside = record("edge");
  require("D2", outside !== first && outside !== "repeat", "W ms later it was still a duplicate");
}

/** The same session under two publishers never collides: an id belongs to one publisher. */
export function D3(run: Run): void {
  const owners = new Map<string, string>();
  for (const { action, response } of requestSteps(run.steps)) {
    const credit = creditOf(response);
    if (credit === undefined) continue;
    const owner = owners.get(credit.id) ?? action.publisherId;
    owners.set(credit.id, owner);
    require("D3", owner ===
      action.publisherId, `${credit.id} is ${owner}'s and ${action.publisherId}'s`);
  }
}

/** Clicks ≤ impressions, each on one impression of the same publisher. */
export function D4(run: Run): void {
  const reader = readerOf(run.sim);
  for (const { id, joined, surfaces } of run.publishers) {
    for (const surface of surfaces) {
      const { clicks, impressions, text } = reader.stats(id, {
        from: joined,
        to: LAST_DATE,
        surface: surface.id,
      });
      require("D4", clicks <= impressions, text);
    }
  }
  const clicked = new Map<string, string>();
  for (const { action, response } of requestSteps(run.steps)) {
    const click = pathOf(action.request) === "/v1/click" ? creditOf(response) : undefined;
    if (click === undefined) continue;
    const impression = valuesOf(action.request).get("impression_id") ?? "";
    const before = clicked.get(click.id) ?? impression;
    clicked.set(click.id, impression);
    require("D4", before ===
      impression, `${click.id} is a click on ${before} and on ${impression}`);
  }
}

/** An unknown, foreign, malformed or truncated impression_id never credits anything. */
export function D5(run: Run): void {
  const given = new Map<string, string>();
  for (const { action, response } of requestSteps(run.steps)) {
    if (pathOf(action.request) === "/v1/impression") {
      const made = creditOf(response);
      if (made !== undefined) given.set(made.id, action.publisherId);
      continue;
    }
    if (pathOf(action.request) !== "/v1/click" || response?.status !== 200) continue;
    const target = valuesOf(action.request).get("impression_id") ?? "";
    require("D5", given.get(target) ===
      action.publisherId, `a click on ${target} got ${response.body}`);
  }
}

/** 401 comes before validation and depends on the key alone. */
export function A3(run: Run): void {
  const sim = run.sim.fork();
  const answers = new Map<string, string>();
  for (const { action } of requestSteps(run.steps)) {
    const { request } = action;
    const headers = {
      ...request.headers,
      authorization: "Bearer key_nobody",
      Authorization: "Bearer key_nobody",
    };
    const response = sim.handle({ ...request, headers });
    const answer = JSON.stringify(response);
    const like = methodOf(request);
    require("A3", response.status === 401, `a request without a valid key got ${answer}`);
    require("A3", (answers.get(like) ?? answer) ===
      answer, `${answer} differs from ${answers.get(like)}`);
    answers.set(like, answer);
  }
}

/** With `404` masking, foreign and nonexistent are byte-identical. */
export function A4(run: Run): void {
  if (run.options.assumptions?.["auth.foreign-publisher"] !== "404") return;
  const reader = readerOf(run.sim);
  for (const { id } of run.publishers) {
    const other = run.publishers.find((one) => one.id !== id);
    if (other === undefined) return;
    for (const path of ["/v1/publisher/stats", "/v1/publisher/surfaces", "/v1/publisher/payouts"]) {
      const ask = (named: string): string => {
        // Fresh forks: the quota left is the same in both.
        const sim = reader.sim.fork();
        const { apiKey } = sim.publishers.rotateKey(id);
        const headers = { authorization: `Bearer ${apiKey}` };
        return JSON.stringify(
          sim.handle({ method: "GET", path, query: { publisher_id: named }, headers }),
        );
      };
      const [foreign, nobody] = [
        ask(other.id),
        ask(`${other.id.slice(0, -1)}${other.id.endsWith("0") ? "1" : "0"}`),
      ];
      require("A4", foreign ===
        nobody, `${path}: ${foreign} for a foreign publisher, ${nobody} for none`);
    }
  }
}

function everyImpressionCounts(run: Run): void {
  const seen = new Set<string>();
  for (const { action, response } of requestSteps(withoutTimeTravel(run).steps)) {
    const made = pathOf(action.request) === "/v1/impression" ? creditOf(response) : undefined;
    if (made === undefined) continue;
    require("D1", !seen.has(made.id), `${made.id} was given twice`);
    seen.add(made.id);
  }
}

function surfaceReader(): (action: Extract<Action, { kind: "request" }>) => string {
  return (action) => valuesOf(action.request).get("surface") ?? "";
}

function valuesOf(request: Extract<Action, { kind: "request" }>["request"]): Map<string, string> {
  const { body = "", query = "" } = request;
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
  if (typeof text !== "string")
    return new Map(Object.entries(text).map(([k, v]) => [k, String(v)]));
  if (text.startsWith("{"))
    return new Map(Object.entries(JSON.parse(text)).map(([k, v]) => [k, String(v)]));
  return new Map(new URLSearchParams(text === "" ? String(query) : text));
}

function isSeeded({ pristine }: Run, publisherId: string): boolean {
  const { publishers } = pristine;
  return publishers.list({ limit: publishers.total }).some(({ id }) => id === publisherId);
}

/** The run played again without what turns time back or takes another's place. */
export function withoutTimeTravel(run: Run): Run {
  const turns: readonly string[] = ["snapshot", "restore", "reset"];
  const actions = run.steps.map(({ action }) => action).filter(({ kind }) => !turns.includes(kind));
  const { sim, steps } = replay(run.options, actions);
  const publishers = sim.publishers.list({ limit: 1000 });
  return { ...run, steps, sim, publishers };
}

function halves(steps: readonly Step[]): [Action[], Action[]] {
  const actions = steps.map(({ action }) => action);
  const middle = Math.floor(actions.length / 2);
  return [actions.slice(0, middle), actions.slice(middle)];
}

function interestingDays(run: Run, joined: string): string[] {
  const days = new Set([joined, todayOf(run), daysLater(todayOf(run), -31)]);
  for (const { action, atMs } of run.steps)
    if (action.kind === "request") days.add(dayAt(run, atMs));
  return [...days]
    .filter((date) => date >= joined)
    .sort()
    .slice(-6);
}

function todayOf(run: Run): string {
  return dayAt(run, run.sim.clock.now());
}

function dayAt(run: Run, ms: number): string {
  const ahead = run.options.assumptions?.["date.timezone"] === "ist" ? 5.5 * 3_600_000 : 0;
  return new Date(ms + ahead).toISOString().slice(0, 10);
}

function nextDay(date: string): string {
  return daysLater(date, 1);
}

function daysLater(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The state as text, save for the limiters' buckets, and the digest that covers them. */
export function stateOf(sim: Simulator): string {
  return JSON.stringify(sim.snapshot(), (key, value) =>
    key.endsWith("Bucket") || key === "digest" ? undefined : value,
  );
}

/** R1: the same run twice in this process. */
export function R1(run: Run): void {
  const again = replay(
    run.options,
    run.steps.map(({ action }) => action),
  );
  sameAnswers("R1", run.steps, again.steps);
  require("R1", JSON.stringify(again.sim.snapshot()) ===
    JSON.stringify(run.sim.snapshot()), "the states differ");
}

/** Snapshot, continue ≡ continue. */
export function R2(run: Run): void {
  const [first, following] = halves(withoutTimeTravel(run).steps);
  const origin = replay(run.options, first);
  const copy = createSimulator();
  copy.restore(JSON.parse(JSON.stringify(origin.sim.snapshot())));
  const continued = createPlayer(run.options, origin.sim);
  const restored = createPlayer(run.options, copy);
  for (const action of following) {
    continued.play(action);
    restored.play(action);
  }
  sameAnswers("R2", continued.steps, restored.steps);
  require("R2", JSON.stringify(continued.sim.snapshot()) ===
    JSON.stringify(restored.sim.snapshot()), "the states differ");
}

/** A fork and its origin don't affect each other. */
export function R3(run: Run): void {
  const [first, following] = halves(withoutTimeTravel(run).steps);
  const origin = replay(run.options, first).sim;
  const alone = JSON.stringify(origin.snapshot());
  const fork = createPlayer(run.options, origin.fork());
  for (const action of following) fork.play(action);
  require("R3", JSON.stringify(origin.snapshot()) === alone, "what a fork did shows in its origin");
  const after = JSON.stringify(fork.sim.snapshot());
  const continued = createPlayer(run.options, origin);
  for (const action of following) continued.play(action);
  sameAnswers("R3", fork.steps, continued.steps);
  require("R3", JSON.stringify(fork.sim.snapshot()) ===
    after, "what an origin did shows in its fork");
}

/** Each publisher gets the same bytes whether the others send or not, so in every interleaving. */
export function A1(run: Run): void {
  for (const { id } of run.publishers) {
    const own = run.steps.filter(
      ({ action }) => !("publisherId" in action) || action.publisherId === id,
    );
    const alone = replay(
      run.options,
      own.map(({ action }) => action),
    );
    sameAnswers("A1", own, alone.steps, `of ${id} alone`);
  }
}

/** Adding a publisher leaves the others' bytes unchanged. */
export function A2(run: Run): void {
  const more = { ...run.options, publishers: (run.options.publishers ?? 25) + 1 };
  const grown = replay(
    more,
    run.steps.map(({ action }) => action),
  );
  sameAnswers("A2", run.steps, grown.steps, "with a publisher more");
}

/** Two worlds of the same options share nothing. */
export function A5(run: Run): void {
  const other = createSimulator(run.options);
  const before = JSON.stringify(other.snapshot());
  replay(
    run.options,
    run.steps.map(({ action }) => action),
  );
  require("A5", JSON.stringify(other.snapshot()) === before, "what one world did shows in another");
  require("A5", other.journal.total === 0, "what one world did is in another's journal");
}
