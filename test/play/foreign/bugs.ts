/** Mistakes of a service: each is put between the client and the correct service, and changes what goes in or comes out. */

import type { Handle, Request, Response } from "./service.ts";

export type Plant = (handle: Handle) => Handle;

type Values = Readonly<Record<string, string>>;
/** Of a success. The fields are those of all operations. */
interface Body {
  readonly period: { readonly from: string; readonly to: string };
  readonly surfaces: readonly { readonly id: string; readonly revenue: number }[];
  readonly payouts: readonly object[];
  readonly clicks: number;
  readonly revenue_inr: number;
  readonly revenue_credited_inr: number;
}

const isFor = ({ path }: Request, operation: string): boolean => path.endsWith(`/${operation}`);

function valuesOf({ method, query, body }: Request): Values {
  if (method === "GET") return Object.fromEntries(new URLSearchParams(query));
  return body.startsWith("{") && body.endsWith("}") ? JSON.parse(body) : {};
}

function withValues(request: Request, values: Values): Request {
  if (request.method === "POST") return { ...request, body: JSON.stringify(values) };
  return { ...request, query: String(new URLSearchParams(values)) };
}

function requests(operation: string, change: (values: Values) => Values): Plant {
  return (handle) => (request) =>
    handle(isFor(request, operation) ? withValues(request, change(valuesOf(request))) : request);
}

function answers(change: (answer: Response, request: Request, handle: Handle) => Response): Plant {
  return (handle) => (request) => change(handle(request), request, handle);
}

/** Changes successes. `ask`: what the service answers to other values. */
function bodies(
  operation: string,
  change: (body: Body, values: Values, ask: (values: Values) => Body) => object,
): Plant {
  return answers((answer, request, handle) => {
    if (answer.status !== 200 || !isFor(request, operation)) return answer;
    const ask = (values: Values): Body => JSON.parse(handle(withValues(request, values)).body);
    const body = change(JSON.parse(answer.body), valuesOf(request), ask);
    return { ...answer, body: JSON.stringify(body) };
  });
}

/** A refusal that says this becomes a success, or another refusal. */
function instead(reason: string, status: number, body: object = {}): Plant {
  return answers((answer) =>
    answer.body.includes(reason) ? { ...answer, status, body: JSON.stringify(body) } : answer,
  );
}

/** Serves a publisher to whoever has no right to it. `owner`: whose key is put in. */
function serves(
  owner: (values: Values, authorization: string | undefined) => string | undefined,
): Plant {
  return (handle) => (request) => {
    const publisher = owner(valuesOf(request), request.headers.authorization);
    const authorization = `Bearer ${publisher}-secret-key`;
    const headers = { ...request.headers, authorization };
    return handle(publisher === undefined ? request : { ...request, headers });
  };
}

/** Takes money from the totals and the first row. */
function lessRevenue(body: Body, inr: number): object {
  const [first, ...rows] = body.surfaces;
  const surfaces = first ? [{ ...first, revenue: first.revenue - inr }, ...rows] : [];
  return { ...body, revenue_inr: body.revenue_inr - inr, surfaces };
}

const refused: Response = { status: 422, headers: { "x-ratelimit-remaining": "9" }, body: "" };

