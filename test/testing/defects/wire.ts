/**
 * What the clients of this folder have in common: the calls of the spec, and how one request is sent. When to send, how often,
 * and what an answer means is each client's own business.
 */

import type { DriverContext, Shown } from "../../../src/testing/driver/driver.ts";
import {
  isClickAnswer,
  isImpressionAnswer,
  isPayoutsAnswer,
  isStatsAnswer,
  isSurfacesAnswer,
} from "./answers.ts";

/** The limits of spec §8. */
export type Pool = "recording" | "reporting";

export interface ApiCall {
  readonly pool: Pool;
  readonly path: string;
  readonly values: Readonly<Record<string, string | number | undefined>>;
  /** Whether the body of a 200 is what the spec describes. */
  readonly isAnswer: (body: unknown) => boolean;
}

export interface StatsQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly surface?: string | undefined;
}

/** What a client returns for a view. */
export interface Receipt {
  readonly impression_id: string;
  readonly revenue_credited_inr: number;
}

/** A whole answer. The body is undefined if it isn't JSON. */
export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export const encodings = ["json", "form", "query"] as const;
export const MAX_TIMER_MS = 0x7fff_ffff;
const TIMEOUT_MS = 10_000;

/** The calls of a publisher. */
export function callsOf({ publisherId: publisher_id, surfaces }: DriverContext) {
  const recording = (path: string, values: ApiCall["values"], isAnswer: ApiCall["isAnswer"]) =>
    ({ pool: "recording", path, values, isAnswer }) satisfies ApiCall;
  const reporting = (name: string, query: ApiCall["values"], isAnswer: ApiCall["isAnswer"]) => {
    const values = { publisher_id, ...query };
    return { pool: "reporting", path: `/v1/publisher/${name}`, values, isAnswer } satisfies ApiCall;
  };
  return {
    impression({ surface, ad, session }: Shown): ApiCall {
      const values = { publisher_id, surface, ad_id: ad, session_id: session };
      return recording("/v1/impression", values, isImpressionAnswer);
    },
    click(impression_id: string): ApiCall {
      return recording("/v1/click", { impression_id }, isClickAnswer);
    },
    stats({ from, to, surface }: StatsQuery): ApiCall {
      return reporting("stats", { from, to, surface }, isStatsAnswer(publisher_id));
    },
    surfaces: (): ApiCall => reporting("surfaces", {}, isSurfacesAnswer(surfaces)),
    payouts({ limit }: { readonly limit?: number | undefined }): ApiCall {
      return reporting("payouts", { limit }, isPayoutsAnswer);
    },
  };
}

/** One request and its whole answer; undefined if it doesn't arrive in time, or not before the signal is aborted. */
export async function exchange(
  context: DriverContext,
  call: ApiCall,
  encoding: (typeof encodings)[number] | undefined,
  signal?: AbortSignal,
): Promise<Got | undefined> {
  const { fetch, timers } = context;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = timers.setTimeout(abort, TIMEOUT_MS);
  signal?.addEventListener("abort", abort);
  try {
    const { url, init } = requestOf(context, call, encoding);
    const response = await fetch(url, { ...init, signal: controller.signal });
    const { status, headers } = response;
    return { status, headers, body: parsed(await response.text()) };
  } catch {
    return undefined;
  } finally {
    timers.clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function requestOf(
  { baseUrl, apiKey }: DriverContext,
  { pool, path, values }: ApiCall,
  encoding: (typeof encodings)[number] | undefined,
): { readonly url: string; readonly init: RequestInit } {
  const authorization = `Bearer ${apiKey}`;
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const encoded = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  if (pool === "reporting" || encoding === "query") {
    const method = pool === "reporting" ? "GET" : "POST";
    return { url: `${baseUrl}${path}?${encoded}`, init: { method, headers: { authorization } } };
  }
  const isJson = encoding === "json";
  const type = isJson ? "application/json" : "application/x-www-form-urlencoded";
  const headers = { authorization, "content-type": type };
  const body = isJson ? JSON.stringify(Object.fromEntries(given)) : encoded.toString();
  return { url: `${baseUrl}${path}`, init: { method: "POST", headers, body } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The moment that Retry-After names, in seconds or as an HTTP-date. */
export function retryAfter(headers: Headers, nowMs: number): number | undefined {
  const hint = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(hint)) return nowMs + Number(hint) * 1000;
  const atMs = Date.parse(hint);
  return Number.isNaN(atMs) ? undefined : atMs;
}
