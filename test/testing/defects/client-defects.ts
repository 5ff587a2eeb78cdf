/** Defects of the reference client, such as clients have, and the rule of the contract that each breaks. */

import type { Change } from "../../planted-modules.ts";

export interface ClientDefect extends Change {
  /** What is wrong then, in a few words. */
  readonly says: string;
  /** Id of the rule. */
  readonly breaks: string;
}

const inAds = { file: "client/ads.ts" };
const inAnswer = { file: "client/error-response.ts" };
const inApi = { file: "client/api.ts" };
const inClient = { file: "client/client.ts" };
const inDeliveries = { file: "client/delivery-queue.ts" };

export const clientDefects: readonly ClientDefect[] = [
  {
    says: "an ad on another surface is taken for the same view",
    breaks: "impression-counts-once",
    ...inAds,
    find: "const key = JSON.stringify([surface, ad]);",
    replace: "const key = JSON.stringify([ad]);",
  },
  {
    says: "all ad views share one session",
    breaks: "impression-counts-once",
    ...inAds,
    find: "sessions += 1;",
    replace: "",
  },
  {
    says: "of many events at once some get lost",
    breaks: "close-loses-nothing",
    ...inDeliveries,
    find: "else await new Promise<void>((resolve) => waiting.push(resolve));",
    replace:
      "else if (waiting.length < 20) await new Promise<void>((resolve) => waiting.push(resolve));\n    else return { ok: true, value: {} as Value };",
  },
  {
    says: "a repetition has a new session id",
    breaks: "no-event-doubled",
    ...inAds,
    find: "client.impression(parameters, { signal })",
    replace: "client.impression({ ...parameters, session_id: randomText(random) }, { signal })",
  },
  {
    says: "no session id is sent",
    breaks: "no-event-doubled",
    ...inAds,
    find: "ad_id: ad, session_id };",
    replace: "ad_id: ad };",
  },
  {
    says: "a repetition names another ad",
    breaks: "lost-request-not-lost",
    ...inAds,
    find: "client.impression(parameters, { signal })",
    replace:
      'client.impression({ ...parameters, ad_id: ad + "-" + String((sessions += 1)) }, { signal })',
  },
  {
    says: "Retry-After is ignored",
    breaks: "waits-as-told",
    ...inAnswer,
    find: "if (seconds !== undefined) return seconds * 1000;",
    replace: "if (seconds !== undefined) return 0;",
  },
  {
    says: "Retry-After is taken for milliseconds",
    breaks: "waits-as-told",
    ...inAnswer,
    find: "return seconds * 1000;",
    replace: "return seconds;",
  },
  {
    says: "no wait is longer than a minute",
    breaks: "waits-as-told",
    ...inAnswer,
    find: "return seconds * 1000;",
    replace: "return Math.min(seconds * 1000, 60_000);",
  },
  {
    says: "a date in Retry-After is ignored",
    breaks: "waits-until-date",
    ...inAnswer,
    find: "const atMs = DATE.test(text) ? Date.parse(text) : Number.NaN;",
    replace: "const atMs = Number.NaN;",
  },
  {
    says: "a limit delays only the event that met it",
    breaks: "waits-as-told",
    ...inDeliveries,
    find: 'error.kind === "limited" || error.retryAfterMs !== undefined;',
    replace: "false;",
  },
  {
    says: "a limit with status 403 or 503 isn't recognised",
    breaks: "limit-by-another-status",
    ...inAnswer,
    find: "(status === 403 || status === 503) && remainingIn(headers) === 0;",
    replace: "false;",
  },
  {
    says: "pauses don't grow",
    breaks: "pauses-grow",
    ...inDeliveries,
    find: "const ownMs = pauseMs * (0.5 + 0.5 * random());",
    replace: "const ownMs = retry.firstPauseMs;",
  },
  {
    says: "pauses don't grow, but are drawn",
    breaks: "pauses-grow",
    ...inDeliveries,
    find: "const ownMs = pauseMs * (0.5 + 0.5 * random());",
    replace: "const ownMs = retry.firstPauseMs * (0.5 + random());",
  },
  {
    says: "a shorter Retry-After replaces a longer one",
    breaks: "waits-as-told",
    ...inDeliveries,
    find: "if (isForAll && notBeforeMs > pausedUntilMs) {",
    replace: "if (isForAll) {",
  },
  {
    says: "pauses grow without a bound",
    breaks: "answers-in-time",
    ...inDeliveries,
    find: "pauseMs = Math.min(2 * pauseMs, retry.longestPauseMs);",
    replace: "pauseMs *= 4;",
  },
  {
    says: "there are no pauses",
    breaks: "pauses-grow",
    ...inDeliveries,
    find: "notBeforeMs = now() + waitAfter(error, pauseMs);",
    replace: "",
  },
  {
    says: "a refused event is sent again",
    breaks: "refusal-not-repeated",
    ...inDeliveries,
    find: 'if (error.kind === "refused" || error.kind === "aborted") break;',
    replace: "",
  },
  {
    says: "closing drops queued events without a report",
    breaks: "close-loses-nothing",
    ...inAds,
    find: "await Promise.all(underWay);\n    cancel();",
    replace: "cancel();",
  },
  {
    says: "undelivered events aren't reported",
    breaks: "close-loses-nothing",
    ...inAds,
    find: "report.undelivered.push(done.undelivered);",
    replace: "{}",
  },
  {
    says: "the client goes on after it was closed",
    breaks: "silent-after-close",
    ...inAds,
    find: "await Promise.all(underWay);\n    cancel();\n    deliveries.stop();",
    replace: "cancel();",
  },
  {
    says: "a flush doesn't wait",
    breaks: "flush-delivers",
    ...inAds,
    find: "await Promise.all(underWay);\n      return takeReport();",
    replace: "return takeReport();",
  },
  {
    says: "an event whose answer was lost is reported as recorded",
    breaks: "close-loses-nothing",
    file: "client/report.ts",
    find: "if (mayHaveAppliedBefore && isDuplicate(error))",
    replace: "if (mayHaveApplied)",
  },
  {
    says: "ids of digits are taken for numbers",
    breaks: "opaque-ids",
    ...inAds,
    find: "client.click({ impression_id }, { signal })",
    replace:
      "client.click({ impression_id: /^\\d+$/.test(impression_id) ? String(Number(impression_id)) : impression_id }, { signal })",
  },
  {
    says: "ids are percent-encoded",
    breaks: "opaque-ids",
    ...inAds,
    find: "client.click({ impression_id }, { signal })",
    replace: "client.click({ impression_id: encodeURIComponent(impression_id) }, { signal })",
  },
  {
    says: "ids are cut to 64 characters",
    breaks: "opaque-ids",
    ...inAds,
    find: "client.click({ impression_id }, { signal })",
    replace: "client.click({ impression_id: impression_id.slice(0, 64) }, { signal })",
  },
  {
    says: "the surface's name is sent for its id",
    breaks: "impression-counts-once",
    file: "client/resolve-surfaces.ts",
    find: "ids.set(one, found.id).set(found.id, found.id);",
    replace: "ids.set(one, found.name).set(found.id, found.name);",
  },
  {
    says: "the key is in the URL",
    breaks: "key-stays-in-the-header",
    ...inClient,
    find: "{query}`, init, sent)",
    replace: "{query}&api_key=` + apiKey, init, sent)",
  },
  {
    says: "the scheme is written in lower case",
    breaks: "authorization",
    ...inClient,
    find: "authorization: `Bearer ",
    replace: "authorization: `bearer ",
  },
  {
    says: "the default period ends with the day in India",
    breaks: "stats-default-period",
    ...inClient,
    find: "call(stats(parameters.publisher_id), parameters, options)",
    replace:
      "call(stats(parameters.publisher_id), { to: new Date(clock.now() + 19_800_000).toISOString().slice(0, 10), ...parameters }, options)",
  },
  {
    says: "a period begins a day late",
    breaks: "stats-period",
    ...inClient,
    find: "call(stats(parameters.publisher_id), parameters, options)",
    replace:
      "call(stats(parameters.publisher_id), { ...parameters, from: parameters.from && new Date(Date.parse(parameters.from) + 86_400_000).toISOString().slice(0, 10) }, options)",
  },
  {
    says: "amounts are rounded to paise",
    breaks: "stats-as-answered",
    file: "client/call-result.ts",
    find: "return { ok: true, value, remaining",
    replace:
      "return { ok: true, value: JSON.parse(text, (_, one) => typeof one === 'number' ? Math.round(one * 100) / 100 : one), remaining",
  },
  {
    says: "the limit of a list isn't sent",
    breaks: "payouts-limit",
    ...inClient,
    find: "call(payouts, parameters, options)",
    replace: "call(payouts, { publisher_id: parameters.publisher_id }, options)",
  },
  {
    says: "a surface's status has to be active",
    breaks: "surfaces-as-answered",
    ...inApi,
    find: "status: isText, cpm_range: isRange",
    replace: 'status: (value) => value === "active", cpm_range: isRange',
  },
  {
    says: "a payout has to have a reference",
    breaks: "payouts-as-answered",
    ...inApi,
    find: "txn_id: isTextOrNothing,",
    replace: "txn_id: isText,",
  },
  {
    says: "members that the spec doesn't list are refused",
    breaks: "unlisted-members",
    ...inApi,
    find: "guards.every(([name, isField])",
    replace: "Object.keys(value).length <= guards.length && guards.every(([name, isField])",
  },
  {
    says: "every 200 is a success",
    breaks: "broken-answer-is-no-success",
    file: "client/call-result.ts",
    find: "if (response !== undefined && context.isAnswer(value)) {",
    replace: "if (response?.status === 200) {",
  },
  ...(
    [
      ["`ok` isn't looked at", "value === true;", "value !== undefined;"],
      ["an empty id is one", ' && value !== "";', ";"],
      ["a number is an id", "isText(value) && value", "value != null && value"],
      ["null is an id", "isText(value) && value", "value !== undefined && value"],
      ["an answer without the id will do", "impression_id: isId, rev", "rev"],
      ["a click's answer without the id will do", "click_id: isId, rev", "rev"],
      [
        "a credit may be text",
        "impression_id: isId, revenue_credited_inr: isAmount",
        "impression_id: isId, revenue_credited_inr: () => true",
      ],
      [
        "an amount may be null",
        "=> Number.isFinite(value);",
        "=> value === null || Number.isFinite(value);",
      ],
      [
        "an amount may be text",
        "=> Number.isFinite(value);",
        "=> Number.isFinite(value) || typeof value === 'string';",
      ],
      [
        "a list may be missing",
        "Array.isArray(value) && value.every(isElement);",
        "value === undefined || (Array.isArray(value) && value.every(isElement));",
      ],
    ] as const
  ).map(([says, find, replace]) => ({
    says,
    breaks: "wrong-answer-is-no-success",
    ...inApi,
    find,
    replace,
  })),
  {
    says: "every 2xx is a success",
    breaks: "wrong-answer-is-no-success",
    file: "client/call-result.ts",
    find: "response?.status === 200 && text",
    replace: "response?.ok && text",
  },
  {
    says: "a 204 is a success",
    breaks: "wrong-answer-is-no-success",
    file: "client/call-result.ts",
    find: "context.isAnswer(value)) {",
    replace: "(context.isAnswer(value) || response.status === 204)) {",
  },
  {
    says: "the wait for a silent service never ends",
    breaks: "silence-ends",
    file: "client/fetch-with-timeout.ts",
    find: "after(clock, timeoutMs, ",
    replace: "after(clock, 1e12, ",
  },
  {
    says: "a refused event is reported as recorded",
    breaks: "refusal-is-no-success",
    file: "client/report.ts",
    find: "if (delivered.ok) return delivered;",
    replace:
      "if (delivered.ok || delivered.error?.kind === 'refused') return { ok: true, value: undefined };",
  },
];
