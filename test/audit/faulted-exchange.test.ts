/** What a fault rule must not change: accounts that it only looks at, and quotas of requests that it answers itself. */

import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { recordingOf } from "./recording.ts";

test.each([
  ["at no operation's path", "GET", "/v1/nowhere"],
  ["with a method that the path doesn't have", "PUT", "/v1/click"],
  ["for a report", "GET", "/v1/publisher/stats"],
])("a rule that acts on a request %s opens no account", (_, method, path) => {
  const sim = createSimulator({ faults: [{ verdict: { kind: "drop" } }] });
  const { id, apiKey } = sim.publishers.at(0);
  sim.handle({ method, path, headers: { authorization: `Bearer ${apiKey}` } });
  expect(sim.snapshot().accounts).toEqual([]);
  expect(sim.journal.entries()).toMatchObject([{ publisher: id, producedBy: "rule" }]);
});

test("a rule doesn't take a rotated key for its publisher's", () => {
  const { sim, show } = recordingOf({ faults: [{ verdict: { kind: "drop" } }] });
  const { id, apiKey } = sim.publishers.at(0);
  show("a");
  sim.publishers.rotateKey(id);
  const headers = { authorization: `Bearer ${apiKey}` };
  sim.handle({ method: "POST", path: "/v1/impression", headers });
  const { publishers, withoutKey } = sim.audit();
  expect([publishers[0]?.dropped, withoutKey.dropped]).toEqual([1, 1]);
  expect(sim.journal.entries().map(({ publisher }) => publisher)).toEqual([id, undefined]);
});

test("an answer that replaces the service's shows the state of the limit that it concerns, and spends no quota", () => {
  const { show } = recordingOf({
    assumptions: { "auth.key-scope": "any" },
    faults: [{ verdict: { kind: "respond", status: 503 }, match: { nth: 3 } }],
  });
  const remaining = (to: number): string | undefined =>
    show("a", { by: 0, for: to }).headers["x-ratelimit-remaining"];
  expect([1, 1, 1, 1, 0].map(remaining)).toEqual(["9999", "9998", "9998", "9997", "9999"]);
});

test("an answer that the client didn't wait for is journalled as the service gave it, under explain too", () => {
  const faults = [{ verdict: { kind: "delay", delay: 9 } }] as const;
  const { sim, show } = recordingOf({ explain: true, faults: [...faults] });
  const given = show("a");
  expect(given.headers["x-adsim-fault"]).toBe("rule-1");
  given.delivery?.undelivered();
  const { fault, response } = sim.journal.entries()[0] ?? {};
  expect(response).toEqual({ status: 0, headers: {}, body: "" });
  expect(fault).toMatchObject({ received: "nothing", lost: { status: 200, body: given.body } });
  expect(fault?.lost?.headers).not.toHaveProperty("x-adsim-fault");
});

test("the limit of the publisher that requests are for refuses those over it, even a rule's copy", () => {
  const { sim, ids, show } = recordingOf({
    assumptions: { "auth.key-scope": "any" },
    faults: [{ match: { nth: 10_000 }, verdict: { kind: "duplicate" } }],
  });
  for (let sent = 0; sent < 10_001; sent += 1) show("a", { by: 0, for: 1 });
  const counts = { attempts: 10_001, answered: 10_001, copies: 1, applied: 10_000, refused: 2 };
  const { balanced, total, publishers } = sim.audit();
  expect(balanced).toBe(true);
  expect(total).toMatchObject(counts);
  expect(publishers).toMatchObject([{ publisher: ids[1], ...counts }]);
});

test.each([{ kind: "garbage" }, { kind: "truncate", atByte: 0 }] as const)(
  "an answer without a body arrives complete under %j",
  (verdict) => {
    const { sim, ids } = recordingOf({ faults: [{ verdict }] });
    const headers = { authorization: `Bearer ${sim.publishers.at(0).apiKey}` };
    const query = { publisher_id: ids[0] ?? "" };
    const answer = sim.handle({ method: "HEAD", path: "/v1/publisher/stats", headers, query });
    expect([answer.status, answer.delivery]).toEqual([200, undefined]);
    expect(sim.journal.entries()[0]?.fault).toMatchObject({ received: "whole", lost: undefined });
  },
);
