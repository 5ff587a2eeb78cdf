/** What no choice about forms or statuses may change (F1 and F2): invariants in addition to the list of invariants. */

import {
  type ApiResponse,
  createSimulator,
  type Publisher,
  type SimulatorOptions,
} from "../../src/index.ts";
import { type Run, replay, requestSteps, require, withoutUndone } from "./run.ts";

const plainForms = {
  "errors.body": "problem",
  "limit.retry-after": "seconds",
  "money.precision": "exact",
  "response.form": "documented",
} as const;

/** Other forms say the same: each documented member of a success, and each refusal's detail and parameter. */
export function F1(run: Run): void {
  const { assumptions } = run.options;
  const steps = withoutUndone(run.steps);
  const options = { ...run.options, assumptions: { ...assumptions, ...plainForms } };
  const actions = steps.map(({ action }) => action);
  const plain = requestSteps(replay(options, actions).steps);
  for (const [index, { action, response }] of requestSteps(steps).entries()) {
    const before = plain[index]?.response;
    const what = `${JSON.stringify(action)}: ${before?.body} became ${response.body}`;
    require("F1", before?.status === response.status, what);
    const same =
      before.status < 400 ? saysTheSame(before, response) : refusesAlike(run, before, response);
    require("F1", same, what);
  }
}

function saysTheSame(plain: ApiResponse, formed: ApiResponse): boolean {
  if (plain.body === "") return formed.body === "";
  return holds(JSON.parse(plain.body), JSON.parse(formed.body));
}

/** Whether all of `plain` is in `formed`, amounts to half a paisa. */
function holds(plain: unknown, formed: unknown): boolean {
  if (typeof plain === "number" && typeof formed === "number") {
    return Number.isInteger(plain) ? plain === formed : Math.abs(plain - formed) <= 0.0050001;
  }
  if (typeof plain !== "object" || plain === null) return plain === formed;
  if (typeof formed !== "object" || formed === null) return false;
  if (Array.isArray(plain) && Array.isArray(formed) && plain.length !== formed.length) return false;
  const members = new Map(Object.entries(formed));
  return Object.entries(plain).every(([name, member]) => holds(member, members.get(name)));
}

function refusesAlike({ options }: Run, plain: ApiResponse, { body }: ApiResponse): boolean {
  // HEAD has no body in any form.
  if (plain.body === "") return body === "";
  const { detail, parameter, code } = JSON.parse(plain.body);
  const coded = JSON.stringify([code, detail, parameter]);
  switch (options.assumptions["errors.body"]) {
    case "problem": {
      const problem = JSON.parse(body);
      return JSON.stringify([problem.code, problem.detail, problem.parameter]) === coded;
    }
    case "envelope": {
      const { error } = JSON.parse(body);
      return JSON.stringify([error.code, error.message, error.parameter]) === coded;
    }
    case "list": {
      const [error] = JSON.parse(body).errors;
      return JSON.stringify([error.code, error.message, error.parameter]) === coded;
    }
    case "flat":
      return JSON.parse(body).error === detail;
    case "text":
      return body === detail;
    case "html":
      return unescaped(body).includes(`>${detail}<`);
    case "empty":
      return body === "";
  }
}

function unescaped(html: string): string {
  return html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

/** Assumptions change nothing about the publishers except the form of ids and the statuses of surfaces. */
export function F2({ options }: Run): void {
  const { assumptions } = options;
  const timezone = assumptions["date.timezone"];
  const listed = publishersOf(options);
  const plain = publishersOf({ ...options, assumptions: { "date.timezone": timezone } });
  const isPrefixed = assumptions["ids.format"] === "prefixed";
  for (const [place, publisher] of listed.entries()) {
    const what = `${JSON.stringify(publisher)} was ${JSON.stringify(plain[place])}`;
    const before = plain[place] && told(plain[place], isPrefixed);
    require("F2", JSON.stringify(told(publisher, isPrefixed)) === JSON.stringify(before), what);
    const statuses = publisher.surfaces.map(({ status }) => status);
    const documented = statuses.every((status) => status === "active");
    const { length } = statuses;
    const extended = statuses[0] === "active" && (length < 2 || statuses[length - 1] !== "active");
    require("F2", assumptions["surface.statuses"] === "extended" ? extended : documented, what);
  }
}

function publishersOf(options: SimulatorOptions): Publisher[] {
  return createSimulator(options).publishers.list({ limit: 3 });
}

/** A publisher without its surfaces' statuses, and without ids where those have another form. */
function told({ id, surfaces, ...rest }: Publisher, withIds: boolean): object {
  const bare = surfaces.map(({ id: surfaceId, name, cpmRange }) => {
    return { id: withIds && surfaceId, name, cpmRange };
  });
  return { ...rest, id: withIds && id, surfaces: bare };
}
