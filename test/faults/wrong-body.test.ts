/** What each way of being wrong makes of each answer, and where a wrong answer has nothing to change. */

import { describe, expect, test } from "vitest";
import { unconfirmedWays, type WrongWay, wrongWays } from "../../src/faults/wrong-body.ts";
import {
  type ApiResponse,
  type Choice,
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { bodyMismatch, lenientSchemas } from "../../src/spec/responses.ts";
import { impressionIdOf, type Sender, senderOf } from "../operation-sender.ts";

const asks = {
  impression: (sender) => sender.impression("a"),
  click: (sender) => sender.click(impressionIdOf(sender.impression("a"))),
  stats: (sender) => sender.stats(),
  surfaces: (sender) => sender.surfaces(),
  payouts: (sender) => sender.payouts(),
} as const satisfies Readonly<Record<string, (sender: Sender) => ApiResponse>>;

type Asked = keyof typeof asks;
const operations = Object.keys(asks) as Asked[];
const isEvent = (operation: Asked): boolean => ["impression", "click"].includes(operation);
const isOfLists = (wrong: WrongWay): boolean => /-(list|rows)$/.test(wrong);

interface Compared {
  /** The service's answer, and the one under a rule. */
  readonly own: ApiResponse;
  readonly seen: ApiResponse;
  readonly sim: Simulator;
}

function compared(
  operation: Asked,
  wrong: WrongWay,
  { applied, ...options }: SimulatorOptions & { readonly applied?: boolean } = {},
): Compared {
  const verdict = { kind: "wrong-body", wrong, applied } as const;
  const sim = createSimulator({ ...options, faults: [{ match: { operation }, verdict }] });
  const own = asks[operation](senderOf(createSimulator(options)));
  return { own, seen: asks[operation](senderOf(sim)), sim };
}

const anyId = /"((?:impression_|click_|publisher_)?id)":"[^"]+"/g;
const anyNumber = /([:[,])(-?\d+(?:\.\d+)?)(?=[,}\]])/g;
const anyList = /"(surfaces|payouts)":\[(\{.*\})\]/;
/** Without what was left out, and the comma beside it. */
const closed = (body: string): string =>
  body.replaceAll(/(?<=[{[]),+|,+(?=[}\]])/g, "").replaceAll(/,{2,}/g, ",");
const rows = (list: string): string[] => list.split(/(?<=\}),(?=\{)/);
const isEventText = (body: string): boolean => body.startsWith('{"ok":true');

/** The answer's text as it has to become. */
const expected: Readonly<Record<Exclude<WrongWay, "foreign-id">, (body: string) => string>> = {
  "ok-false": (body) =>
    isEventText(body) ? body.replace('"ok":true', '"ok":false') : '{"ok":false}',
  "missing-ok": (body) => body.replace('"ok":true,', ""),
  "missing-id": (body) => closed(body.replaceAll(anyId, "")),
  "null-id": (body) => body.replaceAll(anyId, '"$1":null'),
  "empty-id": (body) => body.replaceAll(anyId, '"$1":""'),
  "id-as-number": (body) => body.replaceAll(anyId, '"$1":1'),
  "missing-list": (body) => closed(body.replace(anyList, "")),
  "empty-list": (body) => body.replace(anyList, '"$1":[]'),
  "short-list": (body) =>
    body.replace(anyList, (_, name, list) => `"${name}":[${rows(list).slice(0, -1)}]`),
  "null-rows": (body) =>
    body.replace(anyList, (_, name, list) => `"${name}":[${rows(list).map(() => "null")}]`),
  "missing-numbers": (body) =>
    closed(body.replaceAll(/"\w+":\d+(?:\.\d+)?(?=[,}])/g, "").replaceAll(anyNumber, "$1")),
  "null-numbers": (body) => body.replaceAll(anyNumber, "$1null"),
  "numbers-as-text": (body) => body.replaceAll(anyNumber, '$1"$2"'),
  "null-body": () => "null",
  "status-202": (body) => body,
  "status-204": () => "",
};

const all = operations.flatMap((operation) =>
  Object.entries(expected).map(([way, change]) => [operation, way as WrongWay, change] as const),
);

