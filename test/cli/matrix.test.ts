/**
 * `adsim matrix -- CMD`. CMD is a function in this process that knows the assumptions in force by ADSIM_ASSUMPTIONS, and a shell script
 * where its output, its end or its processes matter.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { MatrixResult } from "../../src/cli/matrix/result.ts";
import { type Habits, relying, robust } from "../clients/habits.ts";
import { playSession } from "../clients/session.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Cmd, type Ran, runAdsim, runAdsimOver, spawnerOf, startAdsim } from "./run-adsim.ts";
import { childrenOf, readXml, textOf } from "./xml.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Three keys with 2, 3 and 2 choices: five rows of strength 2 cover them, and the defaults. */
const KEYS = "errors.invalid,limit.exceeded,payout.order";
const ONE_KEY = ["--only", "errors.invalid"];

/** A client that sends one request. It fails where all choices of one of these sets are in force. */
function failingWith(...sets: readonly Readonly<Record<string, string>>[]): Cmd {
  return async ({ env, print }) => {
    await (await fetch(`${env.ADSIM_URL}/v1/publisher/stats`)).text();
    const inForce = JSON.parse(env.ADSIM_ASSUMPTIONS ?? "{}");
    const isIn = (set: object): boolean =>
      Object.entries(set).every(([key, choice]) => inForce[key] === choice);
    if (!sets.some(isIn)) return 0;
    print("I can't stand this");
    return 1;
  };
}
const passing = failingWith();

/** Calls the API once, and passes if `isFine` says so of this run, of which the first is 1. */
function passingIf(isFine: (run: number) => boolean): Cmd {
  let runs = 0;
  return async (cmd) => {
    runs += 1;
    const run = runs;
    await passing(cmd);
    return isFine(run) ? 0 : 1;
  };
}

/** Runs a matrix. Its temporary files go into a folder of the test's. */
async function matrix(
  cmd: Cmd | readonly string[],
  options: readonly string[] = ["--only", KEYS],
): Promise<{ code: number | null; report: MatrixResult; text: string }> {
  const { code, stdout, stderr } = await runMatrix(cmd, ["--json", ...options]);
  return { code, report: JSON.parse(stdout), text: stderr };
}

function runMatrix(
  cmd: Cmd | readonly string[],
  options: readonly string[],
  environment = {},
): Promise<Ran> {
  vi.stubEnv("TMPDIR", temporaryFolder());
  const args = ["matrix", ...options];
  if (typeof cmd === "function") return runAdsimOver(cmd, args, environment);
  return runAdsim([...args, "--", ...cmd], environment);
}

describe("the verdict", () => {
  test("is green for a client that passes everywhere", async () => {
    const { code, report, text } = await matrix(passing);
    expect(code).toBe(0);
    expect(report).toMatchObject({ verdict: "green", complete: true, reliances: [], flaky: [] });
    expect(report.rows.every(({ run }) => run.passed && run.requests === 1)).toBe(true);
    expect(report.runs).toBe(report.rows.length + 2);
    expect(text).toContain("Your client passes everywhere.");
  });

  test("names the choices that make a client fail, and a line that reproduces the failure", async () => {
    const client = failingWith({ "limit.exceeded": "403" }, { "limit.exceeded": "503" });
    const { code, report, text } = await matrix(client, ["--only", KEYS, "--seed", "it's mine"]);
    expect(code).toBe(1);
    expect(report.verdict).toBe("relies");
    expect(report.reliances.map(({ assume }) => assume)).toEqual([
      ["limit.exceeded=403"],
      ["limit.exceeded=503"],
    ]);
    expect(text).toContain("  limit.exceeded=403 or 503\n      Don't rely on it being 429.\n");
    const [first] = report.reliances;
    expect(first?.reproduce).toBe(
      `npx adsim exec --seed 'it'\\''s mine' --assume limit.exceeded=403 -- client`,
    );
    expect(text).toContain(first?.reproduce);
    expect(first?.run?.output?.tail).toEqual(["I can't stand this"]);
    // As the shell splits it.
    const words = first?.reproduce?.replace("npx adsim", "printf '%s\\n'") ?? "";
    const args = execFileSync("sh", ["-c", words], { encoding: "utf8" }).trimEnd().split("\n");
    expect(await startAdsim(args, {}, "", spawnerOf(client)).ended).toMatchObject({ code: 1 });
  });

  test("names two choices that make a client fail only together", async () => {
    const both = { "errors.invalid": "422", "payout.order": "oldest-first" };
    const { report, text } = await matrix(failingWith(both));
    const set = ["errors.invalid=422", "payout.order=oldest-first"];
    expect(report.reliances.map(({ assume }) => assume)).toEqual([set]);
    expect(text).toContain("  errors.invalid=422 and payout.order=oldest-first\n      ");
  });

  test.each<[verdict: string, about: string, client: Cmd, text: string]>([
    ["fails-on-defaults", "that fails with the defaults", () => 3, "fails with the defaults"],
    [
      "never-calls-the-server",
      "that calls only the control API",
      async ({ env }) => void (await fetch(`${env.ADSIM_URL}/_sim/health`)),
      "It must take its base URL from ADSIM_URL",
    ],
    [
      "flaky",
      "that fails in one of two runs with the defaults",
      passingIf((run) => run !== 2),
      "under the same choices it failed once and passed once",
    ],
  ])("is %s for a client %s, and no row is run", async (verdict, _, client, expected) => {
    const { code, report, text } = await matrix(client);
    expect(code).toBe(1);
    expect(report).toMatchObject({ verdict, rows: [], runs: 2 });
    expect(text).toContain(expected);
  });

  test("is flaky if a row that failed passes when it is run again", async () => {
    const client = passingIf((run) => run !== 3);
    const { report, text } = await matrix(client, [...ONE_KEY, "--jobs", "1"]);
    expect(report).toMatchObject({ verdict: "flaky", reliances: [] });
    expect(report.flaky).toHaveLength(1);
    expect(text).toContain("failed once and passed once");
  });

  test("leaves out keys that shaped no answer", async () => {
    const client: Cmd = async ({ env }) => {
      const path = `/v1/publisher/payouts?publisher_id=${encodeURIComponent(env.ADSIM_PUBLISHER_ID ?? "")}`;
      const headers = { authorization: `Bearer ${env.ADSIM_API_KEY}` };
      await fetch(`${env.ADSIM_URL}${path}`, { headers });
    };
    const { report, text } = await matrix(client, ["--strength", "1"]);
    expect(report.verdict).toBe("green");
    expect(report.varied).toEqual(expect.arrayContaining(["payout.order", "ids.format"]));
    expect(report.unreached).toEqual(expect.arrayContaining(["dedup.key", "errors.body"]));
    expect(text).toContain("Not varied, because they shaped no answer to your client:");
  });
});

