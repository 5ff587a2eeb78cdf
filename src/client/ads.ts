/**
 * The client library of spec §1: reports showings and clicks on its own, so that each is recorded once, and says of each
 * that it can't get through.
 */

import { type AdsOptions, checkAdsOptions } from "./ads-options.ts";
import type { ClickRecord, ImpressionRecord } from "./api.ts";
import { createClient } from "./client.ts";
import { createDeliveryQueue, type DeliveryResult } from "./delivery-queue.ts";
import { InitError } from "./init-error.ts";
import { assertOption, isText, TEXT } from "./options.ts";
import { after, LONGEST_TIMER_MS } from "./platform.ts";
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
import { resolveSurfaces } from "./resolve-surfaces.ts";

/** A showing. Within the option's `dedupWindowMs`, the same surface and ad are the same one, however often they are reported. */
export interface Impression {
  /** The surface's id. */
  readonly surface: string;
  readonly ad: string;
  /** What came of it, once nothing more is tried. Never rejects. */
  readonly recorded: Promise<Outcome<ImpressionRecord>>;
}

export interface Click {
  readonly impression: Impression;
  /** What came of it, once nothing more is tried. Never rejects. */
  readonly recorded: Promise<Outcome<ClickRecord>>;
}

export interface CloseOptions {
  /** How long to go on trying, in milliseconds. @default 20000 */
  readonly withinMs?: number | undefined;
}

export interface Ads {
  /**
   * Checks that the surfaces are there and active. Events can be reported afterwards.
   *
   * @throws InitError (as a rejection) that names the surfaces at fault, or says what the service answered.
   */
  init(): Promise<void>;
  /**
   * Reports a showing, and returns at once. The same surface and ad, reported again less than `dedupWindowMs` after the
   * first time, are the showing that was reported then; later they are another, with a session of its own.
   *
   * @param surface One of the option's, by name or id.
   * @param ad The spec's `ad_id`.
   * @throws TypeError for another surface, or an ad without a text; Error before `init()` and after `close()`.
   */
  impression(surface: string, ad: string): Impression;
  /**
   * Reports a click on a showing, and returns at once; it is sent once the showing is recorded. A second click on it is the
   * same, however late.
   *
   * @throws TypeError for what isn't an impression of this client; Error after `close()`.
   */
  click(impression: Impression): Click;
  /** Resolves once all that was reported before is recorded or given up. Never rejects. */
  flush(): Promise<Report>;
  /**
   * Goes on trying for a while, then gives up the rest. Nothing is sent afterwards. Never rejects.
   *
   * @throws TypeError for a `withinMs` that is none.
   */
  close(options?: CloseOptions): Promise<Report>;
}

/** A showing, and when it was reported first. */
interface ReportedView {
  readonly impression: Impression;
  readonly atMs: number;
}

/** Of showings, and of what a report lists: memory is bounded. */
const MAX_KEPT = 10_000;

/** @throws TypeError that names the option at fault. */
export function createAds(options: AdsOptions): Ads {
  const settings = checkAdsOptions(options);
  const { publisherId, surfaceNames, queueSize, dedupWindowMs, clock, random } = settings;
  const client = createClient(options);
  const deliveries = createDeliveryQueue(settings);
  // As good as 64 random bits: no two clients have the same.
  const prefix = randomText(random) + randomText(random);
  const reportedViews = new Map<string, ReportedView>();
  const clicks = new WeakMap<Impression, Click | undefined>();
  const underWay = new Set<Promise<unknown>>();
  let sessions = 0;
  let report = emptyReport();
  let surfaces: ReadonlyMap<string, string> | undefined;
  let initialization: Promise<void> | undefined;
  let closing: Promise<Report> | undefined;

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

  /** Sends it where there is room, and has the report tell what came of it. */
  function track<Value>(
    about: EventRef,
    send: () => Promise<DeliveryResult<Value> | Unsent>,
  ): Promise<Outcome<Value>> {
    const sent = isFull() ? Promise.resolve(queueFull) : send();
    const outcome = sent.then((came) => outcomeOf(about, came));
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

  function remember(key: string, showing: ReportedView): void {
    // So that it is the latest, where it is known from before.
    reportedViews.delete(key);
    reportedViews.set(key, showing);
    const [oldest] = reportedViews.keys();
    if (reportedViews.size > MAX_KEPT && oldest !== undefined) reportedViews.delete(oldest);
  }

  function takeReport(): Report {
    const taken = report;
    report = emptyReport();
    return taken;
  }

  async function end(withinMs: number): Promise<Report> {
    const cancel = after(clock, withinMs, deliveries.stop);
    await Promise.all(underWay);
    cancel();
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
      // Either way: a clock may be set back.
      if (known && Math.abs(atMs - known.atMs) < dedupWindowMs) return known.impression;
      const about = { kind: "impression", surface, ad } as const;
      const willBeSent = !isFull();
      const recorded = track(about, async () => {
        // A session of its own: services may count one impression a session, whichever the ad or the surface.
        sessions += 1;
        const session_id = `${prefix}-${sessions}`;
        const parameters = { publisher_id: publisherId, surface, ad_id: ad, session_id };
        const call = (signal: AbortSignal) => client.impression(parameters, { signal });
        return deliveries.deliver({ call, isRepeatable: true });
      });
      const impression = { surface, ad, recorded };
      clicks.set(impression, undefined);
      if (willBeSent) remember(key, { impression, atMs });
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
