/** `adsim fixtures`: complete, as the API's document says, the same on every machine, and each can be reproduced. */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../../src/adapters/node-host.ts";
import { createControl } from "../../src/control/control.ts";
import type { Choices } from "../../src/index.ts";
import type { Fixture } from "../../src/play/fixtures/fixture.ts";
import { type Fixtures, makeFixtures } from "../../src/play/fixtures/make-fixtures.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { errorKinds } from "../../src/spec/errors.ts";
import { openApiDocument } from "../../src/spec/openapi.ts";
import { operationIds } from "../../src/spec/operations.ts";
import { isThorough } from "../budget.ts";
import { answersListed, codeIn, ofTransports } from "../spec/openapi/openapi-answers.ts";
import { createConformance } from "../spec/openapi/openapi-conformance.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runAdsim, runProcess } from "./run-adsim.ts";

const choices: Readonly<Record<string, Choices>> = {
  "the defaults": {},
  "the choices that refuse most": {
    "auth.key-scope": "publisher-hidden",
    "click.repeat": "conflict",
    "click.window": "24h",
    "dedup.repeat": "conflict",
    "errors.body": "envelope",
    "errors.invalid": "422",
    "ids.format": "url-unsafe",
    "limit.recording-pool": "separate",
    "request.values": "strict",
    "response.form": "evolved",
    "surface.statuses": "extended",
  },
  "forms, and limits of another kind": {
    "errors.body": "text",
    "limit.algorithm": "token-bucket",
    "limit.reporting-endpoints": "stats-only",
    "payout.statuses": "extended-without-txn",
    "request.encoding": "form",
  },
};

const made = new Map<string, Fixtures>();
const named = Object.keys(choices).slice(0, isThorough ? undefined : 2);

/** Made once, by the first test that needs them. */
function fixturesUnder(name: string): Fixtures {
  const assumptions = choices[name] ?? {};
  const fixtures = made.get(name) ?? makeFixtures({ assumptions, publishers: 1 });
  made.set(name, fixtures);
  return fixtures;
}

describe.each(named)("under %s", (name) => {
  test("every answer that the API's document lists is there, and none contradicts it", () => {
    const { fixtures, index } = fixturesUnder(name);
    const document = openApiDocument(index.world.assumptions);
    const problemsOf = createConformance(document, index.world.assumptions);
    const seen = new Set<string>();
    for (const [file, { request, response }] of fixtures) {
      expect(problemsOf(request, response), file).toEqual([]);
      seen.add(`${request.method} ${request.path} ${response.status} ${codeIn(response)}`);
    }
    expect(answersListed(document).filter((answer) => !seen.has(answer))).toEqual([]);
  });

  test("each fixture is what a fresh world answers, byte for byte", () => {
    const { index, fixtures } = fixturesUnder(name);
    for (const [file, fixture] of fixtures) {
      const { before, request, now, response } = JSON.parse(JSON.stringify(fixture)) as Fixture;
      // Ten thousand requests are played again in `.ci/run` only, under the defaults.
      const isLong = before.some(({ times }) => times > 100);
      if (isLong && !(isThorough && name === "the defaults")) continue;
      const worlds = createWorlds({
        options: { ...index.world, clock: "frozen" },
        host: nodeHost,
        control: createControl(),
      });
      for (const step of before) {
        for (let sent = 0; sent < step.times; sent += 1) worlds.handle(step.request);
      }
      expect(new Date(worlds.get("default").clock.now()).toISOString(), file).toBe(now);
      const { json, ...bare } = response;
      expect(worlds.handle(request), file).toEqual(bare);
      if (json !== undefined) expect(json, file).toEqual(JSON.parse(response.body));
    }
  });

  test("the last request in the limit is served with none remaining, and the next is refused", () => {
    const { fixtures, index } = fixturesUnder(name);
    const only = index.world.assumptions["limit.reporting-endpoints"] === "stats-only";
    const limited = operationIds.filter((id) => !only || !/surfaces|payouts/.test(id));
    for (const id of limited) {
      const last = fixtures.get(`${id}/last-in-limit.json`)?.response;
      const over = fixtures.get(`${id}/over-limit.json`);
      expect([last?.headers["x-ratelimit-remaining"], over?.outcome], id).toEqual([
        "0",
        "rate_limited",
      ]);
      expect(last?.status, id).toBe(200);
      expect(over?.response.headers["retry-after"]).toMatch(/^\d+$/);
      expect(fixtures.get(`${id}/after-limit.json`)?.outcome, id).not.toBe("rate_limited");
    }
  });
});

test("every error code that a request alone can cause occurs", () => {
  const outcomes = new Set(
    named.flatMap((name) => fixturesUnder(name).index.files.map(({ outcome }) => outcome)),
  );
  const codes = Object.keys(errorKinds).filter((code) => !ofTransports.includes(code));
  expect(codes.filter((code) => !outcomes.has(code))).toEqual([]);
});

