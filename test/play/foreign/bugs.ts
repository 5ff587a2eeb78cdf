/** Mistakes of a service: each is put between the client and the correct service, and changes what goes in or comes out. */

import type { Handle, Request, Response } from "./service.ts";

export type Plant = (handle: Handle) => Handle;

type Values = Readonly<Record<string, string | undefined>>;
/** Of a success. The fields are those of all operations. */
interface Body {
  readonly period: { readonly from: string; readonly to: string };
  readonly surfaces: readonly { readonly id: string; readonly revenue: number }[];
  readonly payouts: readonly object[];
  readonly clicks: number;
  readonly revenue_inr: number;
}

const isFor = ({ path }: Request, operation: string): boolean => path.endsWith(`/${operation}`);

function valuesOf({ method, query, body }: Request): Values {
  if (method === "GET") return Object.fromEntries(new URLSearchParams(query));
  return body.startsWith("{") && body.endsWith("}") ? JSON.parse(body) : {};
}

/** With more values. Undefined leaves one out. */
function withValues(request: Request, more: Values): Request {
  const body = JSON.stringify({ ...valuesOf(request), ...more });
  if (request.method === "POST") return { ...request, body };
  return { ...request, query: String(new URLSearchParams(JSON.parse(body))) };
}

/** Reads other values than those that were sent. */
function reads(operation: string, more: (values: Values) => Values): Plant {
  return (handle) => (request) =>
    handle(isFor(request, operation) ? withValues(request, more(valuesOf(request))) : request);
}

function answers(change: (answer: Response, request: Request, handle: Handle) => object): Plant {
  return (handle) => (request) => {
    const answer = handle(request);
    return { ...answer, ...change(answer, request, handle) };
  };
}

/** Answers a success with other members. `ask`: what the service answers to other values. */
function says(
  operation: string,
  more: (body: Body, values: Values, ask: (values: Values) => Body) => object,
): Plant {
  return answers(({ status, body: text }, request, handle) => {
    if (status !== 200 || !isFor(request, operation)) return {};
    const ask = (values: Values): Body => JSON.parse(handle(withValues(request, values)).body);
    const body: Body = JSON.parse(text);
    return { body: JSON.stringify({ ...body, ...more(body, valuesOf(request), ask) }) };
  });
}

/** Accepts what it should refuse for this reason. */
function accepts(reason: string, body: object = {}): Plant {
  return answers((answer) =>
    answer.body.includes(reason) ? { status: 200, body: JSON.stringify(body) } : {},
  );
}

/** Fails where it should refuse for this reason. */
function failsAt(reason: string): Plant {
  return answers(({ body }) => (body.includes(reason) ? { status: 500 } : {}));
}

/** Serves a publisher to whoever has no right to it. `owner`: whose key is put in. */
function serves(owner: (values: Values, key: string) => string | undefined | false): Plant {
  return (handle) => (request) => {
    const publisher = owner(valuesOf(request), request.headers.authorization ?? "");
    const authorization = `Bearer ${publisher}-secret-key`;
    return handle(
      publisher ? { ...request, headers: { ...request.headers, authorization } } : request,
    );
  };
}

/** Takes money from the totals and the first row. */
function lessRevenue({ surfaces: [first, ...rows], revenue_inr }: Body, inr: number): object {
  const surfaces = first ? [{ ...first, revenue: first.revenue - inr }, ...rows] : [];
  return { revenue_inr: revenue_inr - inr, surfaces };
}

const refused: Response = { status: 422, headers: { "x-ratelimit-remaining": "9" }, body: "" };