/** Admits so many requests above the limit in a row. */
function admits(more: number): Plant {
  return (handle) => {
    let last: Response | undefined;
    let admitted = 0;
    return (request) => {
      const answer = handle(request);
      if (answer.status === 200) [last, admitted] = [answer, 0];
      if (answer.status !== 429 || last === undefined || admitted >= more) return answer;
      admitted += 1;
      return last;
    };
  };
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

/** By the scenario that shows them: what is wrong then, and the mistake. */
export const bugs: Readonly<Record<string, Readonly<Record<string, Plant>>>> = {
  "spec-bearer": {
    "a basic login will do": serves(({ publisher_id }, key) =>
      key?.startsWith("Basic") ? publisher_id : undefined,
    ),
  },
  "spec-click": {
    "two clicks have the same id": bodies("click", (body) => ({ ...body, click_id: "one" })),
  },
  "spec-clicks-count": { "a click counts as an impression, too": clickIsShown },
  "spec-dates": {
    "a date that doesn't exist is accepted": instead("is not a date", 200, {
      period: { from: "2025-02-30", to: "2025-03-01" },
    }),
    "a wrong date makes it fail": instead("is not a date", 500),
    "a period that ends first makes it fail": instead("ends before", 500),
  },
  "spec-default-period": {
    "it begins 7 days before today": bodies("stats", (body, values, ask) =>
      values.from ? body : ask({ ...values, from: addDays(body.period.to, -7) }),
    ),
    "it begins 30 days before its end, whenever that is": requests("stats", (values) =>
      values.to ? { from: addDays(values.to, -30), ...values } : values,
    ),
    "it ends yesterday where only its start is given": bodies("stats", (body, values, ask) =>
      values.from && !values.to ? ask({ ...values, to: addDays(body.period.to, -1) }) : body,
    ),
  },
  "spec-exact-revenue": {
    "the revenue has whole paise only": bodies("stats", (body) => ({
      ...body,
      revenue_inr: Math.floor(body.revenue_inr * 100) / 100,
    })),
  },
  "spec-impression": {
    "two impressions have the same id": bodies("impression", (body) => ({
      ...body,
      impression_id: "one",
    })),
    "a session id is required": answers((answer, { path, body }) =>
      path.endsWith("/impression") && !body.includes("session_id") ? refused : answer,
    ),
    "impressions without a session id are all of one session": requests("impression", (values) => ({
      session_id: "none",
      ...values,
    })),
    "a session id that isn't ASCII makes it fail": answers((answer, { body }) =>
      /[^\p{ASCII}]/u.test(body) ? { ...answer, status: 500 } : answer,
    ),
  },
  "spec-impressions-count": {
    "every impression is recorded twice": answers((answer, request, handle) => {
      const { session_id: _, ...values } = valuesOf(request);
      if (isFor(request, "impression")) handle(withValues(request, values));
      return answer;
    }),
  },
  "spec-limits-apart": {
    "impressions count against the limit of the GET endpoints": answers(
      (answer, request, handle) => {
        const path = "/v1/publisher/surfaces";
        if (request.method === "POST") handle({ ...request, method: "GET", path });
        return answer;
      },
    ),
  },
  "spec-no-key": {
    "no key is needed": serves(({ publisher_id }, key) => (key ? undefined : publisher_id)),
    "what is refused without a key is recorded": answers((answer, request, handle) => {
      if (answer.status === 401) serves(({ publisher_id }) => publisher_id)(handle)(request);
      return answer;
    }),
    "a refusal has the status 200": instead("who are you", 200, { ok: false }),
    "a missing key makes it fail": instead("who are you", 500),
  },
  "spec-one-day": {
    "the total revenue is in whole rupees": bodies("stats", (body) => ({
      ...body,
      revenue_inr: Math.floor(body.revenue_inr),
    })),
  },
  "spec-other-publisher": {
    "any key opens any publisher": serves(({ publisher_id }) => publisher_id),
    "any key will do for a click": serves(({ impression_id }) => impression_id?.split("/")[0]),
  },
  "spec-payout-limit": {
    "a limit above 100 lists as many as it says": bodies("payouts", (body, { limit = "20" }) => ({
      ...body,
      payouts: [...body.payouts, ...body.payouts].slice(0, Number(limit)),
    })),
    "a wrong limit makes it fail": instead("limit is not", 500),
  },
  "spec-payouts": {
    "the default limit is 100": requests("payouts", (values) => ({ limit: "100", ...values })),
    "the default limit is 10": requests("payouts", (values) => ({ limit: "10", ...values })),
    "amounts are text": bodies("payouts", (body) => ({ ...body, pending_inr: "81.25" })),
  },
  "spec-periods-add-up": {
    "a period ends before its last day": requests("stats", (values) =>
      values.from && values.to && values.from < values.to
        ? { ...values, to: addDays(values.to, -1) }
        : values,
    ),
    "the revenue lacks that of the last day": bodies("stats", (body, values, ask) => {
      const { from, to } = body.period;
      return lessRevenue(body, from < to ? ask({ ...values, from: to, to }).revenue_inr : 0);
    }),
  },
  "spec-publishers-apart": {
    "a session at one publisher is a duplicate at another": sessionsMeet,
    "an impression counts for the surface's owner, whoever sends it": ownersAreServed,
  },
  "spec-remaining": {
    "only successes have the header": answers((answer) =>
      answer.status === 200 ? answer : { ...answer, headers: {} },
    ),
  },
  "spec-required": {
    "an impression needs no ad": requests("impression", (values) => ({ ad_id: "none", ...values })),
    "the list of surfaces needs no publisher_id": requests("surfaces", (values) => ({
      publisher_id: "acme",
      ...values,
    })),
    "a missing parameter makes it fail": instead("is missing", 500),
    "half a body makes it fail": instead("not JSON", 500),
  },
  "spec-revenue": {
    "clicks don't count in it": bodies("stats", (body) => lessRevenue(body, 1.25 * body.clicks)),
  },
  "spec-second-click": {
    "it earns again": bodies("click", (body) => ({ ...body, revenue_credited_inr: 1.25 })),
  },
  "spec-session": {
    "a duplicate counts": requests("impression", ({ session_id: _, ...values }) => values),
  },
  "spec-stats": {
    "the publisher has another id": bodies("stats", (body) => ({
      ...body,
      publisher_id: "acme-1",
    })),
    "a surface has no row": bodies("stats", (body) => ({
      ...body,
      surfaces: body.surfaces.slice(1),
    })),
  },
  "spec-stats-limit": {
    "there is none": admits(1000),
    "61 are admitted in a minute": admits(1),
    "Retry-After is half as long as it takes": answers((answer) => {
      const seconds = Number(answer.headers["retry-after"]);
      const headers = { ...answer.headers, "retry-after": String(Math.floor(seconds / 2)) };
      return answer.status === 429 ? { ...answer, headers } : answer;
    }),
  },
  "spec-surface-filter": {
    "the answer is as without": requests("stats", ({ surface: _, ...values }) => values),
    "the totals are those of all surfaces": bodies(
      "stats",
      (body, { surface: _, ...values }, ask) => ({
        ...ask(values),
        surfaces: body.surfaces,
      }),
    ),
    "a surface that doesn't exist is all of them": requests("stats", ({ surface, ...values }) =>
      surface?.startsWith("acme") ? { ...values, surface } : values,
    ),
    "a surface that doesn't exist makes it fail": instead("no such surface", 500),
  },
  "spec-surfaces": {
    "an impression earns what a thousand should": bodies("impression", (body) => ({
      ...body,
      revenue_credited_inr: 65,
    })),
    "the upper bound of a price comes first": bodies("surfaces", ({ surfaces }) => ({
      surfaces: surfaces.map((one) => ({ ...one, cpm_range: [90, 40] })),
    })),
  },
  "spec-today": {
    "nothing is counted": bodies("stats", (body) => ({ ...body, impressions: 0, surfaces: [] })),
  },
  "spec-unknown-click": {
    "it is accepted and paid": instead("no such impression", 200, {
      ...{ ok: true, click_id: "c", revenue_credited_inr: 1 },
    }),
    "it makes the service fail": instead("no such impression", 500),
  },
  "spec-unknown-key": {
    "it will do": serves(({ publisher_id }, key) =>
      key?.endsWith("such-key") ? publisher_id : undefined,
    ),
    "it makes the service fail": answers((answer, { headers }) =>
      headers.authorization?.endsWith("such-key") ? { ...answer, status: 500 } : answer,
    ),
  },
};

/** What no scenario can show, with the reason. */
export const hidden: Readonly<Record<string, Plant>> = {
  "X-RateLimit-Remaining stays the same: a minute may begin between two answers": answers(
    (answer) => ({ ...answer, headers: { ...answer.headers, "x-ratelimit-remaining": "7" } }),
  ),
  "Retry-After is longer than it takes: the specification doesn't mention the header": answers(
    (answer) => ({
      ...answer,
      ...(answer.status === 429 && { headers: { ...answer.headers, "retry-after": "60" } }),
    }),
  ),
  "clicks are those of all surfaces, whatever the filter: rows have no clicks (§2)": bodies(
    "stats",
    (body, { surface: _, ...values }, ask) => ({ ...body, clicks: ask(values).clicks }),
  ),
  "the limit of impressions is 1,000: somebody would have to pay for so many": (handle) => {
    let left = 1000;
    return (request) => {
      if (isFor(request, "impression")) left -= 1;
      return left < 0 ? refused : handle(request);
    };
  },
};

function clickIsShown(handle: Handle): Handle {
  return (request) => {
    const answer = handle(request);
    const [publisher_id = "", surface = ""] = (valuesOf(request).impression_id ?? "").split("/");
    const values = { publisher_id, surface, ad_id: "clicked" };
    if (isFor(request, "click") && answer.status === 200)
      handle(withValues({ ...request, path: "/v1/impression" }, values));
    return answer;
  };
}

function sessionsMeet(handle: Handle): Handle {
  const seen = new Map<string, { readonly publisher: string; readonly answer: Response }>();
  return (request) => {
    const { session_id, publisher_id = "" } = valuesOf(request);
    const first = session_id === undefined ? undefined : seen.get(session_id);
    if (first !== undefined && first.publisher !== publisher_id) return first.answer;
    const answer = handle(request);
    if (session_id !== undefined) seen.set(session_id, { publisher: publisher_id, answer });
    return answer;
  };
}

/** An impression is recorded for the publisher whose surface it is. */
function ownersAreServed(handle: Handle): Handle {
  const asOwner = serves(({ surface }) => surface?.split("-")[0])(handle);
  return (request) => {
    const { surface, ...values } = valuesOf(request);
    if (!isFor(request, "impression") || surface === undefined) return handle(request);
    const publisher_id = surface.split("-")[0] ?? "";
    return asOwner(withValues(request, { ...values, surface, publisher_id }));
  };
}
