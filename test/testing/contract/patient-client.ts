/** A small client that does everything right, and the same with one thing wrong: to see that the contract's rules tell them apart. */

import type { WrongWay } from "../../../src/faults/wrong-body.ts";
import { buildRequest } from "../../../src/spec/build-request.ts";
import type { OperationId } from "../../../src/spec/operations.ts";
import type {
  CreateDriver,
  DriverContext,
  Undelivered,
} from "../../../src/testing/driver/driver.ts";
import type { ClientPromises } from "../../../src/testing/driver/promises.ts";
import { wrongIn } from "./wrong-in-answer.ts";

/** Each is one mistake, or another way to be right. */
export interface Habits {
  /** How often a request is repeated. @default 5 */
  readonly repeats?: number;
  /** @default doubling from a second on, half of it drawn */
  readonly pauseMs?: (repeat: number, random: () => number) => number;
  /** Retry-After as it is read. @default as it is meant */
  readonly hint?: (headers: Headers, nowMs: number, status: number) => number | undefined;
  /** @default 10 seconds; 0: none */
  readonly timeoutMs?: number;
  /** @default that of the ad view */
  readonly session?: (session: string, attempt: number) => string | undefined;
  /** In how many forms it can send: JSON, form, query. @default 3 */
  readonly forms?: number;
  /** Which answers are final. @default refusals that stay */
  readonly isFinal?: (status: number) => boolean;
  /** Which answers are successes. @default 200 with the fields of the spec */
  readonly isSuccess?: (status: number, body: unknown) => boolean;
  /** What it doesn't notice about an answer. @default it notices everything */
  readonly overlooks?: WrongWay;
  /** Whether a click that may count already is sent again. @default false */
  readonly repeatsClicks?: boolean | "when it times out" | "when it can't read a 200";
  /** Whether events wait for a flush. @default false */
  readonly queues?: boolean;
  /** Whether a queue delivers each event at once, one after the other. @default false */
  readonly isEager?: boolean;
  /** How many events a flush takes. @default all */
  readonly flushes?: number;
  /** What a queue reports of the events that it couldn't deliver. @default their counts */
  readonly report?: (undelivered: Undelivered) => Undelivered | undefined;
  /** Whether closing delivers queued events. @default true */
  readonly flushesOnClose?: boolean;
  /** Whether it goes on sending once it is closed. @default false */
  readonly pollsForever?: boolean;
  /** Whether a queue takes events after it was closed, and a flush delivers them. @default false */
  readonly reopens?: boolean;
  /** What only the first flush of a queue does. @default nothing */
  readonly flushesOnce?: "it ends" | "it succeeds" | "it delivers";
  /** Whether a timer is left when the client is closed. @default false */
  readonly leavesTimer?: boolean | "that doesn't matter";
  /** What the client has to get in time. @default the whole answer */
  readonly timeoutFor?: "head";
  /** Whether a queue goes on with a key that was refused. @default false */
  readonly keepsKey?: boolean;
  /** Whether it takes every 403 for a refused key, and stops for good. @default false */
  readonly stopsAt403?: boolean;
  /** What the driver declares. @default nothing */
  readonly promises?: ClientPromises;
  /** Whether it hides failures from its caller. @default false */
  readonly hidesFailures?: boolean;
  /** Whether the wait for one limit delays every request. @default false */
  readonly sharesWaits?: boolean;
  /** Whether a later answer's Retry-After replaces an earlier one that names a later time. @default false */
  readonly believesTheLast?: boolean;
  /** Whether a success ends every wait, though another request was told to wait. @default false */
  readonly believesSuccess?: boolean;
  /** Whether each pause is longer than the one before it, whatever succeeded in between. @default false */
  readonly neverCalmsDown?: boolean;
  /** How long it sends nothing after so many failures in a row, in milliseconds. @default 0 */
  readonly restsMs?: (failures: number) => number;
  /** How long it waits before it asks for something, in milliseconds. @default 0 */
  readonly dawdlesMs?: number;
  /** Whether it never sends again once something went wrong. @default false */
  readonly sulks?: boolean;
  /** Whether a query that failed fails from then on, without being sent again. @default false */
  readonly keepsFailures?: boolean;
  /** How many queries it has under way at once. The others wait. @default any number */
  readonly queriesAtOnce?: number;
  /** Whether a query that fails leaves those waiting that wait for it. @default false */
  readonly keepsPlaces?: boolean;
  /** The status of its rejections. @default the wire's */
  readonly status?: (status: number) => number;
  /** The id that it gives for an impression. @default the wire's */
  readonly idOf?: (id: unknown, ad: string) => unknown;
}

