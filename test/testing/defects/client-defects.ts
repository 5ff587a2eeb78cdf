/** Defects such as clients have, built around the reference client, and the rule of the contract that each breaks. */

import type { Report } from "../../../src/client.ts";
import type { DriverContext } from "../../../src/contract.ts";
import type { ClientChanges } from "../../client/reference-driver.ts";

export interface ClientDefect extends ClientChanges {
  /** What is wrong then, in a few words. */
  readonly says: string;
  /** Id of the rule. */
  readonly breaks: string;
}

type Values = Readonly<Record<string, string>>;

/** Sends other values in the body of an event. */
function sending(
  change: (values: Values, context: DriverContext) => Readonly<Record<string, unknown>>,
): ClientChanges {
  return {
    context: (context) => ({
      fetch(url, init) {
        const { body } = init ?? {};
        const isJson = typeof body === "string" && body.startsWith("{");
        if (!isJson) return context.fetch(url, init);
        const values = change(JSON.parse(body), context);
        return context.fetch(url, { ...init, body: JSON.stringify(values) });
      },
    }),
  };
}

function clicking(change: (id: string) => string): ClientChanges {
  return sending(({ impression_id: id, ...values }) =>
    id === undefined ? values : { impression_id: change(id) },
  );
}

interface Answer {
  status: number;
  readonly headers: Headers;
  text: string;
}

/** Reads another answer than the one that came. */
function receiving(change: (answer: Answer) => void): ClientChanges {
  return {
    context: (context) => ({
      async fetch(url, init) {
        const response = await context.fetch(url, init);
        const text = await response.clone().text();
        const answer = { status: response.status, headers: new Headers(response.headers), text };
        change(answer);
        const body = answer.status === 204 ? null : answer.text;
        return new Response(body, { status: answer.status, headers: answer.headers });
      },
    }),
  };
}

/** Reads another `Retry-After`; without one where that is undefined. */
function waiting(change: (seconds: number) => number | undefined): ClientChanges {
  return receiving(({ headers }) => {
    const text = headers.get("retry-after");
    if (text === null) return;
    const seconds = change(Number(text));
    if (seconds === undefined) headers.delete("retry-after");
    else headers.set("retry-after", String(seconds));
  });
}

/** Reads other members in answers with status 200. */
function reading(change: (body: Record<string, unknown>) => void): ClientChanges {
  return receiving((answer) => {
    const body = answer.status === 200 ? jsonOf(answer.text) : undefined;
    if (!isObject(body)) return;
    change(body);
    answer.text = JSON.stringify(body);
  });
}

