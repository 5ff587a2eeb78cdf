/**
 * Random command sequences. A command is abstract ("the third impression known so far"); playing it resolves it against
 * what the oracle knows, does it, and has the oracle judge the answer.
 */

import fc from "fast-check";
import type { ApiRequest, Publisher } from "../../src/index.ts";
import { addDays, type Call, type Oracle } from "../oracle.ts";
import type { Player } from "./run.ts";

export type Target =
  | "known"
  | "latest"
  | "foreign"
  | "unknown"
  | "truncated"
  | "changed"
  | "other-kind";
export type Edge =
  | "moment"
  | "midnight"
  | "minute"
  | "window"
  | "payday"
  | "leap-day"
  | "year-end"
  | "years";

export type Command =
  | {
      readonly kind: "impression";
      readonly who: number;
      readonly surface: number;
      readonly ad: number;
      readonly session: number | undefined;
      readonly as: Encoding;
      readonly times: number;
      readonly claims?: "foreign" | "nonexistent";
    }
  | {
      readonly kind: "click";
      readonly who: number;
      readonly target: Target;
      readonly pick: number;
      readonly as: Encoding;
      readonly times: number;
    }
  | {
      readonly kind: "stats";
      readonly who: number;
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly surface: number | undefined;
      readonly times: number;
      readonly claims?: "foreign" | "nonexistent";
    }
  | { readonly kind: "payouts"; readonly who: number; readonly limit: number | undefined }
  | { readonly kind: "surfaces"; readonly who: number; readonly deadKey: boolean }
  | { readonly kind: "wrong"; readonly who: number; readonly which: number }
  | {
      readonly kind: "advance";
      readonly to: Edge;
      readonly nudgeMs: -1 | 0 | 1;
      readonly by: number;
    }
  | { readonly kind: "edge"; readonly who: number; readonly nudgeMs: -1 | 0 | 1 }
  | { readonly kind: "rotate-key"; readonly who: number }
  | {
      readonly kind: "set-surface";
      readonly who: number;
      readonly surface: number;
      readonly status: string | undefined;
      readonly cpm: readonly [number, number] | undefined;
    }
  | { readonly kind: "sign-up"; readonly surfaces: number }
  | { readonly kind: "snapshot" | "restore" | "fork" | "reset" };

type Encoding = "json" | "form" | "query" | "bytes";

const who = fc.integer({ min: 0, max: 4 });
const surface = fc.integer({ min: 0, max: 2 });
const encoding = fc.constantFrom<Encoding>("json", "json", "form", "query", "bytes");
const often = (times: number) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(times) });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const claims = fc.oneof(
  { weight: 9, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constantFrom({ claims: "foreign" }, { claims: "nonexistent" }) },
) as fc.Arbitrary<{ claims?: "foreign" | "nonexistent" }>;

const impression = fc
  .record({
    kind: fc.constant("impression" as const),
    who,
    surface,
    ad: fc.integer({ min: 0, max: 1 }),
    session: maybe(fc.integer({ min: 0, max: 1 })),
    as: encoding,
    times: often(3),
  })
  .chain((command) => claims.map((claim) => ({ ...command, ...claim })));
const click = fc.record({
  kind: fc.constant("click" as const),
  who,
  target: fc.constantFrom<Target>(
    "known",
    "known",
    "latest",
    "foreign",
    "unknown",
    "truncated",
    "changed",
    "other-kind",
  ),
  pick: fc.nat(1000),
  as: encoding,
  times: fc.integer({ min: 1, max: 2 }),
});
const stats = fc
  .record({
    kind: fc.constant("stats" as const),
    who,
    from: maybe(fc.integer({ min: -800, max: 2 })),
    to: maybe(fc.integer({ min: -40, max: 40 })),
    surface: maybe(surface),
    times: often(62),
  })
  .chain((command) => claims.map((claim) => ({ ...command, ...claim })));