interface Receipt {
  impression_id?: unknown;
}

class Refused extends Error {
  readonly status: number | undefined;
  constructor(status: number | undefined) {
    super(status === undefined ? "no answer" : `refused: ${status}`);
    this.status = status;
  }
}

interface Request {
  readonly kind: "recording" | "reporting";
  readonly operation: OperationId;
  readonly values: (attempt: number) => Readonly<Record<string, string>>;
  readonly isRepeatable: boolean | "when it times out" | "when it can't read a 200";
}

const REFUSALS = new Set([400, 401, 404, 405, 409, 410, 422]);
const forms = ["json", "form", "query"] as const;

/** A client with these habits. */
export function patientClient(habits: Habits = {}): CreateDriver<Receipt> {
  return (context) => clientOf(context, habits);
}

/** A client that tries once, reports the outcome, and remembers nothing. */
export const onceOnly: CreateDriver<Receipt> = patientClient({ repeats: 0, hint: () => undefined });

function clientOf(context: DriverContext, habits: Habits): ReturnType<CreateDriver<Receipt>> {
  const send = senderOf(context, habits);
  const { publisherId } = context;
  const waiting: { kind: "impressions" | "clicks"; work: () => Promise<unknown> }[] = [];
  const undelivered = { impressions: 0, clicks: 0 };
  const recorded = async (
    operation: "impression" | "click",
    isRepeatable: Request["isRepeatable"],
    values: Request["values"],
  ): Promise<Receipt> => {
    const kind = "recording";
    const answer = await send({ kind, operation, values, isRepeatable });
    return (answer ?? {}) as Receipt;
  };
  const inTurn = queueOf(habits);
  const failed = new Map<string, Promise<unknown>>();
  const asked = async (operation: OperationId, query: object = {}): Promise<unknown> => {
    const key = JSON.stringify([operation, query]);
    const answer =
      failed.get(key) ??
      inTurn(() =>
        send({
          kind: "reporting",
          operation,
          values: () => ({ publisher_id: publisherId, ...query }),
          isRepeatable: true,
        }),
      );
    if (habits.keepsFailures === true) answer.catch(() => failed.set(key, answer));
    return await answer;
  };

  if (habits.leavesTimer !== undefined) {
    const timer = context.timers.setTimeout(() => {}, 86_400_000);
    if (habits.leavesTimer === "that doesn't matter") timer.unref();
  }

  let delivering: Promise<void> = Promise.resolve();
  let isClosed = false;
  let flushes = 0;
  async function flush(): Promise<Undelivered | undefined> {
    const before = { ...undelivered };
    flushes += 1;
    if (flushes > 1 && habits.flushesOnce === "it ends") await new Promise(() => {});
    if (flushes > 1 && habits.flushesOnce === "it succeeds") throw new Error("flushed already");
    if (flushes > 1 && habits.flushesOnce === "it delivers") return report({ ...before });
    delivering = delivering.then(deliver);
    await delivering;
    const impressions = undelivered.impressions - before.impressions;
    return report({ impressions, clicks: undelivered.clicks - before.clicks });
  }

  async function deliver(): Promise<void> {
    for (const { kind, work } of waiting.splice(0, habits.flushes ?? waiting.length)) {
      try {
        await work();
      } catch {
        undelivered[kind] += 1;
      }
    }
  }
  const { report = (one) => one } = habits;
  const given = async <Value>(
    kind: "impressions" | "clicks",
    work: () => Promise<Value>,
    receipt: Value,
  ): Promise<Value> => {
    if (habits.queues !== true) {
      return await work().catch((error) => {
        if (habits.hidesFailures === true) return receipt;
        throw error;
      });
    }
    if (isClosed && habits.reopens !== true) throw new Error("closed");
    waiting.push({ kind, work });
    if (habits.isEager === true) delivering = delivering.then(deliver);
    return receipt;
  };

  const driver = {
    async impression({ surface, ad, session }: { surface: string; ad: string; session: string }) {
      const receipt: Receipt = {};
      const sessionOf = habits.session ?? ((own) => own);
      return await given(
        "impressions",
        async () => {
          const { impression_id } = await recorded("impression", true, (attempt) => ({
            publisher_id: publisherId,
            surface,
            ad_id: ad,
            ...sessionIn(sessionOf(session, attempt)),
          }));
          receipt.impression_id = habits.idOf?.(impression_id, ad) ?? impression_id;
          return receipt;
        },
        receipt,
      );
    },
    async click(receipt: Receipt) {
      const done = await given(
        "clicks",
        async () => {
          const { impression_id } = receipt;
          if (typeof impression_id !== "string") throw new Refused(undefined);
          const values = () => ({ impression_id });
          return await recorded("click", habits.repeatsClicks ?? false, values);
        },
        {},
      );
      return done;
    },
    stats: (query: object) => asked("stats", query),
    surfaces: () => asked("surfaces"),
    payouts: (query: object) => asked("payouts", query),
    async close() {
      flushes = 0;
      if (habits.flushesOnClose !== false) await flush();
      isClosed = true;
      if (habits.pollsForever === true) {
        const poll = (): void => {
          asked("stats").catch(() => {});
          context.timers.setTimeout(poll, 600_000);
        };
        context.timers.setTimeout(poll, 600_000);
      }
      return report({ ...undelivered });
    },
  };
  return { ...driver, ...(habits.queues === true && { flush }), ...habits.promises };
}

