/** How a client builds requests: paths, key, parameters (spec §4, §5). */

import fc from "fast-check";
import { parametersOf } from "../../../journal/entry-values.ts";
import { type Operation, operations } from "../../../spec/operations.ts";
import { escapedText, viewInWords } from "../../session/names.ts";
import { performedCommandsOf, performedCommandsOfKind } from "../../session/performed-commands.ts";
import type { AdView, Session } from "../../session/session.ts";
import { hasWrongEncoding } from "../../session/tasks.ts";
import { type ViewGroup, viewGroupsOf } from "../../session/view-groups.ts";
import { recordedId, type WireExchange } from "../../session/wire-exchange.ts";
import { failed, fault, refusal, slow } from "./disturbances.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  anyAdView,
  click,
  everyday,
  inTurn,
  query,
  sequence,
  togetherAll,
  weightedOneOf,
} from "./sequences.ts";
import { mustHaveNoFinding, mustOpen } from "./shared-checks.ts";

/** So many causes of an error are looked at. */
const MAX_CAUSES = 4;

const opens: Rule = {
  id: "opens",
  says: "A client starts without an error while the service works normally",
  source: "spec §1",
  commands: () => fc.constant([]),
  judge(session) {
    mustOpen(session);
    return 1;
  },
};

const knownPaths: Rule = {
  id: "known-paths",
  says: "A client uses only the methods and paths of the spec",
  source: "spec §4",
  commands: () => everyday(),
  judge({ exchanges }) {
    const known = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    for (const { request } of exchanges) {
      const sent = `${request.method} ${request.path}`;
      must(
        known.includes(sent),
        () => `The client sent ${sent}. The spec has: ${known.join(", ")}.`,
      );
    }
    return exchanges.length;
  },
};

const authorization: Rule = {
  id: "authorization",
  says: "Every request carries the key that the client was given, as a Bearer token",
  source: "spec §5",
  commands: () => everyday(),
  judge({ exchanges, publisher }) {
    for (const { request } of exchanges) {
      const problem = authorizationProblem(request.headers.authorization, publisher.apiKey);
      must(
        problem === undefined,
        () =>
          `${request.method} ${request.path} was sent with ${problem}. ` +
          `Expected: Authorization, "Bearer", one space, and the key that the client was given.`,
      );
    }
    return exchanges.length;
  },
};

/** Doesn't quote what was sent: it may contain most of a key. */
function authorizationProblem(sent: string | undefined, key: string): string | undefined {
  if (sent === `Bearer ${key}`) return undefined;
  if (sent === undefined) return "no Authorization header";
  if (sent.endsWith(key)) return `the key, and something other than "Bearer " before it`;
  return sent.startsWith("Bearer ")
    ? "a key that isn't its own"
    : "something other than a Bearer token";
}

const keyStaysInTheHeader: Rule = {
  id: "key-stays-in-the-header",
  says: "The key is in no URL, in no body, and in no error message",
  source: "spec §5",
  commands: () =>
    weightedOneOf(
      [3, everyday()],
      [
        1,
        sequence([fault(weightedOneOf([3, failed], [1, refusal]), fc.constant({})), adView, query]),
      ],
    ),
  judge(session) {
    mustHaveNoFinding(session, "key-in-url");
    const { exchanges, publisher } = session;
    for (const { request, values } of exchanges) {
      const { method, path, body } = request;
      const isIn = [body, ...values.values()].some((one) => one.includes(publisher.apiKey));
      must(!isIn, () => `${method} ${path} was sent with the key in its body.`);
    }
    for (const { command, outcome } of performedCommandsOf(session)) {
      const isTold =
        outcome.kind === "failed" && errorText(outcome.error).includes(publisher.apiKey);
      must(!isTold, () => `The error of the client's ${command.kind} has the key in its message.`);
    }
    return exchanges.length;
  },
};

/** What a log shows of an error: its message, and those of its causes. */
function errorText(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > MAX_CAUSES) return String(error);
  return `${error.message}\n${errorText(error.cause, depth + 1)}`;
}

