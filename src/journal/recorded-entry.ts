/** An entry of a recording: what the file tells about a request, and how it is read from a journal's entry. */

import * as v from "valibot";
import { formatInstant, LAST_INSTANT_MS, parseInstant } from "../base/calendar.ts";
import { InputError, notSent, parseInput, renamingField } from "../base/input.ts";
import { INSTANT_EXPECTED } from "../base/schemas.ts";
import { fromBase64 } from "../base/text.ts";
import { isControlTarget } from "../base/world-path.ts";
import { type OperationId, operationIds, operations } from "../spec/operations.ts";
import { profileNames } from "../world/publishers/profiles.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { JournalEntry, ShownResponse } from "./entry.ts";
import { shownBody } from "./shown-entry.ts";

/** Why a request is left out. */
export type LeftOut =
  | ("kept-from-service" | "no-response" | "control" | "not-the-api" | "other-host")
  | ("no-operation" | "incomplete" | "other-world" | "unsendable");

/** The settings of the world that answered. */
export type RecordedWorld = Omit<WorldDescription, "assumptions"> & {
  readonly assumptions: Readonly<Record<string, string>>;
};

export interface RecordedEntry extends Pick<JournalEntry, "request"> {
  /** Its place in the file: `line 3`, `entry 3`. */
  readonly place: string;
  readonly sequence?: number | undefined;
  readonly at?: string | undefined;
  readonly operation: OperationId | undefined;
  readonly publisher?: string | undefined;
  /** As the service sent it. Its body is undefined if it wasn't recorded. */
  readonly response: Omit<ShownResponse, "body"> & { readonly body: string | undefined };
  readonly world?: RecordedWorld | undefined;
  readonly leftOut?: LeftOut | undefined;
}

export interface Recording {
  readonly form: "journal" | "HAR" | "CSV";
  /** Whether adsim recorded it, so that sequence and time are those of its world. */
  readonly byAdsim: boolean;
  readonly entries: readonly RecordedEntry[];
}

const whole = v.pipe(v.number(), v.safeInteger("must be a whole number"));
const fields = v.optional(v.record(v.string(), v.string()), {});
const message = v.looseObject({
  headers: fields,
  body: v.optional(v.string()),
  bodyBase64: v.optional(v.pipe(v.string(), v.base64("must be base64"))),
});
const response = v.looseObject({ ...message.entries, status: whole });
const text = v.optional(v.string(), "");
const sent = { method: v.string(), path: v.string(), query: text, body: text };
const settings = { seed: v.string(), start: v.string(), publishers: whole, assumptions: fields };
const entrySchema = v.looseObject({
  sequence: v.optional(whole),
  at: v.optional(v.unknown()),
  publisher: v.optional(v.string()),
  request: v.looseObject({ ...message.entries, ...sent }),
  response,
  fault: v.optional(v.looseObject({ served: v.boolean(), lost: v.optional(response) })),
  world: v.optional(v.looseObject({ ...settings, profile: v.picklist(profileNames) })),
});

/** `time`: the name of its time in the file. @throws InputError that names the place and the invalid field. */
export function recordedEntry(input: unknown, place: string, time = "at"): RecordedEntry {
  const inPlace = (field: string): string => `${place}: ${field}`;
  const parsed = renamingField(inPlace, () => parseInput(entrySchema, input));
  const { sequence, at, publisher, request, fault, world } = parsed;
  const { method, path, query, headers, body, bodyBase64 } = request;
  // The answer as the service sent it, not as it arrived.
  const answer = fault?.lost ?? parsed.response;
  const { status } = answer;
  return {
    ...{ place, sequence, publisher, world, operation: operationAt(method, path) },
    at: at === undefined ? undefined : recordedInstant(at, inPlace(time)),
    request: { method, path, query, headers, ...shown(body, bodyBase64) },
    response: { status, headers: answer.headers, ...shown(answer.body, answer.bodyBase64) },
    leftOut: leftOutOf(path, status, fault?.served),
  };
}

function shown<Body>(body: Body, base64: string | undefined) {
  return base64 === undefined ? { body } : shownBody(fromBase64(base64));
}

export function operationAt(method: string, path: string): OperationId | undefined {
  return operationIds.find(
    (id) => operations[id].path === path && operations[id].method === method,
  );
}

function leftOutOf(path: string, status: number, served: boolean | undefined): LeftOut | undefined {
  if (isControlTarget(path)) return "control";
  if (served === false) return "kept-from-service";
  return status > 0 ? undefined : "no-response";
}

const TIME =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,3})\d*)?)?\s*(?:Z|([+-]\d\d):?(\d\d)?)$/i;

/** A time as tools write it, or milliseconds since 1970 with 12 or 13 digits (10 would be seconds). @throws InputError */
export function recordedInstant(at: unknown, field: string): string {
  const text = String(at).trim();
  const [, date, time, seconds = "00", decimals = "0", hours = "+00", minutes = "00"] =
    TIME.exec(text) ?? [];
  const plain = `${date}T${time}:${seconds}.${decimals}${hours}:${minutes}`;
  const parsed = parseInstant(date === undefined ? text : plain);
  const ms = /^\d{12,13}$/.test(text) ? Number(text) : parsed;
  if (ms !== undefined && ms >= 0 && ms <= LAST_INSTANT_MS) return formatInstant(ms);
  throw new InputError(field, `${INSTANT_EXPECTED}${notSent(at)}`);
}
