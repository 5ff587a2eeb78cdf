/** Defects of the simulator: the scenarios that notice each, and whether random sequences find it. */

import { durationMs } from "../../src/base/duration.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import {
  type Answer,
  afterRestore,
  answers,
  type Body,
  bodies,
  clockAhead,
  objectIn,
  type Plant,
  requests,
  type Sent,
  setBody,
  setText,
  verdicts,
  wrap,
} from "./plant.ts";

interface SimulatorDefect {
  /** Names of shipped scenarios, the quickest first. Each of them breaks. */
  readonly scenarios: readonly string[];
  /** Whether random sequences find it. @default true */
  readonly isHunted?: boolean;
  readonly plant: Plant;
}

const DAY_MS = 86_400_000;

/** Today, or so many days later, in the service's time zone. */
function dayOf({ assumptions, clock }: SimulatorCore, days = 0): string {
  const offsetMs = assumptions["date.timezone"] === "ist" ? 19_800_000 : 0;
  return new Date(clock.now() + offsetMs + days * DAY_MS).toISOString().slice(0, 10);
}

/** Lists some payouts only. */
function payouts(isListed: (payout: Body, sim: SimulatorCore) => boolean): Plant {
  return bodies("payouts", (body, sim) => {
    body.payouts = (body.payouts as Body[]).filter((payout) => isListed(payout, sim));
  });
}

/** Changes the texts of all successes. */
function texts(change: (text: string) => string): Plant {
  return answers((answer) => {
    if (answer.status === 200) setText(answer, change(answer.body));
  });
}

function retryAfter(change: (text: string, sim: SimulatorCore) => string): Plant {
  return answers(({ headers }, _, sim) => {
    const text = headers["retry-after"];
    if (text !== undefined) headers["retry-after"] = change(text, sim);
  });
}

const isEvent = ({ operation }: Sent): boolean =>
  operation === "impression" || operation === "click";

const isLimited = ({ status, headers }: Answer): boolean =>
  headers["x-ratelimit-remaining"] === "0" && (status === 429 || status === 403 || status === 503);

function accept(answer: Answer): void {
  answer.status = 200;
  answer.headers["content-type"] = "application/json";
  setBody(answer, { ok: true, click_id: "clk_1", revenue_credited_inr: 0 });
}

function refuse(answer: Answer): void {
  answer.status = 429;
  setText(answer, "{}");
}

/** Admits the first request above a limit. */
function admitsOneMore(isMeant: (sent: Sent) => boolean): Plant {
  return (sim) => {
    const full = new Set<string>();
    answers((answer, sent) => {
      if (!isMeant(sent)) return;
      if (!isLimited(answer)) full.delete(sent.authorization);
      else if (!full.has(sent.authorization)) {
        full.add(sent.authorization);
        accept(answer);
      }
    })(sim);
  };
}

/** Changes a world that was restored or forked. */
function goesOn(change: (sim: SimulatorCore) => void): Plant {
  return (sim) => {
    afterRestore(sim, () => change(sim));
    wrap(sim, "fork", (fork) => (moment) => {
      const forked = fork(moment);
      change(forked);
      return forked;
    });
  };
}

