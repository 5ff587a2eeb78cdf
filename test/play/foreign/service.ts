/**
 * A service with the Publisher Advertising API that shares no code with adsim. It was written from the specification alone,
 * and where that is silent it chooses for itself: error bodies, ids, statuses, days in India. Each of `bugs` breaks the
 * specification in one place.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What each bug does. */
export const bugs = {
  "last-day-left-out": "a period ends before its last day",
  "surface-ignored-in-totals": "with surface=s the totals are those of all surfaces",
  "surface-ignored": "with surface=s the answer is as without",
  "limit-unchecked": "a payouts limit above 100 lists as many as it says",
  "limit-default-ignored": "without a limit all payouts are listed",
  "unknown-click-paid": "a click on an unknown impression is accepted and paid",
  "whole-rupees": "the total revenue is rounded to whole rupees",
  "recording-spends-reporting":
    "impressions and clicks count against the limit of the GET endpoints",
  "no-reporting-limit": "the GET endpoints have no limit",
  "remaining-only-on-success": "errors lack X-RateLimit-Remaining",
  "no-key-needed": "a request without a key is served",
  "any-key-will-do": "a key that nobody has is accepted",
  "everybody-in-totals": "the stats have all publishers' events",
  "click-counts-as-impression": "a click counts as an impression, too",
  "ids-used-twice": "two impressions of one ad have the same id",
  "week-by-default": "the default period begins 7 days before today",
  "dates-unchecked": "a date that doesn't exist is accepted",
  "ad-not-required": "an impression without ad_id is recorded",
  "paid-per-impression": "an impression earns what a thousand should",
  "amounts-as-text": "amounts are strings",
  "unknown-surface-is-all": "stats of a surface that doesn't exist are those of all",
  "mistakes-are-500": "every refusal but that of a limit has the status 500",
  "every-key-opens-all": "a key works for every publisher, though the service says that it doesn't",
  "fractions-lost":
    "the revenue has whole paise only, though the service says that amounts are exact",
} as const;
export type Bug = keyof typeof bugs;

/** What the specification leaves open, and this service may choose. */
export interface Choices {
  readonly midnight: "india" | "utc";
  readonly today: "live" | "tomorrow";
  /** A second impression with the same session, surface and ad. */
  readonly repeatedImpression: "first again" | "conflict" | "counts";
  readonly repeatedClick: "first again" | "conflict" | "counts";
  readonly limitAbove100: "clamped" | "refused";
  /** A limit or a date that makes no sense. */
  readonly badInput: "refused" | "ignored";
  readonly tooMany: 429 | 503;
  readonly errors: "json" | "text";
  /** How much of an impression's price the publisher gets. */
  readonly share: number;
  /** How amounts in answers are written. */
  readonly amounts: "exact" | "paise, rounded down";
  readonly spacing: "none" | "indented";
  readonly firstSurface: "active" | "paused";
  readonly rows: "all" | "with traffic";
  /** Whether the payouts of two publishers may have the same ids. */
  readonly payoutIds: "unique" | "by publisher";
}

const usual: Choices = {
  midnight: "india",
  today: "live",
  repeatedImpression: "first again",
  repeatedClick: "conflict",
  limitAbove100: "clamped",
  badInput: "refused",
  tooMany: 429,
  errors: "json",
  share: 1,
  amounts: "exact",
  spacing: "none",
  firstSurface: "active",
  rows: "all",
  payoutIds: "unique",
};

