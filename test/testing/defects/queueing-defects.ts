/**
 * Defects of the queueing client, such as a user of it would complain about. The client was written and its defects were
 * planted without regard to what the rules look at.
 */

import type { Change } from "../../planted-modules.ts";

/** What the issue of a user would be about. */
export const causes = [
  "wrong answers",
  "stale figures",
  "undelivered events",
  "many events, long sessions",
  "waits and time limits",
  "order, requests at once",
  "refused keys, closing",
  "other assumptions",
] as const;

export interface PlantedDefect extends Change {
  /** What is wrong then, in a few words. */
  readonly says: string;
  readonly cause: (typeof causes)[number];
  /** Id of the rule that catches it. @default none is known to */
  readonly breaks?: string;
  /** Changes that belong to it. @default none */
  readonly also?: readonly Change[];
}

const inClient = { file: "../test/testing/defects/queueing-client.ts" };
const inTransport = { file: "../test/testing/defects/queueing-transport.ts" };
const inAnswers = { file: "../test/testing/defects/queueing-answers.ts" };
const inStats = { file: "../test/testing/defects/queueing-stats.ts" };

const neverExpires: Change = {
  ...inStats,
  find: "const isYoung = nowMs - found.askedAtMs < STALE_MS;",
  replace: "const isYoung = true;",
};
const survivesWrites: Change = {
  ...inStats,
  find: "    this.#version += 1;\n    this.#figures.clear();",
  replace: "",
};
const offsets = { ...inStats, find: "return [0, IST_MS].every(" };
const noDeadline: Change = {
  ...inTransport,
  find: "const DEADLINE_MS = 300_000;",
  replace: "const DEADLINE_MS = 86_400_000;",
};
const dedupKey = { ...inClient, find: "const key = JSON.stringify([surface, ad, session]);" };
const pushed = { ...inClient, find: "this.#queue.push(event);" };
const isRefused = {
  ...inClient,
  find: 'if (answer.kind === "refused") return undefined;\n      if (answer.kind === "limited")',
};
const session = { ...inClient, find: "ad_id: ad, session_id: session };" };
const overflow = {
  ...inClient,
  find: 'if (this.#queue.length >= MAX_QUEUED) throw new Error("Too many events are waiting.");',
};
const counted = { ...inClient, find: "this.#undelivered[event.kind] += 1;" };
const hint = { ...inTransport, find: "const untilMs = this.#retryAfter(headers);" };
const seconds = {
  ...inTransport,
  find: "return this.#context.timers.now() + Number(hint) * 1000;",
};
const keyRefused = { ...inTransport, find: "if (status === 401) this.#isKeyRefused = true;" };
const statsValues = {
  ...inClient,
  find: "const values = { publisher_id, from, to, surface };",
};
const flushWaits = {
  ...inClient,
  find: "await this.#drained();\n    const { impressions, clicks }",
};
const pauseOf = {
  ...inTransport,
  find: "async #pauseOver(pool: Pool, signal: AbortSignal): Promise<void> {\n    const pause = this.#pauses[pool];",
};

const wrongAnswers: readonly Omit<PlantedDefect, "cause">[] = [
  {
    says: "an impression counts as recorded although the answer says ok: false",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "ok: (value) => value === true,\n  impression_id",
    replace: "impression_id",
  },
  {
    says: "a click counts as recorded although the answer says ok: false",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "ok: (value) => value === true,\n  click_id",
    replace: "click_id",
  },
  {
    says: "an impression counts as recorded although the answer has no id",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "impression_id: isText,",
    replace: "",
  },
  {
    says: "a click counts as recorded although the answer has no click_id, or another id",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "click_id: isText,",
    replace: "",
  },
  {
    says: "an empty id counts as an id",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: 'typeof value === "string" && value !== "";',
    replace: 'typeof value === "string";',
  },
  {
    says: "an id may be a number or null",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "impression_id: isText,",
    replace: "impression_id: (value) => value !== undefined,",
  },
  {
    says: "every 2xx other than 200 counts as done, whatever its body",
    breaks: "wrong-answer-is-no-success",
    ...inTransport,
    find: "if (status === 200 && call.isAnswer(body))",
    replace:
      'if (status > 200 && status < 300) return { kind: "done", value: body ?? {} };\n    if (status === 200 && call.isAnswer(body))',
  },
  {
    says: "amounts that are text or null pass for numbers",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: 'typeof value === "number" && Number.isFinite(value);',
    replace: "Number.isFinite(Number(value));",
  },
  {
    says: "an impression needs no credit",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "  impression_id: isText,\n  revenue_credited_inr: isAmount,",
    replace: "  impression_id: isText,",
  },
  {
    says: "a query that got a wrong answer fails with status 502",
    breaks: "wrong-answer-is-no-success",
    ...inClient,
    find: "throw new ApiError(call.path, status);",
    replace: "throw new ApiError(call.path, status === 200 ? 502 : status);",
  },
  {
    says: "a click that got a 202 is sent again, although the service may count every click",
    breaks: "no-event-doubled",
    ...inClient,
    find: "if (!event.isRepeatable) return undefined;",
    replace: "if (!event.isRepeatable && answer.status !== 202) return undefined;",
  },
  {
    // All figures of an answer are wrong together, and a client that checks one of them notices.
    says: "counts that are text or null pass for numbers",
    ...inAnswers,
    find: "Number.isSafeInteger(value) && Number(value) >= 0;",
    replace: "Number.isSafeInteger(Number(value));",
  },
  {
    says: "payouts without ids, or with numbers in their place, are returned",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "id: isText,\n      date: isDay,",
    replace: "date: isDay,",
  },
  {
    says: "rows that are null are returned",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "Array.isArray(value) && value.every(check);",
    replace: "Array.isArray(value) && value.every((one) => one === null || check(one));",
  },
  {
    says: "rows aren't looked at",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "Array.isArray(value) && value.every(check);",
    replace: "Array.isArray(value);",
  },
  {
    says: "statistics of another publisher are returned",
    breaks: "wrong-answer-is-no-success",
    ...inAnswers,
    find: "publisher_id: (value) => value === publisherId,",
    replace: "publisher_id: isText,",
  },
  {
    // All figures of an answer are wrong together, and a client that checks one of them notices.
    says: "statistics without the total of revenue are returned",
    ...inAnswers,
    find: "revenue_inr: isAmount,\n    surfaces",
    replace: "surfaces",
  },
  {
    says: "payouts are returned whatever the answer is",
    breaks: "wrong-answer-is-no-success",
    ...inClient,
    find: "values, isPayoutsAnswer);",
    replace: "values, () => true);",
  },
  {
    says: "an answer that was rejected is returned when the query is made again",
    breaks: "wrong-answer-is-no-success",
    ...inClient,
    find: "values, isStatsAnswer(publisher_id));",
    replace:
      "values, isStatsAnswer(publisher_id)).catch((error) => {\n      this.#cache.keep(query, { value: this.#transport.rejected, askedAtMs: timers.now(), version });\n      throw error;\n    });",
    also: [
      {
        ...inTransport,
        find: "    if (status < 400) return",
        replace: "    if (status < 400) this.rejected = body;\n    if (status < 400) return",
      },
    ],
  },
];