describe("of the two example clients", () => {
  const client =
    (habits: Habits): Cmd =>
    ({ env }) => {
      const { ADSIM_URL: url = "", ADSIM_API_KEY: apiKey = "" } = env;
      const access = { url, apiKey, publisherId: env.ADSIM_PUBLISHER_ID ?? "" };
      return playSession(habits, access).then(
        () => 0,
        () => 1,
      );
    };
  const mistakes = [
    ...["errors.body", "ids.format", "limit.exceeded", "limit.retry-after", "payout.statuses"],
    "response.form",
  ];

  // Finding the smallest sets among all 31 keys takes seconds.
  const few = [...mistakes, "auth.failure", "click.repeat", "dedup.repeat", "stats.today"];

  test.each<[string, Habits, verdict: string, expected: string[], options: string[]]>([
    ["the one that relies on the spec alone passes everywhere", robust, "green", [], []],
    ["each mistake of the other is found", relying, "relies", mistakes, ["--only", few.join()]],
  ])("%s, and nothing else is named", async (_, habits, verdict, expected, options) => {
    vi.spyOn(console, "log").mockReturnValue();
    const { report } = await matrix(client(habits), ["--strength", "1", ...options]);
    const keys = report.reliances.flatMap(({ assume }) => assume.map((one) => one.split("=")[0]));
    expect([...new Set(keys)].sort()).toEqual(expected);
    expect(report).toMatchObject({ verdict, complete: true, flaky: [] });
    expect(report.rows.length).toBeGreaterThan(4);
  });
});