export interface ForeignService {
  readonly url: string;
  readonly publishers: readonly { readonly id: string; readonly apiKey: string }[];
  /** How many requests came, by method and path. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

interface Surface {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "paused";
  readonly cpm: readonly [number, number];
}
/** Counted on one day on one surface. Money is in hundredths of a paisa, so that it adds up. */
interface Figures {
  impressions: number;
  clicks: number;
  earned: number;
}
interface Impression {
  readonly id: string;
  readonly surface: Surface;
  readonly atMs: number;
  clickId: string | undefined;
}
interface Publisher {
  readonly id: string;
  readonly apiKey: string;
  readonly surfaces: readonly Surface[];
  /** By day and surface: `2026-01-15 board`. */
  readonly days: Map<string, Figures>;
  readonly impressions: Map<string, Impression>;
  readonly sessions: Map<string, Impression>;
  readonly payouts: readonly object[];
  readonly spent: { recording: number[]; reporting: number[] };
}

const DAY = 86_400_000;
const MINUTE = 60_000;
const PER_RUPEE = 10_000;
const CLICK_EARNS = 12_500;
const limits = { recording: 10_000, reporting: 60 };

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/** Starts it with two publishers that have a history of 60 days and 130 payouts. */
export async function startForeignService(
  wrong: readonly Bug[] = [],
  chosen: Partial<Choices> = {},
): Promise<ForeignService> {
  const choices = { ...usual, ...chosen };
  const has = (bug: Bug): boolean => wrong.includes(bug);
  const offset = choices.midnight === "india" ? 5.5 * 60 * MINUTE : 0;
  const dayOf = (ms: number): string => new Date(ms + offset).toISOString().slice(0, 10);
  const publishers = ["acme", "bazaar"].map((name, index) =>
    publisherOf(name, index, { choices, dayOf }),
  );
  const requests = new Map<string, number>();
  let clicks = 0;

  function figuresOf({ days }: Publisher, { id }: Surface, atMs: number): Figures {
    const key = `${dayOf(atMs)} ${id}`;
    const found = days.get(key) ?? { impressions: 0, clicks: 0, earned: 0 };
    days.set(key, found);
    return found;
  }

  /** Spends one request and says how many are left. */
  function spend({ spent }: Publisher, kind: keyof typeof limits): number {
    const now = Date.now();
    const counted = kind === "recording" && has("recording-spends-reporting") ? "reporting" : kind;
    const recent = spent[counted].filter((ms) => ms > now - MINUTE);
    spent[counted] = recent;
    if (kind === "reporting" && has("no-reporting-limit")) return limits[kind];
    if (recent.length < limits[counted] || counted !== kind) recent.push(now);
    else throw new Refusal(choices.tooMany, "slow down");
    return Math.max(0, limits[kind] - recent.length);
  }

  function stats(publisher: Publisher, query: URLSearchParams): object {
    const now = Date.now();
    const to = date(query, "to") ?? dayOf(now);
    const from = date(query, "from") ?? dayOf(now - (has("week-by-default") ? 7 : 30) * DAY);
    if (from > to) throw new Refusal(422, "the period ends before it begins");
    const only = query.get("surface");
    const isUnknown = only !== null && !publisher.surfaces.some(({ id }) => id === only);
    if (isUnknown && !has("unknown-surface-is-all")) throw new Refusal(422, "no such surface");
    const isIn = (day: string): boolean =>
      day >= from &&
      (has("last-day-left-out") ? day < to : day <= to) &&
      (choices.today === "live" || day !== dayOf(now));
    const counted = has("everybody-in-totals") ? publishers : [publisher];
    const sumOf = (ids: readonly string[]): Figures => {
      const sum = { impressions: 0, clicks: 0, earned: 0 };
      for (const { days } of counted)
        for (const [key, figures] of days) {
          const [day = "", id = ""] = key.split(" ");
          if (!isIn(day) || !ids.includes(id)) continue;
          sum.impressions += figures.impressions;
          sum.clicks += figures.clicks;
          sum.earned += figures.earned;
        }
      return sum;
    };
    const all = publishers.flatMap(({ surfaces }) => surfaces.map(({ id }) => id));
    const own = publisher.surfaces.map(({ id }) => id);
    const ids = has("everybody-in-totals") ? all : own;
    const wanted = only === null || isUnknown || has("surface-ignored") ? ids : [only];
    const total = sumOf(has("surface-ignored-in-totals") ? ids : wanted);
    const revenue = total.earned / PER_RUPEE;
    return {
      publisher_id: publisher.id,
      period: { from, to },
      impressions: total.impressions,
      clicks: total.clicks,
      revenue_inr: amount(has("whole-rupees") ? Math.floor(revenue) : revenue),
      currency: "INR",
      surfaces: wanted.flatMap((id) => {
        const { impressions, earned } = sumOf([id]);
        if (choices.rows === "with traffic" && impressions === 0) return [];
        return [{ id, impressions, revenue: amount(earned / PER_RUPEE) }];
      }),
    };
  }

  function amount(inr: number): number | string {
    if (has("amounts-as-text")) return inr.toFixed(4);
    return choices.amounts === "exact" ? inr : Math.floor(inr * 100) / 100;
  }

  function date(query: URLSearchParams, name: string): string | undefined {
    const text = query.get(name);
    if (text === null) return undefined;
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
    const ms = isDay ? Date.parse(text) : Number.NaN;
    const exists = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
    if (exists || (isDay && has("dates-unchecked"))) return text;
    if (choices.badInput === "ignored") return undefined;
    throw new Refusal(422, `${name} is not a date`);
  }

  function impression(publisher: Publisher, sent: URLSearchParams): object {
    const surface = publisher.surfaces.find(({ id }) => id === required(sent, "surface"));
    const ad = has("ad-not-required") ? (sent.get("ad_id") ?? "") : required(sent, "ad_id");
    if (surface === undefined) throw new Refusal(422, "no such surface");
    if (surface.status !== "active") throw new Refusal(409, "this surface shows no ads");
    const session = sent.get("session_id");
    const same = JSON.stringify([surface.id, ad, session]);
    const first = session === null ? undefined : publisher.sessions.get(same);
    if (first !== undefined && choices.repeatedImpression !== "counts") {
      if (choices.repeatedImpression === "conflict") throw new Refusal(409, "seen before");
      return { ok: true, impression_id: first.id, revenue_credited_inr: amount(0) };
    }
    const ordinal = publisher.impressions.size;
    const id = `${publisher.id}/${surface.id}/${has("ids-used-twice") ? ad : ordinal}`;
    const recorded = { id, surface, atMs: Date.now(), clickId: undefined };
    publisher.impressions.set(`${id} ${ordinal}`, recorded);
    publisher.sessions.set(same, recorded);
    const [lower, upper] = surface.cpm;
    const cpm = lower + ((ordinal * 7) % (upper - lower + 1));
    const price = has("paid-per-impression") ? cpm * PER_RUPEE : cpm * (PER_RUPEE / 1000);
    const earned = price * choices.share;
    const figures = figuresOf(publisher, surface, recorded.atMs);
    figures.impressions += 1;
    figures.earned += has("fractions-lost") ? Math.floor(earned / 100) * 100 : earned;
    return { ok: true, impression_id: id, revenue_credited_inr: amount(earned / PER_RUPEE) };
  }

  function click(publisher: Publisher, sent: URLSearchParams): object {
    const id = required(sent, "impression_id");
    const [aimed] = [...publisher.impressions.values()].filter((one) => one.id === id);
    if (aimed === undefined && !has("unknown-click-paid"))
      throw new Refusal(422, "no such impression");
    if (aimed !== undefined && aimed.atMs < Date.now() - DAY) throw new Refusal(410, "too late");
    if (aimed?.clickId !== undefined && choices.repeatedClick !== "counts") {
      if (choices.repeatedClick === "conflict") throw new Refusal(409, "clicked before");
      return { ok: true, click_id: aimed.clickId, revenue_credited_inr: amount(0) };
    }
    clicks += 1;
    const clickId = `click/${clicks}`;
    if (aimed !== undefined) {
      aimed.clickId = clickId;
      const figures = figuresOf(publisher, aimed.surface, Date.now());
      figures.clicks += 1;
      figures.earned += CLICK_EARNS;
      if (has("click-counts-as-impression")) figures.impressions += 1;
    }
    return { ok: true, click_id: clickId, revenue_credited_inr: amount(CLICK_EARNS / PER_RUPEE) };
  }

  function payouts(publisher: Publisher, query: URLSearchParams): object {
    const { payouts: all } = publisher;
    const text = query.get("limit");
    const limit = text === null ? (has("limit-default-ignored") ? all.length : 20) : Number(text);
    if (!Number.isInteger(limit) || limit < 1) {
      if (choices.badInput === "ignored") return payouts(publisher, new URLSearchParams());
      throw new Refusal(422, "limit is not a number from 1");
    }
    if (limit > 100 && choices.limitAbove100 === "refused")
      throw new Refusal(422, "limit is above 100");
    const most = has("limit-unchecked") || text === null ? limit : Math.min(limit, 100);
    return { payouts: all.slice(0, most), pending_inr: amount(81.25) };
  }

  const operations = {
    "GET /v1/publisher/stats": { kind: "reporting", answer: stats },
    "GET /v1/publisher/surfaces": {
      kind: "reporting",
      answer: ({ surfaces }: Publisher) => ({
        surfaces: surfaces.map(({ id, name, status, cpm }) => ({
          id,
          name,
          status,
          cpm_range: cpm,
        })),
      }),
    },
    "GET /v1/publisher/payouts": { kind: "reporting", answer: payouts },
    "POST /v1/impression": { kind: "recording", answer: impression },
    "POST /v1/click": { kind: "recording", answer: click },
  } as const;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let left = 0;
    try {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://foreign");
      const called = `${request.method} ${pathname}`;
      requests.set(called, (requests.get(called) ?? 0) + 1);
      const sent = request.method === "POST" ? await parametersIn(request) : searchParams;
      const named =
        called in operations ? operations[called as keyof typeof operations] : undefined;
      if (named === undefined) throw new Refusal(404, "nothing is here");
      const holder = holderOf(request, sent);
      left = spend(holder, named.kind);
      const meant = publishers.find(({ id }) => id === sent.get("publisher_id"));
      const publisher = has("every-key-opens-all") ? (meant ?? holder) : holder;
      if (named.answer !== click && required(sent, "publisher_id") !== publisher.id)
        throw new Refusal(403, "not your publisher");
      end(response, 200, left, named.answer(publisher, sent));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const isFailure = has("mistakes-are-500") && error.status !== choices.tooMany;
      end(response, isFailure ? 500 : error.status, left, { ok: false, reason: error.message });
    }
  }

