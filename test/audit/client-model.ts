/**
 * A publisher's client in virtual time: users who see ads and click, a dashboard, retries. It behaves well except for
 * its configured misbehaviours. It knows only what a real client would learn from an answer.
 */

import type { ApiResponse } from "../../src/index.ts";
import { senderOf } from "../sender.ts";
import type { ReportWorld } from "./report-world.ts";

/** What the client does wrong. */
export type Misbehaviour =
  | "ignores Retry-After"
  | "retries at once"
  | "retries at fixed intervals"
  | "goes on after 401"
  | "new session for each attempt"
  | "never retries";

export interface Habits {
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

export interface ClientOptions extends Habits {
  readonly stage: ReportWorld;
  random(): number;
  readonly misbehaviour?: Misbehaviour | undefined;
}

const TIMEOUT_MS = 10_000;
const FIXED_MS = 800;
const MINUTE_MS = 60_000;

/** A request that is tried until it is answered. */
interface Call {
  readonly pool: "recording" | "reporting";
  send(attempt: number): ApiResponse;
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
  const { stage, random, misbehaviour, baseMs, capMs, jitter, mostAttempts } = options;
  const agenda: { readonly atMs: number; readonly run: () => void }[] = [];
  const gates = { recording: 0, reporting: 0 };
  let isStopped = false;
  let nowMs = 0;

  const after = (ms: number, run: () => void): void => {
    agenda.push({ atMs: nowMs + ms, run });
  };

  function attempt(call: Call, number: number): void {
    if (isStopped) return;
    const gateMs = gates[call.pool];
    if (nowMs < gateMs && misbehaviour !== "ignores Retry-After") {
      after(gateMs - nowMs + Math.floor(random() * 100), () => attempt(call, number));
      return;
    }
    const { meaning, afterMs } = read(call.send(number));
    after(afterMs, () => react(call, number, meaning));
  }

  function react(call: Call, number: number, meaning: Interpretation): void {
    if (meaning.kind === "success") {
      call.done?.(meaning.body);
      return;
    }
    if (meaning.kind === "stop") {
      isStopped = misbehaviour !== "goes on after 401";
      return;
    }
    const waitMs = meaning.kind === "later" ? meaning.waitMs : undefined;
    if (waitMs !== undefined) gates[call.pool] = Math.max(gates[call.pool], nowMs + waitMs);
    const isFinal = meaning.kind === "final" || number >= mostAttempts;
    if (isFinal || misbehaviour === "never retries") return;
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
    stage.wait(next.atMs - nowMs);
    nowMs = next.atMs;
    next.run();
  }
}

/** Pending tasks and their times. */
function callsOf(
  { stage, random, misbehaviour, users, polls, widgets }: ClientOptions,
  attempt: (call: Call, number: number) => void,
  after: (ms: number, run: () => void) => void,
): [number, Call][] {
  const { impression, post, get } = senderOf(stage.sim, stage.publisher);
  const surfaces = stage.publisher.surfaces.filter(({ status }) => status === "active");
  const changes = misbehaviour === "new session for each attempt";
  let views = 0;

  const click = (impression_id: unknown): Call => ({
    pool: "recording",
    send: () => post("click", { impression_id }),
  });
  const view = (user: number, ad: number): Call => {
    views += 1;
    // Many users see each ad, but none sees it twice; where sessions change, a new ad for each view.
    const ad_id = `ad-${changes ? views : ad}`;
    const surface = surfaces[Math.floor(random() * surfaces.length)]?.id;
    return {
      pool: "recording",
      send(number) {
        const session_id = changes ? `${user}.${number}.${ad_id}` : `user-${user}`;
        return impression({ surface, ad_id, session_id });
      },
      done({ impression_id }) {
        if (random() < 0.4)
          after(Math.floor(random() * 5000), () => attempt(click(impression_id), 1));
      },
    };
  };
  const poll = (what: "stats" | "payouts"): Call => ({ pool: "reporting", send: () => get(what) });

  const arrivals = Array.from({ length: users }, (_, user) => {
    const atMs = Math.floor(random() * 20_000);
    const ads = 1 + Math.floor(random() * 3);
    return Array.from({ length: ads }, (__, ad): [number, Call] => [
      atMs + ad * 1500,
      view(user, ad),
    ]);
  });
  const dashboard = Array.from({ length: polls * widgets }, (_, at): [number, Call] => [
    Math.floor(at / widgets) * 7000,
    poll((at % widgets) % 3 === 0 ? "stats" : "payouts"),
  ]);
  return [...arrivals.flat(), ...dashboard];
}

/** What a client learns of an answer, and when. */
function read(response: ApiResponse): {
  readonly meaning: Interpretation;
  readonly afterMs: number;
} {
  const { status, delivery } = response;
  const delayMs = delivery?.delayMs ?? 0;
  switch (delivery?.kind) {
    case "silence":
      return { meaning: { kind: "later", waitMs: undefined }, afterMs: TIMEOUT_MS };
    case "cut":
    case "close":
    case "reset":
    case "noise":
      return { meaning: { kind: "later", waitMs: undefined }, afterMs: delayMs };
    case "drip":
    case "overtaken":
      return { meaning: readWhole(response), afterMs: delayMs + 700 };
    case "whole":
    case "bytes":
    case undefined:
      if (status === 0) throw new Error("no answer, and no word of how it fails");
      return { meaning: readWhole(response), afterMs: delayMs };
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
