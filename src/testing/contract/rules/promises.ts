/** What a driver may promise besides: an order of events, and a number of requests at once. */

import type { Rule } from "./rule.ts";

const inOrder: Rule = {
  id: "in-order",
  says: "Events are recorded in the order in which the client was given them, even if some have to be sent again",
  source: "the driver's inOrder",
  needs: ["inOrder"],
  judge(told, came) {
    if (!told.promised.inOrder) return undefined;
    // An event that was given twice has no place of its own.
    const given = told.calls.flatMap((call) => {
      const event = told.events.find(({ asks }) => asks.length === 1 && asks[0] === call);
      const by = event?.recorded[0]?.by;
      return event === undefined || by === undefined ? [] : [{ name: event.name, by, call }];
    });
    for (const [at, next] of given.slice(1).entries()) {
      const before = given[at];
      if (before === undefined) continue;
      if (next.call.atMs <= before.by.atMs) came();
      if (next.by.sequence < before.by.sequence)
        return `The client was given ${before.name} before ${next.name}, but ${next.name} was recorded first.`;
    }
    return undefined;
  },
};

const atOnce: Rule = {
  id: "at-once",
  says: "The client never has more requests under way at once than it declares",
  source: "the driver's maxAtOnce",
  needs: ["maxAtOnce"],
  judge({ promised: { maxAtOnce }, requests }, came) {
    if (maxAtOnce === Number.POSITIVE_INFINITY) return undefined;
    let gotMs: number[] = [];
    for (const { atMs, request, ...sent } of requests) {
      // It isn't known when the client aborted a request whose answer never came.
      gotMs = gotMs.filter((ms) => ms > atMs);
      const count = gotMs.length + 1;
      if (count > maxAtOnce)
        return `When the client sent ${request.method} ${request.path}, it had ${count} requests under way. It declares at most ${maxAtOnce} at once. A request is under way until it is answered or aborted.`;
      gotMs.push(sent.gotMs ?? atMs);
      if (gotMs.at(-1) !== atMs) came();
    }
    return undefined;
  },
};

export const promiseRules: readonly Rule[] = [inOrder, atOnce];