/** Repeats with growing pauses, and waits when it is told to. */
function senderOf(context: DriverContext, habits: Habits): (request: Request) => Promise<unknown> {
  const { timers, random } = context;
  const { repeats = 5, pauseMs = growing, hint = told, isFinal = (s) => REFUSALS.has(s) } = habits;
  const gates = new Map<string, number>();
  let form = 0;
  let isSulking = false;
  let keyRefusal: Refused | undefined;
  let pauses = 0;
  let failures = 0;
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => timers.setTimeout(resolve, ms));

  const gateMs = (gate: string): number => (gates.get(gate) ?? 0) - timers.now();

  return async (request) => {
    if (request.kind === "reporting" && habits.dawdlesMs !== undefined)
      await pause(habits.dawdlesMs);
    const gate = habits.sharesWaits === true ? "all" : request.kind;
    let failure = new Refused(undefined);
    for (let attempt = 0, tries = 0; attempt <= repeats; attempt += 1, tries += 1) {
      if (isSulking) throw failure;
      if (keyRefusal !== undefined) throw keyRefusal;
      for (let waitMs = gateMs(gate); waitMs > 0; waitMs = gateMs(gate)) {
        if (repeats === 0) throw failure;
        await pause(waitMs);
      }
      const sentForm = form;
      const answer = await exchange(context, habits, request, { form, tries });
      const { status, headers, body } = answer;
      const isSuccess =
        habits.isSuccess?.(status, body) ??
        wrongIn(request.operation, answer, context.publisherId).every(
          (wrong) => wrong === habits.overlooks,
        );
      failures = isSuccess ? 0 : failures + 1;
      if (isSuccess && habits.believesSuccess === true) gates.delete(gate);
      if (isSuccess) return body;
      if (habits.restsMs !== undefined) gates.set(gate, timers.now() + habits.restsMs(failures));
      failure = new Refused(habits.status?.(status) ?? (status === 0 ? undefined : status));
      if (status === 415 && sentForm < (habits.forms ?? forms.length) - 1) {
        // Another request may have gone on to the next form meanwhile.
        form = Math.max(form, sentForm + 1);
        attempt -= 1;
        continue;
      }
      const isLimit =
        status === 429 ||
        ((status === 403 || status === 503) && headers.get("x-ratelimit-remaining") === "0");
      const untilMs = status >= 400 ? hint(headers, timers.now(), status) : undefined;
      if (status === 401 && habits.queues === true && habits.keepsKey !== true)
        keyRefusal = failure;
      if (status === 403 && habits.stopsAt403 === true) keyRefusal = failure;
      if (habits.sulks === true && status !== 415) isSulking = true;
      if (untilMs !== undefined) {
        const latestMs = habits.believesTheLast === true ? 0 : (gates.get(gate) ?? 0);
        gates.set(gate, Math.max(latestMs, untilMs));
      }
      const isRefused = (isFinal(status) || status === 403) && !isLimit;
      if (isRefused && habits.isFinal === undefined) throw failure;
      if (habits.isFinal?.(status) === true) throw failure;
      const surelyNothing = isLimit || (status >= 400 && status < 500);
      const { isRepeatable } = request;
      const goesOn =
        isRepeatable === "when it times out"
          ? answer.hasTimedOut === true
          : isRepeatable === "when it can't read a 200"
            ? status === 200
            : isRepeatable;
      if (!goesOn && !surelyNothing) throw failure;
      if (attempt === repeats || untilMs !== undefined) continue;
      await pause(pauseMs(habits.neverCalmsDown === true ? pauses++ : attempt, random));
    }
    throw failure;
  };
}

