/** Builds a defect around a simulator: it changes what goes in or comes out, and knows nothing of what is inside. */

import type { ImpressionRecord, Payouts, PublisherStats } from "../../src/client/api.ts";
import type { VerdictKind } from "../../src/faults/verdict.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";
import { type OperationId, operationIds, operations } from "../../src/spec/operations.ts";

/** Builds a defect around a simulator, which has it from then on. */
export type Plant = (sim: SimulatorCore) => void;

/** An answer before the client gets it. */
export type Answer = { -readonly [Part in keyof ApiResponse]: ApiResponse[Part] } & {
  headers: Record<string, string>;
};

type Members = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, string>>;
/** The members of all operations' bodies: each body has some of them. */
type Body = ImpressionRecord & PublisherStats & Payouts;

/** What a request says, if it says it in a usual way. */
export interface Sent {
  /** Undefined for a path that isn't an operation's. */
  readonly operation: OperationId | undefined;
  readonly values: Values;
  readonly authorization: string;
}

/** Puts another function in a function's place. */
export function wrap<Of extends object, Name extends keyof Of>(
  of: Of,
  name: Name,
  wrapper: (own: Of[Name]) => Of[Name],
): void {
  Object.assign(of, { [name]: wrapper(of[name]) });
}

/** Changes answers on their way to the client. */
export function answers(change: (answer: Answer, sent: Sent, sim: SimulatorCore) => void): Plant {
  return (sim) =>
    wrap(sim, "handle", (handle) => (request) => {
      const response = handle(request);
      const answer = { ...response, headers: { ...response.headers } };
      change(answer, sentIn(request), sim);
      return answer;
    });
}

/** Changes the members of an operation's successes that are returned. */
export function bodies(
  operation: OperationId,
  change: (body: Body, sim: SimulatorCore) => Partial<Body>,
): Plant {
  return answers((answer, sent, sim) => {
    if (sent.operation !== operation || answer.status !== 200) return;
    const body = objectIn(answer.body);
    const changed = { ...body, ...change(body as Partial<Body> as Body, sim) };
    if (JSON.stringify(changed) !== JSON.stringify(body)) setBody(answer, changed);
  });
}

/** A JSON object; empty for what isn't JSON. */
export function objectIn(text: string): Members {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

/** Amounts are written without an exponent, as the service writes them. */
export function setBody(answer: Answer, body: object): void {
  const plain = (number: string): string => Number(number).toFixed(6).replace(/0+$/, "");
  setText(answer, JSON.stringify(body).replaceAll(/\b\d+(\.\d+)?e-\d+/g, plain));
}

export function setText(answer: Answer, text: string): void {
  answer.body = text;
  answer.headers["content-length"] &&= String(Buffer.byteLength(text));
}

/** Changes the parameters of an operation's requests that are returned. `undefined` isn't sent. */
export function requests(
  operation: OperationId,
  change: (values: Values, sim: SimulatorCore, sent: Sent) => Members,
): Plant {
  return (sim) =>
    wrap(sim, "handle", (handle) => (request) => {
      const sent = sentIn(request);
      if (sent.operation !== operation) return handle(request);
      const { values } = sent;
      const changed = JSON.stringify({ ...values, ...change(values, sim, sent) });
      const isSame = changed === JSON.stringify(values);
      return handle(isSame ? request : withValues(request, JSON.parse(changed)));
    });
}

function withValues(request: ApiRequest, values: Record<string, string>): ApiRequest {
  const form = String(new URLSearchParams(values));
  const body = textOf(request.body);
  if (!body) return { ...request, query: form };
  const isForm = typeof body === "string" && !body.startsWith("{");
  return { ...request, body: isForm ? form : JSON.stringify(values) };
}

function sentIn({ method, path, query, headers = {}, body }: ApiRequest): Sent {
  const operation = operationIds.find(
    (id) => operations[id].path === path && operations[id].method === method,
  );
  const { authorization = "" } = headers;
  return { operation, values: { ...valuesIn(textOf(body) || query) }, authorization };
}

function textOf(body: ApiRequest["body"]): string | object | undefined {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
}

function valuesIn(carrier: string | object | undefined): object {
  if (typeof carrier !== "string") return carrier ?? {};
  if (carrier.startsWith("{")) return objectIn(carrier);
  return Object.fromEntries(new URLSearchParams(carrier));
}

/** Changes the members of verdicts that are returned. `undefined` goes. */
export function verdicts(kind: VerdictKind, change: (verdict: Members) => Members): Plant {
  return (sim) => {
    wrap(sim.faults, "add", (add) => (rule) => {
      if (typeof rule === "function" || rule.verdict.kind !== kind) return add(rule);
      const verdict = JSON.stringify({ ...rule.verdict, ...change({ ...rule.verdict }) });
      return add({ ...rule, verdict: JSON.parse(verdict) });
    });
    // The scenario's own rules come with its world.
    afterRestore(sim, () => {
      const rules = sim.faults.list();
      sim.faults.clear();
      for (const { id, match, verdict } of rules)
        if (verdict) sim.faults.add({ id, match, verdict });
    });
  };
}

/** A scenario's world replaces the simulator's state before it is played. */
export function afterRestore(sim: SimulatorCore, act: () => void): void {
  wrap(sim, "restore", (restore) => (snapshot) => {
    restore(snapshot);
    act();
  });
}

/** The service's clock is ahead of the clients' clocks. */
export function clockAhead(byMs: (sim: SimulatorCore) => number): Plant {
  return (sim) => wrap(sim.clock, "now", (now) => () => now() - byMs(sim));
}
