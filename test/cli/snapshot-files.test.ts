/** `--load`, `--save-on-exit` and `--faults` of `serve` and `exec`. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ServerFlags } from "../../src/cli/options/common-options.ts";
import { faultRules } from "../../src/cli/options/faults-file.ts";
import { describeFailure } from "../../src/cli/output/exit.ts";
import { startFrom } from "../../src/cli/start-server.ts";
import { createSimulator } from "../../src/index.ts";
import { saveSnapshot } from "../../src/server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { createHost, runAdsim, startAdsim } from "./run-adsim.ts";

/** Saves the state of a world with a sign-up. @returns the id of that publisher. */
async function savedState(path: string): Promise<string> {
  const sim = createSimulator({
    seed: "saved",
    publishers: 3,
    assumptions: { "errors.body": "flat" },
  });
  const { id } = sim.publishers.signUp();
  sim.clock.advance("1d");
  await saveSnapshot(sim, path);
  return id;
}

function execNode(script: string, options: readonly string[]): ReturnType<typeof runAdsim> {
  return runAdsim(["exec", ...options, "--", process.execPath, "-e", script]);
}

const get = (path: string): string =>
  `fetch(process.env.ADSIM_URL + "${path}").then((answer) => answer.text()).then(console.log);`;

describe("exec", () => {
  test("starts from --load's state, and saves at the end whatever CMD's exit code", async () => {
    const path = join(temporaryFolder(), "state.json");
    const id = await savedState(path);
    const script = `${get(`/_sim/publishers/${id}`)} process.exitCode = 7;`;
    const first = await execNode(script, ["--load", path, "--save-on-exit", path]);
    expect(first.code).toBe(7);
    expect(JSON.parse(first.stdout)).toMatchObject({ id });
    expect(first.stderr).toContain(`saved the state to ${path}`);
    // It has the state's clock, and its options may be given again.
    const same = ["--seed", "saved", "--publishers", "3", "--assume", "errors.body=flat"];
    const second = await execNode(get("/_sim/clock"), ["--load", path, ...same]);
    expect(JSON.parse(second.stdout)).toMatchObject({ mode: "frozen" });
    expect(JSON.parse(second.stdout).now).toBe("2026-01-16T00:00:00.000Z");
  });

  test("goes on from the file that it saves to, which need not exist at the first start", async () => {
    const path = join(temporaryFolder(), "state.json");
    const advance = `fetch(process.env.ADSIM_URL + "/_sim/clock/advance", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"by":"1d"}',
    }).then((answer) => answer.json()).then(({ now }) => console.log(now));`;
    const same = join(path, "../state.json");
    const kept = ["--clock", "frozen", "--load", path, "--save-on-exit", same];
    const runs = [await execNode(advance, kept), await execNode(advance, kept)];
    const [first, second] = runs.map(({ stdout }) => Date.parse(stdout.trim()));
    expect(second).toBe(Number(first) + 86_400_000);
    expect(runs.map(({ stderr }) => stderr.includes(`${path} doesn't exist yet`))).toEqual([
      true,
      false,
    ]);
    const elsewhere = ["--load", `${path}-typo`, "--save-on-exit", path];
    const refused = await execNode(advance, elsewhere);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("state.json-typo: can't be read: there is no such file");
  });

  test("uses the options of the loaded world for other worlds and after a reset", async () => {
    const path = join(temporaryFolder(), "state.json");
    await savedState(path);
    const { stdout } = await execNode(
      `const at = (path, init) => fetch(process.env.ADSIM_URL + path, init).then((it) => it.json());
       Promise.all([at("/@other/_sim/health"), at("/_sim/reset", { method: "POST" })])
         .then((both) => console.log(JSON.stringify(both)));`,
      ["--load", path, "--clock", "flowing"],
    );
    const health = { seed: "saved", now: expect.stringMatching(/^2026-01-15T00:00/) };
    expect(JSON.parse(stdout)).toMatchObject([health, health]);
  });

  test("ends with 3 if the state can't be saved, and says so", async () => {
    const path = join(temporaryFolder(), "gone", "state.json");
    const script = `fs.rmSync(${JSON.stringify(join(path, ".."))}, { recursive: true });`;
    const { code, stderr } = await execNode("", ["--save-on-exit", path]);
    expect([code, stderr.includes("can't be saved")]).toEqual([3, true]);
    const there = join(temporaryFolder(), "state.json");
    const late = await execNode(script.replace(join(path, ".."), join(there, "..")), [
      "--save-on-exit",
      there,
    ]);
    expect([late.code, late.stderr.includes(`${there}: can't be saved`)]).toEqual([3, true]);
  });
});

test("serve saves after the last answer", async () => {
  const path = join(temporaryFolder(), "state.json");
  const adsim = startAdsim(["serve", "--port", "0", "--json", "--save-on-exit", path]);
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
  expect(saved.accounts[0].book.impressions.count).toBe(1);
});

