/** Reads an entry of adsim's journal, from an NDJSON line or the `_adsim` of a HAR entry, for a replay. */

import * as v from "valibot";
import { formatInstant, LAST_INSTANT_MS, parseInstant } from "../base/calendar.ts";
import { parseInput } from "../base/input.ts";
import { INSTANT_EXPECTED } from "../base/schemas.ts";
import { isControlTarget } from "../base/world-path.ts";
import { profileNames } from "../world/publishers/profiles.ts";
import type { RecordedExchange, RecordedResponse, RecordedWorld } from "./recorded-exchange.ts";

const fields = v.record(v.string(), v.string());
const response = v.looseObject({
  status: v.pipe(v.number(), v.safeInteger("must be a whole number")),
  headers: v.optional(fields, {}),
  body: v.optional(v.string(), ""),
});
const instant = v.pipe(
  v.union([v.string(), v.number()], INSTANT_EXPECTED),
  v.transform((at) => (typeof at === "number" ? at : (parseInstant(at) ?? Number.NaN))),
  v.check((ms) => Number.isSafeInteger(ms) && ms >= 0 && ms <= LAST_INSTANT_MS, INSTANT_EXPECTED),
);
const world = v.pipe(
  v.looseObject({
    seed: v.string(),
    start: instant,
    publishers: v.pipe(v.number(), v.safeInteger("must be a whole number")),
    profile: v.picklist(profileNames),
    assumptions: v.optional(fields, {}),
  }),
  v.transform(({ seed, start: startMs, publishers, profile, assumptions }): RecordedWorld => {
    const start = formatInstant(startMs);
    return { seed, start, publishers, profile, assumptions };
  }),
);
const fault = v.looseObject({
  served: v.boolean(),
  lost: v.nullish(response),
});

/** The other members of an entry, besides request and response. */
const details = v.looseObject({
  sequence: v.nullish(v.pipe(v.number(), v.safeInteger("must be a whole number"))),
  at: v.nullish(instant),
  publisher: v.nullish(v.string()),
  fault: v.nullish(fault),
  world: v.nullish(world),
});
const entry = v.looseObject({
  request: v.looseObject({
    method: v.string(),
    path: v.string(),
    query: v.optional(v.string(), ""),
    headers: v.optional(fields, {}),
    body: v.optional(v.string(), ""),
  }),
  response,
});

export type Details = Omit<RecordedExchange, "place" | "request">;

/** `shown` is the response that the client got. @throws InputError that names the invalid field. */
export function detailsOf(input: unknown, path: string, shown: RecordedResponse): Details {
  const { sequence, at, publisher, fault, world } = parseInput(details, input);
  const isKept = fault !== undefined && fault !== null && !fault.served;
  return {
    sequence: sequence ?? undefined,
    atMs: at ?? undefined,
    publisher: publisher ?? undefined,
    // The answer as the service sent it, not as it arrived.
    response: fault?.lost ? { ...fault.lost, headers: lowerCase(fault.lost.headers) } : shown,
    // No journal has requests to the control API, but a forged one may.
    skip: isControlTarget(path) ? "control" : isKept ? "kept-from-service" : undefined,
    world: world ?? undefined,
  };
}

/** @throws InputError that names the invalid field. */
export function journalExchange(input: unknown, place: string): RecordedExchange {
  const { request, response } = parseInput(entry, input);
  const { method, path, query, body } = request;
  const shown = { ...response, headers: lowerCase(response.headers) };
  return {
    place,
    request: { method, path, query, headers: lowerCase(request.headers), body },
    ...detailsOf(input, path, shown),
  };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
