/** The spec's operations under the spec's names. A call never repeats a request that may have been applied. */

import {
  type ClickParameters,
  type ClickRecord,
  click,
  type ImpressionParameters,
  type ImpressionRecord,
  impression,
  type Operation,
  type Payouts,
  type PayoutsParameters,
  type PublisherStats,
  payouts,
  type StatsParameters,
  type Surfaces,
  type SurfacesParameters,
  stats,
  surfaces,
} from "./api.ts";
import { resultOf } from "./call-result.ts";
import { fetchWithTimeout } from "./fetch-with-timeout.ts";
import { assertOption, wholeNumber } from "./options.ts";
import { type Clock, LONGEST_TIMER_MS, platformClock, platformFetch } from "./platform.ts";
import type { Result } from "./result.ts";

export interface ClientOptions {
  /** Such as `https://ads.example`. May have a path, which goes in front of the operation's. */
  readonly baseUrl: string;
  /** Sent as a Bearer token (spec §5). Never part of a message. */
  readonly apiKey: string;
  /** @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How long a request may take until its whole answer is there, in milliseconds. @default 10000 */
  readonly timeoutMs?: number | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock | undefined;
}

export interface CallOptions {
  /** Aborting it ends the call, which resolves to an `aborted` error. */
  readonly signal?: AbortSignal | undefined;
}

type Call<Parameters, Value> = (
  parameters: Parameters,
  options?: CallOptions,
) => Promise<Result<Value>>;

/** The operations (spec §4). A call never rejects and never retries. */
export interface Client {
  readonly impression: Call<ImpressionParameters, ImpressionRecord>;
  readonly click: Call<ClickParameters, ClickRecord>;
  readonly stats: Call<StatsParameters, PublisherStats>;
  readonly surfaces: Call<SurfacesParameters, Surfaces>;
  readonly payouts: Call<PayoutsParameters, Payouts>;
}

/** @throws TypeError that names the option at fault. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, apiKey, timeoutMs = 10_000 } = options;
  const { fetch = platformFetch, clock = platformClock } = options;
  assertOption(
    /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(baseUrl) && URL.canParse(baseUrl),
    "baseUrl",
    "an http(s) URL without user or query",
  );
  // Checked here, because fetch would repeat an invalid header in its error.
  const isKey = typeof apiKey === "string" && /^[\x21-\x7e]+$/.test(apiKey);
  assertOption(isKey, "apiKey", "visible ASCII characters");
  wholeNumber(timeoutMs, "timeoutMs", LONGEST_TIMER_MS);
  const base = baseUrl.replace(/\/+$/, "");
  /** Index of the encoding that the service understood last, or of the next one to try. */
  let next = 0;

  async function call<Value>(
    operation: Operation<Value>,
    parameters: object,
    { signal }: CallOptions = {},
  ): Promise<Result<Value>> {
    const { method, path, isAnswer } = operation;
    const isPost = method === "POST";
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const values: Values = Object.fromEntries(given);
    const candidates = isPost ? encodings : [inQuery];
    let index = next;
    for (let left = candidates.length; ; ) {
      const encoding = candidates[index % candidates.length] ?? inQuery;
      const { query, body, type } = encoding(values);
      const headers = { accept: "application/json", authorization: `Bearer ${apiKey}`, ...type };
      const init = { method, headers, body };
      const sent = { fetch, clock, timeoutMs, signal };
      const exchanged = await fetchWithTimeout(`${base}${path}${query}`, init, sent);
      if (isPost && exchanged.response?.status === 415) {
        // Later calls don't start with an encoding that was refused.
        next = index += 1;
        if (--left > 0) continue;
      }
      const about = { isPost, isAnswer, nowMs: clock.now(), secret: apiKey };
      const result = resultOf(exchanged, about);
      if (isPost && result.ok) next = index;
      return result;
    }
  }

  return {
    impression: (parameters, options) => call(impression, parameters, options),
    click: (parameters, options) => call(click, parameters, options),
    stats: (parameters, options) => call(stats(parameters.publisher_id), parameters, options),
    surfaces: (parameters, options) => call(surfaces, parameters, options),
    payouts: (parameters, options) => call(payouts, parameters, options),
  };
}

/** The parameters that were given. */
type Values = Readonly<Record<string, string>>;

/** The parts of a request that carry the parameters. */
interface Encoded {
  readonly query: string;
  readonly body: string | null;
  readonly type?: { readonly "content-type": string };
}

type Encoding = (values: Values) => Encoded;

// The spec doesn't say how POST parameters are sent (spec §4), so the client tries these in turn. A 415 means that the
// service read nothing, so another try is safe.
const asJson: Encoding = (values) => inBody(JSON.stringify(values), "application/json");
const asForm: Encoding = (values) => inBody(formOf(values), "application/x-www-form-urlencoded");
const inQuery: Encoding = (values) => ({ query: `?${formOf(values)}`, body: null });

const encodings: readonly Encoding[] = [asJson, asForm, inQuery];

function inBody(body: string, type: string): Encoded {
  return { query: "", body, type: { "content-type": type } };
}

function formOf(values: Values): string {
  return String(new URLSearchParams(values));
}