const staleFigures: readonly Omit<PlantedDefect, "cause">[] = [
  {
    says: "figures are used until the client records something or the day ends",
    breaks: "content-type-charset",
    ...neverExpires,
  },
  {
    says: "figures are used for an hour",
    breaks: "content-type-charset",
    ...inStats,
    find: "nowMs - found.askedAtMs < STALE_MS;",
    replace: "nowMs - found.askedAtMs < 3_600_000;",
  },
  {
    says: "figures stay young as long as they are asked for",
    breaks: "stats-not-outdated",
    ...inStats,
    find: "return found.value;",
    replace: "{ Object.assign(found, { askedAtMs: nowMs }); return found.value; }",
  },
  {
    says: "figures are used until the day ends, even after a write",
    breaks: "unlisted-members",
    ...neverExpires,
    also: [survivesWrites],
  },
  {
    says: "figures are used until midnight UTC, also where the day ended in India",
    breaks: "unlisted-members",
    ...neverExpires,
    also: [survivesWrites, { ...offsets, replace: "return [0].every(" }],
  },
  {
    says: "figures are used until midnight in India, also where the day ended in UTC",
    breaks: "unlisted-members",
    ...neverExpires,
    also: [survivesWrites, { ...offsets, replace: "return [IST_MS].every(" }],
  },
  {
    says: "figures are used for ever",
    breaks: "unlisted-members",
    ...inStats,
    find: "if (isYoung && isSameDay(found.askedAtMs, nowMs)) return found.value;",
    replace: "if (isYoung || isSameDay(found.askedAtMs, nowMs) || found) return found.value;",
    also: [survivesWrites],
  },
  {
    says: "figures of one surface are returned for another",
    breaks: "stats-of-a-surface",
    ...inStats,
    find: "JSON.stringify([from ?? null, to ?? null, surface ?? null]);",
    replace: "JSON.stringify([from ?? null, to ?? null, surface && '']);",
  },
  {
    says: "figures of all surfaces are returned for one, and the other way round",
    breaks: "stats-of-a-surface",
    ...inStats,
    find: "JSON.stringify([from ?? null, to ?? null, surface ?? null]);",
    replace: "JSON.stringify([from ?? null, to ?? null]);",
  },
  {
    says: "figures of a period are returned for one that begins on another day",
    breaks: "stats-not-outdated",
    ...inStats,
    find: "JSON.stringify([from ?? null, to ?? null, surface ?? null]);",
    replace: "JSON.stringify([to ?? null, surface ?? null]);",
  },
  {
    says: "figures of a period are returned for one that ends on another day",
    breaks: "stats-not-outdated",
    ...inStats,
    find: "JSON.stringify([from ?? null, to ?? null, surface ?? null]);",
    replace: "JSON.stringify([from ?? null, surface ?? null]);",
  },
  {
    says: "figures of a period that begins on a day are returned for one that ends on it",
    breaks: "stats-not-outdated",
    ...inStats,
    find: "JSON.stringify([from ?? null, to ?? null, surface ?? null]);",
    replace: "JSON.stringify([[from, to].filter(Boolean), surface ?? null]);",
  },
  {
    says: "while a limit holds queries up, figures of any age are returned",
    breaks: "stats-not-outdated",
    ...inClient,
    find: "this.#cache.find(query, timers.now());",
    replace: "this.#cache.find(query, this.#transport.isPaused ? 0 : timers.now());",
    also: [
      {
        ...inTransport,
        find: "  async #pauseOver(",
        replace:
          "  get isPaused() {\n    return this.#pauses.reporting.untilMs > this.#context.timers.now();\n  }\n\n  async #pauseOver(",
      },
      {
        ...inStats,
        find: "if (isYoung && isSameDay(found.askedAtMs, nowMs))",
        replace: "if (isYoung && (nowMs === 0 || isSameDay(found.askedAtMs, nowMs)))",
      },
      survivesWrites,
    ],
  },
  {
    says: "figures that were asked for in vain at first are used for twice as long",
    breaks: "stats-not-outdated",
    ...inClient,
    find: "this.#cache.keep(query, { value, askedAtMs, version });",
    replace:
      "const waitedMs = timers.now() - askedAtMs;\n    this.#cache.keep(query, { value, askedAtMs: askedAtMs + (waitedMs > 0 ? STALE_MS : 0), version });",
  },
  {
    says: "after an error the last figures are returned, however old",
    breaks: "stats-not-outdated",
    ...inStats,
    find: "    this.#figures.delete(keyOf(query));\n    return undefined;",
    replace: "    return undefined;",
    also: [
      survivesWrites,
      {
        ...inStats,
        find: "get version(): number {",
        replace:
          "last(query) {\n    return this.#figures.get(keyOf(query))?.value;\n  }\n\n  get version(): number {",
      },
      {
        ...inClient,
        find: "values, isStatsAnswer(publisher_id));",
        replace:
          "values, isStatsAnswer(publisher_id)).catch((error) => {\n      const last = this.#cache.last(query);\n      if (last === undefined) throw error;\n      return last;\n    });",
      },
    ],
  },
  {
    says: "an answer to one query makes the figures of all queries young again",
    breaks: "content-type-charset",
    ...inStats,
    find: "this.#figures.set(keyOf(query), { version, ...figures });",
    replace:
      "{\n      for (const one of this.#figures.values()) Object.assign(one, { askedAtMs: figures.askedAtMs });\n      this.#figures.set(keyOf(query), { version, ...figures });\n    }",
  },
  {
    says: "payouts are asked for once and then never again",
    breaks: "payouts-as-answered",
    ...inClient,
    find: 'return await this.#ask("/v1/publisher/payouts", values, isPayoutsAnswer);',
    replace:
      'this.#context.payouts ??= {};\n    return await (this.#context.payouts[limit] ??= this.#ask("/v1/publisher/payouts", values, isPayoutsAnswer));',
  },
];

