/**
 * The client library of spec §1. It reports ad views and clicks in the background, so that each is recorded once, and lists
 * those that it couldn't deliver.
 */

import { type AdsOptions, checkAdsOptions } from "./ads-options.ts";
import type { ClickRecord, ImpressionRecord } from "./api.ts";
import { createClient } from "./client.ts";
import { createDeliveryQueue, type DeliveryResult } from "./delivery-queue.ts";
import { assertOption, isText, TEXT } from "./options.ts";
import { after, LONGEST_TIMER_MS, onLeave } from "./platform.ts";
import {
  type EventRef,
  noImpression,
  type Outcome,
  outcomeOf,
  queueFull,
  type Report,
  type Undelivered,
  type Unsent,
} from "./report.ts";
import { InitError, resolveSurfaces } from "./resolve-surfaces.ts";

/** An ad view. The same ad on the same surface is the same ad view until `dedupWindowMs` is over, however often it is reported. */
export interface Impression {
  /** The surface's id. */
  readonly surface: string;
  readonly ad: string;
  /** Resolves to the outcome after the last attempt. Never rejects. */
  readonly recorded: Promise<Outcome<ImpressionRecord>>;
}

export interface Click {
  readonly impression: Impression;
  /** Resolves to the outcome after the last attempt. Never rejects. */
  readonly recorded: Promise<Outcome<ClickRecord>>;
}

export interface CloseOptions {
  /** How long to keep trying, in milliseconds. @default 20000 */
  readonly withinMs?: number | undefined;
}

export interface Ads {
  /**
   * Checks that the surfaces exist and are active. Events can be reported afterwards.
   *
   * @throws InitError (as a rejection) that names the wrong surfaces or gives the service's error.
   */
  init(): Promise<void>;
  /**
   * Reports an ad view and returns at once. Less than `dedupWindowMs` after the first report, another report of the same
   * surface and ad returns the same ad view. After that it is a new ad view with a session of its own.
   *
   * @param surface One of the configured surfaces, by name or id.
   * @param ad The spec's `ad_id`.
   * @throws TypeError for another surface or an empty ad; Error before `init()` and after `close()`.
   */
  impression(surface: string, ad: string): Impression;
  /**
   * Reports a click on an ad view and returns at once. The click is sent after the ad view is recorded. An ad view has one
   * click: reporting another returns the first.
   *
   * @throws TypeError for anything but an impression of this client; Error after `close()`.
   */
  click(impression: Impression): Click;
  /** Resolves when every event reported so far is recorded or given up. Never rejects. */
  flush(): Promise<Report>;
  /**
   * Keeps trying until `withinMs` is over, then gives up the rest. Nothing is sent afterwards. Never rejects.
   *
   * @throws TypeError for an invalid `withinMs`.
   */
  close(options?: CloseOptions): Promise<Report>;
}

/** Bounds the remembered ad views and the list of a report. */
const MAX_KEPT = 10_000;

