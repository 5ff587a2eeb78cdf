/** `adsim replay`: a recording is played as a scenario that expects the recorded answers. */

import { describe, expect, onTestFinished, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { type ServerOptions, saveSnapshot, startServer } from "../../src/server.ts";
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

const ndjson = (sim: Simulator): string => fileOf(sim.journal.toNdjson(), "journal.ndjson");

async function target(more: ServerOptions = {}): Promise<string> {
  const server = await startServer({ port: 0, ...options, clock: "frozen", ...more });
  onTestFinished(() => server.close());
  return server.url;
}

/** What another tool records of a session: only what HTTP has, and no keys. */
function asOthersRecord(sim: Simulator): string {
  const { log } = JSON.parse(sim.journal.toHar());
  const entries = log.entries.map(({ startedDateTime, request, response }: HarEntry) => ({
    ...{ startedDateTime, response },
    request: {
      ...request,
      headers: request.headers.filter(({ name }) => name !== "authorization"),
    },
  }));
  return fileOf(JSON.stringify({ log: { entries } }), "others.har");
}
interface HarEntry {
  readonly startedDateTime: string;
  readonly request: { readonly headers: readonly { readonly name: string }[] };
  readonly response: object;
}

const same = "8 answers are the same, 0 are different\n";

describe("in process", () => {
  test.each([
    ["NDJSON", ndjson],
    ["HAR", (sim: Simulator) => fileOf(sim.journal.toHar(), "x")],
  ])("a recording as %s with the same answers ends with 0", async (_, fileWith) => {
    const sim = recordedSession({ assumptions: { "errors.body": "list", "ids.format": "uuid" } });
    const { code, stdout, stderr } = await runAdsim(["replay", fileWith(sim)]);
    expect([code, stderr, stdout]).toEqual([
      0,
      "",
      `adsim: 8 requests sent again in process: ${same}`,
    ]);
  });

  test("a different answer ends with 1, and at most --differences of them are shown", async () => {
    const choices = ["--assume", "dedup.repeat=conflict", "--assume", "errors.body=flat"];
    const file = ndjson(recordedSession());
    const { code, stdout } = await runAdsim(["replay", file, ...choices, "--differences", "1"]);
    expect(code).toBe(1);
    expect(stdout).toContain("6 answers are the same, 2 are different\n");
    expect(stdout).toContain(
      "line 2, request 2: POST /v1/impression\n  status: recorded 200, now 409\n\n1 more; --differences 2",
    );
    expect(stdout).not.toMatch(/key_|@invalid/);
  });

  test("--json prints one document, and names the member of the body that differs", async () => {
    const text = recordedSession().journal.toNdjson();
    const changed = text.replace('\\"clicks\\":', '\\"clicks\\":1');
    const { code, stdout, stderr } = await runAdsim(["replay", fileOf(changed, "x"), "--json"]);
    expect(code).toBe(1);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ form: "journal", requests: 8, sent: 8, same: 7, different: 1 });
    expect(result.differences).toMatchObject([
      {
        entry: "line 4",
        sequence: 4,
        path: "/v1/publisher/stats",
        parts: [{ about: "body.clicks" }],
      },
    ]);
    expect(stderr).toContain("7 answers are the same, 1 is different");
  });

  test("assumptions that changed in the recording change again; another world's requests are left out", async () => {
    const sim = recordedSession();
    sim.assume({ "errors.body": "flat" });
    session(sim);
    expect((await runAdsim(["replay", ndjson(sim)])).stdout).toContain(
      "16 answers are the same, 0",
    );
    const lines = sim.journal.toNdjson().split("\n");
    lines[15] = lines[15]?.replace('"seed":"replayed"', '"seed":"another"') ?? "";
    const { code, stdout } = await runAdsim(["replay", fileOf(lines.join("\n"), "x")]);
    expect(stdout).toContain("left out: 1 request, because a world with another seed");
    expect(code).toBe(0);
  });

  test("a recording that begins later gets a note beside its differences, and --load removes both", async () => {
    const sim = createSimulator(options);
    sim.publishers.signUp({ name: "Somebody" });
    session(sim);
    const state = fileOf("", "state.json");
    await saveSnapshot(sim, state);
    sim.clock.advance("1h");
    session(sim);
    const lines = sim.journal.toNdjson().split("\n").slice(8);
    const file = fileOf(lines.join("\n"), "later.ndjson");
    const fresh = await runAdsim(["replay", file]);
    expect(fresh.code).toBe(1);
    expect(fresh.stdout).toContain("Note: 8 of the world's requests are not in the recording");
    const loaded = await runAdsim(["replay", file, "--load", state]);
    expect([loaded.stdout, loaded.code]).toEqual([
      `adsim: 8 requests sent again in process: ${same}`,
      0,
    ]);
  });

  test("a CSV trace is compared by its statuses", async () => {
    const rows = ["stats,P,,,200", "impression,P,S,A,200", "impression,P,S,A,429"];
    const file = fileOf(`operation,publisher_id,surface,ad_id,status\n${rows.join("\n")}`, "a.csv");
    const { code, stdout } = await runAdsim(["replay", file]);
    expect(stdout).toContain("2 answers are the same, 1 is different");
    expect(stdout).toContain("line 4: POST /v1/impression\n  status: recorded 429, now 200\n");
    expect(code).toBe(1);
  });

  test("publishers of another service sign up, and the statuses are compared", async () => {
    const { code, stdout } = await runAdsim(["replay", asOthersRecord(recordedSession())]);
    expect(stdout).toContain("7 requests sent again in process: 7 answers are the same");
    expect(stdout).toContain("left out: 1 request, because they didn't go to the API");
    expect(code).toBe(0);
  });
});

