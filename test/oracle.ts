/**
 * What the answers must be, recomputed from the plain list of what was sent. Shares no code with the simulator: its
 * own calendar, its own constants of the spec, arrays and loops only. It can't know prices; it learns them from answers
 * and holds them against the bounds.
 */

import type { ApiResponse, Publisher } from "../src/index.ts";

/** One call as its sender means it. `wrong`: one that no client should send, refused with this status. */
export type Call =
  | {
      readonly operation: "impression";
      readonly publisherId: string;
      readonly surface: string;
      readonly adId: string;
      readonly sessionId: string | undefined;
    }
  | { readonly operation: "click"; readonly impressionId: string }
  | {
      readonly operation: "stats";
      readonly publisherId: string;
      readonly from: string | undefined;
      readonly to: string | undefined;
      readonly surface: string | undefined;
    }
  | {
      readonly operation: "payouts";
      readonly publisherId: string;
      readonly limit: number | undefined;
    }
  | { readonly operation: "surfaces"; readonly publisherId: string }
  | {
      readonly operation: "wrong";
      readonly limit: "recording" | "reporting";
      readonly status: number;
    };

export interface Sent {
  readonly apiKey: string;
  readonly call: Call;
  readonly atMs: number;
  readonly response: ApiResponse;
}

/** Figures before anything was recorded, from the simulator's own first answers. */
export type History = (
  publisherId: string,
  range: { readonly from: string; readonly to: string; readonly surface?: string },
) => {
  readonly impressions: number;
  readonly clicks: number;
  readonly micros: number;
  readonly surfaces: readonly {
    readonly id: string;
    readonly impressions: number;
    readonly micros: number;
  }[];
};

export interface OracleOptions {
  readonly publishers: readonly Publisher[];
  readonly history: History;
  /** How far midnight is ahead of UTC's. */
  readonly midnightOffsetMs: number;
  readonly foreignStatus: 403 | 404;
  readonly repeatedImpression: "original-uncredited" | "replay" | "conflict" | "count";
  readonly repeatedClick: "original-uncredited" | "replay" | "conflict" | "count";
  /** Told of the interesting places. */
  readonly sometimes: (place: string) => void;
}

interface Surface {
  readonly id: string;
  status: string;
  cpm: readonly [lower: number, upper: number];
}

interface Account {
  readonly id: string;
  readonly joined: string;
  readonly surfaces: Surface[];
  apiKey: string;
  /** Counts the keys: quota belongs to one of them. */
  keys: number;
}

interface Impression {
  readonly id: string;
  readonly publisherId: string;
  readonly surface: string;
  readonly adId: string;
  readonly sessionId: string | undefined;
  readonly atMs: number;
  readonly micros: number;
}

interface Click {
  readonly id: string;
  readonly impression: Impression;
  readonly atMs: number;
  readonly micros: number;
}

/** All that an oracle knows: plain data, copied to save it. */
interface Facts {
  accounts: Account[];
  impressions: Impression[];
  clicks: Click[];
  admitted: { pool: string; minute: number }[];
  clickPrices: Record<string, number>;
}

export interface Oracle {
  /** @throws Error that says what was expected instead. */
  see(sent: Sent): void;
  add(publisher: Publisher): void;
  setKey(publisherId: string, apiKey: string): void;
  setSurface(
    publisherId: string,
    surfaceId: string,
    change: { status?: string | undefined; cpmRange?: readonly [number, number] | undefined },
  ): void;
  readonly facts: Readonly<Facts>;
  save(): unknown;
  restore(saved: unknown): void;
  dayOf(instantMs: number): string;
}

const WINDOW_MS = 30 * 60_000;
const LIMITS = { recording: 10_000, reporting: 60 };
const THRESHOLD_MICROS = 500_000_000;
const DAY_MS = 86_400_000;

