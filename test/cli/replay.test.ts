/** `adsim replay`: a recording is played as a scenario that expects the recorded answers. */

import { describe, expect, onTestFinished, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { type ServerOptions, startServer } from "../../src/server.ts";
import { impressionIdOf, senderOf } from "../operation-sender.ts";
import { fileOf } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

const options = { seed: "replayed", publishers: 3, start: "2026-02-01T00:00:00.000Z" };

/** Eight requests: events, reports, refusals, and time that passes. */
function session(sim: Simulator): void {
  const sender = senderOf(sim);
  const impressionId = impressionIdOf(sender.impression("s"));
  sender.impression("s");
  sim.clock.advance("90s");
  sender.click(impressionId);
  sender.stats();
  sender.surfaces();
  sender.payouts();
  sim.handle({ method: "GET", path: "/v1/publisher/stats", headers: { authorization: "Basic x" } });
  sender.nowhere();
}

function recordedSession(more: object = {}): Simulator {
  const sim = createSimulator({ ...options, ...more });
  session(sim);
  return sim;
}

async function started(more: ServerOptions = {}) {
  const server = await startServer({ port: 0, ...options, clock: "frozen", ...more });
  onTestFinished(() => server.close());
  const { id, apiKey } = server.worlds.get("default").publishers.at(0);
  return { ...server, given: ["--target", server.url, "--api-key", apiKey, "--publisher", id] };
}

/** What another tool records: only what HTTP has, and no keys. */
function asOthersRecord(sim: Simulator): string {
  const isKey = ({ name }: { readonly name: string }) => name === "authorization";
  return JSON.stringify(JSON.parse(sim.journal.toHar()), (name, value) => {
    if (name === "_adsim") return undefined;
    return name === "headers"
      ? value.filter((one: { readonly name: string }) => !isKey(one))
      : value;
  });
}

/** A request twice: the second was answered by a world with these settings, or a fault rule kept both from the service. */
function twice(world: object, fault?: object): string {
  const [line = ""] = recordedSession().journal.toNdjson().split("\n");
  const one = { ...JSON.parse(line), fault };
  const other = { ...one, sequence: 2, world: { ...one.world, ...world } };
  return `${JSON.stringify(one)}\n${JSON.stringify(other)}`;
}

const rows = ["stats,P,,,200", "impression,P,S,A,200", "impression,P,S,A,429"].join("\n");

/** A word for each file that exists only while a test runs. */
const files: Readonly<Record<string, () => string>> = {
  NDJSON: () => recordedSession().journal.toNdjson(),
  HAR: () => recordedSession({ assumptions: { "errors.body": "list" } }).journal.toHar(),
  OTHERS: () => asOthersRecord(recordedSession()),
  CHANGED() {
    const sim = recordedSession();
    sim.assume({ "errors.body": "flat" });
    session(sim);
    return sim.journal.toNdjson();
  },
  LATER: () => files.CHANGED?.().split("\n").slice(8).join("\n") ?? "",
  MOVED: () => twice({ seed: "another" }),
  KEPT: () => twice({}, { rule: "r", kind: "drop", delayMs: 0, served: false }),
  CSV: () => `operation,publisher_id,surface,ad_id,status\n${rows}`,
};

async function replayed(line: string) {
  const words = line.split(" ").map((word) => (files[word] ? fileOf(files[word]()) : word));
  return await runAdsim(["replay", ...words]);
}

const same = "8 answers the same, 0 different\n";
const others = "--assume dedup.repeat=conflict --assume errors.body=flat --differences 1";

test.each<[line: string, code: number, messages: readonly string[]]>([
  ["NDJSON", 0, [`adsim: 8 requests sent again in process: ${same}`]],
  ["HAR", 0, [`adsim: 8 requests sent again in process: ${same}`]],
  ["CHANGED", 0, ["16 answers the same, 0"]],
  ["LATER", 1, ["Note: the recording lacks 8 of the world's requests"]],
  [`NDJSON ${others}`, 1, ["6 answers the same, 2 different\n", "1 more; --differences 2 shows"]],
  ["MOVED", 0, ["1 answer the same", "left out: 1 request, because a world with another seed"]],
  ["CSV", 1, ["line 4: POST /v1/impression\n  status: recorded 429, now 200\n"]],
  ["OTHERS", 0, ["7 answers the same", "left out: 1 request, because they didn't go to the API"]],
])("in process: %s", async (line, expected, messages) => {
  const { code, stdout, stderr } = await replayed(line);
  for (const message of messages) expect(stdout).toContain(message);
  expect(stdout).not.toMatch(/key_|@invalid/);
  expect([code, stderr]).toEqual([expected, ""]);
});

test("an answer to a request with ids from elsewhere isn't compared: that isn't the same", async () => {
  const file = fileOf("operation,impression_id\nclick,imp_elsewhere\n", "a.csv");
  const { code, stdout } = await runAdsim(["replay", file]);
  expect(stdout).toMatch(/: 0 answers the same, 0 different\n[\s\S]*1 answer not compared/);
  expect(code).toBe(1);
});

test("--json prints one document, and names the status or the member of the body that differs, however long the body", async () => {
  const text = recordedSession().journal.toNdjson();
  const changed = text.replace(/\\"(clicks|pending_inr)\\":/g, '\\"$1\\":1');
  const file = fileOf(changed.replace('"status":404', '"status":410'));
  const { code, stdout, stderr } = await runAdsim(["replay", file, "--json"]);
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ form: "journal", requests: 8, sent: 8, same: 5, different: 3 });
  expect(result.differences).toMatchObject([
    { entry: "line 4", sequence: 4, parts: [{ about: "body.clicks" }] },
    { entry: "line 6", path: "/v1/publisher/payouts", parts: [{ about: "body.pending_inr" }] },
    { entry: "line 8", parts: [{ about: "status", recorded: "410", now: "404" }] },
  ]);
  expect(stderr).toContain("5 answers the same, 3 different");
  expect(code).toBe(1);
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
    expect([code, stdout]).toEqual([0, expect.stringContaining("7 answers the same, 0 different")]);
    expect((await (await fetch(`${url}/_sim/publishers`)).json()).total).toBe(3);
  });

  test("a service that gives up is a difference, and one that isn't there ends with 3", async () => {
    const drop = { match: { nth: 2 }, verdict: { kind: "drop" as const } };
    const { url, given, close } = await started({ faults: [drop] });
    const { code, stdout } = await replayed(`NDJSON ${given.join(" ")}`);
    expect(stdout).toContain("line 2: POST /v1/impression\n  outcome: recorded answered, now lost");
    expect(code).toBe(1);
    await close();
    const gone = await replayed(`NDJSON --target ${url}`);
    expect(gone.stderr).toContain(`The target ${url} can't be reached`);
    expect(gone.code).toBe(3);
  });
});

test.each<[line: string, code: number, message: string]>([
  ["NDJSON --api-key k --publisher p", 2, "--api-key needs --target"],
  ["NDJSON --wait", 2, "--wait is for a service"],
  ["none", 3, "no such file"],
  ["KEPT", 3, "because a fault rule kept them from reaching the service"],
])("refused: %s", async (line, expected, message) => {
  const { code, stderr } = await replayed(line);
  expect(stderr).toContain(message);
  expect(code).toBe(expected);
});
