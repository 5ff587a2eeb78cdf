/**
 * A publisher's client in virtual time: users who see ads and click, a dashboard, retries. It behaves well except for
 * its configured misbehaviours. It knows only what a real client would learn from an answer.
 */

import type { ApiRequest, ApiResponse, Publisher, Simulator } from "../../src/index.ts";

/** What the client does wrong. */
export type Misbehaviour =
  | "ignores Retry-After"
  | "retries at once"
  | "retries at fixed intervals"
  | "goes on after 401"
  | "new session for each attempt"
  | "never retries"
  | "no session"
  | "key in URL"
  | "makes impression ids up"
  | "repeats what is refused";

export interface ClientOptions {
  readonly sim: Simulator;
  readonly publisher: Publisher;
  /** Real time, which the world's clock follows. */
  readonly wall: { ms: number };
  /** From 0 up to but excluding 1. */
  random(): number;
  readonly misbehaviour?: Misbehaviour | undefined;
  /** The bound of the first pause in milliseconds; it doubles each time. */
  readonly baseMs: number;
  readonly capMs: number;
  /** How much of each pause is cut at random, at most. */
  readonly jitter: number;
  readonly mostAttempts: number;
  readonly users: number;
  /** How often the dashboard asks, and how many requests it sends at once. */
  readonly polls: number;
  readonly widgets: number;
}

const TIMEOUT_MS = 10_000;
const FIXED_MS = 800;
const MINUTE_MS = 60_000;

/** A request that is tried until it is answered. `make` is called for each attempt. */
interface Call {
  readonly pool: "recording" | "reporting";
  make(attempt: number): ApiRequest;
  done?(body: Readonly<Record<string, unknown>>): void;
}

/** How a client classifies an answer. */
type Interpretation =
  | { readonly kind: "success"; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: "later"; readonly waitMs: number | undefined }
  | { readonly kind: "stop" }
  | { readonly kind: "final" };

/** Runs the client until it has nothing left to do. */
export function playClient(options: ClientOptions): void {
  const { sim, wall, random, misbehaviour, baseMs, capMs, jitter, mostAttempts } = options;
  const agenda: { readonly atMs: number; readonly run: () => void }[] = [];
  const gates = { recording: 0, reporting: 0 };
  let isStopped = false;

  const after = (ms: number, run: () => void): void => {
    agenda.push({ atMs: wall.ms + ms, run });
  };

  function attempt(call: Call, number: number): void {
    if (isStopped) return;
    const gateMs = gates[call.pool];
    if (wall.ms < gateMs && misbehaviour !== "ignores Retry-After") {
      after(gateMs - wall.ms + Math.floor(random() * 100), () => attempt(call, number));
      return;
    }
    const response = sim.handle(call.make(number));
    const { reading, afterMs } = read(response);
    after(afterMs, () => react(call, number, reading));
  }

  function react(call: Call, number: number, reading: Interpretation): void {
    if (reading.kind === "success") {
      call.done?.(reading.body);
      return;
    }
    if (reading.kind === "stop") {
      isStopped = misbehaviour !== "goes on after 401";
      return;
    }
    const waitMs = reading.kind === "later" ? reading.waitMs : undefined;
    if (waitMs !== undefined) gates[call.pool] = Math.max(gates[call.pool], wall.ms + waitMs);
    const repeats = reading.kind === "later" || misbehaviour === "repeats what is refused";
    if (!repeats || number >= mostAttempts || misbehaviour === "never retries") return;
    after(pauseMs(number, waitMs), () => attempt(call, number + 1));
  }

  function pauseMs(number: number, waitMs: number | undefined): number {
    if (misbehaviour === "retries at once") return Math.floor(random() * 4);
    if (misbehaviour === "retries at fixed intervals") return FIXED_MS + Math.floor(random() * 9);
    if (waitMs !== undefined && misbehaviour !== "ignores Retry-After") return waitMs;
    const boundMs = Math.min(capMs, baseMs * 2 ** (number - 1));
    return Math.floor(boundMs * (1 - jitter * random()));
  }

  for (const [atMs, call] of callsOf(options, attempt, after)) {
    after(atMs, () => attempt(call, 1));
  }
  while (agenda.length > 0) {
    const next = agenda.reduce((soonest, one) => (one.atMs < soonest.atMs ? one : soonest));
    agenda.splice(agenda.indexOf(next), 1);
    wall.ms = Math.max(wall.ms, next.atMs);
    next.run();
  }
}