/** Does so many works at once. The others wait. */
function queueOf({ queriesAtOnce = Number.POSITIVE_INFINITY, keepsPlaces = false }: Habits) {
  const waiting: (() => void)[] = [];
  let places = queriesAtOnce;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) places += 1;
    else next();
  };
  return async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (places > 0) places -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    let hasFailed = true;
    try {
      const value = await work();
      hasFailed = false;
      return value;
    } finally {
      if (!(hasFailed && keepsPlaces)) leave();
    }
  };
}

function sessionIn(session_id: string | undefined): Record<string, string> {
  return session_id === undefined ? {} : { session_id };
}

function growing(repeat: number, random: () => number): number {
  return 1000 * 2 ** repeat * (0.5 + random() / 2);
}

/** What Retry-After says, as a time. */
export function told(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const untilMs = /^\d+$/.test(value) ? nowMs + Number(value) * 1000 : Date.parse(value);
  return Number.isNaN(untilMs) ? undefined : untilMs;
}

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly hasTimedOut?: boolean;
}

/** One request, and its answer as far as it came in time. */
async function exchange(
  { baseUrl, apiKey, fetch, timers }: DriverContext,
  { timeoutMs = 10_000, timeoutFor }: Habits,
  { operation, values }: Request,
  { form, tries }: { readonly form: number; readonly tries: number },
): Promise<Got> {
  const sent = buildRequest(operation, values(tries), { key: apiKey, encoding: forms[form] });
  const aborting = new AbortController();
  const timer = timeoutMs === 0 ? undefined : timers.setTimeout(() => aborting.abort(), timeoutMs);
  let status = 0;
  try {
    const { method, path, query, headers = {}, body } = sent;
    const url = `${baseUrl}${path}${query === undefined ? "" : `?${query}`}`;
    const { signal } = aborting;
    const answer = await fetch(url, {
      method,
      headers,
      signal,
      ...(body ? { body: String(body) } : {}),
    });
    if (timeoutFor === "head") timers.clearTimeout(timer);
    const text = await answer.text();
    status = answer.status;
    return { status, headers: answer.headers, body: parsed(text) };
  } catch {
    const hasTimedOut = aborting.signal.aborted;
    return { status, headers: new Headers(), body: undefined, hasTimedOut };
  } finally {
    timers.clearTimeout(timer);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
