/** Expectations of impressions and clicks: which count, which are repeats, and what they earn (spec §1, §4). */

import { dayOfInstant } from "./calendar.ts";
import { expectEqual, expected } from "./check.ts";
import type { Choices } from "./choices.ts";
import {
  type Answer,
  checkAmount,
  creditOf,
  type Expectation,
  type OracleContext,
  refused,
  success,
} from "./expectation.ts";
import type { Account, Impression, SurfaceFact } from "./facts.ts";
import { checkIdForm } from "./ids.ts";
import type { Values } from "./inputs.ts";

const HOUR_MS = 3_600_000;

/** How long an impression suppresses duplicates, in ms. */
export const dedupWindowsMs: Readonly<Record<Choices["dedup.window"], number>> = {
  "30m": HOUR_MS / 2,
  "24h": 24 * HOUR_MS,
  forever: Number.POSITIVE_INFINITY,
};

/** A click of this age, in ms, is too late. */
export const clickWindowsMs: Readonly<Record<Choices["click.window"], number>> = {
  none: Number.POSITIVE_INFINITY,
  "24h": 24 * HOUR_MS,
};

export function expectImpression(
  context: OracleContext,
  account: Account,
  values: Values,
  atMs: number,
): Expectation {
  const { choices, sometimes } = context;
  const surface = account.surfaces.find((one) => one.id === values.surface);
  if (surface === undefined) {
    sometimes("an impression on an unknown surface");
    return refused("surface_not_found");
  }
  if (surface.status !== "active") {
    sometimes("an impression on a surface that isn't active");
    if (choices["surface.inactive"] === "reject") return refused("surface_inactive");
    sometimes("an impression that isn't credited");
  }
  const original = originalOf(context, account, values, atMs);
  if (original === undefined) {
    return success((answer) => learnImpression(context, account, surface, values, atMs, answer));
  }
  sometimes("a duplicate impression");
  if (original.surface !== surface.id) sometimes("a duplicate on another surface");
  if (original.adId !== values.ad_id) sometimes("a duplicate with another ad");
  return repeat(context, choices["dedup.repeat"], "impression", original);
}

/** The impression that counted, if the same was seen less than the window ago. */
function originalOf(
  { choices, facts, sometimes }: OracleContext,
  account: Account,
  values: Values,
  atMs: number,
): Impression | undefined {
  if (values.session_id === undefined || choices["dedup.repeat"] === "count") return undefined;
  const key = choices["dedup.key"];
  const latest = facts.impressions.findLast(
    (one) =>
      one.publisherId === account.id &&
      one.sessionId === values.session_id &&
      (key === "session" || (one.surface === values.surface && one.adId === values.ad_id)),
  );
  if (latest === undefined) return undefined;
  const windowMs = dedupWindowsMs[choices["dedup.window"]];
  const age = atMs - latest.atMs;
  if (age === windowMs - 1) sometimes("a duplicate suppressed at W-1");
  if (age === windowMs) sometimes("a fresh impression at W");
  // With a later impression present, only the window can let it pass, not a cleared memory.
  const later = facts.impressions.some(
    (one) =>
      one.publisherId === account.id && one.sessionId !== undefined && one.atMs > latest.atMs,
  );
  if (age === windowMs && later) sometimes("a fresh impression at W beside a later one");
  if (windowMs === Number.POSITIVE_INFINITY && age > 366 * 24 * HOUR_MS) {
    sometimes("a duplicate after years");
  }
  return age < windowMs ? latest : undefined;
}

