/** Findings that a single request shows. */

import { oneLine, percentDecoded } from "../../base/text.ts";
import { operations } from "../../spec/operations.ts";
import type { Attempt } from "./attempt.ts";
import type { FindingKinds, Offence } from "./finding.ts";

const { maximum } = operations.payouts.parameters.limit;
const used = Object.values(operations).map(({ method, path }) => `${method} ${path}`);

export const singleRequests = {
  "key-in-url": {
    title: "API keys in URLs",
    explanation:
      "An API key was in the path or the query, where logs, proxies and histories keep it. A good client sends it only in the Authorization header. Replace a key that was exposed.",
    spec: "§5",
    find: each(({ record: { path, query } }) => {
      if (isKeyIn(path)) return "a key in the path";
      return isKeyIn(query) ? "a key in the query" : undefined;
    }),
  },

  "impression-without-session": {
    title: "Impressions without session_id",
    explanation:
      "The parameter is optional, but without it the service can't tell a retry from another impression, and may count both. A good client sends one, and keeps it for all attempts at one event.",
    spec: "§4",
    find: each(({ event }) => (event && event.key === undefined ? "no session_id" : undefined)),
  },

  "limit-above-maximum": {
    title: `A limit above ${maximum}`,
    explanation: `The client asked for more payouts than one answer may list. A good client asks for at most ${maximum}: a larger limit may be refused, or silently reduced.`,
    spec: "§8",
    find: each(({ record: { operation, query } }) => {
      const limit = operation === "payouts" ? new URLSearchParams(query).get("limit") : null;
      const isAbove = limit !== null && /^\d+$/.test(limit) && Number(limit) > maximum;
      return isAbove ? oneLine(`limit=${limit}`, MAX_SHOWN) : undefined;
    }),
  },

  "no-such-operation": {
    title: "Requests with a path or method that the API doesn't have",
    explanation: `The path or the method isn't one of the API's. A good client uses only the documented ones: ${used.join(", ")}.`,
    spec: "§4",
    find: each(({ record: { producedBy, reason, method, path } }) => {
      // Browsers and scripts that wait for a server send these by themselves.
      const isAutomatic = method === "OPTIONS" || AUTOMATIC_PATHS.includes(path);
      if (producedBy !== "service" || isAutomatic) return undefined;
      if (reason === "route_not_found") return "no such path";
      return reason === "method_not_allowed" ? "not with this method" : undefined;
    }),
  },

  "click-on-unknown-impression": {
    title: "Clicks on unknown impressions",
    explanation:
      "A click named an impression that the publisher doesn't have. A good client waits for the impression's answer, and sends its impression_id exactly as it was.",
    spec: "§4",
    find(attempts, all) {
      // A world that was restored no longer has every impression, and a fault rule can give an id that never existed.
      const told = new Set(
        all.map(({ who, record }) => `${who} ${IMPRESSION_ID.exec(record.response.body)?.[1]}`),
      );
      return each(({ who, event, record: { reason } }) => {
        const isTold = told.has(`${who} ${event?.impression}`);
        const isUnknown = reason === "impression_not_found" && !isTold;
        return isUnknown ? "no impression has this id" : undefined;
      })(attempts);
    },
  },
} satisfies FindingKinds;

/** A key that isn't part of a longer word. */
const KEY = /(?<![0-9a-z_-])key_[0-9a-z]{13}(?![0-9a-z])/i;
const IMPRESSION_ID = /"impression_id":"?([^",}]+)/;
const MAX_SHOWN = 40;
const AUTOMATIC_PATHS: readonly string[] = ["", "/", "/favicon.ico", "/robots.txt"];

/** Finds the attempts of which `detailOf` says what was wrong. */
function each(detailOf: (attempt: Attempt) => string | undefined) {
  return (attempts: readonly Attempt[]): Offence[] =>
    attempts.flatMap((attempt) => {
      const detail = detailOf(attempt);
      return detail === undefined ? [] : [{ attempt, detail }];
    });
}

function isKeyIn(text: string): boolean {
  return KEY.test(percentDecoded(text) ?? text);
}