const advance = fc.record({
  kind: fc.constant("advance" as const),
  to: fc.constantFrom<Edge>(
    "moment",
    "midnight",
    "midnight",
    "minute",
    "window",
    "window",
    "payday",
    "leap-day",
    "year-end",
    "years",
  ),
  nudgeMs: fc.constantFrom<-1 | 0 | 1>(-1, 0, 1),
  by: fc.nat(100_000_000),
});
const setSurface = fc.record({
  kind: fc.constant("set-surface" as const),
  who,
  surface,
  status: maybe(fc.constantFrom("active", "active", "paused", "archived", "pending_review")),
  cpm: maybe(
    fc
      .tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 1_000_000 }))
      .map(([a, b]) => [Math.min(a, b) / 100, Math.max(a, b) / 100] as const),
  ),
});

/** Any command, each kind about as often as it is interesting. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 30, arbitrary: impression },
  { weight: 14, arbitrary: click },
  { weight: 12, arbitrary: stats },
  { weight: 18, arbitrary: advance },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("payouts" as const),
      who,
      limit: maybe(fc.constantFrom(1, 2, 20, 99, 100)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("surfaces" as const),
      who,
      deadKey: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("wrong" as const), who, which: fc.nat(1000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("edge" as const),
      who,
      nudgeMs: fc.constantFrom<-1 | 0 | 1>(-1, 0, 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rotate-key" as const), who }) },
  { weight: 3, arbitrary: setSurface },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("sign-up" as const),
      surfaces: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("snapshot" as const, "snapshot" as const, "restore" as const),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "fork" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "reset" as const }) },
);

/** Who sends, and with which key. */
type Sender = Pick<Publisher, "id" | "apiKey">;

/** What a sequence is played on. `publishers`: those that take part, sign-ups included. */
export interface Stage {
  readonly player: Player;
  readonly oracle: Oracle;
  readonly seeded: number;
  readonly deadKeys: Sender[];
  readonly sometimes: (place: string) => void;
  saved: { readonly oracle: unknown; readonly deadKeys: readonly Sender[] } | undefined;
  /** What `reset` goes back to. */
  readonly first: unknown;
}

/** Does the command and has the oracle judge it. @throws Error where the answer isn't the expected one. */
export function perform(command: Command, stage: Stage): void {
  const { player, oracle, sometimes } = stage;
  const publishers = participants(stage);
  const pick = (index: number): Publisher => at(publishers, index);
  switch (command.kind) {
    case "impression": {
      const caller = pick(command.who);
      const call: Call = {
        operation: "impression",
        publisherId: claimed(caller, publishers, command.claims),
        surface: at(caller.surfaces, command.surface).id,
        adId: `ad ${command.ad} é`,
        sessionId: command.session === undefined ? undefined : `session ${command.session}`,
      };
      for (let time = 0; time < command.times; time += 1) send(stage, caller, call, command.as);
      return;
    }
    case "click": {
      const caller = pick(command.who);
      const impressionId = targetOf(command.target, command.pick, caller, stage);
      if (impressionId === undefined) return;
      for (let time = 0; time < command.times; time += 1) {
        send(stage, caller, { operation: "click", impressionId }, command.as);
      }
      return;
    }
    case "stats": {
      const caller = pick(command.who);
      const today = oracle.dayOf(player.sim.clock.now());
      const date = (offset: number | undefined): string | undefined =>
        offset === undefined ? undefined : addDays(today, offset);
      const call: Call = {
        operation: "stats",
        publisherId: claimed(caller, publishers, command.claims),
        from: date(command.from),
        to: date(command.to),
        surface:
          command.surface === undefined ? undefined : at(caller.surfaces, command.surface).id,
      };
      for (let time = 0; time < command.times; time += 1) send(stage, caller, call, "query");
      return;
    }
    case "payouts": {
      const caller = pick(command.who);
      const call: Call = {
        operation: "payouts",
        publisherId: caller.id,
        limit: command.limit,
      };
      send(stage, caller, call, "query");
      return;
    }
    case "surfaces": {
      const caller = pick(command.who);
      const dead = command.deadKey ? stage.deadKeys[0] : undefined;
      if (dead !== undefined) sometimes("a key that was rotated away");
      send(stage, dead ?? caller, { operation: "surfaces", publisherId: caller.id }, "query");
      return;
    }
    case "wrong":
      sendWrong(stage, pick(command.who), command.which);
      return;
    case "advance":
      advanceTo(command, stage);
      return;
    case "edge":
      tryEdge(stage, pick(command.who), command.nudgeMs);
      return;
    default:
      change(command, stage, pick);
  }
}