function learnImpression(
  context: OracleContext,
  { id: publisherId }: Account,
  surface: SurfaceFact,
  values: Values,
  atMs: number,
  answer: Answer,
): void {
  const { facts, choices } = context;
  const { ok, impression_id: id, revenue_credited_inr: shown } = answer.body;
  const micros = creditOf(answer);
  expectEqual("ok", ok, true);
  checkIdForm(id, "impression", choices["ids.format"]);
  const isKnown = facts.impressions.some((one) => one.id === id);
  expected("an id that no other impression has", !isKnown, id);
  const [lower, upper] =
    surface.status === "active" ? surface.cpm.map((inr) => Math.round(inr * 1000)) : [0, 0];
  const fits = lower !== undefined && upper !== undefined && micros >= lower && micros <= upper;
  expected(`a credit of ${lower} to ${upper} micros`, fits, micros);
  checkAmount("revenue_credited_inr", shown, micros, context);
  facts.impressions.push({
    id,
    publisherId,
    surface: surface.id,
    adId: values.ad_id ?? "",
    sessionId: values.session_id,
    atMs,
    day: dayOfInstant(atMs, choices["date.timezone"]),
    micros,
    body: answer.text,
  });
}

function repeat(
  context: OracleContext,
  choice: Choices["dedup.repeat"],
  kind: "impression" | "click",
  original: { readonly id: string; readonly micros: number; readonly body: string },
): Expectation {
  if (choice === "conflict") return refused(`duplicate_${kind}`);
  return success(({ text, body }) => {
    expectEqual("ok", body.ok, true);
    expectEqual(`${kind}_id of a repeat`, body[`${kind}_id`], original.id);
    const micros = choice === "replay" ? original.micros : 0;
    checkAmount("credit of a repeat", body.revenue_credited_inr, micros, context);
    if (choice === "replay") expectEqual("the replayed bytes", text, original.body);
  });
}

export function expectClick(
  context: OracleContext,
  caller: Account,
  values: Values,
  atMs: number,
): Expectation {
  const { facts, choices, sometimes } = context;
  const target = values.impression_id ?? "";
  const impression = facts.impressions.find((one) => one.id === target);
  const isForeign = impression !== undefined && impression.publisherId !== caller.id;
  if (isForeign) sometimes("a click on a foreign impression");
  if (impression === undefined || (isForeign && choices["auth.key-scope"] !== "any")) {
    if (impression === undefined) sometimes("a click on nothing");
    return refused("impression_not_found");
  }
  const ageMs = atMs - impression.atMs;
  const windowMs = clickWindowsMs[choices["click.window"]];
  if (ageMs === windowMs - 1) sometimes("a click in the last millisecond");
  if (ageMs >= windowMs) {
    sometimes(ageMs === windowMs ? "a click at the window's end" : "a click that is too late");
    return refused("click_too_late");
  }
  const before = facts.clicks.find((one) => one.impressionId === target);
  if (before !== undefined) {
    sometimes("a second click");
    const choice = choices["click.repeat"];
    if (choice !== "count") return repeat(context, choice, "click", before);
    sometimes("a second click that counts");
  }
  return success((answer) => learnClick(context, impression, atMs, answer));
}

function learnClick(
  context: OracleContext,
  impression: Impression,
  atMs: number,
  answer: Answer,
): void {
  const { facts, choices, sometimes } = context;
  const { ok, click_id: id, revenue_credited_inr: shown } = answer.body;
  const { surface, publisherId } = impression;
  const micros = creditOf(answer);
  expectEqual("ok", ok, true);
  checkIdForm(id, "click", choices["ids.format"]);
  const isKnown = facts.clicks.some((one) => one.id === id);
  expected("an id that no other click has", !isKnown, id);
  const price = facts.clickPrices[surface] ?? micros;
  expectEqual("the surface's price of a click", micros, price);
  expected("a price above zero", micros > 0, micros);
  facts.clickPrices[surface] = price;
  checkAmount("revenue_credited_inr", shown, micros, context);
  const day = dayOfInstant(atMs, choices["date.timezone"]);
  if (impression.day !== day) sometimes("a click on another day");
  const { text: body } = answer;
  facts.clicks.push({
    id,
    impressionId: impression.id,
    publisherId,
    surface,
    atMs,
    day,
    micros,
    body,
  });
}
