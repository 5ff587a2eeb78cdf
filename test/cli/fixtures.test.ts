/** `adsim fixtures`: complete, as the API's document says, the same on every machine, and each can be reproduced. */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { controlModules } from "../../src/adapters/control-modules.ts";
import { createControl } from "../../src/control/control.ts";
import type { Choices } from "../../src/index.ts";
import type { Fixture } from "../../src/play/fixtures/fixture.ts";
import { type Fixtures, makeFixtures } from "../../src/play/fixtures/make-fixtures.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import { errorKinds } from "../../src/spec/errors.ts";
import { openApiDocument } from "../../src/spec/openapi.ts";
import { operationIds } from "../../src/spec/operations.ts";
import { fakerHost } from "../../src/world/publishers/people.ts";
import { isThorough } from "../budget.ts";
import { ofTransports } from "../spec/openapi/openapi-answers.ts";
import { createConformance } from "../spec/openapi/openapi-conformance.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

const refusingMost: Choices = {
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
};

const made: readonly (readonly [string, Fixtures])[] = [
  ["the defaults", makeFixtures({})],
  ["the choices that refuse most", makeFixtures({ assumptions: refusingMost, publishers: 1 })],
];

/** As docs/any-language.md says. */
const notIncluded: readonly string[] = [
  ...ofTransports,
  ...["duplicate_parameter", "query_too_long", "body_too_large"],
];

describe.each(made)("under %s", (name, { index, fixtures }) => {
  test("no answer contradicts the API's document", () => {
    const { assumptions } = index.world;
    const problemsOf = createConformance(openApiDocument(assumptions), assumptions);
    for (const [file, { request, response }] of fixtures) {
      expect(problemsOf(request, response), file).toEqual([]);
    }
  });

  test("each fixture is what a fresh world answers, byte for byte", () => {
    for (const [file, fixture] of fixtures) {
      const { before, request, now, response } = JSON.parse(JSON.stringify(fixture)) as Fixture;
      // Ten thousand requests are played again in `.ci/run` only, under the defaults.
      const isLong = before.some(({ times }) => times > 100);
      if (isLong && !(isThorough && name === "the defaults")) continue;
      const worlds = createWorlds({
        options: { ...index.world, clock: "frozen" },
        host: fakerHost,
        control: createControl(controlModules),
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
    for (const id of operationIds) {
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

  test("payouts are paid, pending and none; the index names the assumptions that an answer depends on", () => {
    const payouts = ["first", "pending", "none"].map(
      (name) => fixtures.get(`payouts/${name}.json`)?.response.json,
    );
    expect(payouts).toMatchObject([
      { payouts: [{ status: "paid" }], pending_inr: 0 },
      { payouts: [], pending_inr: expect.closeTo(900, -2) },
      { payouts: [], pending_inr: 0 },
    ]);
    const repeated = index.files.find(({ file }) => file === "impression/repeated.json");
    expect(repeated?.assumptions).toContain("dedup.repeat");
  });
});

test("every operation succeeds somewhere, and every other error occurs", () => {
  const files = made.flatMap(([, { index }]) => index.files);
  const served = files.filter(({ status }) => status === 200).map(({ operation }) => operation);
  expect(served).toEqual(expect.arrayContaining([...operationIds]));
  const outcomes = files.map(({ outcome }) => outcome);
  const codes = Object.keys(errorKinds).filter((code) => !notIncluded.includes(code));
  expect(outcomes).toEqual(expect.arrayContaining(codes));
});

describe("the folder", () => {
  const filesIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();

  test("holds the index's files, with the same bytes on every machine, in place of earlier ones", async () => {
    const folder = join(temporaryFolder(), "new", "folder");
    mkdirSync(join(folder, "old"), { recursive: true });
    writeFileSync(join(folder, "old", "one.json"), "{}");
    const index1 = { format: 1, adsim: "0.1.0", files: [{ file: "old/one.json" }] };
    writeFileSync(join(folder, "index.json"), JSON.stringify(index1));
    const { code, stdout, stderr } = await runAdsim(["fixtures", "--out", folder, "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(readFileSync(join(folder, "index.json"), "utf8")).toBe(stdout);
    const index = JSON.parse(stdout) as Fixtures["index"];
    const listed = index.files.map(({ file }) => file);
    expect(filesIn(folder)).toEqual([...listed, "index.json"].sort());
    expect(index).toMatchObject({ format: 2, world: { seed: "adsim", publishers: 25 } });
    // May be wrong; must not change unnoticed.
    const advice = "If a case or an answer has changed on purpose, put the new digest here.";
    const hash = createHash("sha256");
    // Without the index, which has the version.
    for (const file of listed.sort())
      hash.update(`${file}\n`).update(readFileSync(join(folder, file)));
    expect(hash.digest("hex").slice(0, 16), advice).toBe("95d1cfa6a7c9e5c3");
  });

  test.each([
    ["mine", ""],
    ["a/b", ""],
    ["index.json", '{"files":[]}'],
  ])("with %s of something else stays as it is", async (name, content) => {
    const folder = temporaryFolder();
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
    const before = readdirSync(folder, { recursive: true });
    const { code, stderr, stdout } = await runAdsim(["fixtures", "--out", folder]);
    expect(stderr).toContain(`--out ${folder} has "${name.split("/")[0]}", which is not a fixture`);
    expect([code, stdout]).toEqual([2, ""]);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  test.each([
    ["--out FILE", 3, "a part of its path is not a folder"],
    ["--out /", 2, "--out / has "],
  ])("is refused: fixtures %s", async (line, expected, message) => {
    const file = fileOf("mine");
    const words = line.replace("FILE", file).split(" ");
    const { code, stderr } = await runAdsim(["fixtures", ...words]);
    expect(stderr).toContain(message);
    expect(code).toBe(expected);
    expect(readFileSync(file, "utf8")).toBe("mine");
  });
});