/** Admits so many requests above the limit in a row. */
function admits(more: number): Plant {
  return (handle) => {
    let last: Response | undefined;
    let admitted = 0;
    return answers((answer) => {
      if (answer.status === 200) [last, admitted] = [answer, 0];
      if (answer.status !== 429 || last === undefined || admitted >= more) return {};
      admitted += 1;
      return last;
    })(handle);
  };
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

/** By the scenario that shows them: what is wrong then, and the mistake. */
export const bugs: Readonly<Record<string, Readonly<Record<string, Plant>>>> = {
  "spec-bearer": {
    "a basic login will do": serves(
      ({ publisher_id }, key) => key.startsWith("Basic") && publisher_id,
    ),
  },
  "spec-click": {
    "two clicks have the same id": says("click", () => ({ click_id: "one" })),
  },
  "spec-clicks-count": {
    "a click counts as an impression, too": answers(({ status }, request, handle) => {
      const [publisher_id, surface] = valuesOf(request).impression_id?.split("/") ?? [];
      const path = "/v1/impression";
      if (isFor(request, "click") && status === 200)
        handle(withValues({ ...request, path }, { publisher_id, surface, ad_id: "clicked" }));
      return {};
    }),
  },
  "spec-dates": {
    "a date that doesn't exist is accepted": accepts("is not a date", {
      period: { from: "2025-02-30", to: "2025-03-01" },
    }),
    "a wrong date makes it fail": failsAt("is not a date"),
    "a period that ends first makes it fail": failsAt("ends before"),
  },
  "spec-default-period": {
    "it begins 7 days before today": says("stats", ({ period }, { from }, ask) =>
      from ? {} : ask({ from: addDays(period.to, -7) }),
    ),
    "it begins 30 days before its end, whenever that is": reads("stats", ({ from, to }) =>
      to ? { from: from ?? addDays(to, -30) } : {},
    ),
    "it ends yesterday where only its start is given": says("stats", ({ period }, values, ask) =>
      values.from && !values.to ? ask({ to: addDays(period.to, -1) }) : {},
    ),
  },
  "spec-exact-revenue": {
    "the revenue has whole paise only": says("stats", ({ revenue_inr: inr }) => ({
      revenue_inr: Math.floor(inr * 100) / 100,
    })),
  },
  "spec-impression": {
    "two impressions have the same id": says("impression", () => ({ impression_id: "one" })),
    "a session id is required": answers((_, request) =>
      isFor(request, "impression") && !request.body.includes("session_id") ? refused : {},
    ),
    "impressions without a session id are all of one session": reads(
      "impression",
      ({ session_id = "none" }) => ({ session_id }),
    ),
    "a session id that isn't ASCII makes it fail": answers((_, { body }) =>
      /[^\p{ASCII}]/u.test(body) ? { status: 500 } : {},
    ),
  },
  "spec-impressions-count": {
    "every impression is recorded twice": answers((_, request, handle) => {
      if (isFor(request, "impression")) handle(withValues(request, { session_id: undefined }));
      return {};
    }),
  },
  "spec-limits-apart": {
    "impressions count against the limit of the GET endpoints": answers((_, request, handle) => {
      const path = "/v1/publisher/surfaces";
      if (request.method === "POST") handle({ ...request, method: "GET", path });
      return {};
    }),
  },
  "spec-no-key": {
    "no key is needed": serves(({ publisher_id }, key) => key === "" && publisher_id),
    "what is refused without a key is recorded": answers(({ status }, request, handle) => {
      if (status === 401) serves(({ publisher_id }) => publisher_id)(handle)(request);
      return {};
    }),
    "a refusal has the status 200": accepts("who are you", { ok: false }),
    "a missing key makes it fail": failsAt("who are you"),
  },
  "spec-one-day": {
    "the total revenue is in whole rupees": says("stats", ({ revenue_inr: inr }) => ({
      revenue_inr: Math.floor(inr),
    })),
  },
  "spec-other-publisher": {
    "any key opens any publisher": serves(({ publisher_id }) => publisher_id),
    "any key will do for a click": serves(({ impression_id }) => impression_id?.split("/")[0]),
  },
  "spec-payout-limit": {
    "a limit above 100 lists as many as it says": says("payouts", (body, { limit = "20" }) => ({
      payouts: [...body.payouts, ...body.payouts].slice(0, Number(limit)),
    })),
    "a wrong limit makes it fail": failsAt("limit is not"),
  },
  "spec-payouts": {
    "the default limit is 100": reads("payouts", ({ limit = "100" }) => ({ limit })),
    "the default limit is 10": reads("payouts", ({ limit = "10" }) => ({ limit })),
    "amounts are text": says("payouts", () => ({ pending_inr: "81.25" })),
  },
  "spec-periods-add-up": {
    "a period ends before its last day": reads("stats", ({ from, to }) =>
      from && to && from < to ? { to: addDays(to, -1) } : {},
    ),
    "the revenue lacks that of the last day": says("stats", (body, _, ask) => {
      const { from, to } = body.period;
      return lessRevenue(body, from < to ? ask({ from: to, to }).revenue_inr : 0);
    }),
  },
  "spec-publishers-apart": {
    "a session at one publisher is a duplicate at another": sessionsMeet,
    "an impression counts for the surface's owner, whoever sends it": (handle) => {
      const asOwner = serves(({ publisher_id }) => publisher_id)(handle);
      return (request) => {
        const publisher_id = valuesOf(request).surface?.split("-")[0];
        if (!isFor(request, "impression") || publisher_id === undefined) return handle(request);
        return asOwner(withValues(request, { publisher_id }));
      };
    },
  },
  "spec-remaining": {
    "only successes have the header": answers(({ status }) =>
      status === 200 ? {} : { headers: {} },
    ),
  },
  "spec-required": {
    "an impression needs no ad": reads("impression", ({ ad_id = "none" }) => ({ ad_id })),
    "the list of surfaces needs no publisher_id": reads(
      "surfaces",
      ({ publisher_id = "acme" }) => ({ publisher_id }),
    ),
    "a missing parameter makes it fail": failsAt("is missing"),
    "half a body makes it fail": failsAt("not JSON"),
  },
  "spec-revenue": {
    "clicks don't count in it": says("stats", (body) => lessRevenue(body, 1.25 * body.clicks)),
  },
  "spec-second-click": {
    "it earns again": says("click", () => ({ revenue_credited_inr: 1.25 })),
  },
  "spec-session": {
    "a duplicate counts": reads("impression", () => ({ session_id: undefined })),
  },
  "spec-stats": {
    "the publisher has another id": says("stats", () => ({ publisher_id: "acme-1" })),
    "a surface has no row": says("stats", ({ surfaces }) => ({ surfaces: surfaces.slice(1) })),
  },
  "spec-stats-limit": {
    "there is none": admits(1000),
    "61 are admitted in a minute": admits(1),
    "Retry-After is half as long as it takes": answers(({ status, headers }) => {
      const seconds = String(Math.floor(Number(headers["retry-after"]) / 2));
      return status === 429 ? { headers: { ...headers, "retry-after": seconds } } : {};
    }),
  },
  "spec-surface-filter": {
    "the answer is as without": reads("stats", () => ({ surface: undefined })),
    "the totals are those of all surfaces": says("stats", ({ surfaces }, _, ask) => ({
      ...ask({ surface: undefined }),
      surfaces,
    })),
    "a surface that doesn't exist is all of them": reads("stats", ({ surface }) => ({
      surface: surface?.startsWith("acme") ? surface : undefined,
    })),
    "a surface that doesn't exist makes it fail": failsAt("no such surface"),
  },
  "spec-surfaces": {
    "an impression earns what a thousand should": says("impression", () => ({
      revenue_credited_inr: 65,
    })),
    "the upper bound of a price comes first": says("surfaces", ({ surfaces }) => ({
      surfaces: surfaces.map((one) => ({ ...one, cpm_range: [90, 40] })),
    })),
  },
  "spec-today": {
    "nothing is counted": says("stats", () => ({ impressions: 0, surfaces: [] })),
  },
  "spec-unknown-click": {
    "it is accepted and paid": accepts("no such impression", {
      ...{ ok: true, click_id: "c", revenue_credited_inr: 1 },
    }),
    "it makes the service fail": failsAt("no such impression"),
  },
  "spec-unknown-key": {
    "it will do": serves(({ publisher_id }, key) => key.endsWith("such-key") && publisher_id),
    "it makes the service fail": answers((_, { headers }) =>
      headers.authorization?.endsWith("such-key") ? { status: 500 } : {},
    ),
  },
};

/** What no scenario can show, with the reason. */
export const hidden: Readonly<Record<string, Plant>> = {
  "X-RateLimit-Remaining stays the same: a minute may begin between two answers": answers(
    ({ headers }) => ({ headers: { ...headers, "x-ratelimit-remaining": "7" } }),
  ),
  "Retry-After is longer than it takes: the specification doesn't mention the header": answers(
    ({ status, headers }) =>
      status === 429 ? { headers: { ...headers, "retry-after": "60" } } : {},
  ),
  "clicks are those of all surfaces, whatever the filter: rows have no clicks (§2)": says(
    "stats",
    (_body, _values, ask) => ({ clicks: ask({ surface: undefined }).clicks }),
  ),
  "the limit of impressions is 1,000: somebody would have to pay for so many": (handle) => {
    let left = 1000;
    return (request) => {
      if (isFor(request, "impression")) left -= 1;
      return left < 0 ? refused : handle(request);
    };
  },
};

function sessionsMeet(handle: Handle): Handle {
  const seen = new Map<string, { readonly publisher: string; readonly answer: Response }>();
  return (request) => {
    const { session_id, publisher_id: publisher = "" } = valuesOf(request);
    const first = seen.get(session_id ?? "");
    if (first !== undefined && first.publisher !== publisher) return first.answer;
    const answer = handle(request);
    if (session_id !== undefined) seen.set(session_id, { publisher, answer });
    return answer;
  };
}