function change(
  command: Exclude<
    Command,
    {
      kind:
        | "impression"
        | "click"
        | "stats"
        | "payouts"
        | "surfaces"
        | "wrong"
        | "advance"
        | "edge";
    }
  >,
  stage: Stage,
  pick: (index: number) => Publisher,
): void {
  const { player, oracle, sometimes } = stage;
  switch (command.kind) {
    case "rotate-key": {
      const { id, apiKey } = pick(command.who);
      player.play({ kind: "rotate-key", publisherId: id });
      stage.deadKeys.unshift({ id, apiKey });
      oracle.setKey(id, player.sim.publishers.get(id).apiKey);
      return;
    }
    case "set-surface": {
      const publisher = pick(command.who);
      const surfaceId = at(publisher.surfaces, command.surface).id;
      const terms = { status: command.status, cpmRange: command.cpm };
      player.play({ kind: "set-surface", publisherId: publisher.id, surfaceId, change: terms });
      oracle.setSurface(publisher.id, surfaceId, terms);
      return;
    }
    case "sign-up": {
      const surfaces = Array.from({ length: command.surfaces }, (_, index) => `Place ${index}`);
      player.play({ kind: "sign-up", surfaces });
      const { publishers } = player.sim;
      oracle.add(publishers.at(publishers.total - 1));
      sometimes("a sign-up");
      return;
    }
    case "snapshot":
      player.play({ kind: "snapshot" });
      stage.saved = { oracle: oracle.save(), deadKeys: [...stage.deadKeys] };
      return;
    case "restore":
      if (stage.saved === undefined) return;
      player.play({ kind: "restore" });
      oracle.restore(stage.saved.oracle);
      stage.deadKeys.splice(0, Number.POSITIVE_INFINITY, ...stage.saved.deadKeys);
      sometimes("a restored snapshot");
      return;
    case "fork":
      player.play({ kind: "fork" });
      sometimes("a fork that goes on");
      return;
    case "reset":
      player.play({ kind: "reset" });
      oracle.restore(stage.first);
      stage.deadKeys.length = 0;
      sometimes("a reset");
  }
}

function participants({ player, seeded }: Stage): Publisher[] {
  const { publishers } = player.sim;
  const list = publishers.list({ limit: seeded });
  for (let index = 0; index < publishers.total; index += 1) {
    if (index >= seeded) list.push(publishers.at(index));
  }
  return list;
}

/** The entry at a place that wraps around. */
function at<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("There is nothing to choose from.");
  return found;
}

function claimed(
  caller: Publisher,
  publishers: readonly Publisher[],
  claim: "foreign" | "nonexistent" | undefined,
): string {
  if (claim === "nonexistent") return "pub_nobody";
  const other = publishers.find((one) => one.id !== caller.id);
  return claim === "foreign" && other !== undefined ? other.id : caller.id;
}

function targetOf(
  target: Target,
  pick: number,
  caller: Publisher,
  { oracle, sometimes }: Stage,
): string | undefined {
  const { impressions } = oracle.facts;
  const own = impressions.filter((one) => one.publisherId === caller.id);
  const known = own[pick % Math.max(1, own.length)]?.id;
  switch (target) {
    case "known":
      return known;
    case "latest":
      return own[own.length - 1]?.id;
    case "foreign":
      return impressions.find((one) => one.publisherId !== caller.id)?.id;
    case "unknown":
      return "imp_0000000000000";
    case "truncated":
      if (known !== undefined) sometimes("a click with a truncated id");
      return known?.slice(0, 1 + (pick % (known.length - 1)));
    case "changed": {
      if (known === undefined) return undefined;
      const place = 4 + (pick % (known.length - 4));
      const other = known[place] === "0" ? "1" : "0";
      return known.slice(0, place) + other + known.slice(place + 1);
    }
    case "other-kind":
      return oracle.facts.clicks[0]?.id ?? caller.id;
  }
}