describe("to a URL", () => {
  test("at an adsim it plays in a world of its own", async () => {
    const url = await target({ clock: "flowing", seed: "other" });
    const file = ndjson(recordedSession());
    const { code, stdout } = await runAdsim(["replay", file, "--target", url]);
    expect(stdout).toBe(`adsim: 8 requests sent again to ${url}: ${same}`);
    expect(code).toBe(0);
    const { worlds } = await (await fetch(`${url}/_sim/worlds`)).json();
    expect(JSON.stringify(worlds)).toContain("journal");
  });

  test("another service gets the given publishers, whose recorded surfaces are known, and no sign-up", async () => {
    const sim = recordedSession();
    const { id, apiKey } = sim.publishers.at(0);
    const service = await target();
    const given = ["--target", service, "--api-key", apiKey, "--publisher", id];
    const { code, stdout } = await runAdsim(["replay", asOthersRecord(sim), ...given]);
    expect(stdout).toContain("7 answers are the same, 0 are different");
    expect(code).toBe(0);
    const { total } = await (await fetch(`${service}/_sim/publishers`)).json();
    expect(total).toBe(3);
  });

  test("a service that gives up is a difference, and one that isn't there ends with 3", async () => {
    const server = await startServer({
      port: 0,
      faults: [{ match: { nth: 2 }, verdict: { kind: "drop" } }],
    });
    const { id, apiKey, surfaces } = server.worlds.get("default").publishers.at(0);
    const given = ["--target", server.url, "--api-key", apiKey, "--publisher", id];
    const all = [...given, "--surface", surfaces[0]?.id ?? ""];
    const file = ndjson(recordedSession());
    const { code, stdout } = await runAdsim(["replay", file, ...all]);
    expect(stdout).toMatch(
      /line 2, request 2: POST \/v1\/impression\n {2}outcome: recorded answered, now lost\n/,
    );
    expect(code).toBe(1);
    await server.close();
    const gone = await runAdsim(["replay", file, "--target", server.url]);
    expect(gone.stderr).toContain(`The target ${server.url} can't be reached`);
    expect(gone.code).toBe(3);
  });
});

describe("wrong usage and unusable files are refused", () => {
  test.each<[string, string, readonly string[], number, string]>([
    ["a target that is no URL", "there", ["--target", "localhost"], 2, "--target must be"],
    [
      "a snapshot beside --target",
      "there",
      ["--target", "http://h", "--load", "s"],
      2,
      "--load is",
    ],
    [
      "a key without a target",
      "there",
      ["--api-key", "k", "--publisher", "p"],
      2,
      "--api-key needs",
    ],
    ["a key alone", "there", ["--api-key", "k"], 2, "--api-key needs --publisher"],
    ["to wait in virtual time", "there", ["--wait"], 2, "--wait is for a service"],
    ["a file that isn't there", "none", [], 3, "no such file"],
    ["a snapshot as recording", "state", [], 3, "--load"],
    [
      "a snapshot of another world",
      "there",
      ["--load", "state"],
      2,
      "--load has a world with seed",
    ],
    ["a snapshot that isn't there", "there", ["--load", "none"], 3, "none: can't be read"],
    ["no FILE", "", [], 2, "FILE"],
    ["a negative number", "there", ["--differences", "-1"], 2, "--differences"],
  ])("%s", async (_, file, flags, expected, message) => {
    const state = fileOf("", "state.json");
    await saveSnapshot(createSimulator(), state);
    const names: Record<string, string> = { there: ndjson(recordedSession()), state };
    const words = [file, ...flags].filter((word) => word !== "").map((word) => names[word] ?? word);
    const { code, stderr } = await runAdsim(["replay", ...words]);
    expect(stderr).toContain(message);
    expect(code).toBe(expected);
  });

  test("a recording with nothing to send again ends with 3", async () => {
    const [line = ""] = recordedSession().journal.toNdjson().split("\n");
    const fault = { rule: "r", kind: "drop", delayMs: 0, served: false, received: "nothing" };
    const file = fileOf(JSON.stringify({ ...JSON.parse(line), fault }), "x.ndjson");
    const { code, stderr } = await runAdsim(["replay", file]);
    expect(stderr).toContain("because a fault rule kept them from reaching the service");
    expect(code).toBe(3);
  });
});
