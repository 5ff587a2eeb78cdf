/** How a client builds requests: paths, key, parameters (spec §4, §5). */

import { parseDay } from "../../../base/calendar.ts";
import { jsonIn, memberOf } from "../../../base/parse-json.ts";
import { parametersOf } from "../../../journal/entry.ts";
import { type Operation, operations } from "../../../spec/operations.ts";
import { escapedText } from "../../session/names.ts";
import { hasWrongEncoding, isAcknowledged, isOfLimit, recordedIds } from "../../session/sent.ts";
import type { Sent } from "../../session/session.ts";
import type { Told } from "../../session/told.ts";
import { commandInWords } from "../../session/words.ts";
import { expecting, type Rule } from "./rule.ts";

const specShape: Rule = {
  id: "spec-shape",
  says: "A client uses only the methods and paths of the spec, with the parameters that it requires and no others, each once and as text",
  source: "spec §4",
  judge({ requests }, came) {
    const known = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    for (const sent of requests) {
      came();
      const { operation, request } = sent;
      const what = `${request.method} ${request.path}`;
      if (!known.includes(what))
        return `The client sent ${what}. The spec has: ${known.join(", ")}.`;
      // A client may find the right encoding that way.
      if (operation === undefined || hasWrongEncoding(sent)) continue;
      const problem = formProblem(request, operations[operation]);
      if (problem !== undefined) return `${what}: ${problem}.`;
    }
    return undefined;
  },
};

/** Looks for what some choices reject: unknown names, missing or empty values, other types. */
function formProblem(
  request: Sent["request"],
  { parameters: known }: Operation,
): string | undefined {
  const sent = parametersOf(request);
  const twice = sent.find(([name], at) => sent.slice(0, at).some(([other]) => other === name));
  if (twice !== undefined) return `${twice[0]} was sent twice`;
  for (const [name, value] of sent) {
    const parameter = known[name];
    if (parameter === undefined)
      return `${JSON.stringify(name)} is not one of its parameters: ${Object.keys(known).join(", ")}`;
    if (value === "" || value === null) return `${name} was sent without a value`;
    if (typeof value !== "string" && parameter.type !== "integer")
      return `${name} was sent as ${JSON.stringify(value)}, but must be a string`;
    if (parameter.type === "date" && parseDay(String(value)) === undefined)
      return `${name} was sent as ${JSON.stringify(value)}, but must be a day such as 2026-01-31`;
  }
  const missing = Object.entries(known).find(
    ([name, { required }]) => required && sent.every(([other]) => other !== name),
  );
  return missing && `${missing[0]} is missing`;
}

const key: Rule = {
  id: "key",
  says: "Every request carries the key that the client was given, as a Bearer token; the key is in no URL, no body and no error message",
  source: "spec §5",
  judge({ requests, calls, world }, came) {
    const { apiKey } = world.publisher;
    for (const { request, values } of requests) {
      came();
      const { method, path, query, body, headers } = request;
      if ([path, query, body, ...Object.values(values)].some((one) => one.includes(apiKey)))
        return `${method} ${path.replaceAll(apiKey, "…")} was sent with the key in its URL or its body.`;
      if (headers.authorization !== `Bearer ${apiKey}`)
        return `${method} ${path} was sent without the key. Expected: the header Authorization with "Bearer", one space, and the key that the client was given.`;
    }
    const told = calls.find(
      ({ outcome }) => outcome.kind === "failed" && hasInText(outcome.error, apiKey),
    );
    return told && `The error of ${commandInWords(told.command)} has the key in its message.`;
  },
};

/** Whether a log of the error would show it: in its message, or in that of its cause. */
function hasInText(error: unknown, text: string): boolean {
  const { cause } = error instanceof Error ? error : {};
  return String(error).includes(text) || String(cause).includes(text);
}

const values: Rule = {
  id: "values",
  says: "Every parameter has the value that the client was given: ads, sessions and surfaces as they are, ids byte for byte as the service gave them",
  source: "spec §2, §4",
  judge(told, came) {
    const given = new Set<string>();
    for (const sent of told.requests) {
      const { operation, request } = sent;
      if (operation === undefined || hasWrongEncoding(sent)) continue;
      came();
      const problem = valueProblem(sent, told, given);
      if (problem !== undefined) return `${request.method} ${request.path}: ${problem}.`;
      for (const id of idsIn(sent)) given.add(id);
    }
    return undefined;
  },
};