function send(stage: Stage, sender: Sender, call: Call, as: Encoding): void {
  const { id, apiKey } = sender;
  sendRaw(stage, id, apiKey, call, requestOf(call, apiKey, as));
}

function sendRaw(
  { player, oracle }: Stage,
  publisherId: string,
  apiKey: string,
  call: Call,
  request: ApiRequest,
): void {
  const atMs = player.sim.clock.now();
  const response = player.play({ kind: "request", publisherId, request });
  if (response === undefined) throw new Error("A request got no answer.");
  try {
    oracle.see({ apiKey, call, atMs, response });
  } catch (error) {
    const sent = `${new Date(atMs).toISOString()} ${JSON.stringify(request)}`;
    throw new Error(`${(error as Error).message}\n  at ${sent}\n  got ${JSON.stringify(response)}`);
  }
}

/** A call as a request, its parameters sent in one of the ways that the default reading knows. */
export function requestOf(call: Call, apiKey: string, as: Encoding): ApiRequest {
  const authorization = `Bearer ${apiKey}`;
  const get = (path: string, query: Readonly<Record<string, string | undefined>>): ApiRequest => ({
    method: "GET",
    path,
    query: encoded(query),
    headers: { authorization },
  });
  const post = (path: string, values: Readonly<Record<string, string | undefined>>): ApiRequest => {
    const request = { method: "POST", path };
    const json = JSON.stringify(values);
    const form = "application/x-www-form-urlencoded";
    switch (as) {
      case "json":
        return {
          ...request,
          headers: { authorization, "content-type": "application/json" },
          body: json,
        };
      case "bytes":
        return {
          ...request,
          headers: { Authorization: authorization, "Content-Type": "application/json" },
          body: new TextEncoder().encode(json),
        };
      case "form":
        return {
          ...request,
          headers: { authorization, "content-type": form },
          body: encoded(values),
        };
      case "query":
        return { ...request, headers: { authorization }, query: encoded(values) };
    }
  };
  switch (call.operation) {
    case "impression":
      return post("/v1/impression", {
        publisher_id: call.publisherId,
        surface: call.surface,
        ad_id: call.adId,
        session_id: call.sessionId,
      });
    case "click":
      return post("/v1/click", { impression_id: call.impressionId });
    case "stats":
      return get("/v1/publisher/stats", {
        publisher_id: call.publisherId,
        from: call.from,
        to: call.to,
        surface: call.surface,
      });
    case "payouts":
      return get("/v1/publisher/payouts", {
        publisher_id: call.publisherId,
        limit: call.limit === undefined ? undefined : String(call.limit),
      });
    case "surfaces":
      return get("/v1/publisher/surfaces", { publisher_id: call.publisherId });
    case "wrong":
      throw new Error("A wrong call has no one request.");
  }
}

function encoded(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}

type Wrong = readonly [limit: "recording" | "reporting", request: Omit<ApiRequest, "headers">];