test("every operation succeeds in some fixtures, and payouts are paid, pending and none", () => {
  const { index, fixtures } = fixturesUnder("the defaults");
  for (const id of operationIds) {
    const fine = index.files.filter(({ operation, status }) => operation === id && status === 200);
    expect(fine.length, id).toBeGreaterThan(6);
  }
  const payouts = ["first", "pending", "none"].map(
    (name) => fixtures.get(`payouts/${name}.json`)?.response.json,
  );
  expect(payouts).toMatchObject([
    { payouts: [{ status: "paid" }], pending_inr: 0 },
    { payouts: [], pending_inr: expect.closeTo(900, -2) },
    { payouts: [], pending_inr: 0 },
  ]);
});

test("the index names the assumptions that an answer depends on", () => {
  const { files } = fixturesUnder("the defaults").index;
  const choicesFor = (file: string): readonly string[] | undefined =>
    files.find((entry) => entry.file === file)?.assumptions;
  expect(choicesFor("impression/repeated.json")).toContain("dedup.repeat");
  expect(choicesFor("stats/period.json")).toContain("surface.statuses");
  for (const { assumptions } of files)
    expect(Object.keys(catalogue)).toEqual(expect.arrayContaining([...assumptions]));
});

describe("the folder", () => {
  const filesIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((path) => !/^\.adsim-[0-9a-f]{64}\.json$/.test(path))
      .sort();
  const digestOf = (folder: string): string => {
    const hash = createHash("sha256");
    for (const file of filesIn(folder)) {
      // These two contain the version.
      if (/^(?:index\.json|README\.md)$/.test(file)) continue;
      hash.update(`${file}\n`).update(readFileSync(join(folder, file)));
    }
    return hash.digest("hex").slice(0, 16);
  };

  const everywhere = "holds the index's files and a README, with the same bytes on every machine";
  test(everywhere, { timeout: 180_000 }, async () => {
    const folder = join(temporaryFolder(), "new", "folder");
    const { code, stdout, stderr } = await runProcess(["fixtures", "--out", folder, "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(readFileSync(join(folder, "index.json"), "utf8")).toBe(stdout);
    const index = JSON.parse(stdout) as Fixtures["index"];
    const listed = index.files.map(({ file }) => file);
    expect(filesIn(folder)).toEqual([...listed, "README.md", "index.json"].sort());
    expect(index).toMatchObject({ format: 2, world: { seed: "adsim", publishers: 25 } });
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain(
      "npx adsim serve --seed adsim --start 2026-01-15T00:00:00.000Z --publishers 25 --profile typical --clock frozen\n",
    );
    // May be wrong; must not change unnoticed.
    const advice = "If a case or an answer has changed on purpose, put the new digest here.";
    expect(digestOf(folder), advice).toBe("90151eb313ce58c7");

    const index1 = { format: 1, adsim: "0.1.0", files: [...index.files, { file: "old/one.json" }] };
    mkdirSync(join(folder, "old"));
    writeFileSync(join(folder, "old", "one.json"), "{}");
    writeFileSync(join(folder, "index.json"), JSON.stringify(index1));
    const again = await runAdsim([
      ...["fixtures", "--out", folder],
      ...["--seed", "it's", "--assume", "errors.body=flat"],
    ]);
    expect(again.stdout).toMatch(/^\d+ fixtures are in .*; index\.json lists them\.\n$/);
    expect(filesIn(folder).length).toBe(listed.length + 2);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain(
      "--seed 'it'\\''s' --start 2026-01-15T00:00:00.000Z --publishers 25 --profile typical --assume errors.body=flat --out DIR\n",
    );
  });

  test.each<[string, (folder: string) => void, string]>([
    ["other files", (folder) => writeFileSync(join(folder, "mine"), "x"), 'has "mine"'],
    ["an empty folder of its own", (folder) => mkdirSync(join(folder, "a")), 'has "a"'],
    [
      "the index of something else",
      (folder) => writeFileSync(join(folder, "index.json"), '{"files":[]}'),
      'has "index.json"',
    ],
  ])("with %s stays as it is", async (_, fill, expected) => {
    const folder = temporaryFolder();
    fill(folder);
    const before = readdirSync(folder, { recursive: true });
    const { code, stderr, stdout } = await runAdsim(["fixtures", "--out", folder]);
    expect(stderr).toContain(`--out ${folder} ${expected}`);
    expect([code, stdout]).toEqual([2, ""]);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  test("at the root of a disk is refused without searching the disk", async () => {
    const { code, stderr } = await runAdsim(["fixtures", "--out", "/"]);
    expect(stderr).toContain("--out / has ");
    expect(code).toBe(2);
  });

  test("is refused if it can't be a folder, or if the options don't suit fixtures", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "file");
    writeFileSync(file, "mine");
    const tried: [readonly string[], number, string][] = [
      [["--out", file], 2, "is not a folder"],
      [["--out", ""], 2, "must not be empty"],
      [[], 2, "--out"],
      [["--out", join(folder, "a"), "--clock", "system"], 2, "must be one of frozen"],
      [
        ["--out", join(folder, "a"), "--publishers", "0"],
        2,
        "--publishers must be a whole number from 1 to 1000000",
      ],
    ];
    tried.push([["--out", join(file, "below")], 3, "a part of its path is not a folder"]);
    for (const [args, expected, message] of tried) {
      const { code, stderr } = await runAdsim(["fixtures", ...args]);
      expect(stderr).toContain(message);
      expect(code).toBe(expected);
    }
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(readdirSync(folder)).toEqual(["file"]);
  });
});