/** Pending tasks and their times. */
function callsOf(
  { publisher, random, misbehaviour, users, polls, widgets }: ClientOptions,
  attempt: (call: Call, number: number) => void,
  after: (ms: number, run: () => void) => void,
): [number, Call][] {
  const headers = { authorization: `Bearer ${publisher.apiKey}` };
  const surfaces = publisher.surfaces.filter(({ status }) => status === "active");
  const pick = <Item>(items: readonly Item[]): Item | undefined =>
    items[Math.floor(random() * items.length)];
  const url = misbehaviour === "key in URL" ? { api_key: publisher.apiKey } : undefined;
  let fresh = 0;

  const clicked = (impressionId: unknown): Call => ({
    pool: "recording",
    make: () => ({
      method: "POST",
      path: "/v1/click",
      headers,
      body: {
        impression_id:
          misbehaviour === "makes impression ids up" ? `${impressionId}-0` : impressionId,
      },
    }),
  });
  const seen = (user: number, ad: number): Call => {
    fresh += 1;
    const shown = {
      publisher_id: publisher.id,
      surface: pick(surfaces)?.id ?? "",
      // Many users see each ad, but none sees it twice; where sessions change, a new ad for each view.
      ad_id: `ad-${misbehaviour === "new session for each attempt" ? fresh : ad}`,
    };
    const session = (number: number): object =>
      misbehaviour === "no session"
        ? {}
        : {
            session_id:
              misbehaviour === "new session for each attempt"
                ? `${user}.${number}.${shown.ad_id}`
                : `user-${user}`,
          };
    return {
      pool: "recording",
      make: (number) => ({
        method: "POST",
        path: "/v1/impression",
        headers,
        body: { ...shown, ...session(number) },
      }),
      done: ({ impression_id }) => {
        if (random() < 0.4)
          after(Math.floor(random() * 5000), () => attempt(clicked(impression_id), 1));
      },
    };
  };
  const asked = (path: string, query: Readonly<Record<string, string>>): Call => ({
    pool: "reporting",
    make: () => ({
      method: "GET",
      path: `/v1/publisher/${path}`,
      query: { publisher_id: publisher.id, ...query, ...url },
      headers,
    }),
  });

  const arrivals = Array.from({ length: users }, (_, user) => {
    const atMs = Math.floor(random() * 20_000);
    const ads = 1 + Math.floor(random() * 3);
    return Array.from({ length: ads }, (__, ad): [number, Call] => [
      atMs + ad * 1500,
      seen(user, ad),
    ]);
  });
  const wrong = misbehaviour === "repeats what is refused" ? { from: "yesterday" } : {};
  const dashboard = Array.from({ length: polls }, (_, poll) =>
    Array.from({ length: widgets }, (__, widget): [number, Call] => [
      poll * 7000,
      asked(widget % 3 === 0 ? "stats" : "payouts", wrong),
    ]),
  );
  return [...arrivals.flat(), ...dashboard.flat()];
}

/** What a client learns of an answer, and when. */
function read(response: ApiResponse): {
  readonly reading: Interpretation;
  readonly afterMs: number;
} {
  const { status, delivery } = response;
  const delayMs = delivery?.delayMs ?? 0;
  switch (delivery?.kind) {
    case "silence":
      return { reading: { kind: "later", waitMs: undefined }, afterMs: TIMEOUT_MS };
    case "cut":
    case "close":
    case "reset":
    case "noise":
      return { reading: { kind: "later", waitMs: undefined }, afterMs: delayMs };
    case "drip":
    case "overtaken":
      return { reading: readWhole(response), afterMs: delayMs + 700 };
    case "whole":
    case "bytes":
    case undefined:
      if (status === 0) throw new Error("no answer, and no word of how it fails");
      return { reading: readWhole(response), afterMs: delayMs };
  }
}

function readWhole({ status, headers, body }: ApiResponse): Interpretation {
  if (status < 300) {
    try {
      return { kind: "success", body: JSON.parse(body) };
    } catch {
      return { kind: "later", waitMs: undefined };
    }
  }
  const hint = headers["retry-after"];
  const isLimit = [403, 503].includes(status) && headers["x-ratelimit-remaining"] === "0";
  if (status === 401) return { kind: "stop" };
  if (hint !== undefined) {
    const untilMs = Date.parse(hint) - Date.parse(headers.date ?? "");
    const waitMs = /^\d+$/.test(hint) ? Number(hint) * 1000 : untilMs;
    return { kind: "later", waitMs: Math.max(0, waitMs) };
  }
  if (isLimit) return { kind: "later", waitMs: MINUTE_MS };
  if (status === 403) return { kind: "stop" };
  return {
    kind: status === 408 || status === 429 || status >= 500 ? "later" : "final",
    waitMs: undefined,
  };
}
