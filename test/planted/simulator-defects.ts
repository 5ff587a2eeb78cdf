/** Defects of the simulator: what notices each, and how it is planted. */

import { durationMs } from "../../src/base/duration.ts";
import type { Payout } from "../../src/client/api.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import { buildRequest } from "../../src/spec/build-request.ts";
import { type EventKind, isEventKind } from "../../src/spec/operations.ts";
import {
  type Answer,
  afterRestore,
  answers,
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

/** By what is wrong then, in a few words. */
type Defects = Readonly<Record<string, Plant>>;
/** The name begins with the shipped scenario that notices it. */
type StagedDefects = Readonly<Record<`${string}: ${string}`, Plant>>;

const DAY_MS = 86_400_000;

/** Today, or so many days later, in the service's time zone. */
function dayOf({ assumptions, clock }: SimulatorCore, days = 0): string {
  const offsetMs = assumptions["date.timezone"] === "ist" ? 19_800_000 : 0;
  return new Date(clock.now() + offsetMs + days * DAY_MS).toISOString().slice(0, 10);
}

/** Changes the credit that a success shows. */
function credits(kind: EventKind, change: (inr: number) => number): Plant {
  return bodies(kind, (body) => ({ revenue_credited_inr: change(body.revenue_credited_inr) }));
}

/** Lists some payouts only. The first is the latest. */
function payouts(isListed: (one: Payout, place: number, sim: SimulatorCore) => boolean): Plant {
  return bodies("payouts", (body, sim) => ({
    payouts: body.payouts.filter((payout, place) => isListed(payout, place, sim)),
  }));
}

/** Changes the texts of all successes. */
function texts(change: (text: string) => string): Plant {
  return answers((answer) => {
    if (answer.status === 200) setText(answer, change(answer.body));
  });
}

/** Changes Retry-After where it isn't a date. */
function retrySeconds(change: (seconds: number) => number): Plant {
  return answers(({ headers }) => {
    const hint = headers["retry-after"] ?? "";
    if (/^\d+$/.test(hint)) headers["retry-after"] = String(change(Number(hint)));
  });
}

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

/** Random sequences find these as well. */
export const huntedDefects: StagedDefects = {
  "busy-day: answers show five decimals of the six": texts((text) =>
    text.replaceAll(/(\.\d{5})\d/g, "$1"),
  ),
  "clock-skew: a period that reaches past today ends today": bodies("stats", ({ period }, sim) => ({
    period: { ...period, to: [period.to, dayOf(sim)].sort()[0] ?? "" },
  })),
  "default-period: the default period has 30 days": requests("stats", ({ from }, sim) => ({
    from: from ?? dayOf(sim, -29),
  })),
  "default-period: an answer is reused until the next event": (sim) => {
    const known = new Map<string, string>();
    answers((answer, sent) => {
      if (isEventKind(sent.operation)) known.clear();
      if (sent.operation !== "stats" || answer.status !== 200) return;
      const key = JSON.stringify(sent);
      const text = known.get(key) ?? answer.body;
      known.set(key, text);
      setText(answer, text);
    })(sim);
  },
  "double-click: a repeated click shows a credit": credits("click", (inr) => inr || 0.5),
  "double-click: a click on any id succeeds": answers((answer) => {
    if (objectIn(answer.body).code === "impression_not_found") accept(answer);
  }),
  "double-click: everything lasts a millisecond longer": (sim) => {
    let behindMs = 0;
    wrap(sim.clock, "advance", (advance) => (by) => {
      const ms = durationMs(by);
      behindMs += ms > 1 ? 1 : 0;
      return advance(ms > 1 ? ms - 1 : ms) + behindMs;
    });
    clockAhead(() => -behindMs)(sim);
  },
  "duplicate-storm: having no session is a session as well": requests(
    "impression",
    ({ session_id = "none" }) => ({ session_id }),
  ),
  "duplicate-storm: an impression that earns nothing shows a credit": credits(
    "impression",
    (inr) => inr || 0.04,
  ),
  "fresh-publisher: a surface without traffic has no row": bodies("stats", ({ surfaces }) => ({
    surfaces: surfaces.filter(({ impressions }) => impressions !== 0),
  })),
  "happy-month: a click's revenue isn't recorded": (sim) => {
    let credited = 0;
    bodies("click", ({ revenue_credited_inr: inr }) => {
      credited += inr;
      return {};
    })(sim);
    bodies("stats", ({ revenue_inr: inr }) => ({
      revenue_inr: Number((inr - credited).toFixed(6)),
    }))(sim);
  },
  "happy-month: an amount that was paid stays pending": bodies(
    "payouts",
    ({ payouts, pending_inr }) => ({
      pending_inr: payouts.reduce((sum, { amount_inr }) => sum + amount_inr, pending_inr),
    }),
  ),
  "key-rotation: a key that was seen before stays valid": (sim) => {
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
  "leap-day: a month is paid a day early": bodies("payouts", ({ payouts }) => ({
    payouts: payouts.map((payout) => ({ ...payout, date: payout.date.replace(/07$/, "06") })),
  })),
  "limit-recovers: the reporting limit is one too high": admitsOneMore(
    (sent) => !isEventKind(sent.operation),
  ),
  "limit-recovers: Retry-After is a second too short": retrySeconds((seconds) => seconds - 1),
  "long-payout-list: the default limit is 100": requests("payouts", ({ limit = "100" }) => ({
    limit,
  })),
  "long-payout-list: the latest payout isn't listed": payouts((_, place) => place > 0),
  "midnight-ist: Indian time is five hours ahead": clockAhead(({ assumptions }) =>
    assumptions["date.timezone"] === "ist" ? -1_800_000 : 0,
  ),
  "midnight-utc: the service's clock is half a second fast": clockAhead(() => 500),
  "reporting-limit: a new key has less than its whole quota": (sim) =>
    wrap(sim.publishers, "rotateKey", (rotateKey) => (publisher) => {
      const rotated = rotateKey(publisher);
      const { id: publisher_id, apiKey: key } = rotated;
      sim.handle(buildRequest("surfaces", { publisher_id }, { key }));
      return rotated;
    }),
  "retry-after-date: Retry-After has the date of the answer": answers(({ headers }, _, sim) => {
    if (headers["retry-after"]?.endsWith("GMT"))
      headers["retry-after"] = new Date(sim.clock.now()).toUTCString();
  }),
  "retry-after-date: a web page is announced as JSON": answers(({ headers, body }) => {
    if (body.startsWith("<")) headers["content-type"] = "application/json";
  }),
  "schema-drift: ids of digits become floating-point numbers": requests(
    "click",
    ({ impression_id: id = "" }) => ({
      impression_id: /^\d+$/.test(id) ? String(Number(id)) : id,
    }),
  ),
  "schema-drift: an id that a URL has to escape isn't found": requests(
    "click",
    ({ impression_id: id = "" }) => ({
      impression_id: encodeURIComponent(id) === id ? id : `${id}.`,
    }),
  ),
  "session-reuse: sessions aren't remembered": requests("impression", () => ({
    session_id: undefined,
  })),
  "session-reuse: the ad makes no difference": requests("impression", () => ({ ad_id: "ad" })),
  "session-reuse: the case of ads and sessions is ignored": requests(
    "impression",
    ({ ad_id, session_id }) => ({
      ad_id: ad_id?.toLowerCase(),
      session_id: session_id?.toLowerCase(),
    }),
  ),
  "surface-paused: a paused surface records impressions": ({ publishers }) =>
    wrap(
      publishers,
      "setSurface",
      (setSurface) => (publisher, surface, change) =>
        setSurface(publisher, surface, { ...change, status: "active" }),
    ),
  "thundering-herd: a refused request spends quota all the same": (sim) => {
    const owing = new Set<string>();
    answers((answer, { authorization }) => {
      if (isLimited(answer)) owing.add(authorization);
      else if (owing.delete(authorization)) refuse(answer);
    })(sim);
  },
  "unicode-names: the length of a body is counted in characters": answers(
    ({ headers, body }, sent) => {
      if (sent.operation === "surfaces") headers["content-length"] = String(body.length);
    },
  ),
  "window-edge: the last request of a limit is refused": answers((answer) => {
    if (answer.status === 200 && answer.headers["x-ratelimit-remaining"] === "0") refuse(answer);
  }),
  "wrong-publisher: a request for another publisher is answered as the caller's own": requests(
    "surfaces",
    ({ publisher_id }, { publishers }, { authorization }) => {
      const own = publishers.list().find(({ apiKey }) => authorization.endsWith(apiKey));
      return { publisher_id: own?.id ?? publisher_id };
    },
  ),
};

/** Only random sequences find these. */
export const unstagedDefects: Defects = {
  "a world that goes on has forgotten what would be a duplicate": goesOn((sim) => {
    const window = sim.assumptions["dedup.window"];
    sim.assume({ "dedup.window": window === "24h" ? "30m" : "24h" });
    sim.assume({ "dedup.window": window });
  }),
  "in a world that goes on every publisher has another key": goesOn(({ publishers }) => {
    for (const { id } of publishers.list()) publishers.rotateKey(id);
  }),
};

/** Random sequences don't find these. */
export const stagedDefects: StagedDefects = {
  "big-numbers: an id as a number that has lost digits is accepted": answers(
    (answer, { values }) => {
      if (answer.status === 400 && typeof values.impression_id === "number") accept(answer);
    },
  ),
  "big-numbers: amounts have trailing zeros": texts((text) =>
    text.replaceAll(/(\.\d+)(?=[,}\]])/g, "$10"),
  ),
  "brownout: what a rule answers is recorded all the same": verdicts("respond", () => ({
    applied: true,
  })),
  "burst-to-limit: the recording limit is one too high": admitsOneMore((sent) =>
    isEventKind(sent.operation),
  ),
  "flapping: headers that a rule sets are left out": verdicts("respond", () => ({
    headers: undefined,
  })),
  "limit-recovers: Retry-After is the length of the window, whenever it began": retrySeconds(
    () => 60,
  ),
  "lost-ack: an event whose answer is lost isn't recorded": verdicts("lose-response", () => ({
    kind: "drop",
  })),
  "lost-ack: a byte too many arrives": verdicts("truncate", ({ atByte }) => ({
    atByte: atByte === undefined ? atByte : Number(atByte) + 1,
  })),
  "lost-ack: an answer that drips is lost": verdicts("drip", () => ({
    kind: "lose-response",
    bytesPerSecond: undefined,
  })),
  "lost-ack: a client that has left isn't noticed": answers((answer) => {
    if (answer.delivery) answer.delivery = { ...answer.delivery, undelivered: () => undefined };
  }),
  "lost-ack: the audit counts lost answers as arrived": (sim) =>
    wrap(sim, "audit", (audit) => () => {
      const real = audit();
      const impressions = { ...real.total.impressions, lost: 0, unseen: 0 };
      return { ...real, total: { ...real.total, impressions } };
    }),
  "noisy-neighbour: all publishers share one recording limit": (sim) => {
    let fullUntilMs = 0;
    answers((answer, sent) => {
      if (!isEventKind(sent.operation)) return;
      const nowMs = sim.clock.now();
      if (isLimited(answer)) fullUntilMs = nowMs + 1000 * Number(answer.headers["retry-after"]);
      else if (nowMs < fullUntilMs) refuse(answer);
    })(sim);
  },
  "payout-month-end: an amount equal to the threshold isn't paid": payouts(
    ({ amount_inr }) => amount_inr !== 500,
  ),
  "retry-after-date: a hint is sent where there should be none": answers(({ status, headers }) => {
    if (status === 429) headers["retry-after"] ??= "0";
  }),
  "shutdown-flush: an event that never arrived is recorded": verdicts("drop", () => ({
    kind: "lose-response",
  })),
  "unicode-names: session ids are cut at a thousand letters": requests(
    "impression",
    ({ session_id: id }) => ({ session_id: id?.slice(0, 1000) }),
  ),
  "unknown-status: a month is paid a day late": payouts(({ date }, _, sim) => date !== dayOf(sim)),
  "wrong-publisher: an answer reveals that a hidden publisher exists": answers(
    (answer, { values }, sim) => {
      const body = objectIn(answer.body);
      const exists = sim.publishers.list().some(({ id }) => id === values.publisher_id);
      if (body.code === "publisher_not_found" && exists)
        setBody(answer, { ...body, detail: "publisher_id is another publisher's." });
    },
  ),
};