const undelivered: readonly Omit<PlantedDefect, "cause">[] = [
  {
    says: "an impression is given up after one failure",
    breaks: "delivers-when-it-can",
    ...inClient,
    find: "if (!event.isRepeatable) return undefined;",
    replace: "return undefined;",
  },
  {
    says: "an impression that got a 500 is given up",
    breaks: "delivers-when-it-can",
    ...isRefused,
    replace:
      'if (answer.kind === "refused" || answer.status === 500) return undefined;\n      if (answer.kind === "limited")',
  },
  {
    says: "an impression that got a 502 or 503 is given up",
    breaks: "delivers-when-it-can",
    ...isRefused,
    replace:
      'if (answer.kind === "refused" || answer.status === 502 || answer.status === 503) return undefined;\n      if (answer.kind === "limited")',
  },
  {
    says: "an impression whose connection failed is given up",
    breaks: "delivers-when-it-can",
    ...isRefused,
    replace:
      'if (answer.kind === "refused" || answer.status === undefined) return undefined;\n      if (answer.kind === "limited")',
  },
  {
    says: "an event that a limit refused is given up",
    breaks: "delivers-when-it-can",
    ...isRefused,
    replace:
      'if (answer.kind === "refused" || answer.kind === "limited") return undefined;\n      if (answer.kind === "limited")',
  },
  {
    says: "an impression whose 200 can't be read is given up",
    breaks: "delivers-when-it-can",
    ...isRefused,
    replace:
      'if (answer.kind === "refused" || answer.status === 200) return undefined;\n      if (answer.kind === "limited")',
  },
  {
    says: "closing counts what waits as undelivered without trying to send it",
    breaks: "delivers-when-it-can",
    ...inClient,
    find: "this.#closing ??= this.#drained().then(",
    replace: "this.#closing ??= Promise.resolve().then(",
  },
  {
    says: "a click counts as undelivered if it is given before its impression is recorded",
    breaks: "delivers-when-it-can",
    ...inClient,
    find: '    this.#enqueue({\n      kind: "clicks",',
    replace: '    const known = { ...receipt };\n    this.#enqueue({\n      kind: "clicks",',
    also: [
      {
        ...inClient,
        find: "const { impression_id } = receipt;",
        replace: "const { impression_id } = known;",
      },
    ],
  },
  {
    says: "events that a flush reported as undelivered are missing from the count at closing",
    breaks: "close-loses-nothing",
    ...inClient,
    find: "this.#reported = { impressions, clicks };",
    replace:
      "Object.assign(this.#undelivered, { impressions: 0, clicks: 0 });\n    this.#reported = { impressions: 0, clicks: 0 };",
  },
  {
    says: "a click on an impression that failed is neither sent nor counted",
    breaks: "close-loses-nothing",
    ...inClient,
    find: "if (call === undefined) return undefined;",
    replace: "if (call === undefined) return {};",
  },
  {
    says: "after six failures in a row nothing is sent any more",
    breaks: "comes-back",
    ...inClient,
    find: "const call = event.call();\n      if (call === undefined)",
    replace:
      "const call = event.call();\n      if (attempt === 1 && this.#failures >= 6) return undefined;\n      if (call === undefined)",
  },
  {
    says: "if one event is given up, all that wait behind it are given up too",
    breaks: "delivers-when-it-can",
    ...counted,
    replace:
      "for (const one of [event, ...this.#queue.splice(0)]) this.#undelivered[one.kind] += 1;",
  },
  {
    says: "lost clicks are counted as impressions",
    breaks: "close-loses-nothing",
    ...counted,
    replace: "this.#undelivered.impressions += 1;",
  },
  {
    says: "an answer that is null ends the attempts for its event",
    breaks: "delivers-when-it-can",
    ...inAnswers,
    find: "    value !== null &&\n",
    replace: "",
  },
];