  function holderOf({ headers }: IncomingMessage, sent: URLSearchParams): Publisher {
    const [scheme, key] = (headers.authorization ?? "").split(" ");
    const holder = publishers.find(({ apiKey }) => apiKey === key);
    if (holder !== undefined && scheme === "Bearer") return holder;
    const isExcused = key === undefined ? has("no-key-needed") : has("any-key-will-do");
    const meant = publishers.find(({ id }) => id === sent.get("publisher_id")) ?? publishers[0];
    if (isExcused && meant !== undefined) return meant;
    throw new Refusal(401, "who are you?");
  }

  function end(response: ServerResponse, status: number, left: number, body: object): void {
    const isText = status !== 200 && choices.errors === "text";
    response.writeHead(status, {
      "content-type": isText ? "text/plain" : "application/json",
      ...((status === 200 || !has("remaining-only-on-success")) && {
        "x-ratelimit-remaining": String(left),
      }),
      ...(status === choices.tooMany && { "retry-after": "60" }),
    });
    response.end(isText ? "no" : JSON.stringify(body, null, choices.spacing === "none" ? 0 : 2));
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publishers,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function required(sent: URLSearchParams, name: string): string {
  const text = sent.get(name);
  if (text === null || text === "") throw new Refusal(422, `${name} is missing`);
  return text;
}

/** The parameters in a body of JSON or a form. */
async function parametersIn(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  if (request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
    return new URLSearchParams(text);
  try {
    return new URLSearchParams(JSON.parse(text));
  } catch {
    throw new Refusal(422, "the body is not JSON");
  }
}

function publisherOf(
  name: string,
  index: number,
  { choices, dayOf }: { readonly choices: Choices; readonly dayOf: (ms: number) => string },
): Publisher {
  const surfaces: readonly Surface[] = [
    ...(choices.firstSurface === "active"
      ? []
      : [{ id: `${name}-old`, name: "Old", status: "paused", cpm: [10, 20] } as const]),
    { id: `${name}-board`, name: "Board", status: "active", cpm: [40, 90] },
    { id: `${name}-editor`, name: "Editor", status: "active", cpm: [25, 30] },
  ];
  const days = new Map<string, Figures>();
  const now = Date.now();
  for (let ago = 1; ago <= 60; ago += 1)
    for (const [place, { id, cpm }] of surfaces.entries()) {
      const impressions = 10 + ((ago * 13 + place * 5 + index) % 17);
      const clicks = ago % 3;
      const earned = impressions * cpm[0] * (PER_RUPEE / 1000) + clicks * CLICK_EARNS;
      days.set(`${dayOf(now - ago * DAY)} ${id}`, { impressions, clicks, earned });
    }
  const payouts = Array.from({ length: 130 }, (_, week) => ({
    id: choices.payoutIds === "unique" ? `${name}-${week}` : String(week),
    date: dayOf(now - (week + 1) * 7 * DAY),
    amount_inr: 640.5 + week,
    upi_id: `${name}@example`,
    status: "paid",
    txn_id: `t${week}`,
  }));
  return {
    id: name,
    apiKey: `${name}-secret-key`,
    surfaces,
    days,
    impressions: new Map(),
    sessions: new Map(),
    payouts,
    spent: { recording: [], reporting: [] },
  };
}
