/** Defects such as clients have, built around the reference client. */

import type { Report } from "../../../src/client.ts";
import type { ClientChanges } from "../../client/reference-driver.ts";
import {
  answering,
  asking,
  clicking,
  dayAfter,
  event,
  jsonOf,
  member,
  reading,
  receiving,
  sending,
  viewing,
  viewingWith,
  waiting,
} from "./changes.ts";

const nothing: Report = { delivered: 0, undelivered: [], unlisted: 0 };

/** Leaves some events out of its reports. */
function unreported(isLeftOut: (event: Report["undelivered"][number]) => boolean): ClientChanges {
  const without = ({ undelivered, ...report }: Report): Report => ({
    ...report,
    undelivered: undelivered.filter((one) => !isLeftOut(one)),
  });
  return {
    ads: ({ flush, close }) => ({
      flush: async () => without(await flush()),
      close: async () => without(await close()),
    }),
  };
}

/** Refuses an answer with such a row. */
const refusing = (
  name: "surfaces" | "payouts",
  isRefused: (row: Record<string, unknown>) => boolean,
): ClientChanges =>
  answering(name, (answer: Record<string, Record<string, unknown>[]>) => {
    if (answer[name]?.some(isRefused)) throw new Error("The answer isn't as expected.");
    return answer;
  });

/** Its timers take another time. */
const timing = (change: (ms: number) => number | undefined): ClientChanges => ({
  context: ({ timers }) => ({
    timers: {
      ...timers,
      setTimeout(callback: () => void, ms: number) {
        const changed = change(ms);
        return timers.setTimeout(changed === undefined ? () => {} : callback, changed ?? ms);
      },
    },
  }),
});

const ids = ["impression_id", "click_id"];
const amounts = ["revenue_credited_inr", "revenue_inr", "pending_inr"];

export const referenceDefects: Readonly<Record<string, ClientChanges>> = {
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
  "all ad views share one session": viewingWith("session_id", () => "one"),
  "the surface's name is sent for its id": viewing(({ surface, ...values }, { surfaces }) => ({
    ...values,
    surface: surfaces.find(({ id }) => id === surface)?.name,
  })),
  "a repetition has a new session id": viewingWith("session_id", (_, { random }) => `${random()}`),
  "no session id is sent": viewingWith("session_id", () => undefined),
  "a repetition names another ad": viewingWith("ad_id", (ad, { random }) => `${ad}-${random()}`),
  "Retry-After is ignored": waiting(() => 0),
  "Retry-After is taken for milliseconds": waiting((seconds) => Math.ceil(seconds / 1000)),
  "no wait is longer than a minute": waiting((seconds) => Math.min(seconds, 60)),
  "a date in Retry-After is ignored": waiting((value) => (Number.isNaN(value) ? undefined : value)),
  "a limit with status 403 or 503 isn't recognised": receiving(({ status, headers }) => {
    if (status === 403 || status === 503) headers.delete("x-ratelimit-remaining");
  }),
  "pauses don't grow": { options: { retry: { longestPauseMs: 1000 }, random: () => 0.5 } },
  "pauses don't grow, but are drawn": { options: { retry: { longestPauseMs: 1000 } } },
  "there are no pauses": { options: { retry: { firstPauseMs: 1, longestPauseMs: 1 } } },
  "pauses are ten times as long": timing((ms) => ms * 10),
  "the wait for a silent service never ends": timing((ms) => (ms === 10_000 ? undefined : ms)),
  "a refused event is sent again": receiving((answer) => {
    if (answer.status >= 400 && answer.status < 500) answer.status = 500;
  }),
  "of many events at once some get lost": {
    context({ fetch }) {
      let sent = 0;
      return {
        fetch: async (url, init) =>
          ++sent % 20 > 0 ? await fetch(url, init) : Response.json(event),
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
  "a refused event is reported as recorded": unreported(({ why }) => why === "refused"),
  "the client goes on after it was closed": { ads: () => ({ close: async () => nothing }) },
  "a flush doesn't wait": { ads: () => ({ flush: async () => nothing }) },
  "ids of digits are taken for numbers": clicking((id) =>
    /^\d+$/.test(id) ? String(Number(id)) : id,
  ),
  "ids are percent-encoded": clicking(encodeURIComponent),
  "ids are cut to 32 characters": clicking((id) => id.slice(0, 32)),
  "the key is in the URL": sending((request, { apiKey }) => {
    request.url += `${request.url.includes("?") ? "&" : "?"}${apiKey}`;
  }),
  "the scheme is written in lower case": sending(({ headers }, { apiKey }) => {
    headers.authorization = `bearer ${apiKey}`;
  }),
  "the default period ends with the day in India": asking("stats", (query, { timers }) => ({
    to: dayAfter(timers.now(), 19_800_000),
    ...query,
  })),
  "a period begins a day late": asking("stats", ({ from, ...query }) => ({
    ...query,
    from: from && dayAfter(from, 86_400_000),
  })),
  "amounts are rounded to paise": receiving((answer) => {
    answer.text = answer.text.replaceAll(/(\.\d\d)\d+/g, "$1");
  }),
  "the limit of a list isn't sent": asking("payouts", () => ({})),
  "a surface's status has to be active": refusing("surfaces", ({ status }) => status !== "active"),
  "a payout has to have a reference": refusing(
    "payouts",
    ({ txn_id }) => typeof txn_id !== "string",
  ),
  "members that the spec doesn't list are refused": reading((body) => {
    if ("ok" in body && Object.keys(body).length > 3) body.ok = false;
  }),
  "every 200 is a success": receiving((answer) => {
    if (answer.status === 200 && jsonOf(answer.text) === undefined)
      answer.text = JSON.stringify(event);
  }),
  "`ok` isn't looked at": member(["ok"], () => true),
  "an empty id is one": member(ids, (id) => (id === "" ? "x" : id)),
  "a number is an id": member(ids, (id) => (typeof id === "number" ? `${id}` : id)),
  "null is an id": member(ids, (id) => (id === null ? "x" : id)),
  "an answer without the id will do": member(["impression_id"], (id = "x") => id),
  "a click's answer without the id will do": member(["click_id"], (id = "x") => id),
  "a credit may be text": member(["revenue_credited_inr"], (inr) =>
    typeof inr === "string" ? 0 : inr,
  ),
  "an amount may be null": member(amounts, (inr) => (inr === null ? 0 : inr)),
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
    if (answer.status === 204) Object.assign(answer, { status: 200, text: JSON.stringify(event) });
  }),
};