/** By what is wrong then, in a few words. */
export const simulatorDefects: Readonly<Record<string, SimulatorDefect>> = {
  "sessions aren't remembered": {
    scenarios: ["session-reuse", "duplicate-storm"],
    plant: requests("impression", ({ session_id: _, ...values }) => values),
  },
  "impressions without a session count as one session's": {
    scenarios: ["duplicate-storm"],
    plant: requests("impression", (values) => ({ session_id: "none", ...values })),
  },
  "the ad makes no difference": {
    scenarios: ["session-reuse"],
    plant: requests("impression", (values) => ({ ...values, ad_id: "ad" })),
  },
  "ads and sessions are compared without regard to case": {
    scenarios: ["session-reuse"],
    plant: requests("impression", ({ ad_id, session_id, ...values }) => ({
      ...values,
      ad_id: ad_id?.toLowerCase(),
      session_id: session_id?.toLowerCase(),
    })),
  },
  "only the first thousand characters of a session id count": {
    scenarios: ["unicode-names"],
    isHunted: false,
    plant: requests("impression", ({ session_id, ...values }) => ({
      ...values,
      session_id: session_id?.slice(0, 1000),
    })),
  },
  "ids of digits go through a floating-point number": {
    scenarios: ["schema-drift"],
    plant: requests("click", ({ impression_id: id = "" }) => ({
      impression_id: /^\d+$/.test(id) ? String(Number(id)) : id,
    })),
  },
  "ids that a URL has to escape aren't recognised": {
    scenarios: ["schema-drift"],
    plant: requests("click", ({ impression_id: id = "" }) => ({
      impression_id: encodeURIComponent(id) === id ? id : `${id}.`,
    })),
  },
  "the default period has 30 days": {
    scenarios: ["midnight-utc", "fresh-publisher", "default-period", "leap-day"],
    plant: requests("stats", (values, sim) => ({ from: dayOf(sim, -29), ...values })),
  },
  "the default limit is the maximum": {
    scenarios: ["long-payout-list"],
    plant: requests("payouts", (values) => ({ limit: "100", ...values })),
  },
  "a request for another publisher is answered as the caller's own": {
    scenarios: ["wrong-publisher"],
    plant: requests("surfaces", (values, sim, { authorization }) => {
      const own = sim.publishers.list().find(({ apiKey }) => authorization.endsWith(apiKey));
      return own === undefined ? values : { ...values, publisher_id: own.id };
    }),
  },
  "a key that was seen before stays valid": {
    scenarios: ["key-rotation"],
    plant: (sim) => {
      const ids = new Map<string, string>();
      wrap(sim.publishers, "rotateKey", (rotateKey) => (id) => {
        ids.set(`Bearer ${sim.publishers.get(id).apiKey}`, id);
        return rotateKey(id);
      });
      wrap(sim, "handle", (handle) => (request) => {
        const id = ids.get(request.headers?.authorization ?? "");
        if (id === undefined) return handle(request);
        const authorization = `Bearer ${sim.publishers.get(id).apiKey}`;
        return handle({ ...request, headers: { ...request.headers, authorization } });
      });
    },
  },
  "an impression that earns nothing shows a credit": {
    scenarios: ["surface-paused", "duplicate-storm"],
    plant: bodies("impression", (body) => {
      body.revenue_credited_inr ||= 0.04;
    }),
  },
  "a repeated click shows a credit": {
    scenarios: ["double-click", "lost-ack"],
    plant: bodies("click", (body) => {
      body.revenue_credited_inr ||= 0.5;
    }),
  },
  "a click on any id succeeds": {
    scenarios: ["double-click", "unicode-names", "lost-ack"],
    plant: answers((answer) => {
      if (objectIn(answer.body)?.code === "impression_not_found") accept(answer);
    }),
  },
  "an id as a number that has lost digits is accepted": {
    scenarios: ["big-numbers"],
    isHunted: false,
    plant: answers((answer, { values: { impression_id: id } }) => {
      if (answer.status === 400 && typeof id === "number") accept(answer);
    }),
  },
  "a surface without traffic has no row": {
    scenarios: ["fresh-publisher"],
    plant: bodies("stats", (body) => {
      body.surfaces = (body.surfaces as Body[]).filter(({ impressions }) => impressions !== 0);
    }),
  },
  "a click's revenue isn't recorded": {
    scenarios: ["happy-month"],
    plant: (sim) => {
      let credited = 0;
      bodies("click", ({ revenue_credited_inr: inr }) => {
        credited += Number(inr);
      })(sim);
      bodies("stats", (body) => {
        body.revenue_inr = Number((Number(body.revenue_inr) - credited).toFixed(6));
      })(sim);
    },
  },
  "answers show five decimals of the six": {
    scenarios: ["busy-day", "big-numbers"],
    plant: texts((text) => text.replaceAll(/(\.\d{5})\d/g, "$1")),
  },
  "amounts have trailing zeros": {
    scenarios: ["big-numbers"],
    isHunted: false,
    plant: texts((text) => text.replaceAll(/(\.\d+)(?=[,}\]])/g, "$10")),
  },
  "an answer is reused until the next event": {
    scenarios: ["default-period"],
    plant: (sim) => {
      const known = new Map<string, string>();
      answers((answer, sent) => {
        if (isEvent(sent)) known.clear();
        if (sent.operation !== "stats" || answer.status !== 200) return;
        const key = JSON.stringify(sent);
        const text = known.get(key) ?? answer.body;
        known.set(key, text);
        setText(answer, text);
      })(sim);
    },
  },
  "a period that reaches past today ends today": {
    scenarios: ["clock-skew"],
    plant: bodies("stats", (body, sim) => {
      const { from, to } = body.period as { from: string; to: string };
      const today = dayOf(sim);
      if (to > today) body.period = { from, to: today };
    }),
  },
  "the length of a body is counted in characters": {
    scenarios: ["unicode-names"],
    plant: answers(({ headers, body }, { operation }) => {
      if (operation === "surfaces") headers["content-length"] = String(body.length);
    }),
  },
  "a month is paid a day early": {
    scenarios: ["leap-day", "happy-month"],
    plant: bodies("payouts", (body) => {
      for (const payout of body.payouts as Body[])
        payout.date = String(payout.date).replace(/07$/, "06");
    }),
  },
  "a month is paid a day late": {
    scenarios: ["unknown-status", "payout-month-end"],
    isHunted: false,
    plant: payouts(({ date }, sim) => date !== dayOf(sim)),
  },
  "an amount that was paid stays pending": {
    scenarios: ["happy-month"],
    plant: bodies("payouts", (body) => {
      for (const { amount_inr: inr } of body.payouts as Body[])
        body.pending_inr = Number(body.pending_inr) + Number(inr);
    }),
  },
  "an amount equal to the threshold isn't paid": {
    scenarios: ["payout-month-end"],
    isHunted: false,
    plant: payouts(({ amount_inr: inr }) => inr !== 500),
  },
  "the latest payout isn't listed": {
    scenarios: ["long-payout-list"],
    plant: bodies("payouts", (body) => {
      body.payouts = (body.payouts as Body[]).slice(1);
    }),
  },
  "the recording limit is one too high": {
    scenarios: ["burst-to-limit"],
    isHunted: false,
    plant: admitsOneMore(isEvent),
  },
  "the reporting limit is one too high": {
    scenarios: ["reporting-limit", "limit-recovers", "retry-after-date", "thundering-herd"],
    plant: admitsOneMore((sent) => !isEvent(sent)),
  },
  "the last request of a limit is refused": {
    scenarios: ["window-edge"],
    plant: answers((answer) => {
      if (answer.status === 200 && answer.headers["x-ratelimit-remaining"] === "0") refuse(answer);
    }),
  },
  "a refused request spends quota all the same": {
    scenarios: ["limit-recovers", "thundering-herd"],
    plant: (sim) => {
      const owing = new Set<string>();
      answers((answer, { authorization }) => {
        if (isLimited(answer)) owing.add(authorization);
        else if (owing.delete(authorization)) refuse(answer);
      })(sim);
    },
  },
  "all publishers share one recording limit": {
    scenarios: ["noisy-neighbour"],
    isHunted: false,
    plant: (sim) => {
      let fullUntilMs = 0;
      answers((answer, sent) => {
        if (!isEvent(sent)) return;
        const nowMs = sim.clock.now();
        if (isLimited(answer)) fullUntilMs = nowMs + 1000 * Number(answer.headers["retry-after"]);
        else if (nowMs < fullUntilMs) refuse(answer);
      })(sim);
    },
  },
  "a new key has less than its whole quota": {
    scenarios: ["reporting-limit", "key-rotation"],
    plant: (sim) =>
      wrap(sim.publishers, "rotateKey", (rotateKey) => (publisher) => {
        const rotated = rotateKey(publisher);
        const query = `publisher_id=${rotated.id}`;
        const headers = { authorization: `Bearer ${rotated.apiKey}` };
        sim.handle({ method: "GET", path: "/v1/publisher/surfaces", query, headers });
        return rotated;
      }),
  },
  "Retry-After is a second too short": {
    scenarios: ["limit-recovers"],
    plant: retryAfter((text) => (/^\d+$/.test(text) ? String(Number(text) - 1) : text)),
  },
  "Retry-After is the length of the window, whenever it began": {
    scenarios: ["limit-recovers", "retry-after-date", "thundering-herd"],
    isHunted: false,
    plant: retryAfter((text) => (/^\d+$/.test(text) ? "60" : text)),
  },
  "Retry-After has the date of the answer": {
    scenarios: ["clock-skew", "retry-after-date"],
    plant: retryAfter((text, sim) =>
      text.endsWith("GMT") ? new Date(sim.clock.now()).toUTCString() : text,
    ),
  },
  "a hint is sent where there should be none": {
    scenarios: ["retry-after-date"],
    isHunted: false,
    plant: answers(({ status, headers }) => {
      if (status === 429) headers["retry-after"] ??= "0";
    }),
  },
  "a web page is announced as JSON": {
    scenarios: ["retry-after-date"],
    plant: answers(({ headers, body }) => {
      if (body.startsWith("<")) headers["content-type"] = "application/json";
    }),
  },
  "an answer reveals that a hidden publisher exists": {
    scenarios: ["wrong-publisher"],
    isHunted: false,
    plant: answers((answer, { values: { publisher_id: id } }, sim) => {
      const body = objectIn(answer.body);
      const exists = sim.publishers.list().some((publisher) => publisher.id === id);
      if (body?.code === "publisher_not_found" && exists)
        setBody(answer, { ...body, detail: "publisher_id is another publisher's." });
    }),
  },
  "the service's clock is half a second fast": {
    scenarios: ["midnight-utc", "midnight-ist", "default-period", "leap-day"],
    plant: clockAhead(() => 500),
  },
  "Indian time is five hours ahead": {
    scenarios: ["midnight-ist"],
    plant: clockAhead(({ assumptions }) =>
      assumptions["date.timezone"] === "ist" ? -1_800_000 : 0,
    ),
  },
  "everything lasts a millisecond longer": {
    scenarios: ["duplicate-storm", "double-click", "shutdown-flush"],
    plant: (sim) => {
      let behindMs = 0;
      wrap(sim.clock, "advance", (advance) => (by) => {
        const ms = durationMs(by);
        behindMs += ms > 1 ? 1 : 0;
        return advance(ms > 1 ? ms - 1 : ms) + behindMs;
      });
      clockAhead(() => -behindMs)(sim);
    },
  },
  "a world that goes on has forgotten what would be a duplicate": {
    scenarios: [],
    plant: goesOn((sim) => {
      const window = sim.assumptions["dedup.window"];
      sim.assume({ "dedup.window": window === "24h" ? "30m" : "24h" });
      sim.assume({ "dedup.window": window });
    }),
  },
  "in a world that goes on every publisher has another key": {
    scenarios: [],
    plant: goesOn(({ publishers }) => {
      for (const { id } of publishers.list()) publishers.rotateKey(id);
    }),
  },
  "a paused surface records impressions": {
    scenarios: ["surface-paused"],
    plant: ({ publishers }) =>
      wrap(
        publishers,
        "setSurface",
        (setSurface) => (publisher, surface, change) =>
          setSurface(publisher, surface, { ...change, status: "active" }),
      ),
  },
  "an event whose answer is lost isn't recorded": {
    scenarios: ["shutdown-flush", "lost-ack"],
    isHunted: false,
    plant: verdicts("lose-response", (verdict) => ({ ...verdict, kind: "drop" })),
  },
  "an event that never arrived is recorded": {
    scenarios: ["shutdown-flush"],
    isHunted: false,
    plant: verdicts("drop", (verdict) => ({ ...verdict, kind: "lose-response" })),
  },
  "a byte too many arrives": {
    scenarios: ["lost-ack"],
    isHunted: false,
    plant: verdicts("truncate", (verdict) =>
      verdict.atByte === undefined ? verdict : { ...verdict, atByte: verdict.atByte + 1 },
    ),
  },
  "an answer that drips counts as lost": {
    scenarios: ["lost-ack"],
    isHunted: false,
    plant: verdicts("drip", () => ({ kind: "lose-response" })),
  },
  "headers that a rule sets are left out": {
    scenarios: ["flapping", "double-click", "brownout", "lost-ack"],
    isHunted: false,
    plant: verdicts("respond", ({ headers: _, ...verdict }) => verdict),
  },
  "the service records a request that a rule answers in its place": {
    scenarios: ["flapping", "double-click", "brownout", "lost-ack"],
    isHunted: false,
    plant: verdicts("respond", (verdict) => ({ ...verdict, applied: true })),
  },
  "a client that has left isn't noticed": {
    scenarios: ["lost-ack"],
    isHunted: false,
    plant: answers((answer) => {
      const { delivery } = answer;
      if (delivery !== undefined) answer.delivery = { ...delivery, undelivered: () => undefined };
    }),
  },
  "the audit counts lost answers as arrived": {
    scenarios: ["lost-ack"],
    isHunted: false,
    plant: (sim) =>
      wrap(sim, "audit", (audit) => () => {
        const real = audit();
        const { impressions, clicks, ...total } = real.total;
        const none = { lost: 0, unseen: 0 };
        const counted = {
          impressions: { ...impressions, ...none },
          clicks: { ...clicks, ...none },
        };
        return { ...real, total: { ...total, ...none, ...counted } };
      }),
  },
};