/** Reads another value for a member, or for one of a list. */
function member(names: readonly string[], change: (value: unknown) => unknown): ClientChanges {
  return reading((body) => {
    const events = "ok" in body;
    for (const name of names) if (name in body || events) body[name] = change(body[name]);
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const event = { ok: true, impression_id: "x", click_id: "x", revenue_credited_inr: 0 };
const nothing: Report = { delivered: 0, undelivered: [], unlisted: 0 };

/** Leaves some events out of its reports. */
function unreported(isLeftOut: (event: Report["undelivered"][number]) => boolean): ClientChanges {
  const without = (report: Report): Report => ({
    ...report,
    undelivered: report.undelivered.filter((one) => !isLeftOut(one)),
  });
  return {
    ads: ({ flush, close }) => ({
      flush: async () => without(await flush()),
      close: async () => without(await close()),
    }),
  };
}

/** Refuses an answer of a method. */
function refusing(
  method: "surfaces" | "payouts",
  isRefused: (row: object) => boolean,
): ClientChanges {
  return {
    driver: (driver) => ({
      async [method](query: object) {
        const answer = (await driver[method]?.(query)) as Record<string, object[]>;
        if (answer[method]?.some(isRefused)) throw new Error("The answer isn't as expected.");
        return answer;
      },
    }),
  };
}

const dayAfter = (day: string | number, ms: number): string =>
  new Date(new Date(day).getTime() + ms).toISOString().slice(0, 10);

const rules: Readonly<Record<string, Readonly<Record<string, ClientChanges>>>> = {
  "impression-counts-once": {
    "an ad on another surface is taken for the same view": {
      ads({ impression }) {
        const views = new Map<string, ReturnType<typeof impression>>();
        return {
          impression(surface, ad) {
            const view = views.get(ad) ?? impression(surface, ad);
            views.set(ad, view);
            return view;
          },
        };
      },
    },
    "all ad views share one session": sending((values) => ({ ...values, session_id: "one" })),
    "the surface's name is sent for its id": sending(({ surface, ...values }, { surfaces }) => ({
      ...values,
      surface: surfaces.find(({ id }) => id === surface)?.name,
    })),
  },
  "no-event-doubled": {
    "a repetition has a new session id": sending((values, { random }) => ({
      ...values,
      session_id: `${random()}`,
    })),
    "no session id is sent": sending(({ session_id: _, ...values }) => values),
  },
  "lost-request-not-lost": {
    "a repetition names another ad": sending(({ ad_id, ...values }, { random }) => ({
      ...values,
      ad_id: `${ad_id}-${random()}`,
    })),
  },
  "waits-as-told": {
    "Retry-After is ignored": waiting(() => 0),
    "Retry-After is taken for milliseconds": waiting((seconds) => Math.ceil(seconds / 1000)),
    "no wait is longer than a minute": waiting((seconds) => Math.min(seconds, 60)),
  },
  "waits-until-date": {
    "a date in Retry-After is ignored": waiting((value) =>
      Number.isNaN(value) ? undefined : value,
    ),
  },
  "limit-by-another-status": {
    "a limit with status 403 or 503 isn't recognised": receiving(({ status, headers }) => {
      if (status === 403 || status === 503) headers.delete("x-ratelimit-remaining");
    }),
  },
  "pauses-grow": {
    "pauses don't grow": { options: { retry: { longestPauseMs: 1000 }, random: () => 0.5 } },
    "pauses don't grow, but are drawn": { options: { retry: { longestPauseMs: 1000 } } },
    "there are no pauses": { options: { retry: { firstPauseMs: 1, longestPauseMs: 1 } } },
  },
  "answers-in-time": {
    "pauses are ten times as long": {
      context: ({ timers }) => ({
        timers: {
          ...timers,
          setTimeout: (callback: () => void, ms: number) => timers.setTimeout(callback, ms * 10),
        },
      }),
    },
  },
  "refusal-not-repeated": {
    "a refused event is sent again": receiving((answer) => {
      if (answer.status >= 400 && answer.status < 500) answer.status = 500;
    }),
  },
  "close-loses-nothing": {
    "of many events at once some get lost": {
      context({ fetch }) {
        let sent = 0;
        return {
          async fetch(url, init) {
            if (++sent % 20 > 0) return await fetch(url, init);
            return Response.json(event);
          },
        };
      },
    },
    "closing drops queued events without a report": {
      ads: ({ close }) => ({
        async close() {
          await close({ withinMs: 0 });
          return nothing;
        },
      }),
    },
    "undelivered events aren't reported": unreported(() => true),
    "an event whose answer was lost is reported as recorded": unreported(
      ({ mayHaveApplied }) => mayHaveApplied,
    ),
  },
  "refusal-is-no-success": {
    "a refused event is reported as recorded": unreported(({ why }) => why === "refused"),
  },
  "silent-after-close": {
    "the client goes on after it was closed": { ads: () => ({ close: async () => nothing }) },
  },
  "flush-delivers": {
    "a flush doesn't wait": { ads: () => ({ flush: async () => nothing }) },
  },
  "opaque-ids": {
    "ids of digits are taken for numbers": clicking((id) =>
      /^\d+$/.test(id) ? String(Number(id)) : id,
    ),
    "ids are percent-encoded": clicking(encodeURIComponent),
    "ids are cut to 32 characters": clicking((id) => id.slice(0, 32)),
  },
  "key-stays-in-the-header": {
    "the key is in the URL": {
      context: ({ fetch, apiKey }) => ({
        fetch: (url, init) =>
          fetch(`${url}${String(url).includes("?") ? "&" : "?"}${apiKey}`, init),
      }),
    },
  },
  authorization: {
    "the scheme is written in lower case": {
      context: ({ fetch, apiKey }) => ({
        fetch: (url, init) =>
          fetch(url, { ...init, headers: { ...init?.headers, authorization: `bearer ${apiKey}` } }),
      }),
    },
  },
  "stats-default-period": {
    "the default period ends with the day in India": {
      driver: ({ stats }, { timers }) => ({
        stats: (query) => stats?.({ to: dayAfter(timers.now(), 19_800_000), ...query }),
      }),
    },
  },
  "stats-period": {
    "a period begins a day late": {
      driver: ({ stats }) => ({
        stats: ({ from, ...query }) =>
          stats?.({ ...query, from: from === undefined ? from : dayAfter(from, 86_400_000) }),
      }),
    },
  },
  "stats-as-answered": {
    "amounts are rounded to paise": receiving((answer) => {
      answer.text = answer.text.replaceAll(/(\.\d\d)\d+/g, "$1");
    }),
  },
  "payouts-limit": {
    "the limit of a list isn't sent": {
      driver: ({ payouts }) => ({ payouts: () => payouts?.({}) }),
    },
  },
  "surfaces-as-answered": {
    "a surface's status has to be active": refusing(
      "surfaces",
      (surface) => "status" in surface && surface.status !== "active",
    ),
  },
  "payouts-as-answered": {
    "a payout has to have a reference": refusing(
      "payouts",
      (payout) => !("txn_id" in payout && typeof payout.txn_id === "string"),
    ),
  },
  "unlisted-members": {
    "members that the spec doesn't list are refused": reading((body) => {
      if ("ok" in body && Object.keys(body).length > 3) body.ok = false;
    }),
  },
  "broken-answer-is-no-success": {
    "every 200 is a success": receiving((answer) => {
      if (answer.status === 200 && jsonOf(answer.text) === undefined)
        answer.text = JSON.stringify(event);
    }),
  },
  "wrong-answer-is-no-success": {
    "`ok` isn't looked at": member(["ok"], () => true),
    "an empty id is one": member(["impression_id", "click_id"], (id) => (id === "" ? "x" : id)),
    "a number is an id": member(["impression_id", "click_id"], (id) =>
      typeof id === "number" ? `${id}` : id,
    ),
    "null is an id": member(["impression_id", "click_id"], (id) => (id === null ? "x" : id)),
    "an answer without the id will do": member(["impression_id"], (id = "x") => id),
    "a click's answer without the id will do": member(["click_id"], (id = "x") => id),
    "a credit may be text": member(["revenue_credited_inr"], (inr) =>
      typeof inr === "string" ? 0 : inr,
    ),
    "an amount may be null": member(
      ["revenue_credited_inr", "revenue_inr", "pending_inr"],
      (inr) => (inr === null ? 0 : inr),
    ),
    "figures may be text": receiving((answer) => {
      if (answer.status === 200) answer.text = answer.text.replaceAll(/"\d+(\.\d+)?"/g, "0");
    }),
    "a list may be missing": reading((body) => {
      if ("pending_inr" in body) body.payouts ??= [];
    }),
    "every 2xx is a success": receiving((answer) => {
      if (answer.status > 200 && answer.status < 300) answer.status = 200;
    }),
    "a 204 is a success": receiving((answer) => {
      if (answer.status === 204)
        Object.assign(answer, { status: 200, text: JSON.stringify(event) });
    }),
  },
  "silence-ends": {
    "the wait for a silent service never ends": {
      context: ({ timers }) => ({
        timers: {
          ...timers,
          setTimeout: (callback: () => void, ms: number) =>
            timers.setTimeout(ms === 10_000 ? () => {} : callback, ms),
        },
      }),
    },
  },
};

export const clientDefects: readonly ClientDefect[] = Object.entries(rules).flatMap(
  ([breaks, defects]) =>
    Object.entries(defects).map(([says, changes]) => ({ says, breaks, ...changes })),
);
