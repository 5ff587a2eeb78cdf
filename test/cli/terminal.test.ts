/** Control characters from a file, the network or the arguments are escaped, in text and in JSON. */

import { expect, test } from "vitest";
import { reportText } from "../../src/cli/output/run-report.ts";
import { createSimulator } from "../../src/index.ts";
import { foreign } from "../play/targets/remote-world.ts";
import { fileOf } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

/** Clears the screen, rings, colours by a C1 control, deletes, turns the direction, breaks the line. */
const EVIL = "\u001b[2J\u0007\u009b31m\u007f\u202e\u2066\u2028\u0085\r\nadsim: all is well";
const acting = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
const evilJson = (more: object = {}): string => JSON.stringify({ [EVIL]: EVIL, ...more });

/** A service that answers everything with this. */
function service(status: number, headers: object, body: string): Promise<string> {
  return foreign((_, response) => response.writeHead(status, { ...headers }).end(body));
}

/** A recording of one request; `change` changes its entry. */
function recording(change: (entry: ReturnType<JSON["parse"]>) => void = () => undefined): string {
  const options = { seed: "terminal", publishers: 3 };
  const sim = createSimulator(options);
  const { id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  sim.handle({ method: "GET", path: "/v1/publisher/stats", query: { publisher_id: id }, headers });
  const entry = JSON.parse(sim.journal.toNdjson().split("\n")[0] ?? "");
  change(entry);
  return fileOf(`${JSON.stringify(entry)}\n`, "a.ndjson");
}

const hostileRecording = (): string =>
  recording((entry) => {
    entry.publisher = EVIL;
    entry.response.headers[`x-${EVIL}`] = EVIL;
    entry.response.body = `${EVIL}${entry.response.body}`;
    entry.world.seed = EVIL;
  });

const step = {
  note: EVIL,
  raw: { method: "POST", path: "/v1/evil", body: EVIL },
  as: "first",
  expect: { status: 200, text: EVIL },
};
const scenario = { name: "evil", about: EVIL, steps: [step] };
const given = ["--api-key", "key_aaaaaaaaaaaaa", "--publisher", "p", "--surface", "s"];
const refusal = (): Promise<string> =>
  service(
    409,
    { "content-type": "application/problem+json" },
    JSON.stringify({ type: "urn:adsim:control:invalid", title: EVIL, detail: EVIL }),
  );

type Args = readonly string[] | Promise<readonly string[]>;

test.each<[what: string, code: number, args: () => Args]>([
  ["a recording", 1, () => ["replay", hostileRecording()]],
  [
    "a service that gets a recording",
    1,
    async () => [
      "replay",
      recording(),
      "--target",
      await service(200, { "x-a": "\u009b31m" }, EVIL),
      ...given,
    ],
  ],
  ["a scenario", 1, () => ["play", fileOf(scenario)]],
  ["a scenario, in JSON", 1, () => ["play", fileOf(scenario), "--json"]],
  [
    "a service that gets a scenario",
    1,
    async () => {
      const url = await service(404, { "x-a": "\u009b31m" }, EVIL);
      return ["play", fileOf(scenario), "--target", url, ...given];
    },
  ],
  [
    "an adsim that refuses control",
    3,
    async () => ["play", "brownout", "--target", await refusal()],
  ],
  ["a file that isn't JSON", 3, () => ["replay", fileOf(`{"${EVIL}`, "x.ndjson")]],
  ["a scenario that isn't JSON", 2, () => ["play", fileOf(`{"${EVIL}`)]],
  ["an unknown member", 2, () => ["play", fileOf(evilJson(scenario))]],
  ["a scenario's name", 2, () => ["export", "--to", "k6", fileOf({ ...scenario, name: EVIL })]],
  [
    "a fault rule",
    2,
    () => ["serve", "--faults", fileOf([{ [EVIL]: EVIL, verdict: { kind: EVIL } }])],
  ],
  ["an assumption", 2, () => ["serve", "--assumptions", fileOf({ "dedup.repeat": EVIL })]],
  ["a snapshot", 3, () => ["serve", "--load", fileOf(evilJson())]],
  ["an unknown command", 2, () => [EVIL]],
  ["an unknown option", 2, () => ["serve", `--${EVIL}`]],
  ["a surplus argument", 2, () => ["openapi", EVIL]],
])("the text of %s is escaped", async (_, code, args) => {
  const ran = await runAdsim(await args());
  const written = ran.stdout + ran.stderr;
  expect(ran.code, written).toBe(code);
  expect(acting.exec(written)).toBe(null);
  expect(written).not.toMatch(/^adsim: all is well/m);
});

test("the client report escapes rules and notes, each on its line", () => {
  const report = { ...createSimulator().report(), worlds: 1, ended: [] };
  const text = reportText({ ...report, faults: { [EVIL]: 1 }, notes: [EVIL] }, false, "");
  expect(acting.exec(text)).toBe(null);
  expect(text).not.toMatch(/^adsim: all is well/m);
});
