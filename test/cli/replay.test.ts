/** `adsim replay`: a recording is played as a scenario that expects the recorded answers. */

import { describe, expect, onTestFinished, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { type ServerOptions, startServer } from "../../src/server.ts";
import { fileOf } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

const options = { seed: "replayed", publishers: 3, start: "2026-02-01T00:00:00.000Z" };

/** A session with events, reports, refusals, and time that passes: eight requests. */
function session(sim: Simulator): void {
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const post = (path: string, body: Readonly<Record<string, unknown>>): string =>
    sim.handle({ method: "POST", path, headers, body }).body;
  const ad = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id: "s" };
  const { impression_id } = JSON.parse(post("/v1/impression", ad));
  post("/v1/impression", ad);
  sim.clock.advance("90s");
  post("/v1/click", { impression_id });
  for (const name of ["stats", "surfaces", "payouts"]) {
    const query = { publisher_id: id };
    sim.handle({ method: "GET", path: `/v1/publisher/${name}`, query, headers });
  }
  sim.handle({ method: "GET", path: "/v1/publisher/stats", headers: { authorization: "Basic x" } });
  sim.handle({ method: "GET", path: "/v2" });
}

function recordedSession(more: object = {}): Simulator {
  const sim = createSimulator({ ...options, ...more });
  session(sim);
  return sim;
}

const ndjson = (sim: Simulator): string => fileOf(sim.journal.toNdjson());

async function started(more: ServerOptions = {}) {
  const server = await startServer({ port: 0, ...options, clock: "frozen", ...more });
  onTestFinished(() => server.close());
  const { id, apiKey } = server.worlds.get("default").publishers.at(0);
  return { ...server, given: ["--target", server.url, "--api-key", apiKey, "--publisher", id] };
}

/** What another tool records of a session: only what HTTP has, and no keys. */
function asOthersRecord(sim: Simulator): string {
  const { log } = JSON.parse(sim.journal.toHar());
  const entries = log.entries.map(({ startedDateTime, request, response }: HarEntry) => {
    const headers = request.headers.filter(({ name }) => name !== "authorization");
    return { startedDateTime, response, request: { ...request, headers } };
  });
  return fileOf({ log: { entries } }, "others.har");
}
interface HarEntry {
  readonly startedDateTime: string;
  readonly request: { readonly headers: readonly { readonly name: string }[] };
  readonly response: object;
}

const same = "8 answers the same, 0 different\n";

/** Two requests: the second was answered by a world with these settings, or a fault rule kept both from the service. */
function changedLine(world: object, received?: string): string {
  const [line = ""] = recordedSession().journal.toNdjson().split("\n");
  const fault = { rule: "r", kind: "drop", delayMs: 0, served: false, received };
  const one = { ...JSON.parse(line), ...(received !== undefined && { fault }) };
  const other = { ...one, sequence: 2, world: { ...one.world, ...world } };
  return fileOf([one, other].map((each) => JSON.stringify(each)).join("\n"));
}

/** A word for each file that exists only while a test runs. */
const files: Readonly<Record<string, () => string | Promise<string>>> = {
  NDJSON: () => ndjson(recordedSession()),
  HAR() {
    const assumptions = { "errors.body": "list", "ids.format": "uuid" };
    return fileOf(recordedSession({ assumptions }).journal.toHar());
  },
  OTHERS: () => asOthersRecord(recordedSession()),
  CHANGED() {
    const sim = recordedSession();
    sim.assume({ "errors.body": "flat" });
    session(sim);
    return ndjson(sim);
  },
  ...{ MOVED: () => changedLine({ seed: "another" }), KEPT: () => changedLine({}, "nothing") },
  CSV() {
    const rows = ["stats,P,,,200", "impression,P,S,A,200", "impression,P,S,A,429"];
    return fileOf(`operation,publisher_id,surface,ad_id,status\n${rows.join("\n")}`);
  },
};

async function replayed(line: string) {
  const words = line.split(" ").map((word) => files[word]?.() ?? word);
  return await runAdsim(["replay", ...(await Promise.all(words))]);
}