export function createOracle(options: OracleOptions): Oracle {
  let facts: Facts = {
    accounts: options.publishers.map(accountOf),
    impressions: [],
    clicks: [],
    admitted: [],
    clickPrices: {},
  };
  const { sometimes } = options;
  const dayOf = (ms: number): string =>
    new Date(ms + options.midnightOffsetMs).toISOString().slice(0, 10);

  function see({ apiKey, call, atMs, response }: Sent): void {
    const account = facts.accounts.find((candidate) => candidate.apiKey === apiKey);
    const limit = limitOf(call);
    if (account === undefined) {
      status(response, 401);
      equal("remaining without a key", remainingOf(response), LIMITS[limit]);
      return;
    }
    const pool = limit === "recording" ? account.id : `${account.id} key ${account.keys}`;
    const minute = Math.floor(atMs / 60_000);
    const used = facts.admitted.filter(
      (one) => one.pool === `${limit} ${pool}` && one.minute === minute,
    ).length;
    if (used >= LIMITS[limit]) {
      sometimes("a refusal by the limit");
      status(response, 429);
      equal("remaining", remainingOf(response), 0);
      const wait = Math.ceil(((minute + 1) * 60_000 - atMs) / 1000);
      equal("Retry-After", response.headers["retry-after"], String(wait));
      return;
    }
    facts.admitted.push({ pool: `${limit} ${pool}`, minute });
    equal("remaining", remainingOf(response), LIMITS[limit] - used - 1);
    judge(account, call, atMs, response);
  }

  function judge(account: Account, call: Call, atMs: number, response: ApiResponse): void {
    if (call.operation === "wrong") {
      status(response, call.status);
      return;
    }
    if ("publisherId" in call && call.publisherId !== account.id) {
      const exists = facts.accounts.some((one) => one.id === call.publisherId);
      sometimes(exists ? "a foreign publisher" : "a publisher that doesn't exist");
      status(response, exists ? options.foreignStatus : 404);
      return;
    }
    switch (call.operation) {
      case "impression":
        judgeImpression(account, call, atMs, response);
        return;
      case "click":
        judgeClick(account, call.impressionId, atMs, response);
        return;
      case "stats":
        judgeStats(account, call, dayOf(atMs), response);
        return;
      case "payouts":
        judgePayouts(account, call.limit ?? 20, dayOf(atMs), response);
        return;
      case "surfaces":
        status(response, 200);
        equal(
          "surfaces",
          JSON.parse(response.body).surfaces.map(
            (surface: { id: string; status: string; cpm_range: number[] }) =>
              JSON.stringify([surface.id, surface.status, surface.cpm_range]),
          ),
          account.surfaces.map((one) => JSON.stringify([one.id, one.status, one.cpm])),
        );
        return;
    }
  }

  function judgeImpression(
    account: Account,
    call: Extract<Call, { operation: "impression" }>,
    atMs: number,
    response: ApiResponse,
  ): void {
    const surface = account.surfaces.find((one) => one.id === call.surface);
    if (surface === undefined) {
      status(response, 404);
      return;
    }
    if (surface.status !== "active") {
      sometimes("an impression on a surface that isn't active");
      status(response, 409);
      return;
    }
    const original = originalOf(account.id, call, atMs);
    if (original !== undefined) {
      judgeRepeat(options.repeatedImpression, response, "impression_id", original);
      return;
    }
    status(response, 200);
    const { ok, impression_id: id, revenue_credited_inr: inr } = JSON.parse(response.body);
    const micros = toMicros(inr);
    equal("ok", ok, true);
    const known = facts.impressions.some((one) => one.id === id);
    if (known) throw new Error(`A new impression got the id of another: ${id}.`);
    const [lower, upper] = surface.cpm;
    if (micros < toMicros(lower / 1000) || micros > toMicros(upper / 1000)) {
      throw new Error(`${inr} INR is outside of ${lower} to ${upper} for a thousand.`);
    }
    const { surface: surfaceId, adId, sessionId } = call;
    const publisherId = account.id;
    const fact = { id, publisherId, surface: surfaceId, adId, sessionId, atMs, micros };
    facts.impressions.push(fact);
  }

  /** The impression that counted, if one with the same session did less than the window ago. */
  function originalOf(
    publisherId: string,
    call: Extract<Call, { operation: "impression" }>,
    atMs: number,
  ): Impression | undefined {
    if (call.sessionId === undefined || options.repeatedImpression === "count") return undefined;
    const same = facts.impressions.filter(
      (one) =>
        one.publisherId === publisherId &&
        one.surface === call.surface &&
        one.adId === call.adId &&
        one.sessionId === call.sessionId,
    );
    const latest = same[same.length - 1];
    if (latest === undefined) return undefined;
    const age = atMs - latest.atMs;
    if (age === WINDOW_MS - 1) sometimes("a duplicate suppressed at W-1");
    if (age === WINDOW_MS) sometimes("a fresh impression at W");
    // Beside a later one the window alone lets it pass: nothing was swept away meanwhile.
    const later = facts.impressions.some(
      (one) =>
        one.publisherId === publisherId && one.sessionId !== undefined && one.atMs > latest.atMs,
    );
    if (age === WINDOW_MS && later) sometimes("a fresh impression at W beside a later one");
    return age < WINDOW_MS ? latest : undefined;
  }

  function judgeRepeat(
    reading: "original-uncredited" | "replay" | "conflict" | "count",
    response: ApiResponse,
    idField: string,
    original: { readonly id: string; readonly micros: number },
  ): void {
    sometimes(idField === "click_id" ? "a second click" : "a duplicate impression");
    if (reading === "conflict") {
      status(response, 409);
      return;
    }
    status(response, 200);
    const body = JSON.parse(response.body);
    equal(`${idField} of a repeat`, body[idField], original.id);
    const micros = reading === "replay" ? original.micros : 0;
    equal("credit of a repeat", toMicros(body.revenue_credited_inr), micros);
  }

  function judgeClick(account: Account, target: string, atMs: number, response: ApiResponse): void {
    const impression = facts.impressions.find((one) => one.id === target);
    if (impression?.publisherId !== account.id) {
      sometimes(
        impression === undefined ? "a click on nothing" : "a click on a foreign impression",
      );
      status(response, 404);
      return;
    }
    const before = facts.clicks.find((one) => one.impression.id === target);
    if (before !== undefined && options.repeatedClick !== "count") {
      judgeRepeat(options.repeatedClick, response, "click_id", before);
      return;
    }
    status(response, 200);
    const { click_id: id, revenue_credited_inr: inr } = JSON.parse(response.body);
    const micros = toMicros(inr);
    if (facts.clicks.some((one) => one.id === id)) throw new Error(`Two clicks have the id ${id}.`);
    const price = facts.clickPrices[impression.surface] ?? micros;
    facts.clickPrices[impression.surface] = price;
    equal("the surface's price of a click", micros, price);
    if (micros <= 0) throw new Error("A click earned nothing.");
    if (dayOf(impression.atMs) !== dayOf(atMs)) sometimes("a click on another day");
    facts.clicks.push({ id, impression, atMs, micros });
  }

  function judgeStats(
    account: Account,
    call: Extract<Call, { operation: "stats" }>,
    today: string,
    response: ApiResponse,
  ): void {
    const to = call.to ?? today;
    const from = call.from ?? addDays(today, -30);
    if (from > to) {
      sometimes("an inverted period");
      status(response, 400);
      return;
    }
    const only = call.surface;
    if (only !== undefined && !account.surfaces.some((one) => one.id === only)) {
      status(response, 404);
      return;
    }
    status(response, 200);
    const body = JSON.parse(response.body);
    const range = only === undefined ? { from, to } : { from, to, surface: only };
    const before = options.history(account.id, range);
    const rows = account.surfaces
      .filter((one) => only === undefined || one.id === only)
      .map(({ id }) => {
        const past = before.surfaces.find((row) => row.id === id);
        const since = recorded(account.id, from, to, id);
        const micros = (past?.micros ?? 0) + since.micros;
        return [id, (past?.impressions ?? 0) + since.impressions, micros];
      });
    const since = recorded(account.id, from, to, only);
    equal("publisher_id", body.publisher_id, account.id);
    equal("period", [body.period.from, body.period.to], [from, to]);
    equal("impressions", body.impressions, before.impressions + since.impressions);
    equal("clicks", body.clicks, before.clicks + since.clicks);
    equal("revenue_inr", toMicros(body.revenue_inr), before.micros + since.micros);
    const answered = body.surfaces.map(
      (row: { id: string; impressions: number; revenue: number }) => [
        row.id,
        row.impressions,
        toMicros(row.revenue),
      ],
    );
    equal("surfaces", answered, rows);
    if (from.slice(0, 4) < to.slice(0, 4)) sometimes("a period across a year's end");
    if (since.impressions > 0 && from > today) throw new Error("Something happened in the future.");
  }

  function recorded(
    publisherId: string,
    from: string,
    to: string,
    surface?: string,
  ): { impressions: number; clicks: number; micros: number } {
    const inRange = (ms: number): boolean => dayOf(ms) >= from && dayOf(ms) <= to;
    const impressions = facts.impressions.filter(
      (one) =>
        one.publisherId === publisherId &&
        (surface === undefined || one.surface === surface) &&
        inRange(one.atMs),
    );
    const clicks = facts.clicks.filter(
      (one) =>
        one.impression.publisherId === publisherId &&
        (surface === undefined || one.impression.surface === surface) &&
        inRange(one.atMs),
    );
    const micros = [...impressions, ...clicks].reduce((sum, one) => sum + one.micros, 0);
    return { impressions: impressions.length, clicks: clicks.length, micros };
  }

  function judgePayouts(
    account: Account,
    limit: number,
    today: string,
    response: ApiResponse,
  ): void {
    status(response, 200);
    const body = JSON.parse(response.body);
    const paid: [date: string, micros: number][] = [];
    let waiting = 0;
    for (let month = account.joined.slice(0, 7); ; month = nextMonth(month)) {
      const date = `${nextMonth(month)}-07`;
      const last = date <= today ? addDays(`${nextMonth(month)}-01`, -1) : today;
      waiting += revenueOf(account, `${month}-01`, last);
      if (date > today) break;
      if (waiting < THRESHOLD_MICROS) {
        if (waiting > 0) sometimes("a rollover");
        continue;
      }
      paid.push([date, waiting]);
      sometimes("a payout paid");
      if (paid.length > limit) sometimes("more payouts than the limit");
      waiting = 0;
    }
    const answered = body.payouts.map((one: { date: string; amount_inr: number }) => [
      one.date,
      toMicros(one.amount_inr),
    ]);
    equal("payouts", answered, paid.reverse().slice(0, limit));
    equal("pending_inr", toMicros(body.pending_inr), waiting);
  }

  function revenueOf(account: Account, from: string, to: string): number {
    if (from > to) return 0;
    const since = recorded(account.id, from, to).micros;
    return options.history(account.id, { from, to }).micros + since;
  }

  function account(publisherId: string): Account {
    const found = facts.accounts.find((one) => one.id === publisherId);
    if (found === undefined) throw new Error(`The oracle has no publisher ${publisherId}.`);
    return found;
  }

  return {
    see,
    add: (publisher) => facts.accounts.push(accountOf(publisher)),
    setKey(publisherId, apiKey) {
      const of = account(publisherId);
      of.apiKey = apiKey;
      of.keys += 1;
    },
    setSurface(publisherId, surfaceId, change) {
      const surface = account(publisherId).surfaces.find((one) => one.id === surfaceId);
      if (surface === undefined) throw new Error(`The oracle has no surface ${surfaceId}.`);
      surface.status = change.status ?? surface.status;
      surface.cpm = change.cpmRange ?? surface.cpm;
    },
    get facts(): Readonly<Facts> {
      return facts;
    },
    save: () => structuredClone(facts),
    restore(saved) {
      // Only what `save` gave comes in here.
      facts = structuredClone(saved) as Facts;
    },
    dayOf,
  };
}