const longAndWide: readonly Omit<PlantedDefect, "cause">[] = [
  {
    says: "an event that finds the queue full is forgotten",
    breaks: "close-loses-nothing",
    ...overflow,
    replace: "if (this.#queue.length >= MAX_QUEUED) return;",
  },
  {
    says: "of more than 20 waiting events the oldest are forgotten",
    breaks: "close-loses-nothing",
    ...overflow,
    replace: "if (this.#queue.length >= 20) this.#queue.splice(1, 1);",
  },
  {
    says: "of more than ten waiting events the rest counts as undelivered, although 40 may wait",
    breaks: "impression-counts-once",
    ...overflow,
    replace:
      "if (this.#queue.length >= 10) {\n      this.#undelivered[event.kind] += 1;\n      return;\n    }",
  },
  {
    says: "from the 21st view on nothing is sent",
    breaks: "impression-counts-once",
    ...inClient,
    find: "if (isRemembered) return known.receipt;",
    replace: "if (isRemembered || this.#known.size >= 20) return known?.receipt ?? {};",
  },
  {
    says: "after twelve hours nothing is sent any more",
    breaks: "said-again-counts-once",
    ...inClient,
    find: "if (isRemembered) return known.receipt;",
    replace:
      "this.#context.startedAtMs ??= nowMs;\n    if (isRemembered || nowMs - this.#context.startedAtMs > 12 * 3_600_000) return known?.receipt ?? {};",
  },
  {
    says: "a view that failed is not sent when it is reported again",
    breaks: "delivers-when-it-can",
    ...inClient,
    find: " && !known.hasFailed;",
    replace: ";",
  },
  {
    says: "a view that is reported again after a day gets another session id, so with dedup.window=forever it counts twice",
    breaks: "said-again-counts-once",
    ...inClient,
    find: "const { publisherId: publisher_id } = this.#context;\n    const values = { publisher_id, surface,",
    replace:
      'const { publisherId: publisher_id } = this.#context;\n    if (known) session += "-again";\n    const values = { publisher_id, surface,',
  },
  {
    says: "views of one ad on two surfaces are taken for one",
    breaks: "impression-counts-once",
    ...dedupKey,
    replace: "const key = JSON.stringify([ad]);",
  },
  {
    says: "views of two ads on one surface are taken for one",
    breaks: "impression-counts-once",
    ...dedupKey,
    replace: "const key = JSON.stringify([surface]);",
  },
  {
    says: "views of two ads on one surface within a second are taken for one",
    breaks: "impression-counts-once",
    ...dedupKey,
    replace: "const key = JSON.stringify([surface, Math.floor(nowMs / 1000)]);",
  },
  {
    says: "events that are given during a delivery wait for the next event",
    breaks: "impression-counts-once",
    ...inClient,
    find: "for (let event = this.#queue[0]; event !== undefined; event = this.#queue[0]) {",
    replace:
      "let left = this.#queue.length;\n    for (let event = this.#queue[0]; event !== undefined && left > 0; event = this.#queue[0], left -= 1) {",
  },
  {
    says: "a click a day after its view isn't sent",
    breaks: "click-counts",
    ...inClient,
    find: "for (const [key, { givenAtMs }] of this.#known) {",
    replace: "for (const [key, { givenAtMs, receipt }] of this.#known) {",
    also: [
      {
        ...inClient,
        find: "      this.#known.delete(key);\n    }",
        replace: "      this.#known.delete(key);\n      delete receipt.impression_id;\n    }",
      },
    ],
  },
  {
    says: "an ad of digits is sent as a number",
    breaks: "parameters",
    ...session,
    replace: "ad_id: /^\\d+$/.test(ad) ? String(Number(ad)) : ad, session_id: session };",
  },
  {
    says: "two spaces in an ad become one",
    breaks: "parameters",
    ...session,
    replace: 'ad_id: ad.replaceAll(/ +/g, " "), session_id: session };',
  },
  {
    says: "ads are cut to 100 characters",
    breaks: "parameters",
    ...session,
    replace: "ad_id: ad.slice(0, 100), session_id: session };",
  },
];

