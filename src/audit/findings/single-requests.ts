/** Findings that a single request shows. */

import { oneLine } from "../../base/text.ts";
import type { ErrorCode } from "../../spec/errors.ts";
import { operations } from "../../spec/operations.ts";
import type { Attempt } from "./attempts.ts";
import type { FindingKind } from "./finding.ts";

export const keyInUrl: FindingKind = {
  title: "API keys in URLs",
  explanation:
    "An API key was in the path or the query, where logs, proxies and histories keep it. A good client sends it only in the Authorization header. Replace a key that was exposed.",
  spec: "§5",
  find: ({ attempts }) =>
    attempts.flatMap((attempt) => {
      const place = placeOfKey(attempt);
      return place === undefined ? [] : [{ attempt, detail: `a key in the ${place}` }];
    }),
};

function placeOfKey({ record: { path, query } }: Attempt): string | undefined {
  if (KEY.test(decoded(path))) return "path";
  return KEY.test(decoded(query)) ? "query" : undefined;
}

/** A key that isn't part of a longer word. */
const KEY = /(?<![0-9a-z_-])key_[0-9a-z]{13}(?![0-9a-z])/i;
/** How often an escape may itself be escaped. */
const MAX_ESCAPED = 8;

/** Undoes percent-encoding of ASCII, even if it was applied repeatedly. */
function decoded(text: string): string {
  let plain = text;
  for (let times = 0; times < MAX_ESCAPED && plain.includes("%"); times += 1) {
    plain = plain.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return plain;
}

export const clickOnUnknownImpression: FindingKind = {
  title: "Clicks on unknown impressions",
  explanation:
    "A click named an impression that the publisher doesn't have. A good client waits for the impression's answer, and sends its impression_id exactly as it was.",
  spec: "§4",
  find({ attempts, earlier }) {
    const unknownClicks = attempts.filter(
      ({ record: { operation, reason } }) =>
        operation === "click" && reason === IMPRESSION_NOT_FOUND,
    );
    if (unknownClicks.length === 0) return [];
    // A world that was restored to an earlier state no longer has every impression that it issued. A fault rule can have
    // given an id that never existed.
    const forged = attempts.filter(
      ({ record: { fault, response } }) => fault !== undefined && response.status === 200,
    );
    const issued = [...earlier(), ...forged].map(({ record }) => record.response.body).join("\n");
    return unknownClicks
      .filter(({ event }) => !(event?.kind === "click" && issued.includes(event.impression)))
      .map(unknownImpressionOffence);
  },
};

const IMPRESSION_NOT_FOUND: ErrorCode = "impression_not_found";

function unknownImpressionOffence(attempt: Attempt): {
  readonly attempt: Attempt;
  readonly detail: string;
} {
  return { attempt, detail: "no impression has this id" };
}

export const impressionWithoutSession: FindingKind = {
  title: "Impressions without session_id",
  explanation:
    "The parameter is optional, but without it the service can't tell a retry from another impression. A good client sends one, and keeps it for all attempts at one event.",
  spec: "§4",
  find: ({ attempts }) =>
    attempts
      .filter(({ event, outcome }) => {
        const isTaken = outcome !== "refused" && outcome !== "unauthorized";
        return event?.kind === "impression" && event.session === undefined && isTaken;
      })
      .map((attempt) => ({ attempt, detail: "no session_id" })),
};

export const noSuchOperation: FindingKind = {
  title: "Requests with a path or method that the API doesn't have",
  explanation: `The path or the method isn't one of the API's. A good client uses only the documented ones: ${Object.values(
    operations,
  )
    .map(({ method, path }) => `${method} ${path}`)
    .join(", ")}.`,
  spec: "§4",
  find: ({ attempts }) =>
    attempts
      .filter(({ record: { operation, producedBy, reason, method, path } }) => {
        const isUnrouted = producedBy === "service" && UNROUTED.includes(reason);
        // Browsers and scripts that wait for a server send these by themselves.
        const isAutomatic = method === "OPTIONS" || AUTOMATIC_PATHS.includes(path);
        return operation === undefined && isUnrouted && !isAutomatic;
      })
      .map((attempt) => ({
        attempt,
        detail: attempt.record.reason === UNROUTED[0] ? "no such path" : "not with this method",
      })),
};

const UNROUTED: readonly string[] = ["route_not_found", "method_not_allowed"];
const AUTOMATIC_PATHS: readonly string[] = ["", "/", "/favicon.ico", "/robots.txt"];

const MAX_SHOWN = 40;

const { maximum } = operations.payouts.parameters.limit;

export const limitAboveMaximum: FindingKind = {
  title: `A limit above ${maximum}`,
  explanation: `The client asked for more payouts than one answer may list. A good client asks for at most ${maximum}: a larger limit may be refused, or silently reduced.`,
  spec: "§8",
  find: ({ attempts }) =>
    attempts.flatMap((attempt) => {
      const { operation, query } = attempt.record;
      const limit = operation === "payouts" ? new URLSearchParams(query).get("limit") : null;
      const isAbove = limit !== null && /^\d+$/.test(limit) && Number(limit) > maximum;
      return isAbove ? [{ attempt, detail: oneLine(`limit=${limit}`, MAX_SHOWN) }] : [];
    }),
};
