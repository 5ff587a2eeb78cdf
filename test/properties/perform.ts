/** Plays a command: resolves it against what the oracle knows, does it, and has the oracle judge the answer. */

import { addDays } from "../oracle/calendar.ts";
import { type Call, plainWay } from "../oracle/calls.ts";
import type { Account } from "../oracle/facts.ts";
import { clickWindowsMs, dedupWindowsMs } from "../oracle/recording.ts";
import type { Command, Target } from "./commands.ts";
import { momentOf } from "./moments.ts";
import { nowOf, play, type Sender, type Stage, send } from "./stage.ts";
import { carrierFor, variedCall } from "./variations.ts";

type Of<Kind extends Command["kind"]> = Extract<Command, { readonly kind: Kind }>;
type Performers = {
  readonly [Kind in Command["kind"]]: (command: Of<Kind>, stage: Stage) => void;
};

const DAY_MS = 86_400_000;
const LAST_MS = Date.parse("9000-01-01");

/** Does the command and has the oracle judge it. @throws Error where the answer isn't the expected one. */
export function perform<Kind extends Command["kind"]>(command: Of<Kind>, stage: Stage): void {
  // A command of a kind goes to the performer of that kind.
  const performer = performers[command.kind] as (command: Of<Kind>, stage: Stage) => void;
  performer(command, stage);
}

const performers: Performers = {
  impression(command, stage) {
    const caller = pick(stage, command.who);
    const named = claimed(caller, stage, command.claims);
    const values = {
      publisher_id: named,
      surface: surfaceId(stage, named, caller, command.surface),
      ad_id: `ad ${command.ad} é`,
      session_id: command.session === undefined ? undefined : `session ${command.session}`,
    };
    repeat(command, stage, caller, values);
  },
  click(command, stage) {
    const caller = pick(stage, command.who);
    const impression_id = targetOf(command.target, command.pick, caller, stage);
    if (impression_id === undefined) return;
    repeat(command, stage, caller, { impression_id });
  },
  stats(command, stage) {
    const caller = pick(stage, command.who);
    const named = claimed(caller, stage, command.claims);
    const today = stage.oracle.dayOf(nowOf(stage));
    const date = (day: number | string | undefined): string | undefined =>
      typeof day === "number" ? addDays(today, day) : day;
    const surface =
      command.surface === undefined ? undefined : surfaceId(stage, named, caller, command.surface);
    const values = {
      publisher_id: named,
      from: date(command.from),
      to: date(command.to),
      surface,
    };
    repeat(command, stage, caller, values);
  },
  payouts(command, stage) {
    const caller = pick(stage, command.who);
    const publisher_id = claimed(caller, stage, command.claims);
    repeat(command, stage, caller, { publisher_id, limit: command.limit });
  },
  surfaces(command, stage) {
    const caller = pick(stage, command.who);
    const values = { publisher_id: claimed(caller, stage, command.claims) };
    const dead = command.deadKey ? stage.deadKeys[0] : undefined;
    if (dead !== undefined) stage.sometimes("a key that was rotated away");
    repeat(command, stage, dead ?? caller, values);
  },
  advance: advanceTo,
  "dedup-edge": tryDedupEdge,
  "click-edge": tryClickEdge,
  "payout-edge": tryPayoutEdge,
  overnight: askOvernight,
  "rotate-key"({ who }, stage) {
    const { id, apiKey } = pick(stage, who);
    play(stage, { kind: "rotate-key", publisher: id });
    stage.deadKeys.unshift({ id, apiKey });
    stage.oracle.setKey(id, stage.player.sim.publishers.get(id).apiKey);
  },
  "set-surface"(command, stage) {
    const publisher = pick(stage, command.who);
    const { id } = at(publisher.surfaces, command.surface);
    const change = { status: command.status, cpmRange: command.cpm };
    play(stage, { kind: "set-surface", publisher: publisher.id, surface: id, change });
    stage.oracle.setSurface(publisher.id, id, change);
  },
  "sign-up"({ surfaces: count }, stage) {
    const surfaces = Array.from({ length: count }, (_, index) => `Place ${index}`);
    play(stage, { kind: "sign-up", signUp: { surfaces }, publisher: "" });
    const { publishers } = stage.player.sim;
    stage.oracle.add(publishers.at(publishers.total - 1));
    stage.sometimes("a sign-up");
  },
  snapshot(_, stage) {
    play(stage, { kind: "snapshot" });
    stage.saved = { oracle: stage.oracle.save(), deadKeys: [...stage.deadKeys] };
  },
  restore(_, stage) {
    if (stage.saved === undefined) return;
    play(stage, { kind: "restore" });
    stage.oracle.restore(stage.saved.oracle);
    stage.deadKeys.splice(0, Number.POSITIVE_INFINITY, ...stage.saved.deadKeys);
    stage.sometimes("a restored snapshot");
  },
  fork(_, stage) {
    play(stage, { kind: "fork" });
    stage.sometimes("a fork that goes on");
  },
  reset(_, stage) {
    play(stage, { kind: "reset" });
    stage.oracle.restore(stage.first);
    stage.deadKeys.length = 0;
    stage.sometimes("a reset");
  },
};

function pick({ oracle }: Stage, index: number): Account {
  return at(oracle.facts.accounts, index);
}

/** The entry at a place that wraps around. */
function at<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("There is nothing to choose from.");
  return found;
}

