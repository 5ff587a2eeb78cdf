/** `adsim replay`, in process and to a URL. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeFailure } from "../../src/cli/output/exit.ts";
import { replay } from "../../src/cli/replay/replay.ts";
import type { ReplayFlags } from "../../src/cli/replay/replay-options.ts";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { type ServerOptions, saveSnapshot, startServer } from "../../src/server.ts";
import { linesOf } from "../play/replay/recorded.ts";
import { foreign } from "../play/targets/remote-world.ts";
import { fileOf } from "../temporary-folder.ts";
import { createHost, runAdsim } from "./run-adsim.ts";

function recordingOf(lines: readonly string[], name = "journal.ndjson"): string {
  return fileOf(lines.map((line) => `${line}\n`).join(""), name);
}

const options = { seed: "replayed", publishers: 3, start: "2026-02-01T00:00:00.000Z" };

/** A session with events, reports, refusals, and time that passes. */
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
    sim.handle({
      method: "GET",
      path: `/v1/publisher/${name}`,
      query: { publisher_id: id },
      headers,
    });
  }
  sim.handle({ method: "GET", path: "/v1/publisher/stats", headers: { authorization: "Basic x" } });
  sim.handle({ method: "GET", path: "/v2" });
}

function recordedSession(more: object = {}): { sim: Simulator; lines: string[] } {
  const sim = createSimulator({ ...options, ...more });
  session(sim);
  return { sim, lines: linesOf(sim, { ...options, ...more }) };
}

async function target(more: ServerOptions = {}): Promise<string> {
  const server = await startServer({ port: 0, ...options, clock: "frozen", ...more });
  onTestFinished(() => server.close());
  return server.url;
}

describe("in process", () => {
  test("a recording with the same answers ends with 0; NDJSON and HAR are told apart by content", async () => {
    const { sim, lines } = recordedSession({ assumptions: { "errors.body": "list" } });
    for (const content of [lines, [sim.journal.toHar()]]) {
      const { code, stdout, stderr } = await runAdsim([
        "replay",
        recordingOf(content, "recording.txt"),
      ]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toBe(
        "adsim: 8 requests sent again in process: 8 answers are the same, 0 are different\n",
      );
    }
  });

  test("a different answer ends with 1, and at most --differences of them are shown", async () => {
    const { lines } = recordedSession();
    const file = recordingOf(lines);
    const { code, stdout } = await runAdsim([
      "replay",
      file,
      "--assume",
      "dedup.repeat=conflict",
      "--assume",
      "errors.body=flat",
      "--differences",
      "1",
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "8 requests sent again in process: 5 answers are the same, 3 are different",
    );
    expect(stdout).toContain(
      "line 2, request 2: POST /v1/impression\n  status: recorded 200, now 409\n",
    );
    expect(stdout).toContain('  body from byte 2 on:\n    recorded  {"ok":true,');
    expect(stdout).toContain("2 more; --differences 3 shows them all.");
    expect(stdout).not.toContain("line 7");
    expect(stdout).not.toMatch(/key_|@invalid/);
  });

  test("--json prints one document", async () => {
    const { lines } = recordedSession();
    const changed = lines.map((line, index) => (index === 5 ? line.replace("pay_", "pax_") : line));
    const { code, stdout, stderr } = await runAdsim(["replay", recordingOf(changed), "--json"]);
    expect(code).toBe(1);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      form: "journal",
      requests: 8,
      sent: 8,
      same: 7,
      different: 1,
      skipped: 0,
    });
    expect(result.differences).toMatchObject([
      {
        entry: "line 6",
        sequence: 6,
        path: "/v1/publisher/payouts",
        headers: [],
        body: { byte: 21 },
      },
    ]);
    expect(stderr).toContain("7 answers are the same, 1 is different");
  });

  test("a recording that begins later gets a note beside its differences, and --load removes both", async () => {
    const sim = createSimulator(options);
    session(sim);
    const state = fileOf("", "state.json");
    await saveSnapshot(sim, state);
    const { total } = sim.journal;
    sim.clock.advance("1h");
    session(sim);
    const file = recordingOf(linesOf(sim, options).slice(total));
    const fresh = await runAdsim(["replay", file]);
    expect(fresh.code).toBe(1);
    expect(fresh.stdout).toContain(
      "Note: the recording begins with request 9, so what requests 1 to 8 did is missing.",
    );
    expect(fresh.stdout).toContain("--load");
    const loaded = await runAdsim(["replay", file, "--load", state]);
    expect([loaded.code, loaded.stdout]).toEqual([
      0,
      "adsim: 8 requests sent again in process: 8 answers are the same, 0 are different\n",
    ]);
  });
});