function accountOf(publisher: Publisher): Account {
  return {
    id: publisher.id,
    joined: publisher.joined,
    surfaces: publisher.surfaces.map(({ id, status: now, cpmRange }) => ({
      id,
      status: now,
      cpm: cpmRange,
    })),
    apiKey: publisher.apiKey,
    keys: 0,
  };
}

function limitOf(call: Call): "recording" | "reporting" {
  if (call.operation === "wrong") return call.limit;
  return call.operation === "impression" || call.operation === "click" ? "recording" : "reporting";
}

/** `YYYY-MM-DD`, so many days later. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** `YYYY-MM`, one month later. */
function nextMonth(month: string): string {
  const [year = "", number = ""] = month.split("-");
  return number === "12"
    ? `${String(Number(year) + 1).padStart(4, "0")}-01`
    : `${year}-${String(Number(number) + 1).padStart(2, "0")}`;
}

function toMicros(inr: number): number {
  return Math.round(inr * 1_000_000);
}

function remainingOf(response: ApiResponse): number {
  return Number(response.headers["x-ratelimit-remaining"] ?? Number.NaN);
}

function status(response: ApiResponse, expected: number): void {
  if (response.status === expected) return;
  throw new Error(`Expected status ${expected}, got ${response.status}: ${response.body}`);
}

function equal(what: string, actual: unknown, expected: unknown): void {
  const [is, ought] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== ought) throw new Error(`Expected ${what} to be ${ought}, got ${is}.`);
}