const when: readonly Omit<PlantedDefect, "cause">[] = [
  {
    says: "a query that failed once is sent again at once",
    breaks: "pauses-grow",
    ...inClient,
    find: "this.#context.timers.now() + this.#pauseMs(attempt);",
    replace: "this.#context.timers.now() + (attempt === 1 ? 0 : this.#pauseMs(attempt));",
  },
  {
    says: "recording waits for the reporting limit",
    breaks: "one-limit-not-the-other",
    ...pauseOf,
    replace:
      'async #pauseOver(pool, signal) {\n    const pause = this.#pauses[pool === "recording" && this.#pauses.reporting.untilMs > this.#pauses.recording.untilMs ? "reporting" : pool];',
  },
  {
    says: "reporting waits for the recording limit",
    breaks: "one-limit-not-the-other",
    ...pauseOf,
    replace:
      'async #pauseOver(pool, signal) {\n    const pause = this.#pauses[pool === "reporting" && this.#pauses.recording.untilMs > this.#pauses.reporting.untilMs ? "recording" : pool];',
  },
  {
    says: "the list of surfaces waits for the recording limit",
    breaks: "one-limit-not-the-other",
    ...inClient,
    find: 'const call: ApiCall = { pool: "reporting", method: "GET", path, values, isAnswer };',
    replace:
      'const pool = path.endsWith("surfaces") ? "recording" : "reporting";\n    const call: ApiCall = { pool, method: "GET", path, values, isAnswer };',
  },
  {
    says: "a pause ends at midnight UTC",
    breaks: "waits-as-told",
    ...inTransport,
    find: "pause.untilMs = untilMs;",
    replace:
      "pause.untilMs = Math.min(untilMs, Math.ceil((this.#context.timers.now() + 1) / 86_400_000) * 86_400_000);",
  },
  {
    says: "a pause is shortened by a later hint",
    breaks: "waits-as-told",
    ...inTransport,
    find: "if (untilMs <= fromMs) return;",
    replace: "",
  },
  {
    says: "a date in Retry-After is ignored on a 429",
    breaks: "waits-until-date",
    ...hint,
    replace:
      'const untilMs = status === 429 && !/^\\d+$/.test(headers.get("retry-after") ?? "") ? undefined : this.#retryAfter(headers);',
  },
  {
    says: "a date in Retry-After is ignored on a 503",
    breaks: "waits-until-date",
    ...hint,
    replace:
      'const untilMs = status === 503 && !/^\\d+$/.test(headers.get("retry-after") ?? "") ? undefined : this.#retryAfter(headers);',
  },
  {
    says: "pauses don't start anew after a success",
    breaks: "pauses-grow",
    ...inClient,
    find: "        this.#failures = 0;\n",
    replace: "",
  },
  {
    says: "all pauses have the same length, but for the share that is drawn",
    breaks: "pauses-grow",
    ...inClient,
    find: "Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);",
    replace: "failures > 0 ? 5 * FIRST_PAUSE_MS : LONGEST_PAUSE_MS;",
  },
  {
    says: "pauses get shorter",
    breaks: "pauses-grow",
    ...inClient,
    find: "Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);",
    replace: "LONGEST_PAUSE_MS / 2 ** failures;",
  },
  {
    says: "the first repetition comes at once",
    breaks: "pauses-grow",
    ...inClient,
    find: "return pauseMs * (0.5",
    replace: "return failures === 1 ? 0 : pauseMs * (0.5",
  },
  {
    says: "an hour passes before a silent service counts as failed",
    breaks: "silence-ends",
    ...inTransport,
    find: "const TIMEOUT_MS = 10_000;",
    replace: "const TIMEOUT_MS = 3_600_000;",
    also: [noDeadline],
  },
  {
    says: "a query fails only after an hour of attempts",
    breaks: "answers-in-time",
    ...inClient,
    find: "const MAX_QUERY_ATTEMPTS = 3;",
    replace: "const MAX_QUERY_ATTEMPTS = 66;",
    also: [noDeadline],
  },
  {
    says: "a flush during an outage waits for hours",
    breaks: "gives-up",
    ...inClient,
    find: "attempt <= MAX_ATTEMPTS;",
    replace: "attempt <= 150;",
    also: [noDeadline],
  },
  {
    says: "no pause is longer than ten minutes",
    breaks: "waits-as-told",
    ...seconds,
    replace: "return this.#context.timers.now() + Math.min(Number(hint), 600) * 1000;",
  },
  {
    says: "the seconds in Retry-After are taken for minutes",
    breaks: "answers-in-time",
    ...seconds,
    replace: "return this.#context.timers.now() + Number(hint) * 60_000;",
  },
  {
    says: "after a limit that doesn't say when to come back, the client waits for a day",
    breaks: "goes-on-after-the-limit",
    ...inTransport,
    find: "const UNTOLD_PAUSE_MS = 60_000;",
    replace: "const UNTOLD_PAUSE_MS = 86_400_000;",
  },
];