describe("to a URL", () => {
  test("an adsim gets the recording's time and gives the keys, and its clock flows again afterwards", async () => {
    const url = await target({ clock: "flowing" });
    const { lines } = recordedSession();
    const later = lines.map((line) => line.replaceAll("2026-02-01T00:", "2026-02-01T01:"));
    const world = lines.map((line) => JSON.parse(line).world)[0];
    const file = recordingOf(later.map((line) => JSON.stringify({ ...JSON.parse(line), world })));
    const { code, stdout } = await runAdsim(["replay", file, "--target", `${url}/@fresh`]);
    expect(stdout).toContain("8 answers are the same, 0 are different");
    expect(code).toBe(0);
    const clock = await (await fetch(`${url}/@fresh/_sim/clock`)).json();
    expect(clock).toMatchObject({ mode: "flowing", now: expect.stringMatching(/^2026-02-01T01:/) });
  });

  test("assumptions that changed in the recording change at the target too", async () => {
    const sim = createSimulator(options);
    session(sim);
    const before = linesOf(sim, options);
    sim.assume({ "errors.body": "flat" });
    session(sim);
    const lines = [...before, ...linesOf(sim, options).slice(before.length)];
    const file = recordingOf(lines);
    expect((await runAdsim(["replay", file])).code).toBe(0);
    const { code, stdout } = await runAdsim(["replay", file, "--target", await target()]);
    expect(stdout).toContain("16 answers are the same");
    expect(code).toBe(0);
  });

  test("a target whose time is past the recording's is refused, unless --keep-clock leaves its clock alone", async () => {
    const url = await target({ start: "2026-03-01T00:00:00Z" });
    const file = recordingOf(recordedSession().lines);
    const refused = await runAdsim(["replay", file, "--target", url]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("can't go back to 2026-02-01T00:00:00.000Z");
    // Only with this start do the publishers have the same past.
    expect(refused.stderr).toMatch(/--clock frozen --start 2026-\d\d-\d\dT[\d:.]+Z,/);
    const kept = await runAdsim(["replay", file, "--target", url, "--keep-clock"]);
    expect(kept.code).toBe(1);
    expect(kept.stdout).toContain("Note: the target has its own clock");
    expect(kept.stdout).toContain("Note: the recorded world began at 2026-");
    expect(await (await fetch(`${url}/_sim/clock`)).json()).toEqual({
      mode: "frozen",
      now: "2026-03-01T00:00:00.000Z",
    });
  });

  test("notes say how the target differs from the recorded world: seed, assumptions, earlier requests", async () => {
    const url = await target({ seed: "other", assumptions: { "errors.body": "flat" } });
    await fetch(`${url}/v1/nothing`);
    const { code, stdout } = await runAdsim([
      "replay",
      recordingOf(recordedSession().lines),
      "--target",
      url,
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain(`Note: the target's seed is "other", the recording's "replayed"`);
    expect(stdout).toContain("Note: the target has errors.body=flat, the recording has problem");
    expect(stdout).toContain("Note: the target's world has answered 1 request before");
  });

  test("a foreign service gets the given key, and a lost connection is a difference", async () => {
    const seen: (string | undefined)[] = [];
    const service = await foreign((request, response) => {
      if (request.url === "/base/_sim/health") {
        response.writeHead(404).end();
        return;
      }
      seen.push(`${request.url?.split("?")[0]} ${request.headers.authorization}`);
      if (seen.length > 1) response.destroy();
      else response.writeHead(200, { "content-type": "text/html" }).end("\u001b[2J");
    });
    const url = `${service}/base/`;
    const file = recordingOf(recordedSession().lines.slice(0, 2));
    const { code, stdout } = await runAdsim(["replay", file, "--target", url, "--api-key", "mine"]);
    expect(code).toBe(1);
    expect(seen).toEqual(["/base/v1/impression Bearer mine", "/base/v1/impression Bearer mine"]);
    expect(stdout).toContain("header content-type: recorded application/json, now text/html");
    expect(stdout).toContain("now       \\u001b[2J");
    expect(stdout).toContain(
      "line 2, request 2: POST /v1/impression\n  no answer: other side closed (UND_ERR_SOCKET)",
    );
  });

  test("binary bodies are compared byte by byte", async () => {
    let body = Buffer.from([0xff, 0x01]);
    const url = await foreign(({ url: path }, response) => {
      response.writeHead(path?.includes("_sim") ? 404 : 200).end(body);
    });
    const content = { text: body.toString("base64"), encoding: "base64" };
    const request = { method: "GET", url: `${url}/v1/publisher/stats`, headers: [] };
    const entry = { request, response: { status: 200, headers: [], content } };
    const file = recordingOf([JSON.stringify({ log: { entries: [entry] } })]);
    expect((await runAdsim(["replay", file, "--target", url])).code).toBe(0);
    body = Buffer.from([0xfe, 0x01]);
    const { code, stdout } = await runAdsim(["replay", file, "--target", url]);
    expect(stdout).toContain("body from byte 0 on:");
    expect(code).toBe(1);
  });

  test("a service that goes away during the replay ends it with 3", async () => {
    const server = createServer(({ url }, response) => {
      response.writeHead(404).end();
      if (url?.includes("/v1/") === true) {
        server.close();
        server.closeAllConnections();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = recordingOf(recordedSession().lines);
    const { code, stderr } = await runAdsim(["replay", file, "--target", url]);
    expect(stderr).toContain(`The target ${url} can't be reached: connect ECONNREFUSED`);
    expect(code).toBe(3);
  });

  test("an unreachable target ends with 3", async () => {
    const server = await startServer({ port: 0 });
    await server.close();
    const { code, stderr } = await runAdsim([
      "replay",
      recordingOf(recordedSession().lines),
      "--target",
      server.url,
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain(`The target ${server.url} can't be reached`);
  });
});

describe("wrong usage and unusable files are refused", () => {
  test.each<[string, string, Partial<ReplayFlags>, number, string]>([
    ["a target that is no URL", "there", { target: "localhost" }, 2, "--target must be"],
    [
      "an option of a world beside --target",
      "there",
      { target: "http://h", seed: "1" },
      2,
      "--seed is for a world",
    ],
    [
      "a snapshot beside --target",
      "there",
      { target: "http://h", load: "state" },
      2,
      "/_sim/snapshot",
    ],
    ["an option of a target without one", "there", { keepClock: true }, 2, "--keep-clock needs"],
    ["a clock of its own", "there", { clock: "system" }, 2, "--clock system isn't possible"],
    ["a file that isn't there", "none", {}, 3, "no such file"],
    ["a snapshot as recording", "state", {}, 3, "--load"],
    ["a snapshot of another world", "there", { load: "state" }, 2, "--load has a world with seed"],
    ["a snapshot that isn't there", "there", { load: "none" }, 3, "none: can't be read"],
  ])("%s", async (_, file, flags, expected, message) => {
    const state = fileOf("", "state.json");
    await saveSnapshot(createSimulator(), state);
    const names: Record<string, string> = { there: recordingOf(recordedSession().lines), state };
    const load = flags.load && (names[flags.load] ?? flags.load);
    const given = { differences: 10, ...flags, ...(load && { load }) };
    const error = await replay(names[file] ?? file, given, createHost().host).catch(
      (thrown: unknown) => thrown,
    );
    const failure = describeFailure(error);
    expect(failure.exitCode).toBe(expected);
    expect(failure.message).toContain(message);
  });

  test.each([
    ["no FILE", ["replay"], "FILE"],
    ["a negative number of differences", ["replay", "x", "--differences", "-1"], "--differences"],
  ])("%s", async (_, args, message) => {
    const { code, stdout, stderr } = await runAdsim(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test("a recording with nothing to send again ends with 3", async () => {
    const [line = ""] = recordedSession().lines;
    const fault = { rule: "r", kind: "drop", delayMs: 0, served: false, received: "nothing" };
    const file = recordingOf([JSON.stringify({ ...JSON.parse(line), fault })]);
    const { host } = createHost();
    const failure = describeFailure(
      await replay(file, { differences: 10 }, host).catch((error) => error),
    );
    expect(failure.exitCode).toBe(3);
    expect(failure.message).toContain(
      "a fault rule kept them from reaching the service. Nothing was compared.",
    );
  });
});
