/** Control characters from a file, the network or the arguments are escaped, in text and in JSON. */

import { describe, expect, test } from "vitest";
import { reportText } from "../../src/cli/output/report-text.ts";
import { createSimulator } from "../../src/index.ts";
import { linesOf } from "../play/replay/recorded.ts";
import { foreign } from "../play/targets/remote-world.ts";
import { fileOf } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

/** Clears the screen, rings, colours by a C1 control, deletes, turns the direction, breaks the line. */
const EVIL = "\u001b[2J\u0007\u009b31m\u007f\u202e\u2066\u2028\u0085\r\nadsim: all is well";
const acting = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/** Runs it, and expects its exit code and an output without raw control characters. */
async function shows(args: readonly string[], code: number, lines?: "own lines"): Promise<string> {
  const ran = await runAdsim(args);
  const written = ran.stdout + ran.stderr;
  expect(ran.code, written).toBe(code);
  expect(acting.exec(written)).toBe(null);
  if (lines === "own lines") expect(written).not.toMatch(/^adsim: all is well/m);
  return written;
}

/** A service that answers everything with this. */
function service(status: number, headers: object, body: string): Promise<string> {
  return foreign((_, response) => response.writeHead(status, { ...headers }).end(body));
}

const options = { seed: "terminal", publishers: 3 };

/** A recording with hostile characters in every text that it can choose. */
function recording(): string {
  const sim = createSimulator(options);
  const { id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}`, [`x-${EVIL}`]: EVIL };
  sim.handle({ method: "GET", path: "/v1/publisher/stats", query: { publisher_id: id }, headers });
  sim.handle({
    method: "GET",
    path: "/v1/publisher/payouts",
    query: { publisher_id: id },
    headers,
  });
  return linesOf(sim, options)
    .map((line) => {
      const entry = JSON.parse(line);
      entry.publisher = `${EVIL}`;
      entry.request.method = "GET";
      entry.request.path += EVIL;
      entry.response.headers[`x-${EVIL}`] = EVIL;
      entry.response.body = `${EVIL}${entry.response.body}`;
      entry.world.seed = EVIL;
      return `${JSON.stringify(entry)}\n`;
    })
    .join("");
}

describe("adsim replay", () => {
  test.each([[[]], [["--json"]]])("escapes a recording's texts: %j", async (flags) => {
    const written = await shows(
      ["replay", fileOf(recording(), "a.ndjson"), ...flags],
      1,
      "own lines",
    );
    expect(written).toContain("\\u001b[2J\\u0007\\u009b31m");
  });

  test.each([[[]], [["--json"]]])("escapes a service's texts: %j", async (flags) => {
    const url = await service(200, { "x-a": "\u009b31m" }, EVIL);
    const file = fileOf(recording().replaceAll(`"path":"`, `"path":"/v1/`), "a.ndjson");
    const plain = fileOf(
      linesOf(recorded(), options)
        .map((line) => `${line}\n`)
        .join(""),
      "b.ndjson",
    );
    for (const one of [file, plain]) {
      const ran = await runAdsim(["replay", one, "--target", url, ...flags]);
      expect(acting.exec(ran.stdout + ran.stderr)).toBe(null);
    }
    expect(await shows(["replay", plain, "--target", url, ...flags], 1, "own lines")).toContain(
      "\\u001b[2J",
    );
  });

  test.each([
    ["not JSON", `{"${EVIL}`],
    ["JSON of another kind", JSON.stringify({ [EVIL]: EVIL })],
    [
      "a HAR with a hostile version",
      JSON.stringify({ log: { version: EVIL, entries: [{ [EVIL]: 1 }] } }),
    ],
    [
      "an entry without its parts",
      `${JSON.stringify({ sequence: EVIL, [EVIL]: 1, request: {} })}\n`,
    ],
  ])("escapes the error about a file that is %s", async (_, content) => {
    await shows(["replay", fileOf(content, "x.ndjson")], 3, "own lines");
  });

  test("escapes the reason with which an adsim refuses control", async () => {
    const body = JSON.stringify({ type: "urn:adsim:control:invalid", title: EVIL, detail: EVIL });
    const url = await service(409, { "content-type": "application/problem+json" }, body);
    const file = fileOf(linesOf(recorded(), options).join("\n"), "a.ndjson");
    await shows(["replay", file, "--target", url], 1, "own lines");
    const played = await shows(["play", "brownout", "--target", url], 3, "own lines");
    expect(played).toContain("\\u001b[2J");
  });
});