function sendWrong(stage: Stage, caller: Publisher, which: number): void {
  const [limit, request] = at(wrongRequests(caller), which);
  const headers = { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" };
  const call: Call = { operation: "wrong", limit, status: 400 };
  sendRaw(stage, caller.id, caller.apiKey, call, { ...request, headers });
}

/** Requests that are refused with 400 and name what is wrong. */
function wrongRequests({ id, surfaces }: Publisher): Wrong[] {
  const surfaceId = at(surfaces, 0).id;
  const get = (what: string, query: string): Wrong => [
    "reporting",
    { method: "GET", path: `/v1/publisher/${what}`, query },
  ];
  const post = (what: string, body: string): Wrong => [
    "recording",
    { method: "POST", path: `/v1/${what}`, body },
  ];
  return [
    get("stats", ""),
    get("stats", `publisher_id=${id}&publisher_id=${id}`),
    get("stats", `publisher_id=${id}&from=2026-02-29`),
    get("stats", `publisher_id=${id}&to=2026-1-1`),
    get("stats", `publisher_id=${id}&from=%ff`),
    get("stats", `publisher_id=${id}&surface=`),
    get("payouts", `publisher_id=${id}&limit=0`),
    get("payouts", `publisher_id=${id}&limit=101`),
    get("payouts", `publisher_id=${id}&limit=1e1`),
    get("surfaces", "publisher_id=%00"),
    post("click", ""),
    post("click", "{"),
    post("click", "[]"),
    post("click", '{"impression_id":true}'),
    post("click", '{"impression_id":"a","impression_id":"a"}'),
    post("impression", `{"publisher_id":"${id}","surface":"${surfaceId}"}`),
    post("impression", `{"publisher_id":"${id}","surface":"${surfaceId}","ad_id":""}`),
    post("impression", `{"publisher_id":"${id}","surface":"${surfaceId}","ad_id":"a\\u0000"}`),
    post("impression", `{"publisher_id":"${id}","surface":"${surfaceId}","ad_id":{}}`),
    post("impression", `{"__proto__":{"publisher_id":"${id}"}}`),
  ];
}

/** One impression, a later one, and the first again at the edge of its window. */
function tryEdge(stage: Stage, caller: Publisher, nudgeMs: -1 | 0 | 1): void {
  const record = (sessionId: string): void => {
    const surface = at(caller.surfaces, 0).id;
    const publisherId = caller.id;
    const call: Call = { operation: "impression", publisherId, surface, adId: "edge", sessionId };
    send(stage, caller, call, "json");
  };
  record("first");
  stage.player.play({ kind: "advance", byMs: 20 * 60_000 });
  record("later");
  stage.player.play({ kind: "advance", byMs: 10 * 60_000 + nudgeMs });
  record("first");
}

function advanceTo(
  { to, nudgeMs, by }: Extract<Command, { kind: "advance" }>,
  { player, oracle, sometimes }: Stage,
): void {
  const now = player.sim.clock.now();
  const today = oracle.dayOf(now);
  const year = Number(today.slice(0, 4));
  const midnightOf = (date: string): number => {
    // Midnight is where the oracle's day changes: its offset follows from any instant.
    const utc = Date.parse(`${date}T00:00:00Z`);
    const ahead = oracle.dayOf(utc - 1) === date ? 5.5 * 3_600_000 : 0;
    return utc - ahead;
  };
  const nextLeap = (Math.floor(year / 4) + 1) * 4;
  const targets: Readonly<Record<Edge, () => number>> = {
    moment: () => now + (by % 3000),
    midnight: () => midnightOf(addDays(today, 1)) + nudgeMs,
    minute: () => (Math.floor(now / 60_000) + 1) * 60_000 + nudgeMs,
    window: () => {
      const sessions = oracle.facts.impressions.filter((one) => one.sessionId !== undefined);
      const one = sessions[sessions.length - 1 - (by % 2)];
      return (one?.atMs ?? now) + 30 * 60_000 + nudgeMs;
    },
    payday: () => {
      const next = addDays(`${today.slice(0, 7)}-28`, 4).slice(0, 7);
      const month = today.slice(8) < "07" ? today.slice(0, 7) : next;
      return midnightOf(`${month}-07`) + nudgeMs;
    },
    "leap-day": () => midnightOf(`${nextLeap}-02-29`) + nudgeMs,
    "year-end": () => midnightOf(`${year + 1}-01-01`) + nudgeMs,
    years: () => now + (1 + (by % 2)) * 365 * 86_400_000 + by,
  };
  const target = targets[to]();
  if (!(target >= now && target <= Date.parse("9000-01-01"))) return;
  player.play({ kind: "advance", byMs: target - now });
  const then = oracle.dayOf(target);
  if (then !== today) sometimes("a midnight crossed");
  if (then.endsWith("-02-29")) sometimes("a leap day");
  if (then.slice(0, 4) !== today.slice(0, 4)) sometimes("a year's end crossed");
}
