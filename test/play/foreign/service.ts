/**
 * A correct service with the Publisher Advertising API that shares no code with adsim. It was written from the specification
 * alone, and where that is silent it chooses for itself: error bodies, ids, statuses, days in India.
 */

/** What the specification leaves open, and this service may choose. */
const usual = {
  midnight: "india" as "india" | "utc",
  today: "live" as "live" | "tomorrow",
  /** A second impression with the same session, surface and ad. */
  repeatedImpression: "first again" as "first again" | "conflict" | "counts",
  repeatedClick: "conflict" as "first again" | "conflict" | "counts",
  limitAbove100: "clamped" as "clamped" | "refused",
  /** A limit or a date that makes no sense. */
  badInput: "refused" as "refused" | "ignored",
  tooMany: 429 as 429 | 503,
  hint: "seconds" as "seconds" | "date" | "none",
  errors: "json" as "json" | "text",
  /** How much of an impression's price the publisher gets. */
  share: 1,
  /** How amounts in answers are written. */
  amounts: "exact" as "exact" | "paise, rounded down",
  spacing: "none" as "none" | "indented",
  firstSurface: "active" as "active" | "paused",
  rows: "all" as "all" | "with traffic",
  payoutIds: "unique" as "unique" | "by publisher",
};
export type Choices = Readonly<typeof usual>;

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export type Handle = (request: Request) => Response;

interface Surface {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "paused";
  readonly cpm: readonly [number, number];
}
/** What happened on one day on one surface. Money is in hundredths of a paisa, so that it adds up. */
interface Figures {
  readonly day: string;
  readonly surface: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly earned: number;
}
interface Impression {
  readonly id: string;
  readonly surface: Surface;
  readonly atMs: number;
  clickId?: string;
}
type Publisher = ReturnType<typeof publisherOf>;
type Sent = URLSearchParams;

const DAY = 86_400_000;
const MINUTE = 60_000;
const PER_RUPEE = 10_000;
const CLICK_EARNS = 12_500;
const limits = { recording: 10_000, reporting: 60 };

class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, reason: string, headers: Readonly<Record<string, string>> = {}) {
    super(reason);
    this.status = status;
    this.headers = headers;
  }
}