function recorded(): ReturnType<typeof createSimulator> {
  const sim = createSimulator(options);
  const { id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  sim.handle({ method: "GET", path: "/v1/publisher/stats", query: { publisher_id: id }, headers });
  return sim;
}

/** A scenario that is broken, with a name, notes and bodies that are hostile. */
function scenario(): object {
  return {
    name: "evil",
    about: EVIL,
    steps: [
      {
        note: EVIL,
        raw: { method: "POST", path: "/v1/evil", body: EVIL },
        as: "first",
        expect: { status: 200, text: EVIL },
      },
    ],
  };
}

describe("adsim play", () => {
  test.each([[[]], [["--json"]]])("escapes a scenario's texts: %j", async (flags) => {
    const written = await shows(
      ["play", fileOf(JSON.stringify(scenario())), ...flags],
      1,
      "own lines",
    );
    expect(written).toContain("\\u001b[2J");
  });

  test.each([[[]], [["--json"]]])("escapes a service's texts: %j", async (flags) => {
    const url = await service(404, { "x-a": "\u009b31m" }, EVIL);
    const given = ["--api-key", "key_aaaaaaaaaaaaa", "--publisher", "p", "--surface", "s"];
    const args = ["play", fileOf(JSON.stringify(scenario())), "--target", url, ...given, ...flags];
    expect(await shows(args, 1, "own lines")).toContain("\\u001b[2J");
  });

  test.each([
    ["invalid JSON", `{"${EVIL}`, 2],
    ["an unknown member", JSON.stringify({ ...scenario(), [EVIL]: EVIL }), 2],
    ["a hostile name", JSON.stringify({ ...scenario(), name: EVIL }), 2],
    [
      "a hostile reference",
      JSON.stringify({ ...scenario(), steps: [{ click: { impression: EVIL } }] }),
      2,
    ],
  ])("escapes the error about a scenario with %s", async (_, content, code) => {
    await shows(["play", fileOf(content)], code, "own lines");
    await shows(["export", "--to", "artillery", fileOf(content)], code, "own lines");
  });
});

test.each(["--faults", "--assumptions", "--load"])(
  "the error about a file for %s has no raw control characters",
  async (option) => {
    const contents = [
      `{"${EVIL}`,
      JSON.stringify({ [EVIL]: EVIL }),
      JSON.stringify([{ [EVIL]: EVIL, verdict: { kind: EVIL } }]),
      JSON.stringify({ "dedup.repeat": EVIL }),
    ];
    for (const content of contents) {
      const ran = await runAdsim(["serve", "--port", "0", option, fileOf(content)]);
      expect(ran.code).toBeGreaterThan(1);
      expect(acting.exec(ran.stdout + ran.stderr)).toBe(null);
    }
  },
);

test("the client report escapes rules and notes, each on its line", () => {
  const report = createSimulator().report();
  const text = reportText({ ...report, faults: { [EVIL]: 1 }, notes: [EVIL] }, false);
  expect(acting.exec(text)).toBe(null);
  expect(text).not.toMatch(/^adsim: all is well/m);
});

describe("a wrong argument", () => {
  test.each([
    ["an unknown command", [EVIL]],
    ["an unknown option", ["serve", `--${EVIL}`]],
    ["an invalid value", ["serve", `--port=${EVIL}`]],
    ["a surplus argument", ["openapi", EVIL]],
  ])("is escaped in the error: %s", async (_, args) => {
    expect(await shows(args, 2, "own lines")).toMatch(/^adsim: /);
  });
});