function claimed(
  caller: Account,
  { oracle }: Stage,
  claim: "own" | "foreign" | "nonexistent",
): string {
  if (claim === "nonexistent") return changed(caller.id, caller.id.length - 3);
  const other = oracle.facts.accounts.find((one) => one.id !== caller.id);
  return claim === "foreign" && other !== undefined ? other.id : caller.id;
}

/** A surface of the publisher that is named; past its last one, a surface that it doesn't have. */
function surfaceId({ oracle }: Stage, named: string, caller: Account, index: number): string {
  const { surfaces } = oracle.facts.accounts.find((one) => one.id === named) ?? caller;
  return surfaces[index]?.id ?? (index === 3 ? changed(at(surfaces, 0).id, 6) : at(surfaces, 0).id);
}

function targetOf(
  target: Target,
  pick: number,
  caller: Account,
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
    case "changed":
      if (known !== undefined) sometimes("a click with a mistyped id");
      return known === undefined ? undefined : changed(known, pick);
    case "other-kind":
      return oracle.facts.clicks[0]?.id ?? caller.id;
  }
}

/** The id with one character changed into another of its kind. */
function changed(id: string, place: number): string {
  const index = place % id.length;
  const character = id[index] ?? "";
  const next = /[a-y0-8]/i.test(character) ? String.fromCharCode(character.charCodeAt(0) + 1) : "0";
  return id.slice(0, index) + next + id.slice(index + 1);
}

function repeat(
  command: Of<Call["operation"]>,
  stage: Stage,
  sender: Sender,
  values: Call["values"],
): void {
  const call = variedCall(command.kind, values, command, stage.choices);
  for (let time = 0; time < command.times; time += 1) send(stage, sender, call);
}

/** One impression, a later one, and the first again at the edge of its window. */
function tryDedupEdge({ who, nudgeMs }: Of<"dedup-edge">, stage: Stage): void {
  const { choices } = stage;
  const windowMs = dedupWindowsMs[choices["dedup.window"]];
  const span = Number.isFinite(windowMs) ? windowMs : 500 * DAY_MS;
  const caller = pick(stage, who);
  record(stage, caller, "first");
  play(stage, { kind: "advance", byMs: span / 2 });
  record(stage, caller, "later");
  play(stage, { kind: "advance", byMs: span / 2 + nudgeMs });
  record(stage, caller, "first");
}

function record(stage: Stage, caller: Account, session_id: string): void {
  const surface = at(caller.surfaces, 0).id;
  const values = { publisher_id: caller.id, surface, ad_id: "edge", session_id };
  const way = plainWay("impression", carrierFor(stage.choices));
  send(stage, caller, { operation: "impression", values, way });
}

/** A click on the latest impression at the edge of its window. */
function tryClickEdge({ who, nudgeMs }: Of<"click-edge">, stage: Stage): void {
  const { choices, oracle } = stage;
  const caller = pick(stage, who);
  record(stage, caller, `edge ${oracle.facts.impressions.length}`);
  const latest = oracle.facts.impressions.findLast((one) => one.publisherId === caller.id);
  if (latest === undefined) return;
  const windowMs = clickWindowsMs[choices["click.window"]];
  const dueMs = latest.atMs + (Number.isFinite(windowMs) ? windowMs : 40 * DAY_MS) + nudgeMs;
  if (dueMs > nowOf(stage)) play(stage, { kind: "advance", byMs: dueMs - nowOf(stage) });
  const way = plainWay("click", carrierFor(choices));
  send(stage, caller, { operation: "click", values: { impression_id: latest.id }, way });
}

/** The payouts at the edge of a day on which there is a new one, or one gets another status. */
function tryPayoutEdge({ who, ...edge }: Of<"payout-edge">, stage: Stage): void {
  advanceTo({ ...edge, kind: "advance" }, stage);
  const caller = pick(stage, who);
  const way = plainWay("payouts", "query");
  const values = { publisher_id: caller.id, limit: "100" };
  send(stage, caller, { operation: "payouts", values, way });
}

/** Stats of a day that something happened on, by its date, on that day and on the next: nothing happens in between. */
function askOvernight({ who }: Of<"overnight">, stage: Stage): void {
  const caller = pick(stage, who);
  record(stage, caller, `overnight ${nowOf(stage)}`);
  const day = stage.oracle.dayOf(nowOf(stage));
  const values = { publisher_id: caller.id, from: day, to: day };
  const call: Call = { operation: "stats", values, way: plainWay("stats", "query") };
  send(stage, caller, call);
  advanceTo({ kind: "advance", to: "midnight", nudgeMs: 0, by: 0 }, stage);
  send(stage, caller, call);
}

function advanceTo({ to, nudgeMs, by }: Of<"advance">, stage: Stage): void {
  const { oracle, sometimes } = stage;
  const nowMs = nowOf(stage);
  const today = oracle.dayOf(nowMs);
  const target = momentOf(to, stage, nowMs, by) + (to === "moment" ? 0 : nudgeMs);
  if (!(target >= nowMs && target <= LAST_MS)) return;
  play(stage, { kind: "advance", byMs: target - nowMs });
  const then = oracle.dayOf(target);
  if (then !== today) sometimes("a midnight crossed");
  if (then.endsWith("-02-29")) sometimes("a leap day");
  if (then.slice(0, 4) !== today.slice(0, 4)) sometimes("a year's end crossed");
}