const orderAndNumber: readonly Omit<PlantedDefect, "cause">[] = [
  {
    says: "the newest view is sent first",
    breaks: "recorded-in-order",
    ...pushed,
    replace:
      'if (event.kind === "impressions" && this.#queue.length > 0) this.#queue.splice(1, 0, event);\n    else this.#queue.push(event);',
  },
  {
    says: "clicks overtake views that were given before them",
    breaks: "recorded-in-order",
    ...pushed,
    replace:
      'if (event.kind === "clicks" && event.call() !== undefined && this.#queue.length > 0) this.#queue.splice(1, 0, event);\n    else this.#queue.push(event);',
  },
  {
    says: "views overtake clicks that were given before them",
    breaks: "recorded-in-order",
    ...pushed,
    replace:
      'const at = this.#queue.findIndex((one, index) => index > 0 && one.kind === "clicks");\n    if (event.kind === "impressions" && at > 0) this.#queue.splice(at, 0, event);\n    else this.#queue.push(event);',
  },
  {
    says: "an impression that failed is sent again after all that wait",
    breaks: "recorded-in-order",
    ...inClient,
    find: "const answer = await this.#answerTo(event).catch(() => undefined);\n      this.#queue.shift();",
    replace:
      'event.isFailing = false;\n      const answer = await this.#answerTo(event).catch(() => undefined);\n      this.#queue.shift();\n      event.tries = (event.tries ?? 0) + 1;\n      if (answer === undefined && event.isFailing && event.tries < MAX_ATTEMPTS && !this.#ended.signal.aborted) {\n        const at = this.#queue.findIndex((one) => one.kind === "clicks");\n        this.#queue.splice(at < 0 ? this.#queue.length : at, 0, event);\n        continue;\n      }',
    also: [
      {
        ...inClient,
        find: "if (!event.isRepeatable) return undefined;",
        replace: "event.isFailing = event.isRepeatable;\n      return undefined;",
      },
    ],
  },
  {
    says: "views are sent all at once",
    breaks: "at-most-at-once",
    ...inClient,
    find: "const answer = await this.#answerTo(event).catch(() => undefined);",
    replace:
      "const answers = this.#answers ??= new Map();\n      for (const one of this.#queue) if (one.kind === event.kind && !answers.has(one)) answers.set(one, this.#answerTo(one).catch(() => undefined));\n      const answer = await answers.get(event);",
    also: [{ ...inClient, find: "  #queries = 0;", replace: "  #answers;\n  #queries = 0;" }],
  },
  {
    says: "any number of queries are under way at once",
    breaks: "at-most-at-once",
    ...inClient,
    find: "if (this.#queries < MAX_QUERIES_AT_ONCE) this.#queries += 1;",
    replace: "if (this.#queries >= 0) this.#queries += 1;",
  },
  {
    says: "each query is sent three times at once",
    breaks: "at-most-at-once",
    ...inClient,
    find: 'const answer = await this.#transport.send(call, signal);\n      if (answer.kind === "done") return answer.value;',
    replace:
      'const [answer] = await Promise.all([1, 2, 3].map(() => this.#transport.send(call, signal)));\n      if (answer.kind === "done") return answer.value;',
  },
  {
    says: "a request that timed out stays under way",
    breaks: "at-most-at-once",
    ...inTransport,
    find: "wholeAnswer(fetch(url, { ...init, signal: controller.signal })),",
    replace: "wholeAnswer(fetch(url, init)),",
  },
  {
    says: "a flush starts a second delivery beside the first",
    breaks: "at-most-at-once",
    ...flushWaits,
    replace:
      "if (this.#queue.length > 1) await this.#deliver();\n    await this.#drained();\n    const { impressions, clicks }",
  },
  {
    says: "after a failed query any number of queries are under way at once",
    breaks: "at-most-at-once",
    ...inClient,
    find: "    } finally {\n      // The next one takes over its place.",
    replace:
      "    } catch (error) {\n      this.#queries = 0;\n      throw error;\n    } finally {\n      // The next one takes over its place.",
  },
];

