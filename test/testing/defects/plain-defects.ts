/** What a client may get wrong that one writes in an hour, without a queue and without repeats: built around `onceOnly`. */

import type { ClientChanges } from "../../client/reference-driver.ts";
import {
  answering,
  asking,
  calling,
  clicking,
  dayAfter,
  event,
  reading,
  receiving,
  sending,
  viewing,
  viewingWith,
} from "./changes.ts";
import type { Receipt } from "./wire.ts";

interface Stats {
  readonly revenue_inr: number;
  readonly clicks: number;
  readonly surfaces: readonly { readonly id: string }[];
}

interface Rows {
  readonly surfaces: readonly { readonly status: string }[];
  readonly payouts: readonly { readonly status: string; readonly txn_id?: string | null }[];
}

const INDIA_MS = 19_800_000;
const MONTH_MS = 30 * 86_400_000;

/** It fills in the period itself. */
const ownDays = (aheadMs: number): ClientChanges =>
  asking("stats", (query, { timers }) => ({
    ...query,
    to: query.to ?? dayAfter(timers.now(), aheadMs),
    from: query.from ?? dayAfter(timers.now() - MONTH_MS, aheadMs),
  }));

const changingDays = (change: (day: string) => string): ClientChanges =>
  asking("stats", ({ from, to, ...query }) => ({
    ...query,
    from: from && change(from),
    to: to && change(to),
  }));

/** Returns something else for a view than the client got. `latest`: the id before this one. */
const recording = (change: (id: string, inr: number, latest: string) => object): ClientChanges => ({
  driver({ impression }) {
    let latest = "";
    return {
      async impression(shown) {
        const own = (await impression(shown)) as Receipt;
        const changed = change(own.impression_id, own.revenue_credited_inr, latest);
        latest = own.impression_id;
        return { ...own, ...changed };
      },
    };
  },
});

