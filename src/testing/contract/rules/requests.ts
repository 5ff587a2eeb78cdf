/** How a client builds requests: paths, key, parameters (spec §4, §5). */

import { parseDay } from "../../../base/calendar.ts";
import { jsonIn, memberOf } from "../../../base/parse-json.ts";
import { orUndefined } from "../../../base/text.ts";
import { parametersOf } from "../../../journal/entry-values.ts";
import { type Operation, operations } from "../../../spec/operations.ts";
import { escapedText, viewInWords } from "../../session/names.ts";
import { hasWrongEncoding, isAcknowledged, isOfLimit, recordedIds } from "../../session/sent.ts";
import type { Call, Sent } from "../../session/session.ts";
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
      const { method, path, query, body } = request;
      const url = `${path}?${query}`;
      const isInUrl = [url, orUndefined(() => decodeURIComponent(url))].some((one) =>
        one?.includes(apiKey),
      );
      if (isInUrl)
        return `${method} ${path.replaceAll(apiKey, "…")} was sent with the key in its URL.`;
      const isInBody = [body, ...Object.values(values)].some((one) => one.includes(apiKey));
      if (isInBody) return `${method} ${path} was sent with the key in its body.`;
      const problem = authorizationProblem(request.headers.authorization, apiKey);
      if (problem !== undefined)
        return `${method} ${path} was sent with ${problem}. Expected: Authorization, "Bearer", one space, and the key that the client was given.`;
    }
    const told = calls.find(
      ({ outcome }) => outcome.kind === "failed" && errorText(outcome.error).includes(apiKey),
    );
    return told && `The error of ${commandInWords(told.command)} has the key in its message.`;
  },
};

/** Doesn't quote what was sent: it may contain most of a key. */
function authorizationProblem(sent: string | undefined, apiKey: string): string | undefined {
  if (sent === `Bearer ${apiKey}`) return undefined;
  if (sent === undefined) return "no Authorization header";
  if (sent.endsWith(apiKey)) return `the key, and something other than "Bearer " before it`;
  return sent.startsWith("Bearer ")
    ? "a key that isn't its own"
    : "something other than a Bearer token";
}

/** So many causes of an error are looked at. */
const MAX_CAUSES = 4;

/** What a log shows of an error: its message, and those of its causes. */
function errorText(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > MAX_CAUSES) return String(error);
  return `${error.message}\n${errorText(error.cause, depth + 1)}`;
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
  const { operation, values: own } = sent;
  const { publisher } = told.world;
  const expected = (name: string, wanted: string | undefined): string | undefined =>
    own[name] === wanted
      ? undefined
      : `${name} was ${escapedText(own[name])}, expected ${escapedText(wanted)}`;
  if (operation === "click") {
    const id = own.impression_id ?? "";
    return given.has(id)
      ? undefined
      : `impression_id was ${escapedText(id)}. The service gave ${[...given].map(escapedText).join(", ") || "none"}`;
  }
  const wrongPublisher = expected("publisher_id", publisher.id);
  if (wrongPublisher !== undefined) return wrongPublisher;
  if (operation === "impression") return viewProblem(sent, told, expected);
  const isKnown = publisher.surfaces.some(({ id }) => id === own.surface);
  if (operation !== "stats" || isKnown || own.surface === undefined) return undefined;
  return `surface was ${escapedText(own.surface)}, which is not one of the publisher's`;
}

function viewProblem(
  { values: own }: Sent,
  { events, takesSessions }: Told,
  expected: (name: string, wanted: string | undefined) => string | undefined,
): string | undefined {
  const views = events.flatMap((event) => (event.kind === "impression" ? event.views : []));
  const shown = views.filter(({ ad }) => ad === own.ad_id);
  const [first] = shown;
  if (first === undefined) {
    // Most defects keep the beginning of a name.
    const meant = views.findLast(({ ad }) => ad.slice(0, 5) === own.ad_id?.slice(0, 5));
    const hint = meant === undefined ? "" : `. The ad that was shown is ${escapedText(meant.ad)}`;
    return `ad_id was ${escapedText(own.ad_id)}, which was never shown${hint}`;
  }
  const view = shown.find(({ surface }) => surface === own.surface) ?? first;
  // A client may make its own session ids. If it uses those that it is given, it must not change them.
  const isGiven =
    own.session_id === undefined || views.some(({ session }) => session === own.session_id);
  const wrongSession = !isGiven && takesSessions;
  return (
    expected("surface", view.surface) ??
    (wrongSession ? expected("session_id", view.session) : undefined)
  );
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
    const [stray] = strays;
    if (stray !== undefined)
      return expecting(
        `An impression of ${escapedText(stray.values.ad_id)} is recorded. The client was asked to report ${namesOf(told.calls)}.`,
        told,
        "impression",
        -strays.length,
      );
    const clicked = new Set(
      events
        .filter(({ kind }) => kind === "click")
        .flatMap(({ recorded }) => recorded.map(({ id }) => id)),
    );
    const extra = requests.filter(
      (one) =>
        one.operation === "click" && recordedIds(one, "click").some((id) => !clicked.has(id)),
    );
    const [click] = extra;
    if (click === undefined) return undefined;
    const on = events.find(({ recorded }) =>
      recorded.some(({ id }) => id === click.values.impression_id),
    );
    return expecting(
      `A click on ${on?.name ?? escapedText(click.values.impression_id)} is recorded. The client wasn't asked for that.`,
      told,
      "click",
      -extra.length,
    );
  },
};

function namesOf(calls: readonly Call[]): string {
  const views = calls.flatMap(({ shown }) => (shown === undefined ? [] : [viewInWords(shown)]));
  return [...new Set(views)].join(", ") || "none";
}

export const requestRules: readonly Rule[] = [specShape, key, values, sameOnRetry, askedFor];