const keyAndClosing: readonly Omit<PlantedDefect, "cause">[] = [
  { says: "the client goes on after a 401", breaks: "rotated-key", ...keyRefused, replace: "" },
  {
    says: "a query that got a 401 is sent again, since only events end with it",
    breaks: "rotated-key",
    ...keyRefused,
    replace:
      'if (status === 401 && call.pool === "reporting") return { kind: "unclear", status };\n    if (status === 401) this.#isKeyRefused = true;',
  },
  {
    says: "queries are sent although an event got a 401",
    breaks: "rotated-key",
    ...keyRefused,
    replace: 'if (status === 401 && call.pool === "reporting") this.#isKeyRefused = true;',
  },
  {
    says: "after a 401 later events are neither sent nor counted",
    breaks: "rotated-key",
    ...inTransport,
    find: 'if (this.#isKeyRefused) return { kind: "refused", status: 401 };',
    replace: 'if (this.#isKeyRefused) return { kind: "done", value: {} };',
  },
  {
    says: "a second flush does nothing",
    breaks: "delivers-when-it-can",
    ...flushWaits,
    replace: "await (this.#flushed ??= this.#drained());\n    const { impressions, clicks }",
    also: [{ ...inClient, find: "  #queries = 0;", replace: "  #flushed;\n  #queries = 0;" }],
  },
  {
    says: "a second flush never ends",
    breaks: "unlisted-members",
    ...flushWaits,
    replace:
      "if (this.#hasFlushed) await new Promise(() => {});\n    this.#hasFlushed = true;\n    await this.#drained();\n    const { impressions, clicks }",
    also: [
      { ...inClient, find: "  #queries = 0;", replace: "  #hasFlushed = false;\n  #queries = 0;" },
    ],
  },
  {
    says: "a second flush at the same time never ends",
    breaks: "flush-delivers",
    ...flushWaits,
    replace:
      "if (this.#isFlushing) await new Promise(() => {});\n    this.#isFlushing = true;\n    await this.#drained();\n    this.#isFlushing = false;\n    const { impressions, clicks }",
    also: [
      { ...inClient, find: "  #queries = 0;", replace: "  #isFlushing = false;\n  #queries = 0;" },
    ],
  },
  {
    says: "a flush doesn't wait",
    breaks: "delivers-when-it-can",
    ...flushWaits,
    replace: "await undefined;\n    const { impressions, clicks }",
  },
  {
    says: "closing gives up after its deadline, but the delivery goes on",
    breaks: "silent-after-close",
    ...inClient,
    find: 'this.#ended.abort(new Error("The client is closed."));\n      await this.#delivering;',
    replace: "",
  },
  {
    says: "the rest of the queue is sent after closing",
    breaks: "silent-after-close",
    ...inClient,
    find: 'this.#closing ??= this.#drained().then(async () => {\n      this.#ended.abort(new Error("The client is closed."));\n      await this.#delivering;',
    replace: "this.#closing ??= Promise.resolve().then(async () => {",
  },
  {
    says: "closing drops what waits without counting it",
    breaks: "close-loses-nothing",
    ...inClient,
    find: "this.#closing ??= this.#drained().then(",
    replace: "this.#queue.length = 1;\n    this.#closing ??= this.#drained().then(",
  },
  {
    says: "a timer that forgets old views runs on after closing",
    breaks: "no-timer-after-close",
    ...inClient,
    find: "this.#transport = new Transport(context);",
    replace:
      "this.#transport = new Transport(context);\n    const tidy = () => {\n      this.#forgetOldViews(context.timers.now());\n      context.timers.setTimeout(tidy, 3_600_000);\n    };\n    context.timers.setTimeout(tidy, 3_600_000);",
  },
  {
    says: "the timer of the deadline is left after closing",
    breaks: "no-timer-after-close",
    ...inClient,
    find: "await Promise.race([this.#delivering, isTooLate]);\n    cancel();",
    replace: "await Promise.race([this.#delivering, isTooLate]);",
  },
  {
    says: "the timers of finished requests are left after closing",
    breaks: "no-timer-after-close",
    ...inTransport,
    find: "      timers.clearTimeout(timer);\n      signal.removeEventListener",
    replace: "      signal.removeEventListener",
  },
  {
    says: "the time-out ends with the headers: a body that never comes is waited for for ever",
    breaks: "silence-ends",
    ...inTransport,
    find: "wholeAnswer(fetch(url, { ...init, signal: controller.signal })),",
    replace: "fetch(url, { ...init, signal: controller.signal }),",
    also: [
      {
        ...inTransport,
        find: "const got = await this.#exchange(call, signal);",
        replace:
          "const head = await this.#exchange(call, signal);\n      const got = head && (await wholeAnswer(Promise.resolve(head)).catch(() => undefined));",
      },
    ],
  },
];

const ownDay = (dayOf: string): string =>
  `${dayOf}\n    const today = dayOf(timers.now());\n    const values = { publisher_id, from: from ?? (to ? undefined : dayOf(timers.now() - 30 * 86_400_000)), to: to ?? today, surface };`;

