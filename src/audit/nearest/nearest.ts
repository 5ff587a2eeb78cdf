/**
 * Explains a miss: what was sent, the closest thing that exists, and a command that succeeds. It runs when a journal entry
 * is shown, on the record and the current world, so requests don't pay for it. It never shows a key.
 */

import { editDistance, nearestName } from "../../base/did-you-mean.ts";
import { DAY_MS } from "../../base/duration.ts";
import { oneLine } from "../../base/text.ts";
import { parseParameters, type RawParameters } from "../../exchange/parameters.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import type { World } from "../../exchange/world.ts";
import type { Nearest } from "../../journal/entry.ts";
import type { NearestFinder } from "../../journal/journal.ts";
import type { JournalRecord } from "../../journal/record.ts";
import { REDACTED } from "../../journal/shown-entry.ts";
import { type Operation, operations } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import { isClicked, recordedMs } from "../../world/ledger/book.ts";
import type { SurfaceTerms } from "../../world/publishers/seeded-publisher.ts";
import { clickLine, curlLine } from "./curl.ts";

interface Miss {
  readonly record: JournalRecord;
  /** The operation that was asked for, or probably meant. */
  readonly operation: Operation;
  /** The parameters as they were sent; none if they can't be read. */
  readonly raw: RawParameters;
  readonly world: World;
  /** The one that the request concerns, or whose key or id was sent; the first one if that is unknown. */
  readonly account: Account;
}

/** `account`: the one that the closest thing belongs to. @default that of the miss */
type Explanation = Omit<Nearest, "paste"> & { readonly account?: Account };

/** By the code of the refusal. */
const explanations: ReadonlyMap<string, (miss: Miss) => Explanation> = new Map([
  ["route_not_found", explainRoute],
  ["method_not_allowed", explainRoute],
  ["unauthorized", explainKey],
  ["publisher_not_found", explainPublisher],
  ["foreign_publisher", explainPublisher],
  ["surface_not_found", explainSurface],
  ["impression_not_found", explainImpression],
]);

export function createNearestFinder(worldNow: () => World): NearestFinder {
  return (record, secrets) => {
    const explain = explanations.get(record.reason);
    if (record.producedBy !== "service" || explain === undefined) return undefined;
    const world = worldNow();
    const operation = record.operation ? operations[record.operation] : nearestRoute(record);
    const parsed = parseParameters(record, operation, world.assumptions["request.encoding"]);
    const raw = parsed.kind === "parameters" ? parsed.raw : {};
    const miss = { record, operation, raw, world, account: accountOf(record, raw, world) };
    const { sent, closest, account = miss.account } = explain(miss);
    const apiKey = secrets === "shown" ? account.apiKey : undefined;
    return { sent, closest, paste: correctedLine({ ...miss, account }, apiKey) };
  };
}

function accountOf(record: JournalRecord, raw: RawParameters, { accounts }: World): Account {
  const named = [record.account?.id, record.publisher, raw.publisher_id].map((id) =>
    typeof id === "string" ? accounts.ordinalOf(id) : undefined,
  );
  const account = accounts.peek(named.find((one) => one !== undefined) ?? 0);
  if (account === undefined) throw new Error("A world without publishers. This is a bug in adsim.");
  return account;
}

