/** `--load`, `--save-on-exit` and `--faults` of `serve` and `exec`. */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerFlags } from "../../src/cli/options/common-options.ts";
import { describeFailure } from "../../src/cli/output/exit.ts";
import { startFrom } from "../../src/cli/start-server.ts";
import { createSimulator } from "../../src/index.ts";
import { saveSnapshot } from "../../src/server.ts";
import { recordingIn } from "../inspector/recording-in.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { type Cmd, createHost, type Ran, runAdsim, runAdsimOver, startAdsim } from "./run-adsim.ts";

const newFile = (): string => join(temporaryFolder(), "state.json");

/** Saves the state of a world with a sign-up. @returns the id of that publisher. */
async function savedState(path: string, start = "2026-01-15T00:00:00Z"): Promise<string> {
  const assumptions = { "errors.body": "flat" } as const;
  const sim = createSimulator({ seed: "saved", publishers: 3, start, assumptions });
  const { id } = sim.publishers.signUp();
  sim.clock.advance("1d");
  await saveSnapshot(sim, path);
  return id;
}

/** Runs CMD, which asks the server one thing after the other. @returns the bodies of the answers, too. */
async function exec(
  options: readonly string[],
  asked: readonly (readonly [path: string, init?: RequestInit])[] = [],
  exitCode = 0,
): Promise<Ran & { readonly bodies: readonly unknown[] }> {
  const bodies: unknown[] = [];
  const cmd: Cmd = async ({ env }) => {
    const authorization = `Bearer ${env.ADSIM_API_KEY}`;
    const headers = { authorization, "content-type": "application/json" };
    for (const [path, init] of asked) {
      const answer = await fetch(`${env.ADSIM_URL}${path}`, { headers, ...init });
      const text = await answer.text();
      bodies.push(answer.ok ? JSON.parse(text) : answer.status);
    }
    return exitCode;
  };
  return { ...(await runAdsimOver(cmd, ["exec", ...options])), bodies };
}

/** What is said of a server that doesn't start. */
async function failure(flags: Omit<ServerFlags, "port">) {
  const starting = startFrom({ port: 0, ...flags }, "system", createHost().host);
  return describeFailure(await starting.catch((error: unknown) => error));
}

describe("exec", () => {
  test("starts from --load's state, and saves at the end whatever CMD's exit code", async () => {
    const path = newFile();
    const id = await savedState(path);
    const about = [[`/_sim/publishers/${id}`]] as const;
    const first = await exec(["--load", path, "--save-on-exit", path], about, 7);
    expect(first).toMatchObject({ code: 7, bodies: [{ id }] });
    expect(first.stderr).toContain(`saved the state to ${path}`);
    // It has the state's clock, and its options may be given again.
    const same = ["--seed", "saved", "--publishers", "3", "--assume", "errors.body=flat"];
    const second = await exec(["--load", path, ...same], [["/_sim/clock"]]);
    expect(second.bodies).toMatchObject([{ mode: "frozen", now: "2026-01-16T00:00:00.000Z" }]);
  });

  test("goes on from the file that it saves to, which need not exist at the first start", async () => {
    const path = newFile();
    const advance = [["/_sim/clock/advance", { method: "POST", body: '{"by":"1d"}' }]] as const;
    const same = join(path, "../state.json");
    const kept = ["--clock", "frozen", "--load", path, "--save-on-exit", same];
    const runs = [await exec(kept, advance), await exec(kept, advance)];
    const [first, second] = ["2026-01-16T00:00:00.000Z", "2026-01-17T00:00:00.000Z"];
    expect(runs.map(({ bodies }) => bodies)).toMatchObject([[{ now: first }], [{ now: second }]]);
    expect(runs[0]?.stderr).toContain(`${path} doesn't exist yet`);
  });

  test("ends with 3 if the state can't be saved, and says so", async () => {
    const path = join(temporaryFolder(), "gone", "state.json");
    const { code, stderr } = await exec(["--save-on-exit", path]);
    expect([code, stderr.includes("can't be saved")]).toEqual([3, true]);
    const there = newFile();
    const removes: Cmd = () => rmSync(join(there, ".."), { recursive: true });
    const late = await runAdsimOver(removes, ["exec", "--save-on-exit", there]);
    expect([late.code, late.stderr.includes(`${there}: can't be saved`)]).toEqual([3, true]);
  });
});