export const plainDefects: Readonly<Record<string, ClientChanges>> = {
  // Requests.
  "refuses to start": {
    driver() {
      throw new Error("not today");
    },
  },
  "asks to be paid at the start": {
    driver(_, { baseUrl, fetch }) {
      fetch(`${baseUrl}/v1/payout`, { method: "POST" }).catch(() => {});
      return {};
    },
  },
  "records an impression to warm up": {
    driver({ impression }, { surfaces: [surface] }) {
      const shown = { surface: surface?.id ?? "", ad: "warm-up", session: "warm-up" };
      Promise.resolve(impression(shown)).catch(() => {});
      return {};
    },
  },
  "puts HEAD before each GET": {
    context: ({ fetch }) => ({
      async fetch(url, init) {
        if (init?.method === "GET") await fetch(url, { ...init, method: "HEAD" });
        return await fetch(url, init);
      },
    }),
  },
  "adds a slash to paths": sending((request) => {
    request.url = request.url.replace(/(?=\?|$)/, "/");
  }),
  "sends the key without Bearer": sending(({ headers }, { apiKey }) => {
    headers.authorization = apiKey;
  }),
  "sends half of the key": sending(({ headers }, { apiKey }) => {
    headers.authorization = `Bearer ${apiKey.slice(0, 8)}`;
  }),
  "sends the key in the URL as well": sending((request, { apiKey }) => {
    request.url += `${request.url.includes("?") ? "&" : "?"}api_key=${apiKey}`;
  }),
  "sends the key in the body as well": viewing((values, { apiKey }) => ({
    ...values,
    key: apiKey,
  })),
  "shows the key in its errors": calling(async (act, { apiKey }) => {
    try {
      return await act();
    } catch (error) {
      const { status } = error as { status?: number };
      throw Object.assign(new Error(`failed with ${apiKey}`), { status });
    }
  }),
  "swaps ad and surface": viewing(({ ad_id: surface, surface: ad_id, ...values }) => ({
    ...values,
    surface,
    ad_id,
  })),
  "sends a parameter of its own": viewing((values) => ({ ...values, referrer: "example.org" })),
  "sends ids as numbers": viewingWith("ad_id", () => 7),
  "forgets the publisher": viewingWith("publisher_id", () => undefined),
  "sends the publisher twice": sending((request, { publisherId }) => {
    if (request.url.includes("?")) request.url += `&publisher_id=${publisherId}`;
  }),
  "sends an empty session": viewingWith("session_id", () => ""),
  "shares one session": viewingWith("session_id", () => "the-session"),
  "sends no session": viewingWith("session_id", () => undefined),
  "cuts sessions after 64 characters": viewingWith("session_id", (id) => id.slice(0, 64)),
  "cuts names after 64 characters": viewingWith("ad_id", (ad) => ad.slice(0, 64)),
  "composes letters": viewingWith("ad_id", (ad) => ad.normalize("NFC")),
  "trims what it sends": viewing((values) =>
    Object.fromEntries(Object.entries(values).map(([name, one]) => [name, String(one).trim()])),
  ),
  "sends bodies in latin-1": sending((request) => {
    if (typeof request.body === "string") request.body = Buffer.from(request.body, "latin1");
  }),
  "doesn't escape": sending((request) => {
    request.url = decodeURIComponent(request.url);
  }),
  "leaves + as it is": sending((request) => {
    request.url = request.url.replaceAll("%2B", "+");
    if (typeof request.body === "string") request.body = request.body.replaceAll("%2B", "+");
  }),

  // Events and their answers.
  "clicks on what it shows": {
    driver: ({ impression, click }) => ({
      async impression(shown) {
        const receipt = await impression(shown);
        await click?.(receipt);
        return receipt;
      },
    }),
  },
  "reports each ad view twice": {
    driver: ({ impression }) => ({
      async impression(shown) {
        await impression({ ...shown, session: `${shown.session}-first` });
        return await impression(shown);
      },
    }),
  },
  "forgets every third ad view": {
    driver({ impression }) {
      let shown = 0;
      const none = { impression_id: "none", revenue_credited_inr: 0 };
      return { impression: (view) => (++shown % 3 === 0 ? none : impression(view)) };
    },
  },
  "rounds credits to paise": recording((_, inr) => ({
    revenue_credited_inr: Math.round(inr * 100) / 100,
  })),
  "keeps credits as texts": recording((_, inr) => ({ revenue_credited_inr: String(inr) })),
  "gives the last id for a repeat": recording((id, _, latest) => ({ impression_id: latest || id })),
  "takes ids for numbers": recording((id) => ({
    impression_id: /^\d+$/.test(id) ? Number(id) : id,
  })),
  "cuts ids after 24 characters": recording((id) => ({ impression_id: id.slice(0, 24) })),
  "takes ids of one form only": recording((id) => {
    if (!id.startsWith("imp_")) throw new Error("what is that?");
    return {};
  }),
  "encodes ids twice": clicking(encodeURIComponent),
  "clicks on the latest impression": {
    driver({ impression, click }) {
      let latest: unknown;
      return {
        impression: async (shown) => (latest = await impression(shown)),
        click: () => click?.(latest),
      };
    },
  },
  "doesn't send clicks": { driver: () => ({ click: () => ({}) }) },
  "refuses to click": {
    driver: () => ({
      click() {
        throw new Error("not today");
      },
    }),
  },
  "clicks twice": {
    driver: ({ click }) => ({
      async click(receipt) {
        await click?.(receipt);
        return await click?.(receipt);
      },
    }),
  },
  "says that 415 was fine": receiving((answer) => {
    if (answer.status === 415) Object.assign(answer, { status: 200, text: JSON.stringify(event) });
  }),
  "says that a refusal was fine": calling(async (act) => {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Error && "status" in error && error.status !== undefined) return {};
      throw error;
    }
  }),
  "knows its members only": receiving((answer) => {
    if (/"x_\w+":/.test(answer.text)) answer.text = "";
  }),
  "reads members by their place": reading((body) => {
    const [ok, impression_id, revenue_credited_inr] = Object.values(body);
    if ("impression_id" in body) Object.assign(body, { ok, impression_id, revenue_credited_inr });
  }),
  "compares the content type": receiving((answer) => {
    if (answer.headers.get("content-type") !== "application/json") answer.text = "";
  }),

  // What it is asked for.
  "rounds revenue": answering("stats", (answer: Stats) => ({
    ...answer,
    revenue_inr: Math.round(answer.revenue_inr),
  })),
  "drops the clicks of statistics": answering("stats", ({ clicks: _, ...others }: Stats) => others),
  "swaps the rows of statistics": answering("stats", (answer: Stats) => {
    const ids = answer.surfaces.map(({ id }) => id).reverse();
    return { ...answer, surfaces: answer.surfaces.map((row, at) => ({ ...row, id: ids[at] })) };
  }),
  "takes a surface without a row for an error": answering("stats", (answer: Stats, { surface }) => {
    if (surface !== undefined && answer.surfaces.length === 0) throw new Error("where is its row?");
    return answer;
  }),
  "keeps statistics for an hour": {
    driver({ stats }, { timers }) {
      let kept: { readonly untilMs: number; readonly answer: unknown } | undefined;
      return {
        async stats(query) {
          const now = timers.now();
          if (kept === undefined || now > kept.untilMs)
            kept = { untilMs: now + 3_600_000, answer: stats?.(query) };
          return await kept.answer;
        },
      };
    },
  },
  "sends instants for days": changingDays((day) => `${day}T00:00:00.000Z`),
  "reads days as local midnights": changingDays((day) => dayAfter(day, -INDIA_MS)),
  "counts months for days": changingDays((day) => day.replace(/-29$/, "-28")),
  "drops the end of a period": asking("stats", ({ to: _, ...query }) => query),
  "sends days of India": ownDays(INDIA_MS),
  "sends days of UTC": ownDays(0),
  "drops the surface of statistics": asking("stats", ({ surface: _, ...query }) => query),
  "lists active surfaces only": answering("surfaces", ({ surfaces }: Rows) => ({
    surfaces: surfaces.filter(({ status }) => status === "active"),
  })),
  "refuses a status": answering("surfaces", (answer: Rows) => {
    if (answer.surfaces.some(({ status }) => status !== "active")) throw new Error("what is that?");
    return answer;
  }),
  "fills in txn_id": answering("payouts", (answer: Rows) => ({
    ...answer,
    payouts: answer.payouts.map((one) => ({ ...one, txn_id: one.txn_id || "-" })),
  })),
  "sums up what is paid": answering("payouts", (answer: Rows) => ({
    ...answer,
    payouts: answer.payouts.filter(({ status }) => status === "paid"),
  })),
  "drops the limit": asking("payouts", () => ({})),
  "drops a limit above 100": asking("payouts", ({ limit }) =>
    limit !== undefined && limit > 100 ? {} : { limit },
  ),
  "halves the limit": asking("payouts", ({ limit }) => ({ limit: limit && Math.ceil(limit / 2) })),
  "refuses a limit of 100": asking("payouts", (query) => {
    if (query.limit === 100) throw new Error("that is too much");
    return query;
  }),
  "shares one list of payouts among calls at once": {
    driver({ payouts }) {
      let listing: Promise<unknown> | undefined;
      return {
        async payouts(query) {
          listing ??= Promise.resolve(payouts?.(query)).finally(() => {
            listing = undefined;
          });
          return await listing;
        },
      };
    },
  },
};