const parameters: Rule = {
  id: "parameters",
  says: "Every request has the parameters that the spec requires and no undocumented ones, each once and with the value that the client was given",
  source: "spec §4",
  commands: () =>
    weightedOneOf(
      [15, everyday(anyAdView)],
      // A queueing client doesn't know the impressions' ids yet when they are clicked.
      [1, inTurn(slow, togetherAll(adView, adView, adView), click, click)],
    ),
  judge(session) {
    let read = 0;
    for (const exchange of session.exchanges) {
      const { operation, request } = exchange;
      // A client may find the right encoding that way.
      if (operation === undefined || hasWrongEncoding(exchange)) continue;
      const problem =
        formProblem(exchange, operations[operation]) ?? valueProblem(exchange, session);
      must(problem === undefined, () => `${request.method} ${request.path}: ${problem}.`);
      read += 1;
    }
    return read;
  },
};

/** Checks for what some choices reject: unknown names, missing or empty values, other types. */
function formProblem(
  { request }: WireExchange,
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
  }
  const missing = Object.entries(known).find(
    ([name, { required }]) => required && sent.every(([other]) => other !== name),
  );
  return missing && `${missing[0]} is missing`;
}

function valueProblem({ operation, values }: WireExchange, session: Session): string | undefined {
  const { publisher, views } = session;
  if (operation === "click") return undefined;
  const expected = (name: string, wanted: string | undefined): string | undefined => {
    const sent = values.get(name);
    if (sent === wanted) return undefined;
    return `${name} was ${escapedText(sent)}, expected ${escapedText(wanted)}`;
  };
  const wrongPublisher = expected("publisher_id", publisher.id);
  if (wrongPublisher !== undefined) return wrongPublisher;
  if (operation === "impression") {
    const shown = views.filter(({ ad }) => ad === values.get("ad_id"));
    if (shown.length === 0) {
      // Most defects keep the beginning of a name.
      const last = views.findLast(({ ad }) => ad.slice(0, 5) === values.get("ad_id")?.slice(0, 5));
      const meant = last ?? views.at(-1);
      const hint = meant === undefined ? "" : `. The ad that was shown is ${escapedText(meant.ad)}`;
      return `ad_id was ${escapedText(values.get("ad_id"))}, which was never shown${hint}`;
    }
    const view = shown.find(({ surface }) => surface === values.get("surface")) ?? shown.at(-1);
    const own = values.get("session_id");
    // A client may make its own session ids. If it uses those that it is given, it must not change them.
    const isGiven = own === undefined || views.some(({ session: one }) => one === own);
    const wrongSession =
      isGiven || !viewGroupsOf(session).takesSessions ? undefined : view?.session;
    return (
      expected("surface", view?.surface) ?? (wrongSession && expected("session_id", wrongSession))
    );
  }
  const isKnown = publisher.surfaces.some(({ id }) => id === values.get("surface"));
  if (operation !== "stats" || isKnown || !values.has("surface")) return undefined;
  return `surface was ${JSON.stringify(values.get("surface"))}, which is not one of the publisher's`;
}

const nothingUnasked: Rule = {
  id: "nothing-unasked",
  says: "Nothing is recorded that the client wasn't asked to report",
  source: "spec §1",
  commands: () => everyday(),
  judge(session) {
    const { views, exchanges, steps } = session;
    const groups = viewGroupsOf(session);
    const clicked = performedCommandsOfKind(session, "click").map(({ shown }) => shown);
    const shownAs = new Map<string, ViewGroup>();
    for (const exchange of exchanges) {
      const id = recordedId(exchange, "impression");
      if (id !== undefined && !shownAs.has(id)) {
        const group = groups.about(exchange);
        must(
          group !== undefined,
          () =>
            `An impression of ${JSON.stringify(exchange.values.get("ad_id"))} is recorded as ${id}. ` +
            `The client was asked to report ${inWords(views)}.`,
        );
        shownAs.set(id, group);
      }
      const on = shownAs.get(exchange.values.get("impression_id") ?? "");
      must(
        recordedId(exchange, "click") === undefined ||
          on === undefined ||
          on.some((view) => clicked.includes(view)),
        () =>
          `A click on ${inWords(on?.slice(0, 1))} is recorded. The client was asked for clicks on ${inWords(clicked)}.`,
      );
    }
    // Even a session without impressions tests the rule.
    return steps[0]?.outcome.kind === "done" ? 1 + shownAs.size : 0;
  },
};

function inWords(views: readonly (AdView | undefined)[] = []): string {
  return (
    views.flatMap((view) => (view === undefined ? [] : [viewInWords(view)])).join(", ") || "none"
  );
}

export const requestRules: readonly Rule[] = [
  opens,
  knownPaths,
  authorization,
  keyStaysInTheHeader,
  parameters,
  nothingUnasked,
];