/** A service with two publishers that have a history of 60 days and 130 payouts. Its clock is `Date`. */
export function createService(chosen: Partial<Choices> = {}): {
  readonly handle: Handle;
  readonly publishers: readonly Pick<Publisher, "id" | "apiKey">[];
} {
  const choices = { ...usual, ...chosen };
  const offset = choices.midnight === "india" ? 5.5 * 60 * MINUTE : 0;
  const dayOf = (ms: number): string => new Date(ms + offset).toISOString().slice(0, 10);
  const publishers = ["acme", "bazaar"].map((name) => publisherOf(name, choices, dayOf));
  let clicks = 0;

  /** Spends one request and says how many are left. In no minute are there more than the limit. */
  function spend({ spent }: Publisher, kind: keyof typeof limits): number {
    const now = Date.now();
    const recent = spent[kind].filter((ms) => ms > now - MINUTE);
    spent[kind] = recent;
    if (recent.length >= limits[kind])
      throw new Refusal(choices.tooMany, "slow down", hintOf((recent[0] ?? now) + MINUTE - now));
    recent.push(now);
    return limits[kind] - recent.length;
  }

  function hintOf(waitMs: number): Readonly<Record<string, string>> {
    if (choices.hint === "none") return {};
    const seconds = Math.ceil(waitMs / 1000);
    const date = new Date(Math.ceil((Date.now() + waitMs) / 1000) * 1000).toUTCString();
    return { "retry-after": choices.hint === "seconds" ? String(seconds) : date };
  }

  function amount(earned: number): number {
    const inr = earned / PER_RUPEE;
    return choices.amounts === "exact" ? inr : Math.floor(inr * 100) / 100;
  }

  function date(sent: Sent, name: string): string | undefined {
    const text = sent.get(name);
    if (text === null) return undefined;
    const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)) return text;
    if (choices.badInput === "ignored") return undefined;
    throw new Refusal(422, `${name} is not a date`);
  }

  function stats({ id, surfaces, figures }: Publisher, sent: Sent): object {
    const now = Date.now();
    const to = date(sent, "to") ?? dayOf(now);
    const from = date(sent, "from") ?? dayOf(now - 30 * DAY);
    if (from > to) throw new Refusal(422, "the period ends before it begins");
    const only = sent.get("surface");
    const wanted = surfaces.filter((one) => only === null || one.id === only);
    if (wanted.length === 0) throw new Refusal(422, "no such surface");
    const counted = figures.filter(
      ({ day }) => day >= from && day <= to && (choices.today === "live" || day !== dayOf(now)),
    );
    const rows = wanted.map((surface) => {
      const own = counted.filter((one) => one.surface === surface.id);
      return { id: surface.id, ...sumOf(own) };
    });
    const { earned, ...total } = sumOf(rows);
    return {
      publisher_id: id,
      period: { from, to },
      ...{ ...total, revenue_inr: amount(earned), currency: "INR" },
      surfaces: rows
        .filter(({ impressions }) => choices.rows === "all" || impressions > 0)
        .map((row) => ({ id: row.id, impressions: row.impressions, revenue: amount(row.earned) })),
    };
  }

  function impression({ id, surfaces, ...publisher }: Publisher, sent: Sent): object {
    const surface = surfaces.find((one) => one.id === required(sent, "surface"));
    const ad = required(sent, "ad_id");
    if (surface === undefined) throw new Refusal(422, "no such surface");
    if (surface.status !== "active") throw new Refusal(409, "this surface shows no ads");
    const session = sent.get("session_id");
    const same = JSON.stringify([surface.id, ad, session]);
    const first = session === null ? undefined : publisher.sessions.get(same);
    if (first !== undefined && choices.repeatedImpression !== "counts") {
      if (choices.repeatedImpression === "conflict") throw new Refusal(409, "seen before");
      return { ok: true, impression_id: first.id, revenue_credited_inr: 0 };
    }
    const ordinal = publisher.impressions.size;
    const recorded = { id: `${id}/${surface.id}/${ordinal}`, surface, atMs: Date.now() };
    publisher.impressions.set(recorded.id, recorded);
    publisher.sessions.set(same, recorded);
    const [lower, upper] = surface.cpm;
    const cpm = lower + ((ordinal * 7) % (upper - lower + 1));
    const earned = cpm * (PER_RUPEE / 1000) * choices.share;
    const day = dayOf(Date.now());
    publisher.figures.push({ day, surface: surface.id, impressions: 1, clicks: 0, earned });
    return { ok: true, impression_id: recorded.id, revenue_credited_inr: amount(earned) };
  }

  function click({ impressions, figures }: Publisher, sent: Sent): object {
    const aimed = impressions.get(required(sent, "impression_id"));
    if (aimed === undefined) throw new Refusal(422, "no such impression");
    if (aimed.atMs < Date.now() - DAY) throw new Refusal(410, "too late");
    if (aimed.clickId !== undefined && choices.repeatedClick !== "counts") {
      if (choices.repeatedClick === "conflict") throw new Refusal(409, "clicked before");
      return { ok: true, click_id: aimed.clickId, revenue_credited_inr: 0 };
    }
    clicks += 1;
    aimed.clickId = `click/${clicks}`;
    const [day, surface] = [dayOf(Date.now()), aimed.surface.id];
    figures.push({ day, surface, impressions: 0, clicks: 1, earned: CLICK_EARNS });
    return { ok: true, click_id: aimed.clickId, revenue_credited_inr: amount(CLICK_EARNS) };
  }

  function payouts({ payouts: all }: Publisher, sent: Sent): object {
    let limit = Number(sent.get("limit") ?? 20);
    if (!Number.isInteger(limit) || limit < 1) {
      if (choices.badInput === "refused") throw new Refusal(422, "limit is not a number from 1");
      limit = 20;
    }
    if (limit > 100 && choices.limitAbove100 === "refused")
      throw new Refusal(422, "limit is above 100");
    return { payouts: all.slice(0, Math.min(limit, 100)), pending_inr: 81.25 };
  }

  function surfaces({ surfaces: all }: Publisher): object {
    return { surfaces: all.map(({ cpm, ...surface }) => ({ ...surface, cpm_range: cpm })) };
  }

  const operations = {
    "GET /v1/publisher/stats": { kind: "reporting", answer: stats },
    "GET /v1/publisher/surfaces": { kind: "reporting", answer: surfaces },
    "GET /v1/publisher/payouts": { kind: "reporting", answer: payouts },
    "POST /v1/impression": { kind: "recording", answer: impression },
    "POST /v1/click": { kind: "recording", answer: click },
  } as const;

  function handle({ method, path, query, headers, body }: Request): Response {
    let left = 0;
    const end = (status: number, found: object, more: Response["headers"] = {}): Response => {
      const isText = status !== 200 && choices.errors === "text";
      const type = isText ? "text/plain" : "application/json";
      const text = JSON.stringify(found, null, choices.spacing === "none" ? 0 : 2);
      return {
        status,
        headers: { "content-type": type, "x-ratelimit-remaining": String(left), ...more },
        body: isText ? "no" : text,
      };
    };
    try {
      const called = `${method} ${path}`;
      if (!(called in operations)) throw new Refusal(404, "nothing is here");
      const { kind, answer } = operations[called as keyof typeof operations];
      const [scheme, key] = (headers.authorization ?? "").split(" ");
      const publisher = publishers.find(({ apiKey }) => apiKey === key && scheme === "Bearer");
      if (publisher === undefined) throw new Refusal(401, "who are you?");
      left = spend(publisher, kind);
      const sent = method === "POST" ? parametersIn(headers, body) : new URLSearchParams(query);
      if (answer !== click && required(sent, "publisher_id") !== publisher.id)
        throw new Refusal(403, "not your publisher");
      return end(200, answer(publisher, sent));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return end(error.status, { ok: false, reason: error.message }, error.headers);
    }
  }
  return { handle, publishers };
}

