/** Builds a defect around a simulator: it changes what goes in or comes out, and knows nothing of what is inside. */

import type { Verdict } from "../../src/faults/verdict.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";
import { type OperationId, operationIds, operations } from "../../src/spec/operations.ts";

/** Builds a defect around a simulator, which has it from then on. */
export type Plant = (sim: SimulatorCore) => void;

/** An answer before the client gets it. */
export type Answer = { -readonly [Part in keyof ApiResponse]: ApiResponse[Part] } & {
  headers: Record<string, string>;
};

export type Body = Record<string, unknown>;
type Values = Readonly<Record<string, string>>;

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

/** Changes the bodies of an operation's successes. */
export function bodies(
  operation: OperationId,
  change: (body: Body, sim: SimulatorCore) => void,
): Plant {
  return answers((answer, sent, sim) => {
    if (sent.operation !== operation || answer.status !== 200) return;
    const body = objectIn(answer.body);
    if (body === undefined) return;
    const before = JSON.stringify(body);
    change(body, sim);
    if (JSON.stringify(body) !== before) setBody(answer, body);
  });
}

/** A JSON object; undefined for anything else. */
export function objectIn(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Amounts are written without an exponent, as the service writes them. */
export function setBody(answer: Answer, body: Body): void {
  const plain = (number: string): string => Number(number).toFixed(6).replace(/0+$/, "");
  setText(answer, JSON.stringify(body).replaceAll(/\b\d+(\.\d+)?e-\d+/g, plain));
}

export function setText(answer: Answer, text: string): void {
  answer.body = text;
  answer.headers["content-length"] &&= String(Buffer.byteLength(text));
}

/** Changes the parameters of an operation's requests. `undefined` isn't sent. */
export function requests(
  operation: OperationId,
  change: (values: Values, sim: SimulatorCore, sent: Sent) => Readonly<Record<string, unknown>>,
): Plant {
  return (sim) =>
    wrap(sim, "handle", (handle) => (request) => {
      const sent = sentIn(request);
      if (sent.operation !== operation) return handle(request);
      const before = JSON.stringify(sent.values);
      const after = JSON.stringify(change(sent.values, sim, sent));
      return handle(before === after ? request : withValues(request, JSON.parse(after)));
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
  if (carrier.startsWith("{")) return objectIn(carrier) ?? {};
  return Object.fromEntries(new URLSearchParams(carrier));
}

/** Changes verdicts of fault rules: of the scenario's and of those that are added later. */
export function verdicts<Kind extends Verdict["kind"]>(
  kind: Kind,
  change: (verdict: Extract<Verdict, { kind: Kind }>) => Verdict,
): Plant {
  return (sim) => {
    wrap(sim.faults, "add", (add) => (rule) => {
      if (typeof rule === "function" || rule.verdict.kind !== kind) return add(rule);
      // The condition has narrowed it, which TypeScript doesn't see for a type parameter.
      const verdict = change(rule.verdict as Extract<Verdict, { kind: Kind }>);
      return add({ ...rule, verdict });
    });
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
