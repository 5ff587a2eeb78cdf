/**
 * How many defects of four clients the contract finds with its default settings, by cause. The page for users says the same
 * figures. `npm test` tries a third of them, and only the rule that is known to find a defect. `.ci/run` tries them all, and the
 * whole contract with those that no rule is known to find. ADSIM_REPORT prints a table.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isThorough } from "../../budget.ts";
import { callingDefects } from "./calling-defects.ts";
import { directDefects } from "./direct-defects.ts";
import { orderedDefects } from "./ordered-defects.ts";
import { causes, type PlantedDefect, queueingDefects } from "./queueing-defects.ts";
import { tryClients } from "./run-trials.ts";
import type { ClientTrial, ClientTried } from "./try-client.ts";

const PAGE = "docs/test-your-client.md";
const root = join(import.meta.dirname, "../../..");

type Planted = PlantedDefect & Pick<ClientTrial, "path" | "driver">;

const planted: readonly Planted[] = [
  ...queueingDefects.map((defect) => ({
    ...defect,
    path: "test/testing/defects/queueing-client.ts",
    driver: "createQueueingDriver",
  })),
  ...orderedDefects.map((defect) => ({
    ...defect,
    path: "test/testing/defects/ordered-client.ts",
    driver: "createOrderedDriver",
  })),
  ...callingDefects.map((defect) => ({
    ...defect,
    path: "test/testing/defects/calling-client.ts",
    driver: "createCallingDriver",
  })),
  ...directDefects.map((defect) => ({
    ...defect,
    path: "test/testing/defects/direct-client.ts",
    driver: "createDirectDriver",
  })),
];

const trials = planted.flatMap(
  ({ breaks, also = [], file, find, replace, path, driver }, number): ClientTrial[] => {
    if (!isThorough && (breaks === undefined || number % 3 > 0)) return [];
    return [
      {
        number,
        changes: [{ file, find, replace }, ...also],
        path,
        driver,
        rule: breaks,
      },
    ];
  },
);
let tried: readonly ClientTried[] = [];

beforeAll(async () => {
  tried = await tryClients(trials);
  if (process.env.ADSIM_REPORT !== undefined) console.log(report());
}, 1_800_000);

test.each(
  trials.flatMap(({ number }) => {
    const { says = "", breaks } = planted[number] ?? {};
    return breaks === undefined ? [] : [[says, breaks, number] as const];
  }),
)("caught: %s (%s)", (_says, rule, number) => {
  const one = tried.find((line) => line.number === number);
  expect(one).toMatchObject({ kind: "broken", rule, why: expect.stringMatching(/./) });
});

test("each cause has at least five defects, 70 in all, and no two say the same", () => {
  for (const cause of causes)
    expect(planted.filter((one) => one.cause === cause).length).toBeGreaterThanOrEqual(5);
  expect(planted.length).toBeGreaterThanOrEqual(70);
  expect(new Set(planted.map(({ says }) => says)).size).toBe(planted.length);
});

test("no defect keeps the client from being tried", () => {
  expect(tried.filter(({ kind }) => kind === "failed")).toEqual([]);
});

test(`${PAGE} says how many are caught`, () => {
  expect(readFileSync(join(root, PAGE), "utf8")).toContain(rates());
});

/** The table of the page. */
function rates(): string {
  const isCaught = (at: number): boolean => {
    const one = tried.find(({ number }) => number === at);
    return one === undefined ? planted[at]?.breaks !== undefined : one.kind === "broken";
  };
  const rowOf = (name: string, isOf: (cause: string) => boolean): string => {
    const those = planted.flatMap(({ cause }, at) => (isOf(cause) ? [at] : []));
    return `| ${name} | ${those.length} | ${those.filter(isCaught).length} |`;
  };
  return [
    "| cause | planted | caught |",
    "|---|---|---|",
    ...causes.map((cause) => rowOf(cause, (one) => one === cause)),
    rowOf("all", () => true),
  ].join("\n");
}

function report(): string {
  const lines = tried.map(({ number, rule, kind, why }) => {
    const { cause, says } = planted[number] ?? {};
    return `${cause} | ${says} | ${kind} | ${rule} | ${why.slice(0, 120)}`;
  });
  return [...lines, "", rates()].join("\n");
}