test.each(all)("the answer to %s under %s has that and nothing else changed", (...row) => {
  const [operation, wrong, change] = row;
  const { own, seen, sim } = compared(operation, wrong);
  expect(seen.body).toBe(change(own.body));
  const status = Number(/^status-(\d+)/.exec(wrong)?.[1] ?? 200);
  const { "content-length": _, "content-type": type, ...others } = own.headers;
  const sized = { "content-length": String(Buffer.byteLength(seen.body)), "content-type": type };
  expect([seen.status, seen.headers]).toEqual([
    status,
    status === 204 ? others : { ...others, ...sized },
  ]);
  const isSame = isEvent(operation) ? isOfLists(wrong) : wrong === "missing-ok";
  expect(seen.body === own.body && status === 200).toBe(isSame);
  const fault = { served: true, received: "whole" };
  expect(sim.journal.entries({ secrets: "shown" }).at(-1)).toMatchObject(
    isSame
      ? { producedBy: "service", fault: { ...fault, lost: undefined } }
      : { producedBy: "rule", fault: { ...fault, lost: { body: own.body } } },
  );
});

test.each(Object.keys(catalogue["ids.format"].choices) as Choice<"ids.format">[])(
  "under ids.format=%s a foreign id has the same form and belongs to nothing, and a number is none",
  (format) => {
    const options = { assumptions: { "ids.format": format } };
    const { own, seen, sim } = compared("impression", "foreign-id", options);
    const [right = "", foreign = ""] = [own, seen].map(impressionIdOf);
    expect([foreign === right, foreign.length]).toEqual([false, right.length]);
    const { click } = senderOf(sim);
    expect([click(foreign).status, click(right).status]).toEqual([404, 200]);
    const number = compared("impression", "id-as-number", options).seen;
    expect(impressionIdOf(number)).toBeTypeOf("number");
  },
);

describe("with `applied: false`", () => {
  test.each(
    unconfirmedWays.flatMap((wrong) => [[wrong, "impression"] as const, [wrong, "click"] as const]),
  )("%s confirms no %s, which isn't recorded", (wrong, operation) => {
    const { seen, sim } = compared(operation, wrong, { applied: false });
    const isRight = bodyMismatch(lenientSchemas[operation], seen.body) === undefined;
    expect(isRight && seen.status === 200).toBe(false);
    const left = operation === "click" ? "9999" : "10000";
    expect(seen.headers["x-ratelimit-remaining"]).toBe(left);
    const { impressions, clicks } = sim.audit().total;
    expect({ impression: impressions, click: clicks }[operation]).toMatchObject({
      ...{ applied: 0, injected: 1 },
    });
    const fault = { kind: "wrong-body", served: false, received: "whole", lost: undefined };
    expect(sim.journal.entries().at(-1)).toMatchObject({ producedBy: "rule", fault });
  });

  test.each(wrongWays.filter(isOfLists))("%s lets an event pass", (wrong) => {
    const { own, seen, sim } = compared("impression", wrong, { applied: false });
    expect(seen).toEqual(own);
    expect(sim.audit().total.impressions).toMatchObject({ applied: 1, answered: 1, injected: 0 });
  });

  test("reads are carried out all the same", () => {
    const { own, seen } = compared("stats", "null-numbers", { applied: false });
    expect(seen.headers["x-ratelimit-remaining"]).toBe(own.headers["x-ratelimit-remaining"]);
    expect(seen.body).toBe(expected["null-numbers"](own.body));
  });
});

test("errors and answers to HEAD stay as they are", () => {
  const sim = createSimulator({ faults: [{ verdict: { kind: "wrong-body", wrong: "ok-false" } }] });
  const { click, publisher } = senderOf(sim);
  expect(click("x").status).toBe(404);
  const path = `/v1/publisher/stats?publisher_id=${publisher.id}`;
  const headers = { authorization: `Bearer ${publisher.apiKey}` };
  expect(sim.handle({ method: "HEAD", path, headers })).toMatchObject({ status: 200, body: "" });
  for (const entry of sim.journal.entries()) {
    expect(entry).toMatchObject({ producedBy: "service", fault: { lost: undefined } });
  }
});
