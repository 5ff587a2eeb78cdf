/**
 * What the contract overlooked in a client that was written by someone who hadn't seen its rules. Of 153 defects that were
 * planted into it then, 121 were caught. These are of the others.
 */

import type { PlantedDefect } from "./queueing-defects.ts";

const inClient = { file: "../test/testing/defects/ordered-client.ts" };

export const orderedDefects: readonly PlantedDefect[] = [
  {
    ...inClient,
    says: "takes an answer without ok for a success",
    cause: "wrong answers",
    breaks: "wrong-answer-is-no-success",
    find: "a.ok === true && isText(a.impression_id) && isNumber(a.revenue_credited_inr)",
    replace: "a.ok !== false && isText(a.impression_id) && isNumber(a.revenue_credited_inr)",
  },
  {
    ...inClient,
    says: "shares a request for payouts among callers with other limits",
    cause: "stale figures",
    breaks: "payouts-limit",
    find: "const key = JSON.stringify([path, values]);",
    replace: "const key = JSON.stringify([path, { ...values, limit: undefined }]);",
  },
  {
    ...inClient,
    says: "keeps a failed query and repeats its error for ever",
    cause: "stale figures",
    breaks: "comes-back",
    find: "      return copyOf(read);\n    } finally {\n      if (this.#underWay.get(key) === mine) this.#underWay.delete(key);",
    replace:
      "      this.#underWay.delete(key);\n      return copyOf(read);\n    } finally {\n      // kept",
  },
  {
    ...inClient,
    says: "gives up after four attempts, though it promises five",
    cause: "undelivered events",
    breaks: "delivers-when-it-can",
    find: "task.attempts >= this.#maxAttempts && !isLimit",
    replace: "task.attempts >= this.#maxAttempts - 1 && !isLimit",
  },
  {
    ...inClient,
    says: "counts the attempts of an event that was given up before",
    cause: "undelivered events",
    breaks: "delivers-when-it-can",
    find: "    task.attempts = 0;\n",
    replace: "",
  },
  {
    ...inClient,
    says: "counts the age of a view from its first report, though it was given up since",
    cause: "undelivered events",
    breaks: "delivers-when-it-can",
    find: "task.queuedAt = Date.now();",
    replace: "task.queuedAt ||= Date.now();",
  },
  {
    ...inClient,
    says: "changes the session of a view that is reported again",
    cause: "undelivered events",
    breaks: "said-again-counts-once",
    find: "ticket, () => values);",
    replace:
      'ticket, () => ({ ...values, session_id: session + "@" + ticket.impression.queuedAt }));',
  },
  {
    ...inClient,
    says: "forgets queries that wait for a place if those before them fail",
    cause: "many events, long sessions",
    breaks: "gives-up",
    find: "this.#freeRead.shift()?.();",
    replace: "if (this.#reports.failures === 0) this.#freeRead.shift()?.();",
  },
  {
    ...inClient,
    says: "ends only one of two flushes",
    cause: "many events, long sessions",
    breaks: "flush-delivers",
    find: "    this.#isSending = false;\n    for (const resolve of this.#idle.splice(0)) resolve();",
    replace: "    this.#isSending = false;\n    this.#idle.shift()?.();",
  },
  {
    ...inClient,
    says: "pauses for days after a long outage",
    cause: "many events, long sessions",
    breaks: "comes-back",
    find: "Math.min(FIRST_PAUSE_MS * 2 ** (pool.failures - 1), LONGEST_PAUSE_MS)",
    replace: "Math.min(FIRST_PAUSE_MS * 2 ** (pool.failures - 1), 1e12 + LONGEST_PAUSE_MS)",
  },
  {
    ...inClient,
    says: "pauses longer after each failure of its life",
    cause: "many events, long sessions",
    breaks: "pauses-grow",
    find: "      pool.failures = 0;\n",
    replace: "",
  },
  {
    ...inClient,
    says: "waits for an hour at most",
    cause: "waits and time limits",
    breaks: "waits-as-told",
    find: "told ?? (isLimit ? LIMIT_PAUSE_MS : 0)",
    replace: "Math.min(3_600_000, told ?? (isLimit ? LIMIT_PAUSE_MS : 0))",
  },
  {
    ...inClient,
    says: "waits for ever for a Retry-After that can't be read",
    cause: "waits and time limits",
    breaks: "useless-retry-after",
    find: "return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);",
    replace: "return Math.max(0, at - nowMs);",
  },
  {
    ...inClient,
    says: "ends a pause when an earlier request succeeds",
    cause: "waits and time limits",
    breaks: "waits-as-told",
    find: "      pool.failures = 0;\n",
    replace: "      pool.failures = 0;\n      pool.quietUntil = 0;\n",
  },
  {
    ...inClient,
    says: "ends a second close at once",
    cause: "refused keys, closing",
    breaks: "silent-after-close",
    find: "this.#closing ??= this.#end();",
    replace:
      "if (this.#closing !== undefined) return Promise.resolve({ impressions: 0, clicks: 0 });\n    this.#closing = this.#end();",
  },
  {
    ...inClient,
    says: "goes on with a query when it is closed",
    cause: "refused keys, closing",
    find: "    for (const read of this.#readsUnderWay) read.abort();\n",
    replace: "",
  },
  {
    ...inClient,
    says: "takes only 429 for a limit",
    cause: "other assumptions",
    breaks: "goes-on-after-the-limit",
    find: 'status === 429 || (status >= 400 && headers.get("x-ratelimit-remaining") === "0");',
    replace: "status === 429;",
  },
  {
    ...inClient,
    says: "takes no answer with members that it doesn't know",
    cause: "other assumptions",
    breaks: "unlisted-members",
    find: "a.ok === true && isText(a.impression_id) && isNumber(a.revenue_credited_inr)",
    replace:
      "Object.keys(a).length === 3 && a.ok === true && isText(a.impression_id) && isNumber(a.revenue_credited_inr)",
  },
  {
    ...inClient,
    says: "takes no figures of a surface without a row",
    cause: "other assumptions",
    breaks: "stats-of-a-surface",
    find: "    isNumber(a.revenue_inr) &&\n",
    replace:
      "    isNumber(a.revenue_inr) &&\n    (asked.surface === undefined || (Array.isArray(a.surfaces) && a.surfaces.length === 1)) &&\n",
  },
  {
    ...inClient,
    says: "takes no ids that don't begin with imp_",
    cause: "other assumptions",
    breaks: "opaque-ids",
    find: "a.ok === true && isText(a.impression_id) && isNumber(a.revenue_credited_inr)",
    replace:
      'a.ok === true && isText(a.impression_id) && a.impression_id.startsWith("imp_") && isNumber(a.revenue_credited_inr)',
  },
  {
    ...inClient,
    says: "refuses to ask for a hundred payouts",
    cause: "other assumptions",
    breaks: "payouts-limit",
    find: "limit <= 100)",
    replace: "limit < 100)",
  },
  {
    ...inClient,
    says: "says 400 for 404",
    cause: "other assumptions",
    breaks: "refusal-is-no-success",
    find: "    this.status = status;\n",
    replace: "    this.status = status === 404 ? 400 : status;\n",
  },
  {
    ...inClient,
    says: "says 500 for 503",
    cause: "other assumptions",
    breaks: "refusal-is-no-success",
    find: "    this.status = status;\n",
    replace: "    this.status = status === 503 ? 500 : status;\n",
  },
  {
    ...inClient,
    says: "sends the key of the client that was made last",
    cause: "other assumptions",
    find: "this.#key = options.apiKey;",
    replace: "this.#key = options.apiKey;\n    (globalThis as any).adsKey = options.apiKey;",
    also: [{ ...inClient, find: "{this.#key}`", replace: "{(globalThis as any).adsKey}`" }],
  },
];
