/** What each way of being wrong makes of each answer, and where a wrong answer has nothing to change. */

import { describe, expect, test } from "vitest";
import { unconfirmedWays, type WrongWay, wrongWays } from "../../src/faults/wrong-body.ts";
import {
  type ApiResponse,
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { type Choice, catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { lenientSchemas } from "../../src/spec/responses.ts";
import { bodyMismatch } from "../../src/spec/schema-mismatch.ts";
import { impressionIdOf, type Sender, senderOf } from "../operation-sender.ts";

type Ask = (sender: Sender) => ApiResponse;

const asks = {
  impression: (sender) => sender.impression("a"),
  click: (sender) => sender.click(impressionIdOf(sender.impression("a"))),
  stats: (sender) => sender.stats(),
  surfaces: (sender) => sender.surfaces(),
  payouts: (sender) => sender.payouts(),
} as const satisfies Readonly<Record<string, Ask>>;

type Asked = keyof typeof asks;

/** The service's answer, the answer under a rule, and the world of the latter. */
function compared(
  operation: Asked,
  wrong: WrongWay,
  { applied, ...options }: SimulatorOptions & { readonly applied?: boolean } = {},
): { readonly own: ApiResponse; readonly seen: ApiResponse; readonly sim: Simulator } {
  const faults = [
    { match: { operation }, verdict: { kind: "wrong-body", wrong, applied } as const },
  ];
  const sim = createSimulator({ ...options, faults });
  const own = asks[operation](senderOf(createSimulator(options)));
  return { own, seen: asks[operation](senderOf(sim)), sim };
}

const anyId = /"((?:impression_|click_|publisher_)?id)":"[^"]+"/g;
const anyNumber = /([:[,])(-?\d+(?:\.\d+)?)(?=[,}\]])/g;
const anyList = /"(surfaces|payouts)":\[\{.*\}\],?/;

/** The answer's text as it has to become. */
const expected: Readonly<Partial<Record<WrongWay, (body: string) => string>>> = {
  "missing-id": (body) => body.replaceAll(new RegExp(`${anyId.source},?`, "g"), ""),
  "null-id": (body) => body.replaceAll(anyId, '"$1":null'),
  "empty-id": (body) => body.replaceAll(anyId, '"$1":""'),
  "id-as-number": (body) => body.replaceAll(anyId, '"$1":1'),
  "missing-list": (body) => body.replace(anyList, "").replace(/,\}$/, "}"),
  "empty-list": (body) => body.replace(anyList, '"$1":[],').replace(/,\}$/, "}"),
  "null-rows": (body) =>
    body.replace(anyList, (list, name) => {
      const rows = JSON.parse(`{${list.replace(/,$/, "")}}`)[name];
      const comma = list.endsWith(",") ? "," : "";
      return `"${name}":[${rows.map(() => "null").join(",")}]${comma}`;
    }),
  "missing-numbers": (body) =>
    body
      .replaceAll(/"\w+":\d+(?:\.\d+)?,?/g, "")
      .replaceAll(/(?<=\[)[\d.]+,[\d.]+(?=\])/g, "")
      .replaceAll(",}", "}"),
  "null-body": () => "null",
  "null-numbers": (body) => body.replaceAll(anyNumber, "$1null"),
  "numbers-as-text": (body) => body.replaceAll(anyNumber, '$1"$2"'),
};

const operations = Object.keys(asks) as Asked[];
const cases = operations.flatMap((operation) =>
  Object.entries(expected).map(
    ([wrong, change]) => [operation, wrong as WrongWay, change] as const,
  ),
);

test.each(cases)("the answer to %s under %s has that and nothing else changed", (...row) => {
  const [operation, wrong, change] = row;
  const { own, seen, sim } = compared(operation, wrong);
  expect(seen.body).toBe(change(own.body));
  expect(seen.status).toBe(200);
  expect(seen.headers).toEqual({
    ...own.headers,
    "content-length": String(Buffer.byteLength(seen.body)),
  });
  const isSame = isOfLists(wrong) && (operation === "impression" || operation === "click");
  expect(seen.body === own.body).toBe(isSame);
  expect(sim.journal.entries({ secrets: "shown" }).at(-1)).toMatchObject(
    isSame
      ? { producedBy: "service", fault: { served: true, received: "whole", lost: undefined } }
      : {
          producedBy: "rule",
          fault: { served: true, received: "whole", lost: { body: own.body } },
        },
  );
});

function isOfLists(wrong: WrongWay): boolean {
  return /-(list|rows)$/.test(wrong);
}

describe("ok-false", () => {
  test("changes `ok` of an event", () => {
    const { own, seen } = compared("impression", "ok-false");
    expect(JSON.parse(seen.body)).toEqual({ ...JSON.parse(own.body), ok: false });
  });

  test.each(["stats", "surfaces", "payouts"] as const)("is all that %s gets", (operation) => {
    expect(compared(operation, "ok-false").seen.body).toBe('{"ok":false}');
  });
});