describe("CMD", () => {
  test("is killed after its time limit, with every process that it started", async () => {
    const file = join(temporaryFolder(), "pid");
    const script = `sh -c 'trap "" TERM; sleep 60 & echo $! > "${file}"; wait'`;
    const { report, text } = await matrix(
      ["sh", "-c", script],
      ["--only", KEYS, "--time-limit", "500"],
    );
    expect(report.verdict).toBe("fails-on-defaults");
    const ended = "timed out after 500 ms";
    expect(report.defaults.runs).toMatchObject([{ ended }, { ended }]);
    expect(text).toContain(ended);
    await expect.poll(() => isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  test("has the control token of the environment, which its server asks for", async () => {
    const asks: Cmd = async (cmd) => {
      const { ADSIM_URL: url, ADSIM_CONTROL_TOKEN: token } = cmd.env;
      const reset = (headers = {}) => fetch(`${url}/_sim/reset`, { method: "POST", headers });
      const { status } = await reset();
      const { ok } = await reset({ authorization: `Bearer ${token}` });
      return status === 401 && ok ? passing(cmd) : 1;
    };
    const token = { ADSIM_CONTROL_TOKEN: "t0ken" };
    expect((await runMatrix(asks, ONE_KEY, token)).code).toBe(0);
    expect((await runAdsimOver(asks, ["exec"], token)).code).toBe(0);
  });

  test("may be ended by a signal, and its output may be huge and binary", async () => {
    const kept = join(temporaryFolder(), "a/b");
    const script = `head -c 2000000 /dev/zero; printf '\\n\\377\\033[31mred\\033[0m\\a\\nthe end'; kill -9 $$`;
    const { report } = await matrix(["sh", "-c", script], ["--only", KEYS, "--keep-output", kept]);
    const [first, second] = report.defaults.runs;
    expect(first?.ended).toBe("ended by SIGKILL");
    expect(first?.output?.file).toBe(join(kept, "001.log"));
    expect(second?.output?.tail).toEqual(["", "\ufffdred", "the end"]);
    expect(readFileSync(first?.output?.file ?? "").length).toBeGreaterThan(2_000_000);
    expect(readdirSync(kept).sort()).toEqual(["001.log", "002.log"]);
  });

  test("that can't be started is named, with exit code 3", async () => {
    const { code, stderr } = await runAdsim(["matrix", "--", "no-such-command"]);
    expect(stderr).toMatch(
      /^adsim: can't start no-such-command: there is no such file or folder\. [^\n]*\n$/m,
    );
    expect(code).toBe(3);
  });

  test("is ended by Ctrl-C", async () => {
    const file = join(temporaryFolder(), "pid");
    const script = `sleep 60 & echo $! > '${file}'; wait`;
    vi.stubEnv("TMPDIR", temporaryFolder());
    const adsim = startAdsim(["matrix", ...ONE_KEY, "--", "sh", "-c", script]);
    await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/\d\n/);
    adsim.signal("SIGINT");
    expect(await adsim.ended).toEqual({ code: 130, signal: null });
    // It was sent the signal, and ends a moment later.
    await expect.poll(() => isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
    const left = readdirSync(process.env.TMPDIR ?? "").filter((name) => /^adsim-matrix/.test(name));
    expect(left).toEqual([]);
  });
});

test("Ctrl-C leaves no result, but the output of runs that failed", async () => {
  const kept = temporaryFolder();
  const words = `matrix --only ${KEYS} --jobs 1 --json --keep-output ${kept} -- client`;
  const client = passingIf((run) => {
    if (run === 4) adsim.signal("SIGINT");
    return run !== 3;
  });
  const adsim = startAdsim(words.split(" "), {}, "", spawnerOf(client));
  expect((await adsim.ended).code).toBe(130);
  expect(adsim.stdout()).toBe("");
  expect(adsim.stderr()).toMatch(
    /^row 1 of 7: failed, exit code 1 .*\nadsim: SIGINT ends the matrix\n/m,
  );
  expect(adsim.stderr()).toContain(`adsim: the output of runs that failed is in ${kept}\n`);
  expect(readdirSync(kept)).toEqual(["003.log"]);
});

/** A process that was killed ends when it is next scheduled, which may be a little later. */
function isAlive(pid: number): boolean {
  expect(pid).toBeGreaterThan(0);
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie has ended, even if nobody has collected its exit code.
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, "utf8"));
}

describe("reports", () => {
  test("are written as the same JSON as --json's, and as JUnit with a test case for each row", async () => {
    const place = temporaryFolder();
    const [json, junit] = [join(place, "report.json"), join(place, "report.xml")];
    const nasty = "]]> <b> & \u{1f680} it's";
    const client = failingWith({ "payout.order": "oldest-first" });
    const { report } = await matrix(
      (cmd) => client({ ...cmd, print: () => cmd.print(nasty.replace("\u{1f680}", "\u0001$&")) }),
      ["--only", KEYS, "--report", `json=${json},junit=${junit}`],
    );
    expect(JSON.parse(readFileSync(json, "utf8"))).toEqual(report);

    const suite = childrenOf(readXml(readFileSync(junit, "utf8")), "testsuite")[0];
    const cases = childrenOf(suite, "testcase");
    const failed = report.rows.filter(({ run }) => !run.passed);
    const failures = cases.flatMap((each) => childrenOf(each, "failure"));
    expect(suite?.attributes).toMatchObject({
      name: "adsim.matrix",
      tests: String(report.rows.length + 1),
      failures: String(failed.length),
    });
    expect(cases).toHaveLength(report.rows.length + 1);
    expect(failures).toHaveLength(failed.length);
    for (const failure of failures) {
      expect(failure.attributes.message).toBe("fails with payout.order=oldest-first");
      expect(textOf(failure)).toContain(report.reliances[0]?.reproduce);
      expect(textOf(failure)).toContain(nasty);
    }
  });

  test.each([
    ["--report", "junit=PLACE/nowhere/report.xml"],
    ["--keep-output", "PLACE/file/folder"],
  ])("that can't be written are refused before anything runs: %s %s", async (option, value) => {
    const place = temporaryFolder();
    writeFileSync(join(place, "file"), "");
    const cmd = vi.fn<Cmd>();
    const { code, stderr } = await runMatrix(cmd, [option, value.replace("PLACE", place)]);
    expect(code).toBe(3);
    expect(stderr).toContain(option);
    expect(cmd).not.toHaveBeenCalled();
    expect(readdirSync(place)).toEqual(["file"]);
  });
});