/** By the last segment of the path, and by the method. */
function nearestRoute({ method, path }: JournalRecord): Operation {
  const lastOf = (one: string): string => one.toLowerCase().match(/[^/]+(?=\/*$)/)?.[0] ?? "";
  const distance = (to: Operation): number =>
    editDistance(lastOf(path), lastOf(to.path)) + (method === to.method ? 0 : 2);
  const all: readonly Operation[] = Object.values(operations);
  return all.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

function explainRoute({ record: { method, path }, operation }: Miss): Explanation {
  const sent = oneLine(`${method} ${path}`, MOST_SHOWN);
  return { sent, closest: `${operation.method} ${operation.path}` };
}

function explainKey({ record, world, account: other }: Miss): Explanation {
  const header = headerOf(record.headers, "authorization")?.trim() ?? "";
  const key = /^bearer\s+(.*)$/is.exec(header)?.[1] ?? "";
  const account = world.accounts.peek(world.ids.apiKey.decode(key)?.publisher ?? -1) ?? other;
  const closest = `Authorization: Bearer <the API key of ${account.id}>`;
  if (header === "") return { sent: "no Authorization header", closest, account };
  const kind = kindOf(key, world) ?? "an unknown API key";
  const sent =
    key === "" ? "Authorization without Bearer and a key" : `Authorization: Bearer with ${kind}`;
  return { sent, closest, account };
}

function explainPublisher({ raw, world, account }: Miss): Explanation {
  const closest = `publisher_id=${account.id}, whose API key was sent`;
  return { sent: sentText("publisher_id", raw, world), closest };
}

function explainSurface({ raw, world, account }: Miss): Explanation {
  const { id = "", name = "" } = closestSurface(raw.surface, account) ?? {};
  const closest = `surface=${id}, "${oneLine(name, MOST_SHOWN)}" of ${account.id}`;
  return { sent: sentText("surface", raw, world), closest };
}

/** Without one that is like what was sent: an active one, if there is one. */
function closestSurface(sent: unknown, { surfaces }: Account): SurfaceTerms | undefined {
  const named = new Map(surfaces.flatMap((one) => [[one.id, one] as const, [one.name, one]]));
  const near = named.get(nearestName(String(sent), [...named.keys()]) ?? "");
  return near ?? surfaces.find(({ status }) => status === "active") ?? surfaces[0];
}

function explainImpression({ raw, world, account }: Miss): Explanation {
  const id = closestImpression(raw.impression_id, account, world);
  const closest =
    id === undefined
      ? `no impression: ${account.id} has none to click. Record one first`
      : `impression_id=${id}, an impression of ${account.id}`;
  return { sent: sentText("impression_id", raw, world), closest };
}

/** Of the latest ones that can be clicked now. Without one that is like what was sent: the latest. */
function closestImpression(
  sent: unknown,
  { ordinal, book }: Account,
  { ids, assumptions, clock }: World,
): string | undefined {
  const clickable: string[] = [];
  const oldest = Math.max(0, book.count - MOST_COMPARED);
  for (let serial = book.count - 1; serial >= oldest; serial -= 1) {
    const isUsed = isClicked(book, serial) && assumptions["click.repeat"] === "conflict";
    const isRecent = clock.now() - recordedMs(book, serial) < DAY_MS;
    if (isUsed || !(isRecent || assumptions["click.window"] === "none")) continue;
    clickable.push(ids.impression.encode(ordinal, serial));
  }
  return nearestName(String(sent), clickable) ?? clickable[0];
}

const MOST_COMPARED = 100;
const MOST_SHOWN = 100;

function sentText(name: string, raw: RawParameters, world: World): string {
  const text = String(raw[name]);
  const shown = world.ids.apiKey.decode(text) ? REDACTED : oneLine(text, MOST_SHOWN);
  return `${name}=${shown}, which is ${kindOf(text, world) ?? "unknown here"}`;
}

const kinds = [
  ["apiKey", "the API key"],
  ["publisher", "the id"],
  ["surface", "the id of a surface"],
  ["impression", "the id of an impression"],
  ["click", "the id of a click"],
] as const;

/** What the text is in this world, if it is a key or an id of any kind. */
function kindOf(text: string, { ids, accounts }: World): string | undefined {
  for (const [kind, what] of kinds) {
    const parts = ids[kind].decode(text);
    const owner = parts && accounts.peek(parts.publisher);
    if (owner === undefined) continue;
    const isRotated = kind === "apiKey" && parts?.serial !== owner.keySerial;
    return `${isRotated ? "a rotated API key" : what} of ${owner.id}`;
  }
  return undefined;
}

/** A command for what was probably meant. It succeeds. */
function correctedLine({ operation, raw, world, account }: Miss, apiKey?: string): string {
  const options = { encoding: world.assumptions["request.encoding"], apiKey };
  const publisher_id = account.id;
  const near = closestSurface(raw.surface, account);
  const active = near?.status === "active" ? near : closestSurface("", account);
  const impression = { publisher_id, surface: active?.id ?? "", ad_id: "ad-1" };
  if (operation.id === "impression") return curlLine(operation, impression, options);
  if (operation.id === "click") {
    const impression_id = closestImpression(raw.impression_id, account, world);
    if (impression_id === undefined) return clickLine(impression, options);
    return curlLine(operation, { impression_id }, options);
  }
  const restriction = raw.surface === undefined ? {} : { surface: near?.id ?? "" };
  return curlLine(operation, { publisher_id, ...restriction }, options);
}