test.each<[line: string, code: number, expected: readonly string[]]>([
  ["NDJSON", 0, [`adsim: 8 requests sent again in process: ${same}`]],
  ["HAR", 0, [`adsim: 8 requests sent again in process: ${same}`]],
  ["CHANGED", 0, ["16 answers the same, 0"]],
  [
    "NDJSON --assume dedup.repeat=conflict --assume errors.body=flat --differences 1",
    1,
    [
      "6 answers the same, 2 different\n",
      "line 2: POST /v1/impression\n  status: recorded 200, now 409\n\n1 more; --differences 2",
    ],
  ],
  ["MOVED", 0, ["1 answer the same, 0", "left out: 1 request, because a world with another seed"]],
  [
    "CSV",
    1,
    [
      "2 answers the same, 1 different",
      "line 4: POST /v1/impression\n  status: recorded 429, now 200\n",
    ],
  ],
  [
    "OTHERS",
    0,
    [
      "7 requests sent again in process: 7 answers the same",
      "left out: 1 request, because they didn't go to the API",
    ],
  ],
])("in process: %s", async (line, expected, messages) => {
  const { code, stdout, stderr } = await replayed(line);
  for (const message of messages) expect(stdout).toContain(message);
  expect(stdout).not.toMatch(/key_|@invalid/);
  expect([code, stderr]).toEqual([expected, ""]);
});

test("--json prints one document, and names the member of the body that differs, however long the body", async () => {
  const text = recordedSession().journal.toNdjson();
  const changed = text.replace(/\\"(clicks|pending_inr)\\":/g, '\\"$1\\":1');
  const { code, stdout, stderr } = await runAdsim(["replay", fileOf(changed), "--json"]);
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ form: "journal", requests: 8, sent: 8, same: 6, different: 2 });
  expect(result.differences).toMatchObject([
    { entry: "line 4", sequence: 4, parts: [{ about: "body.clicks" }] },
    { entry: "line 6", path: "/v1/publisher/payouts", parts: [{ about: "body.pending_inr" }] },
  ]);
  expect(stderr).toContain("6 answers the same, 2 different");
  expect(code).toBe(1);
});

test("a recording that begins later gets a note", async () => {
  const sim = createSimulator(options);
  sim.publishers.signUp({ name: "Somebody" });
  session(sim);
  session(sim);
  const { code, stdout } = await runAdsim([
    "replay",
    fileOf(sim.journal.toNdjson().split("\n").slice(8).join("\n")),
  ]);
  expect(code).toBe(1);
  expect(stdout).toContain("Note: 8 of the world's requests are not in the recording");
});

describe("to a URL", () => {
  test("at an adsim it plays in a world of its own", async () => {
    const { url } = await started({ clock: "flowing", seed: "other" });
    const { code, stdout } = await replayed(`NDJSON --target ${url}`);
    expect([code, stdout]).toEqual([0, `adsim: 8 requests sent again to ${url}: ${same}`]);
    const { worlds } = await (await fetch(`${url}/_sim/worlds`)).json();
    expect(JSON.stringify(worlds)).toContain('"name":"file"');
  });

  test("another service gets the given publishers, whose recorded surfaces are known, and no sign-up", async () => {
    const { url, given } = await started();
    const { code, stdout } = await replayed(`OTHERS ${given.join(" ")}`);
    expect(stdout).toContain("7 answers the same, 0 different");
    expect(code).toBe(0);
    expect((await (await fetch(`${url}/_sim/publishers`)).json()).total).toBe(3);
  });

  test("a service that gives up is a difference, and one that isn't there ends with 3", async () => {
    const drop = { match: { nth: 2 }, verdict: { kind: "drop" as const } };
    const { url, given, worlds, close } = await started({ seed: "adsim", faults: [drop] });
    const [surface] = worlds.get("default").publishers.at(0).surfaces;
    const { code, stdout } = await replayed(`NDJSON ${given.join(" ")} --surface ${surface?.id}`);
    expect(stdout).toMatch(
      /line 2: POST \/v1\/impression\n {2}outcome: recorded answered, now lost\n/,
    );
    expect(code).toBe(1);
    await close();
    const gone = await replayed(`NDJSON --target ${url}`);
    expect(gone.stderr).toContain(`The target ${url} can't be reached`);
    expect(gone.code).toBe(3);
  });
});

test.each<[line: string, code: number, message: string]>([
  ["NDJSON --target localhost", 2, "--target must be"],
  ["NDJSON --api-key k --publisher p", 2, "--api-key needs --target"],
  ["NDJSON --api-key k", 2, "--api-key needs --publisher"],
  ["NDJSON --wait", 2, "--wait is for a service"],
  ["NDJSON --differences -1", 2, "--differences"],
  ["none", 3, "no such file"],
  ["KEPT", 3, "because a fault rule kept them from reaching the service"],
])("refused: %s", async (line, expected, message) => {
  const { code, stderr } = await replayed(line);
  expect(stderr).toContain(message);
  expect(code).toBe(expected);
});
