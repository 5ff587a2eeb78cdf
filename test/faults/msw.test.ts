/** What becomes of each verdict under MSW 2 and 3, for two clients. */

import { HttpHandler as HttpHandler3 } from "msw";
import { HttpHandler as HttpHandler2 } from "msw2";
import { afterEach, describe, expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { createHandlers } from "../../src/msw.ts";
import { createHandlers2, listeners } from "../msw-versions.ts";
import { type Connected, cases, fewCases } from "./cases.ts";
import { type Subject, testClient } from "./client-suite.ts";
import { content, type Wording } from "./expect-shown.ts";
import { type Observe, observeFetch, observeHttp, type Seen } from "./observe.ts";

const baseUrl = "http://ads.invalid";

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

test("each version of MSW gets its own handlers", () => {
  const sim = createSimulator();
  expect(createHandlers2(sim)[0]).toBeInstanceOf(HttpHandler2);
  expect(createHandlers(sim)[0]).toBeInstanceOf(HttpHandler3);
});

/** A connection that is closed or reset, or carries no HTTP: MSW has one network error for all of them. */
function failing(wording: RegExp): Pick<Wording, "closed" | "reset" | "noise"> {
  return { closed: wording, reset: wording, noise: wording };
}
const brokenOff = /^TypeError: terminated: UND_ERR_SOCKET$/;
const httpClient = {
  observe: observeHttp,
  wording: {
    ...content,
    ...failing(/^Network error$/),
    silent: /^impatient$/,
    half: /^ECONNRESET: aborted$/,
    head: /^ECONNRESET: aborted$/,
  },
};

interface MswSubject extends Pick<Subject, "wording" | "tellsAbort"> {
  readonly version: keyof typeof listeners;
  readonly client: string;
  readonly observe: Observe;
}

const subjects: readonly MswSubject[] = [
  {
    version: "MSW 2",
    client: "fetch",
    // Looked up at the time of use: MSW replaces it.
    observe: (sent) => observeFetch(fetch)(sent),
    wording: {
      ...content,
      ...failing(/^TypeError: Failed to fetch$/),
      silent: /^AbortError: /,
      half: brokenOff,
      head: brokenOff,
    },
    tellsAbort: true,
  },
  { version: "MSW 2", client: "node:http", ...httpClient, tellsAbort: false },
  {
    version: "MSW 3",
    client: "fetch",
    observe: (sent) => observeFetch(fetch)(sent),
    wording: {
      ...content,
      ...failing(/^TypeError: fetch failed$/),
      silent: /^AbortError: /,
      half: brokenOff,
      head: brokenOff,
    },
    tellsAbort: true,
  },
  { version: "MSW 3", client: "node:http", ...httpClient, tellsAbort: true },
];

describe.each(subjects)("$version, $client", ({ version, client, observe, ...words }) => {
  function connect(): Connected<Seen> {
    const sim = createSimulator({ publishers: 3 });
    closers.push(listeners[version](sim, baseUrl));
    return { observe, sim, baseUrl };
  }
  testClient({ ...words, connect }, client === "fetch" ? cases : fewCases);
});

test("a service that only answers, without rules, gets handlers", () => {
  const { handle } = createSimulator();
  expect(createHandlers({ handle })).toHaveLength(1);
});