describe("missing-ok", () => {
  test.each(["impression", "click"] as const)("leaves out `ok` of %s", (operation) => {
    const { own, seen } = compared(operation, "missing-ok");
    const { ok, ...others } = JSON.parse(own.body);
    expect(ok).toBe(true);
    expect(JSON.parse(seen.body)).toEqual(others);
  });

  test.each(["stats", "surfaces", "payouts"] as const)("lets %s pass", (operation) => {
    const { own, seen } = compared(operation, "missing-ok");
    expect(seen).toEqual(own);
  });
});

test.each(["surfaces", "payouts", "stats"] as const)(
  "short-list leaves out the last of %s",
  (operation) => {
    const { own, seen } = compared(operation, "short-list");
    const listed = operation === "payouts" ? "payouts" : "surfaces";
    const [before, after] = [own, seen].map(({ body }) => JSON.parse(body));
    expect(after).toEqual({ ...before, [listed]: before[listed].slice(0, -1) });
    expect(before[listed].length).toBeGreaterThan(0);
  },
);

test.each([...operations])("status-202 and status-204 change the status for %s", (operation) => {
  const accepted = compared(operation, "status-202");
  expect(accepted.seen).toEqual({ ...accepted.own, status: 202 });
  const { own, seen } = compared(operation, "status-204");
  const { "content-length": _, "content-type": __, ...headers } = own.headers;
  expect(seen).toEqual({ status: 204, headers, body: "" });
});

describe.each(Object.keys(catalogue["ids.format"].choices) as Choice<"ids.format">[])(
  "ids.format=%s",
  (format) => {
    const options = { assumptions: { "ids.format": format } };

    test("a foreign id has the same form and belongs to nothing", () => {
      const { own, seen, sim } = compared("impression", "foreign-id", options);
      const [right, foreign] = [own, seen].map(impressionIdOf);
      expect(foreign).not.toBe(right);
      expect(foreign?.length).toBe(right?.length);
      const { click } = senderOf(sim);
      expect(click(foreign ?? "").status).toBe(404);
      expect(click(right ?? "").status).toBe(200);
    });

    test("a number in place of an id isn't a text", () => {
      const { seen } = compared("impression", "id-as-number", options);
      expect(JSON.parse(seen.body).impression_id).toBeTypeOf("number");
    });
  },
);

describe("with `applied: false`", () => {
  test.each(unconfirmedWays)(
    "%s confirms an event that isn't recorded in no valid way",
    (wrong) => {
      for (const operation of ["impression", "click"] as const) {
        const { seen, sim } = compared(operation, wrong, { applied: false });
        const isRight = bodyMismatch(lenientSchemas[operation], seen.body) === undefined;
        expect(isRight && seen.status === 200).toBe(false);
        expect(seen.headers["x-ratelimit-remaining"]).toBe(
          operation === "click" ? "9999" : "10000",
        );
        const { impressions, clicks } = sim.audit().total;
        expect(operation === "click" ? clicks : impressions).toMatchObject({
          applied: 0,
          injected: 1,
        });
        expect(sim.journal.entries().at(-1)).toMatchObject({
          producedBy: "rule",
          fault: { kind: "wrong-body", served: false, received: "whole", lost: undefined },
        });
      }
    },
  );

  test.each(wrongWays.filter(isOfLists))("%s lets an event pass", (wrong) => {
    const { own, seen, sim } = compared("impression", wrong, { applied: false });
    expect(seen).toEqual(own);
    expect(sim.audit().total.impressions).toMatchObject({ applied: 1, answered: 1, injected: 0 });
  });

  test("reads are carried out all the same", () => {
    const { own, seen } = compared("stats", "null-numbers", { applied: false });
    expect(seen.headers["x-ratelimit-remaining"]).toBe(own.headers["x-ratelimit-remaining"]);
    expect(JSON.parse(seen.body).publisher_id).toBe(JSON.parse(own.body).publisher_id);
  });
});

test("errors and answers to HEAD stay as they are", () => {
  const sim = createSimulator({ faults: [{ verdict: { kind: "wrong-body", wrong: "ok-false" } }] });
  const { click, publisher } = senderOf(sim);
  expect(click("x").status).toBe(404);
  const path = `/v1/publisher/stats?publisher_id=${publisher.id}`;
  const headers = { authorization: `Bearer ${publisher.apiKey}` };
  expect(sim.handle({ method: "HEAD", path, headers })).toMatchObject({ status: 200, body: "" });
  expect(sim.journal.entries().map(({ producedBy, fault }) => [producedBy, fault?.lost])).toEqual([
    ["service", undefined],
    ["service", undefined],
  ]);
});

test("an answer that can't be wrong in some way names the ways there are", () => {
  const sim = createSimulator();
  const verdict = { kind: "wrong-body", wrong: "nonsense" } as never;
  expect(() => sim.faults.add({ verdict })).toThrow(
    "verdict.wrong must be one of ok-false, missing-ok",
  );
  const notBoolean = { kind: "wrong-body", wrong: "ok-false", applied: 1 } as never;
  expect(() => sim.faults.add({ verdict: notBoolean })).toThrow("must be true or false");
});

test("the audit's clue says that the answer was wrong", () => {
  const { sim } = compared("impression", "ok-false");
  expect(() => sim.audit().assertNothingLostOrDoubled({ impressions: 0, clicks: 0 })).toThrow(
    /recorded by the service, the client got a wrong answer instead, with status 200/,
  );
});