type Sum = Pick<Figures, "impressions" | "clicks" | "earned">;

function sumOf(all: readonly Sum[]): Sum {
  const sum = { impressions: 0, clicks: 0, earned: 0 };
  for (const { impressions, clicks, earned } of all) {
    sum.impressions += impressions;
    sum.clicks += clicks;
    sum.earned += earned;
  }
  return sum;
}

function required(sent: Sent, name: string): string {
  const text = sent.get(name) ?? "";
  if (text === "") throw new Refusal(422, `${name} is missing`);
  return text;
}

/** The parameters in a body of JSON or a form. */
function parametersIn(headers: Request["headers"], body: string): Sent {
  if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
    return new URLSearchParams(body);
  try {
    return new URLSearchParams(JSON.parse(body));
  } catch {
    throw new Refusal(422, "the body is not JSON");
  }
}

function publisherOf(name: string, choices: Choices, dayOf: (ms: number) => string) {
  const old = { id: `${name}-old`, name: "Old", status: "paused", cpm: [10, 20] } as const;
  const surfaces: readonly Surface[] = [
    ...(choices.firstSurface === "active" ? [] : [old]),
    { id: `${name}-board`, name: "Board", status: "active", cpm: [40, 90] },
    { id: `${name}-editor`, name: "Editor", status: "active", cpm: [25, 30] },
  ];
  const now = Date.now();
  const figures = Array.from({ length: 60 }, (_, index) => index + 1).flatMap((ago) =>
    surfaces.map(({ id, cpm }, place): Figures => {
      const impressions = 10 + ((ago * 13 + place * 5) % 17);
      const clicks = ago % 3;
      const earned = impressions * cpm[0] * (PER_RUPEE / 1000) + clicks * CLICK_EARNS;
      return { day: dayOf(now - ago * DAY), surface: id, impressions, clicks, earned };
    }),
  );
  const payouts = Array.from({ length: 130 }, (_, week) => ({
    id: choices.payoutIds === "unique" ? `${name}-${week}` : String(week),
    date: dayOf(now - (week + 1) * 7 * DAY),
    ...{ amount_inr: 640.5 + week, upi_id: `${name}@example`, status: "paid", txn_id: `t${week}` },
  }));
  return {
    ...{ id: name, apiKey: `${name}-secret-key`, surfaces, figures, payouts },
    impressions: new Map<string, Impression>(),
    sessions: new Map<string, Impression>(),
    spent: { recording: [] as number[], reporting: [] as number[] },
  };
}