/** The ids that an answer to an impression gave, whether it arrived or not, right or wrong. */
function idsIn(sent: Sent): string[] {
  if (sent.operation !== "impression") return [];
  const got =
    sent.got.status === 200 ? memberOf(jsonIn(sent.got.body), "impression_id") : undefined;
  return [...recordedIds(sent, "impression"), String(got)];
}

function valueProblem(sent: Sent, told: Told, given: ReadonlySet<string>): string | undefined {
  for (const [name, may] of Object.entries(allowedFor(sent, told, given))) {
    const value = sent.values[name];
    if (may.includes(value)) continue;
    const some = may.slice(-3).map(escapedText).join(" or ") || "none: there was none";
    return `${name} was ${escapedText(value)}, expected ${some}`;
  }
  return undefined;
}

/** What the parameters may be; undefined: left out. Those that are missing here are the client's own. */
function allowedFor(
  { operation, values: own }: Sent,
  { events, takesSessions, world: { publisher } }: Told,
  given: ReadonlySet<string>,
): Readonly<Record<string, readonly (string | undefined)[]>> {
  if (operation === "click") return { impression_id: [...given] };
  const publisher_id = [publisher.id];
  if (operation === "stats")
    return { publisher_id, surface: [undefined, ...publisher.surfaces.map(({ id }) => id)] };
  if (operation !== "impression") return { publisher_id };
  const views = events.flatMap((event) => (event.kind === "impression" ? event.views : []));
  const shown = views.filter(({ ad }) => ad === own.ad_id);
  return {
    publisher_id,
    ad_id: views.map(({ ad }) => ad),
    surface: shown.map(({ surface }) => surface),
    // A client may make its own session ids. If it uses those that it is given, it must not change them.
    ...(takesSessions && { session_id: [undefined, ...views.map(({ session }) => session)] }),
  };
}

const sameOnRetry: Rule = {
  id: "same-on-retry",
  says: "An impression is sent again with the same parameters, and with a session_id, so that the service can tell that it is the same",
  source: "spec §4",
  judge({ events }, came) {
    for (const { kind, name, sent, asks } of events) {
      if (kind !== "impression" || asks.length !== 1) continue;
      // It could have sent it again.
      if (sent.some((one) => !isAcknowledged(one))) came();
      for (const [at, next] of sent.slice(1).entries()) {
        const before = sent[at];
        if (before === undefined) continue;
        for (const parameter of ["publisher_id", "surface", "session_id"]) {
          const [was, is] = [before.values[parameter], next.values[parameter]];
          if (was !== is)
            return `The client sent ${name} again with ${parameter} ${escapedText(is)} instead of ${escapedText(was)}.`;
        }
        if (mayBeApplied(before) && next.values.session_id === undefined)
          return `The client sent ${name} again without a session_id, so the service can't tell that it is the same impression.`;
      }
    }
    return undefined;
  },
};

/** Whether the service may have processed it as far as the client knows: anything but a refusal. */
function mayBeApplied(sent: Sent): boolean {
  const { status } = sent.got;
  return status < 400 || (status >= 500 && !isOfLimit(sent));
}

const askedFor: Rule = {
  id: "asked-for",
  says: "Nothing is recorded that the client wasn't asked to report",
  source: "spec §1",
  judge(told, came) {
    const { strays, events, requests } = told;
    came();
    const asked = new Set(events.flatMap(({ recorded }) => recorded.map(({ id }) => id)));
    const clicks = requests.filter(
      (one) => one.operation === "click" && recordedIds(one, "click").some((id) => !asked.has(id)),
    );
    for (const [kind, extra] of [["impression", strays] as const, ["click", clicks] as const]) {
      const [first] = extra;
      if (first === undefined) continue;
      const on = escapedText(first.values.ad_id ?? first.values.impression_id);
      const why = `This ${kind} is recorded, and the client wasn't asked to report it: ${on}.`;
      return expecting(why, told, kind, -extra.length);
    }
    return undefined;
  },
};

export const requestRules: readonly Rule[] = [specShape, key, values, sameOnRetry, askedFor];