const choices: readonly Omit<PlantedDefect, "cause">[] = [
  {
    says: "statistics with more clicks than impressions are rejected",
    breaks: "stats-as-answered",
    ...inClient,
    find: "    this.#cache.keep(query,",
    replace:
      '    if (value.clicks > value.impressions) throw new Error("It has too many clicks.");\n    this.#cache.keep(query,',
  },
  {
    says: "payouts are rejected if nothing is pending",
    breaks: "payouts-as-answered",
    ...inAnswers,
    find: "pending_inr: isAmount,",
    replace: "pending_inr: (value) => isAmount(value) && value !== 0,",
  },
  {
    says: "all views share one session id, so with dedup.key=session only the first counts",
    breaks: "impression-counts-once",
    ...session,
    replace: "ad_id: ad, session_id: 'page-of-' + publisher_id };",
  },
  {
    says: "views of the same minute share a session id, so with dedup.key=session only the first counts",
    breaks: "impression-counts-once",
    ...session,
    replace: "ad_id: ad, session_id: 'at-' + Math.floor(nowMs / 60_000) };",
  },
  {
    says: "a view that meets a conflict is sent again with another session id",
    breaks: "repeat-is-the-same",
    ...isRefused,
    replace:
      'if (answer.kind === "refused" && answer.status === 409 && event.isRepeatable) {\n        Object.assign(call.values, { session_id: call.values.session_id + "-" + attempt });\n        continue;\n      }\n      if (answer.kind === "refused") return undefined;\n      if (answer.kind === "limited")',
  },
  {
    says: "clicks whose answer was lost are sent again, although the service may count every click",
    breaks: "no-event-doubled",
    ...inClient,
    find: "isRepeatable: false,",
    replace: "isRepeatable: true,",
  },
  {
    says: "the default period ends with the day in UTC, also where days end with India's",
    breaks: "stats-period",
    ...statsValues,
    replace: ownDay("const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);"),
  },
  {
    says: "the default period ends with the day in India, also where days end with UTC's",
    breaks: "stats-default-period",
    ...statsValues,
    replace: ownDay("const dayOf = (ms) => new Date(ms + 19_800_000).toISOString().slice(0, 10);"),
  },
  {
    says: "the default period ends with the day in the machine's time zone",
    breaks: "stats-as-answered",
    ...statsValues,
    replace: ownDay(
      "const dayOf = (ms) => {\n      const date = new Date(ms);\n      const two = (part) => String(part).padStart(2, '0');\n      return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');\n    };",
    ),
  },
  {
    says: "days of a period are moved by the machine's time zone",
    breaks: "stats-not-outdated",
    ...statsValues,
    replace:
      "const moved = (day) => {\n      if (day === undefined) return undefined;\n      const [year, month, date] = day.split('-').map(Number);\n      return new Date(new Date(year, month - 1, date).getTime()).toISOString().slice(0, 10);\n    };\n    const values = { publisher_id, from: moved(from), to: moved(to), surface };",
  },
  {
    says: "a date in Retry-After is read in the machine's time zone",
    breaks: "waits-until-date",
    ...inTransport,
    find: "const atMs = Date.parse(hint);",
    replace:
      "const read = new Date(Date.parse(hint));\n    const atMs = new Date(read.getUTCFullYear(), read.getUTCMonth(), read.getUTCDate(), read.getUTCHours(), read.getUTCMinutes(), read.getUTCSeconds()).getTime();",
  },
  {
    says: "figures without the client's own views count as wrong, so with stats.today=next-day there are none",
    breaks: "stats-not-outdated",
    ...inClient,
    find: "isStatsAnswer(publisher_id));",
    replace:
      "(body) => isStatsAnswer(publisher_id)(body) && (!isDefault || this.#leastOn !== today || body.impressions >= this.#least));\n    if (isDefault) {\n      this.#leastOn = today;\n      this.#least = value.impressions;\n    }",
    also: [
      {
        ...inClient,
        find: "const askedAtMs = timers.now();",
        replace:
          "const askedAtMs = timers.now();\n    const today = Math.floor(askedAtMs / 86_400_000);\n    const isDefault = query.from === undefined && query.to === undefined && query.surface === undefined;",
      },
      {
        ...inClient,
        find: "  #queries = 0;",
        replace: "  #least = 0;\n  #leastOn = 0;\n  #queries = 0;",
      },
      {
        ...inClient,
        find: "Object.assign(view.receipt, {",
        replace: "this.#least += 1;\n        Object.assign(view.receipt, {",
      },
    ],
  },
  {
    says: "the views of today are added to the figures, although the service may show them already",
    breaks: "stats-as-answered",
    ...inClient,
    find: "this.#cache.keep(query, { value, askedAtMs, version });",
    replace:
      "if (value && from === undefined && to === undefined && surface === undefined) value.impressions += this.#recorded;\n    this.#cache.keep(query, { value, askedAtMs, version });",
    also: [
      { ...inClient, find: "  #queries = 0;", replace: "  #recorded = 0;\n  #queries = 0;" },
      {
        ...inClient,
        find: "Object.assign(view.receipt, {",
        replace: "this.#recorded += 1;\n        Object.assign(view.receipt, {",
      },
    ],
  },
  {
    says: "statistics without rows count as wrong, so with stats.surfaces=with-traffic there are none for a quiet period",
    breaks: "stats-period",
    ...inClient,
    find: "isStatsAnswer(publisher_id));",
    replace: "(body) => isStatsAnswer(publisher_id)(body) && body.surfaces.length > 0);",
  },
  {
    says: "a limit that answers 403 is taken for a refusal",
    breaks: "limit-by-another-status",
    ...inTransport,
    find: "(status === 403 || status === 503) && hasHint",
    replace: "status === 503 && hasHint",
  },
];

function of(
  cause: PlantedDefect["cause"],
  defects: readonly Omit<PlantedDefect, "cause">[],
): readonly PlantedDefect[] {
  return defects.map((one) => ({ cause, ...one }));
}

export const queueingDefects: readonly PlantedDefect[] = [
  ...of("wrong answers", wrongAnswers),
  ...of("stale figures", staleFigures),
  ...of("undelivered events", undelivered),
  ...of("many events, long sessions", longAndWide),
  ...of("waits and time limits", when),
  ...of("order, requests at once", orderAndNumber),
  ...of("refused keys, closing", keyAndClosing),
  ...of("other assumptions", choices),
];
