/** Reading steps of a run: which are requests, what was sent, what an answer credited. */

import type { ApiRequest, ApiResponse } from "../../src/index.ts";
import { microsOf } from "./reader.ts";
import { type Action, type Run, replay, require, type Step, withoutTimeTravel } from "./run.ts";

export type RequestStep = Step & {
  readonly action: Extract<Action, { kind: "request" }>;
  readonly response: ApiResponse;
};

export function requestSteps(steps: readonly Step[]): RequestStep[] {
  return steps.filter(
    (step): step is RequestStep => step.action.kind === "request" && step.response !== undefined,
  );
}

/** The path without query and without a slash too many. */
export function pathOf({ path }: ApiRequest): string {
  const [bare = ""] = path.split("?");
  return bare.length > 1 && bare.endsWith("/") ? bare.slice(0, -1) : bare;
}

/** Whether a path ends with a slash too many where that makes another path of it. */
export function isElsewhere(
  { path }: ApiRequest,
  assumptions: Readonly<Record<string, string>>,
): boolean {
  return path.endsWith("/") && assumptions["http.trailing-slash"] !== "same";
}

/** The id and the credit that a success names; undefined for any other answer. */
export function creditOf({
  status,
  body,
}: ApiResponse): { readonly id: string; readonly micros: number } | undefined {
  if (status !== 200 || !body.includes("revenue_credited_inr")) return undefined;
  const { impression_id, click_id, revenue_credited_inr } = JSON.parse(body);
  return { id: impression_id ?? click_id, micros: microsOf(revenue_credited_inr) };
}

/** The parameters of a request, wherever they stand. An empty one counts as not sent. */
export function valuesOf({ body = "", query = "" }: ApiRequest): ReadonlyMap<string, string> {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
  const inBody =
    typeof text !== "string"
      ? Object.entries(text)
      : text.startsWith("{")
        ? membersOf(text)
        : [...new URLSearchParams(text)];
  const inQuery = new URLSearchParams(typeof query === "string" ? query : "");
  return new Map(
    [...inBody, ...inQuery]
      .filter(([, value]) => value !== null && value !== "")
      .map(([name, value]): [string, string] => [name, String(value)]),
  );
}

/** None of a text that isn't JSON after all. */
function membersOf(text: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(text));
  } catch {
    return [];
  }
}

/** Something that was recorded: the first answer that names its id. */
export interface Recorded {
  readonly kind: "impression" | "click";
  readonly id: string;
  readonly publisherId: string;
  readonly atMs: number;
  readonly micros: number;
}

/** What the answers say was recorded, each once, of what wasn't undone. */
export function recordedIn(run: Run): Recorded[] {
  const known = new Map<string, Recorded>();
  for (const { action, atMs, response } of requestSteps(withoutTimeTravel(run).steps)) {
    const credit = creditOf(response);
    if (credit === undefined || known.has(credit.id)) continue;
    const { publisherId, request } = action;
    const kind = pathOf(request) === "/v1/click" ? "click" : "impression";
    // A click on nothing of the publisher's may be accepted, but nothing comes of it.
    const target = known.get(valuesOf(request).get("impression_id") ?? "");
    const hits = target?.kind === "impression" && target.publisherId === publisherId;
    if (kind === "impression" || hits) known.set(credit.id, { kind, ...credit, publisherId, atMs });
  }
  return [...known.values()];
}

const legibles = new WeakMap<Run, Run>();

/**
 * The run played again so that each refusal says which it is. What is refused doesn't depend on how a refusal looks:
 * that it looks as it should is the oracle's to say.
 */
export function legible(run: Run): Run {
  const known = legibles.get(run);
  if (known !== undefined) return known;
  const options = {
    ...run.options,
    assumptions: { ...run.options.assumptions, ...legibleRefusals },
  };
  const straight = withoutTimeTravel(run);
  const { sim, steps } = replay(
    options,
    straight.steps.map(({ action }) => action),
  );
  const made = { ...straight, options, sim, steps, exact: undefined };
  legibles.set(run, made);
  return made;
}

const legibleRefusals = {
  "auth.failure": "401",
  "errors.body": "problem",
  "limit.exceeded": "429",
  "limit.retry-after": "seconds",
} as const;

/** Which refusal an answer of a legible run is; undefined for a success, a redirect, and where there is no body. */
export function codeOf({ status, body }: ApiResponse): string | undefined {
  if (status < 400 || body === "") return undefined;
  const { code } = JSON.parse(body);
  return String(code);
}

/** Throws for a number in a JSON text that isn't written plainly. */
export function assertNumbersArePlain(rule: string, body: string): void {
  if (!body.startsWith("{")) return;
  const withoutTexts = body.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  for (const [token] of withoutTexts.matchAll(/[^\s{}[\],:"]+/g)) {
    if (token === "true" || token === "false" || token === "null") continue;
    const plain = /^(?:0|[1-9]\d*)(?:\.\d{0,5}[1-9])?$/.test(token);
    require(rule, plain, `the number ${token} in ${body.slice(0, 300)}`);
  }
}