/** @throws TypeError that names the option at fault. */
export function createAds(options: AdsOptions): Ads {
  const settings = checkAdsOptions(options);
  const { publisherId, surfaceNames, queueSize, dedupWindowMs, clock, random } = settings;
  const client = createClient(options);
  const deliveries = createDeliveryQueue(settings);
  // 64 random bits, so that no two clients share a session.
  const prefix = randomText(random) + randomText(random);
  /** With the time of the first report. */
  const reportedViews = new Map<string, { impression: Impression; atMs: number }>();
  const clicks = new WeakMap<Impression, Click | undefined>();
  const underWay = new Set<Promise<unknown>>();
  let sessions = 0;
  let report = emptyReport();
  let surfaces: ReadonlyMap<string, string> | undefined;
  let initialization: Promise<void> | undefined;
  let closing: Promise<Report> | undefined;
  const stopListening = onLeave(deliveries.hurry);

  async function start(): Promise<void> {
    mustBeOpen();
    const parameters = { publisher_id: publisherId };
    const call = (signal: AbortSignal) => client.surfaces(parameters, { signal });
    const answer = await deliveries.deliver({ call, isRepeatable: true, maxSilentFailures: 3 });
    mustBeOpen();
    if (answer.ok) {
      surfaces = resolveSurfaces(surfaceNames, answer.value.surfaces);
      return;
    }
    const { error } = answer;
    throw new InitError(`The surfaces can't be listed: ${error?.message}`, error);
  }

  function mustBeOpen(): void {
    if (closing !== undefined) throw new Error("The client is closed: create another one.");
  }

  function requireSurfaces(): ReadonlyMap<string, string> {
    mustBeOpen();
    if (surfaces === undefined) throw new Error("The client isn't started: await init() first.");
    return surfaces;
  }

  /** Sends the event if the queue has room, and counts its outcome in the report. */
  function track<Value>(
    about: EventRef,
    send: () => Promise<DeliveryResult<Value> | Unsent>,
  ): Promise<Outcome<Value>> {
    const sent = isFull() ? Promise.resolve(queueFull) : send();
    const outcome = sent.then((result) => outcomeOf(about, result));
    const noted = outcome.then((done) => {
      underWay.delete(noted);
      if (done.ok) report.delivered += 1;
      else if (report.undelivered.length < MAX_KEPT) report.undelivered.push(done.undelivered);
      else report.unlisted += 1;
    });
    underWay.add(noted);
    return outcome;
  }

  const isFull = (): boolean => underWay.size >= queueSize;

  function remember(key: string, impression: Impression, atMs: number): void {
    // Deleting first makes it the latest entry of the map.
    reportedViews.delete(key);
    reportedViews.set(key, { impression, atMs });
    const [oldest] = reportedViews.keys();
    if (reportedViews.size > MAX_KEPT && oldest !== undefined) reportedViews.delete(oldest);
  }

  function takeReport(): Report {
    const taken = { ...report, undelivered: Object.freeze(report.undelivered) };
    report = emptyReport();
    return Object.freeze(taken);
  }

  async function end(withinMs: number): Promise<Report> {
    const cancel = after(clock, withinMs, deliveries.stop);
    await Promise.all(underWay);
    cancel();
    stopListening();
    deliveries.stop();
    return takeReport();
  }

  return {
    init() {
      initialization ??= start();
      initialization.catch(() => {
        initialization = undefined;
      });
      return initialization;
    },

    impression(name, ad) {
      const surface = requireSurfaces().get(name);
      assertOption(surface !== undefined, "surface", `one of ${surfaceNames.join(", ")}`);
      assertOption(isText(ad), "ad", TEXT);
      const key = JSON.stringify([surface, ad]);
      const known = reportedViews.get(key);
      const atMs = clock.now();
      // The clock may have been set back.
      if (known && Math.abs(atMs - known.atMs) < dedupWindowMs) return known.impression;
      const about = { kind: "impression", surface, ad } as const;
      const willBeSent = !isFull();
      const recorded = track(about, async () => {
        // Each ad view gets its own session: a service may count one impression per session, whatever the ad or surface.
        sessions += 1;
        const session_id = `${prefix}-${sessions}`;
        const parameters = { publisher_id: publisherId, surface, ad_id: ad, session_id };
        const call = (signal: AbortSignal) => client.impression(parameters, { signal });
        return deliveries.deliver({ call, isRepeatable: true });
      });
      const impression = { surface, ad, recorded };
      clicks.set(impression, undefined);
      if (willBeSent) remember(key, impression, atMs);
      return impression;
    },

    click(impression) {
      requireSurfaces();
      assertOption(clicks.has(impression), "impression", "an impression of this client");
      const known = clicks.get(impression);
      if (known !== undefined) return known;
      const { surface, ad } = impression;
      const about = { kind: "click", surface, ad } as const;
      const willBeSent = !isFull();
      const recorded = track(about, async () => {
        const shown = await impression.recorded;
        const impression_id = shown.ok ? shown.value?.impression_id : undefined;
        if (impression_id === undefined) return noImpression;
        const call = (signal: AbortSignal) => client.click({ impression_id }, { signal });
        return deliveries.deliver({ call, isRepeatable: false });
      });
      const click = { impression, recorded };
      if (willBeSent) clicks.set(impression, click);
      return click;
    },

    async flush() {
      await Promise.all(underWay);
      return takeReport();
    },

    close({ withinMs = 20_000 } = {}) {
      const isTime = withinMs >= 0 && withinMs <= LONGEST_TIMER_MS;
      assertOption(isTime, "withinMs", `a number from 0 to ${LONGEST_TIMER_MS}`);
      closing ??= end(withinMs);
      return closing;
    },
  };
}

function emptyReport(): { delivered: number; undelivered: Undelivered[]; unlisted: number } {
  return { delivered: 0, undelivered: [], unlisted: 0 };
}

function randomText(random: () => number): string {
  return Math.floor(random() * 0x1_0000_0000).toString(36);
}