test("serve saves, and writes its trace, after the last answer", async () => {
  const path = newFile();
  const trace = `${path}.html`;
  const files = ["--save-on-exit", path, "--trace", trace];
  const adsim = startAdsim(["serve", "--port", "0", "--json", ...files]);
  await adsim.waitFor("\n");
  const { url, publishers } = JSON.parse(adsim.stdout());
  const [{ id, apiKey, surfaces }] = publishers;
  const answer = await fetch(`${url}/v1/impression`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ publisher_id: id, surface: surfaces[0].id, ad_id: "ad" }),
  });
  expect(answer.status).toBe(200);
  expect(existsSync(path)).toBe(false);
  adsim.signal("SIGTERM");
  expect((await adsim.ended).code).toBe(0);
  const saved = JSON.parse(readFileSync(path, "utf8"));
  expect(saved.accounts[0].book.count).toBe(1);
  const { worlds } = recordingIn(readFileSync(trace, "utf8"));
  expect(worlds.default).toMatchObject({ "journal/1": { entry: { sequence: 1 } } });
});

describe("--load is refused before anything listens", () => {
  test.each<[string, Omit<ServerFlags, "port">, string]>([
    ["another seed", { seed: "x" }, '--seed is "x"'],
    ["another start", { start: "2026-01-14" }, "--start is"],
    ["another population", { publishers: 4 }, "--publishers is 4"],
    ["another profile", { profile: "tiny" }, "--profile is"],
    ["another choice", { assume: { "errors.body": "list" } }, "--assume errors.body is"],
  ])("%s", async (_, flags, message) => {
    const load = newFile();
    await savedState(load);
    const { exitCode, message: said } = await failure({ load, ...flags });
    expect([exitCode, said]).toEqual([2, expect.stringContaining(message)]);
    expect(said).toContain(load);
  });

  test("a damaged file, with an error of one line", async () => {
    const path = newFile();
    await savedState(path);
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -20));
    const { code, stdout, stderr } = await runAdsim(["serve", "--port", "0", "--load", path]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/^adsim: \S+: can't be loaded: it is not valid JSON.*\n$/);
  });

  test("a world that starts in the future with --clock system, but not with its own clock", async () => {
    const load = newFile();
    await savedState(load, "9000-01-01T00:00:00Z");
    const { exitCode, message } = await failure({ load, clock: "system" });
    expect([exitCode, message]).toEqual([2, expect.stringContaining("--clock flowing")]);
    expect((await exec(["--load", load], [["/_sim/clock"]])).bodies).toMatchObject([
      { mode: "frozen" },
    ]);
  });
});

describe("--faults", () => {
  const stats = ["/v1/publisher/stats"] as const;
  const match = { operation: "stats" } as const;
  const rule = { id: "no", match, verdict: { kind: "respond", status: 503 } };

  test("are in force in every world, and again after a reset", async () => {
    const path = fileOf([rule], "faults.json");
    const reset = ["/_sim/reset", { method: "POST" }] as const;
    const { bodies } = await exec(
      ["--faults", path],
      [stats, ["/@other/v1/publisher/stats"], reset, stats],
    );
    expect(bodies).toMatchObject([503, 503, {}, 503]);
  });

  test("are added to a loaded world without rules, and to its saved state only once", async () => {
    const state = newFile();
    const faults = fileOf(rule);
    await savedState(state);
    const loaded = ["--load", state, "--faults", faults];
    expect((await exec([...loaded, "--save-on-exit", state], [stats])).bodies).toEqual([503]);
    expect((await exec(loaded, [stats])).bodies).toEqual([503]);
  });

  const drop = { verdict: { kind: "drop" } };
  test.each<[string, string | object, string]>([
    ["a wrong field of one rule", { ...drop, match: { nth: 0 } }, "--faults: 0.match.nth must be"],
    ["a wrong rule", [drop, { verdict: { kind: "dorp" } }], "--faults: 1.verdict.kind must be"],
    ["no rule at all", '"drop"', "--faults: 0 must be an object"],
    ["invalid JSON", "[{", "it is not valid JSON: "],
  ])("a file with %s is refused, and the error names place and field", async (_, text, why) => {
    const { exitCode, message } = await failure({ faults: fileOf(text) });
    expect([exitCode, message]).toEqual([2, expect.stringContaining(why)]);
  });
});