describe("--load is refused before anything listens", () => {
  test.each<[string, Partial<ServerFlags>, string]>([
    ["another seed", { seed: "x" }, '--seed is "x"'],
    ["another start", { start: "2026-01-14" }, "--start is"],
    ["another population", { publishers: 4 }, "--publishers is 4"],
    ["another profile", { profile: "tiny" }, "--profile is"],
    ["another choice", { assume: { "errors.body": "list" } }, "--assume errors.body is"],
  ])("%s", async (_, flags, message) => {
    const load = join(temporaryFolder(), "state.json");
    await savedState(load);
    const failure = describeFailure(
      await startFrom({ port: 0, load, ...flags }, "system", createHost().host).catch(
        (error) => error,
      ),
    );
    expect(failure.exitCode).toBe(2);
    expect(failure.message).toContain(message);
    expect(failure.message).toContain(load);
  });

  test("a damaged file, with an error of one line", async () => {
    const path = join(temporaryFolder(), "state.json");
    await savedState(path);
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -20));
    const { code, stdout, stderr } = await runAdsim(["serve", "--port", "0", "--load", path]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain(`${path}: can't be loaded: it is damaged or incomplete`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("a world that starts in the future with --clock system, but not with its own clock", async () => {
    const load = join(temporaryFolder(), "state.json");
    await saveSnapshot(createSimulator({ start: "9000-01-01T00:00:00Z" }), load);
    const flags = { port: 0, load, clock: "system" } as const;
    const failure = describeFailure(
      await startFrom(flags, "system", createHost().host).catch((error) => error),
    );
    expect([failure.exitCode, failure.message]).toEqual([
      2,
      expect.stringContaining("--clock flowing"),
    ]);
    const server = await startFrom({ port: 0, load }, "system", createHost().host);
    onTestFinished(() => server.close());
    expect(server.worlds.get("default").clock.mode).toBe("frozen");
  });
});

describe("--faults", () => {
  const rule = {
    id: "no",
    match: { operation: "stats" },
    verdict: { kind: "respond", status: 503 },
  };
  const status =
    'fetch(process.env.ADSIM_URL + world + "/v1/publisher/stats", { headers: { authorization: "Bearer " + process.env.ADSIM_API_KEY } }).then((it) => it.status)';

  test("are in force in every world, and again after a reset", async () => {
    const path = join(temporaryFolder(), "faults.json");
    writeFileSync(path, JSON.stringify([rule]));
    const { stdout } = await execNode(
      `const ask = (world) => ${status};
       ask("").then(async (first) => {
         const url = process.env.ADSIM_URL + "/_sim/reset";
         const other = await ask("/@other");
         await fetch(url, { method: "POST" });
         console.log(JSON.stringify([first, other, await ask("")]));
       });`,
      ["--faults", path],
    );
    expect(JSON.parse(stdout)).toEqual([503, 503, 503]);
  });

  test("are added to a loaded world without rules, and must equal the rules of one that has some", async () => {
    const directory = temporaryFolder();
    const [state, one, other] = ["state.json", "one.json", "other.json"].map((name) =>
      join(directory, name),
    ) as [string, string, string];
    await savedState(state);
    writeFileSync(one, JSON.stringify(rule));
    writeFileSync(other, JSON.stringify([{ verdict: { kind: "reset" } }]));
    const ask = `const world = ""; ${status}.then(console.log)`;
    const joined = await execNode(ask, ["--load", state, "--save-on-exit", state, "--faults", one]);
    expect(joined.stdout).toBe("503\n");
    const again = await execNode(ask, ["--load", state, "--faults", one]);
    expect(again.stdout).toBe("503\n");
    const refused = await execNode(ask, ["--load", state, "--faults", other]);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("--faults has other rules");
  });

  test.each([
    [
      "a wrong field of one rule",
      '{"match":{"nth":0},"verdict":{"kind":"drop"}}',
      "match.nth must be",
    ],
    [
      "a wrong rule of a list",
      '[{"verdict":{"kind":"drop"}},{"verdict":{"kind":"dorp"}}]',
      "rule 2 of the list: verdict.kind",
    ],
    [
      "an id twice",
      '[{"id":"a","verdict":{"kind":"drop"}},{"id":"a","verdict":{"kind":"drop"}}]',
      "rule 2 of the list: id is already the id of a rule",
    ],
    [
      "a member twice",
      '[{"verdict":{"kind":"drop"},"verdict":{"kind":"reset"}}]',
      "rule 1 of the list: verdict is there more than once",
    ],
    ["no rule at all", '"drop"', "it has no rule"],
    ["invalid JSON", "[{", "it is not valid JSON at line 1, column 3: it ends too early"],
    ["nothing", "", "it is empty"],
  ])(
    "a file with %s is refused, and the error names file, place and field",
    async (_, text, message) => {
      const path = join(temporaryFolder(), "faults.json");
      writeFileSync(path, text);
      const failure = describeFailure(await faultRules(path).catch((error) => error));
      expect(failure.exitCode).toBe(2);
      expect(failure.message).toContain(`--faults ${path}: ${message}`);
    },
  );

  test("from a file that can't be read end exec before CMD runs", async () => {
    const path = join(temporaryFolder(), "none.json");
    const { code, stdout, stderr } = await execNode("console.log(1)", ["--faults", path]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`--faults ${path}: can't be read: there is no such file`);
  });
});
