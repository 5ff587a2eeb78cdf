/** The laws of isolation and keys (A1 to A5). */

import { createSimulator } from "../../../src/index.ts";
import { operations } from "../../../src/testing/oracle/calls.ts";
import { ask } from "../asking.ts";
import { isElsewhere, pathOf, requestSteps } from "../reading.ts";
import { type Run, replay, require, type Step, sameAnswers } from "../run.ts";

/**
 * Each publisher gets the same bytes whether the others send or not, so in every interleaving. Where any key serves
 * every publisher, those whose keys were used for one another belong together.
 */
export function A1(run: Run): void {
  for (const ids of groupsOf(run)) {
    const own = run.steps.filter(({ action }) => concerns(action, ids));
    const alone = replay(
      run.options,
      own.map(({ action }) => action),
    );
    sameAnswers("A1", own, alone.steps, `of ${[...ids].join(" and ")} alone`);
  }
}

/** The publishers, those together that one request was about. */
export function groupsOf({ publishers, steps }: Run): ReadonlySet<string>[] {
  const groups = new Map(publishers.map(({ id }) => [id, new Set([id])]));
  for (const { action } of requestSteps(steps)) {
    const [one, other] = [groups.get(action.callerId), groups.get(action.publisherId)];
    if (one === undefined || other === undefined || one === other) continue;
    for (const id of other) {
      one.add(id);
      groups.set(id, one);
    }
  }
  return [...new Set(groups.values())];
}

/** Whether it is done to one of these publishers, or to the world. */
export function concerns(action: Step["action"], ids: ReadonlySet<string>): boolean {
  return !("publisherId" in action) || ids.has(action.publisherId);
}

/** Adding a publisher leaves the others' bytes unchanged. */
export function A2(run: Run): void {
  const more = { ...run.options, publishers: run.options.publishers + 1 };
  const grown = replay(
    more,
    run.steps.map(({ action }) => action),
  );
  sameAnswers("A2", run.steps, grown.steps, "with a publisher more");
}

/** 401 (or the 403 that stands for it) comes before validation and depends on the key alone. */
export function A3(run: Run): void {
  const sim = run.sim.fork();
  const status = run.options.assumptions["auth.failure"] === "403" ? 403 : 401;
  const apart = run.options.assumptions["limit.recording-pool"] === "separate";
  const answers = new Map<string, string>();
  for (const { action, response: answered } of requestSteps(run.steps)) {
    const { request } = action;
    // Keys are looked at where an operation answers: not at other paths and methods, and before a redirect is followed.
    const path = pathOf(request);
    const isRoute = Object.values(operations).some(
      (one) => one.path === path && one.method === request.method,
    );
    if (!isRoute || answered.status === 308 || isElsewhere(request, run.options.assumptions))
      continue;
    const headers = {
      ...request.headers,
      authorization: "Bearer key_nobody",
      Authorization: "Bearer key_nobody",
    };
    const response = sim.handle({ ...request, headers });
    const answer = JSON.stringify(response);
    // Answers name the quota: requests of one quota are alike.
    const like = apart ? `${request.method} ${path}` : request.method;
    require("A3", response.status === status, `a request without a valid key got ${answer}`);
    const same = answers.get(like) ?? answer;
    require("A3", same === answer, `${answer} differs from ${same}`);
    answers.set(like, answer);
  }
}

/** With `404` masking, foreign and nonexistent are byte-identical. Where any key serves everyone nothing is foreign. */
export function A4({ options, sim: origin, publishers }: Run): void {
  if (options.assumptions["auth.foreign-publisher"] !== "404") return;
  if (options.assumptions["auth.key-scope"] === "any") return;
  const sim = origin.fork();
  for (const publisher of publishers) {
    const other = publishers.find((one) => one.id !== publisher.id);
    if (other === undefined) return;
    for (const operation of ["stats", "surfaces", "payouts"] as const) {
      const named = (publisher_id: string): string => {
        // Fresh keys: the quota left is the same for both.
        const own = sim.publishers.rotateKey(publisher.id);
        return JSON.stringify(ask(sim, own, operation, { publisher_id }));
      };
      const last = other.id.slice(-1);
      const nobody = named(other.id.slice(0, -1) + (last === "0" ? "1" : "0"));
      const foreign = named(other.id);
      const what = `${operation}: ${foreign} for a foreign publisher, ${nobody} for none`;
      require("A4", foreign === nobody, what);
    }
  }
}

/** Two worlds of the same options share nothing. */
export function A5(run: Run): void {
  const other = createSimulator(run.options);
  const before = JSON.stringify(other.snapshot());
  replay(
    run.options,
    run.steps.map(({ action }) => action),
  );
  require("A5", JSON.stringify(other.snapshot()) === before, "what one world did shows in another");
  require("A5", other.journal.total === 0, "what one world did is in another's journal");
}
