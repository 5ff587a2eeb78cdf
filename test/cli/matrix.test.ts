/** `adsim matrix -- CMD`, with shell scripts as CMD: they start fast. They know the assumptions in force by ADSIM_ASSUMPTIONS. */

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { hasCurl } from "../programs.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { entry, runAdsim, spawnAdsim } from "./run-adsim.ts";
import { childrenOf, readXml, textOf } from "./xml.ts";

// Each test starts some twenty processes.
vi.setConfig({ testTimeout: 30_000 });

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Three keys with 2, 3 and 2 choices: five rows of strength 2 cover them, and the defaults. */
const KEYS = "errors.invalid,limit.exceeded,payout.order";

const CALL = 'curl --silent --output /dev/null "$ADSIM_URL/v1/publisher/stats"\n';

/** A line that ends CMD with 1 where all of these choices are in force. */
function failsWith(...choices: readonly string[]): string {
  const members = choices.map((choice) => `"${choice.replace("=", '":"')}"`);
  return `case "$ADSIM_ASSUMPTIONS" in *'${members.join("'*'")}'*) echo "I can't stand this"; exit 1;; esac\n`;
}

interface Report {
  readonly verdict: string;
  readonly complete: boolean;
  readonly interrupted: boolean;
  readonly counts: { readonly rows: number; readonly failed: number; readonly runs: number };
  readonly defaults: { readonly reproduce: string; readonly runs: readonly RunReport[] };
  readonly rows: readonly {
    readonly assumptions: Readonly<Record<string, string>>;
    readonly run: RunReport | null;
    readonly reliances: readonly number[];
  }[];
  readonly reliances: readonly {
    readonly assume: Readonly<Record<string, string>>;
    readonly cautions: Readonly<Record<string, string>>;
    readonly reproduce: string;
    readonly run: RunReport;
  }[];
  readonly flaky: readonly { readonly row: number | null; readonly reproduce: string }[];
}

interface RunReport {
  readonly passed: boolean;
  readonly ended: Readonly<Record<string, unknown>>;
  readonly requests: number;
  readonly output?: { readonly file: string; readonly tail: readonly string[] };
}

/** Runs a matrix over a shell script. Its temporary files go into a folder of the test's. */
async function matrix(
  script: string,
  options: readonly string[] = ["--only", KEYS],
): Promise<{ code: number | null; report: Report; text: string }> {
  const args = ["matrix", "--json", ...options, "--", "sh", "-c", script];
  vi.stubEnv("TMPDIR", temporaryFolder());
  const { code, stdout, stderr } = await runAdsim(args);
  return { code, report: JSON.parse(stdout), text: stderr };
}

/** Runs a line to paste, with the source in place of the installed command. @returns its exit code. */
async function paste(line: string): Promise<unknown> {
  expect(line).toMatch(/^npx adsim exec /);
  const here = line.replace(/^npx adsim/, `"${process.execPath}" "${entry}"`);
  return promisify(execFile)("sh", ["-c", here]).then(
    () => 0,
    (error) => error.code,
  );
}

describe.skipIf(!hasCurl)("the verdict", () => {
  test("is green for a client that passes everywhere", async () => {
    const { code, report, text } = await matrix(CALL);
    expect(code).toBe(0);
    expect(report).toMatchObject({ verdict: "green", complete: true, reliances: [], flaky: [] });
    expect(report.rows.every(({ run }) => run?.passed && run.requests === 1)).toBe(true);
    expect(report.counts.runs).toBe(report.rows.length + 2);
    expect(text).toContain("Your client passes everywhere: no pair of choices of ");
  });

  test("names the choices that make a client fail, and how to reproduce the failure", async () => {
    const script = CALL + failsWith("limit.exceeded=403") + failsWith("limit.exceeded=503");
    const { code, report, text } = await matrix(script, ["--only", KEYS, "--seed", "it's mine"]);
    expect(code).toBe(1);
    expect(report.verdict).toBe("relies");
    expect(report.reliances.map(({ assume }) => assume)).toEqual([
      { "limit.exceeded": "403" },
      { "limit.exceeded": "503" },
    ]);
    expect(text).toContain("  limit.exceeded=403 or 503\n      Don't rely on it being 429.\n");
    const [first] = report.reliances;
    expect(first?.reproduce).toContain(`--seed 'it'\\''s mine' --assume limit.exceeded=403 -- sh`);
    expect(text).toContain(first?.reproduce);
    expect(first?.run.output?.tail).toEqual(["I can't stand this"]);
    expect(await paste(first?.reproduce ?? "")).toBe(1);
    expect(await paste(report.defaults.reproduce)).toBe(0);
  });

  test("names two choices that make a client fail only together", async () => {
    const script = CALL + failsWith("errors.invalid=422", "payout.order=oldest-first");
    const { report, text } = await matrix(script);
    expect(report.reliances.map(({ assume }) => assume)).toEqual([
      { "errors.invalid": "422", "payout.order": "oldest-first" },
    ]);
    expect(Object.keys(report.reliances[0]?.cautions ?? {})).toHaveLength(2);
    expect(text).toContain(
      "fails when both: errors.invalid = 422 and payout.order = oldest-first\n",
    );
    expect(await paste(report.reliances[0]?.reproduce ?? "")).toBe(1);
    for (const { assumptions, run, reliances } of report.rows) {
      const isBoth =
        assumptions["errors.invalid"] === "422" && assumptions["payout.order"] === "oldest-first";
      expect(run?.passed).toBe(!isBoth);
      expect(reliances).toEqual(isBoth ? [0] : []);
    }
  });

  test("is fails-on-defaults for a client that fails with the defaults, and no row is run", async () => {
    const { code, report, text } = await matrix(`${CALL} echo "no luck" >&2; exit 3`);
    expect(code).toBe(1);
    expect(report).toMatchObject({ verdict: "fails-on-defaults", counts: { runs: 2, failed: 0 } });
    expect(report.rows.every(({ run }) => run === null)).toBe(true);
    expect(text).toContain("fails with the defaults");
    expect(text).toContain("\n    no luck\n");
  });

  test("is never-calls-the-server for a client that calls only the control API", async () => {
    const health = 'curl --silent --output /dev/null "$ADSIM_URL/_sim/health"';
    const { code, report, text } = await matrix(health);
    expect(code).toBe(1);
    expect(report).toMatchObject({ verdict: "never-calls-the-server", counts: { runs: 2 } });
    expect(text).toContain("ADSIM_URL");
  });

  test("counts the calls of a client in its own world, even after a reset", async () => {
    const url = '"$ADSIM_URL/@mine';
    const reset = `curl --silent --output /dev/null --request POST ${url}/_sim/reset"`;
    const script = `curl --silent --output /dev/null ${url}/v1/publisher/stats"; ${reset}`;
    const { report } = await matrix(script, ["--only", "errors.invalid"]);
    expect(report.verdict).toBe("green");
    expect(report.rows.map(({ run }) => run?.requests)).toEqual([1]);
  });
});

describe.skipIf(!hasCurl)("a client that fails now and then", () => {
  /** Fails in its nth run. */
  function failingRun(nth: number): string {
    const file = join(temporaryFolder(), "runs");
    return `${CALL} echo run >> '${file}'; test $(wc -l < '${file}') -ne ${nth} || exit 1\n`;
  }

  test("is flaky if one of two runs with the defaults fails", async () => {
    const { code, report, text } = await matrix(failingRun(2));
    expect(code).toBe(1);
    expect(report).toMatchObject({ verdict: "flaky", counts: { runs: 2 } });
    expect(text).toContain("of two runs with the defaults, one passed and one failed");
  });

  test("is flaky if a row that failed passes when it is run again", async () => {
    const options = ["--only", "errors.invalid", "--jobs", "1"];
    const { code, report, text } = await matrix(failingRun(3), options);
    expect(code).toBe(1);
    expect(report).toMatchObject({ verdict: "flaky", reliances: [] });
    expect(report.flaky).toMatchObject([{ row: 1 }]);
    expect(text).toContain("failed once and passed once");
  });

  test("is flaky if its runs disturb each other, and the report suggests --jobs 1", async () => {
    const lock = join(temporaryFolder(), "lock");
    const script = `${CALL} mkdir '${lock}' || exit 1; sleep 0.3; rmdir '${lock}'`;
    const options = ["--only", "errors.invalid,payout.order", "--jobs", "3"];
    const { report, text } = await matrix(script, options);
    expect(report).toMatchObject({ verdict: "flaky", reliances: [] });
    expect(text).toContain("use --jobs 1");
  });

  test("may also rely on a choice, and the report says both", async () => {
    const mark = join(temporaryFolder(), "failed-once");
    const runs = join(temporaryFolder(), "runs");
    // Fails once after the defaults, in a row that has no other reason to fail.
    const now = `test $(wc -l < '${runs}') -gt 2 && mkdir '${mark}' 2> /dev/null && exit 1`;
    const script = `${CALL} ${failsWith("limit.exceeded=503")}\necho run >> '${runs}'; ${now}; exit 0\n`;
    const { report, text } = await matrix(script, ["--only", KEYS, "--jobs", "1"]);
    expect(report.verdict).toBe("relies");
    expect(report.reliances.map(({ assume }) => assume)).toEqual([{ "limit.exceeded": "503" }]);
    expect(report.flaky.length).toBeGreaterThan(0);
    expect(text).toContain("Your client is flaky");
  });
});

describe.skipIf(!hasCurl)("CMD", () => {
  test("is killed after its time limit, with every process that it started", async () => {
    const file = join(temporaryFolder(), "pid");
    const script = `sh -c 'trap "" TERM; sleep 60 & echo $! > "${file}"; wait'`;
    const options = ["--only", KEYS, "--time-limit", "500ms"];
    const { report, text } = await matrix(script, options);
    expect(report.verdict).toBe("fails-on-defaults");
    expect(report.defaults.runs.map(({ ended }) => ended)).toEqual([
      { kind: "timed-out" },
      { kind: "timed-out" },
    ]);
    expect(text).toContain("timed out after 500ms");
    await expect.poll(() => isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  test("has a time limit in milliseconds if the unit is left out", async () => {
    const { report } = await matrix("sleep 60", ["--only", KEYS, "--time-limit", "300"]);
    expect(report.defaults.runs.map(({ ended }) => ended.kind)).toEqual(["timed-out", "timed-out"]);
  });

  test("needs the control token of the environment, as under exec", async () => {
    const reset = 'curl --silent --fail --request POST "$ADSIM_URL/_sim/reset"';
    const asks = (header: string) => ["sh", "-c", `${CALL} ${reset} ${header}`];
    const token = { ADSIM_CONTROL_TOKEN: "t0ken" };
    const bearer = '--header "Authorization: Bearer $ADSIM_CONTROL_TOKEN"';
    const only = ["matrix", "--only", "errors.invalid", "--"];
    vi.stubEnv("TMPDIR", temporaryFolder());
    expect((await runAdsim([...only, ...asks(bearer)], token)).code).toBe(0);
    expect((await runAdsim([...only, ...asks("")], token)).code).toBe(1);
    expect((await runAdsim(["exec", "--", ...asks(bearer)], token)).code).toBe(0);
    expect((await runAdsim(["exec", "--", ...asks("")], token)).code).not.toBe(0);
  });

  test("leaves no background process behind", async () => {
    const file = join(temporaryFolder(), "pids");
    const script = `${CALL} sleep 60 & echo $! >> '${file}'`;
    const { code } = await matrix(script, ["--only", "errors.invalid"]);
    expect(code).toBe(0);
    const pids = readFileSync(file, "utf8").trim().split("\n").map(Number);
    expect(pids).toHaveLength(3);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });

  test("may be ended by a signal, and its output may be huge and binary", async () => {
    const kept = join(temporaryFolder(), "a/b");
    const script = `${CALL} head -c 20000000 /dev/zero; printf '\\n\\377\\033[31mred\\033[0m\\a\\nthe end'; kill -9 $$`;
    const { report } = await matrix(script, ["--only", KEYS, "--keep-output", kept]);
    const [first, second] = report.defaults.runs;
    expect(first?.ended).toEqual({ kind: "signal", signal: "SIGKILL" });
    expect(first?.output?.file).toBe(join(kept, "defaults-1.log"));
    expect(second?.output?.tail).toEqual(["\ufffdred", "the end"]);
    expect(readFileSync(first?.output?.file ?? "").length).toBeGreaterThan(20_000_000);
    expect(readdirSync(kept).sort()).toEqual(["defaults-1.log", "defaults-2.log"]);
  });

  test("that can't be started is named, with exit code 3", async () => {
    const { code, stderr } = await runAdsim(["matrix", "--", "no-such-command"]);
    expect(stderr).toMatch(
      /^adsim: can't start no-such-command: there is no such file or folder\. [^\n]*\n$/,
    );
    expect(code).toBe(3);
  });

  test("has the pinned choices in all runs", async () => {
    const script = `${CALL}echo "$ADSIM_ASSUMPTIONS" | grep -q '"errors.invalid":"422"'`;
    const options = ["--only", "payout.order", "--assume", "errors.invalid=422"];
    const { report } = await matrix(script, options);
    expect(report).toMatchObject({ verdict: "green", pinned: { "errors.invalid": "422" } });
    expect(report.defaults.reproduce).toContain("--assume errors.invalid=422");
  });

  test("gives the same report with any --jobs, except durations, output files and counts of runs", async () => {
    const script =
      CALL +
      failsWith("errors.invalid=422", "limit.exceeded=503") +
      failsWith("limit.exceeded=403");
    // One after the other: both count the requests of this process by port, and the second may be given a port of the first.
    const reports = [
      await matrix(script, ["--only", KEYS, "--jobs", "1"]),
      await matrix(script, ["--only", KEYS, "--jobs", "3"]),
    ];
    const [one, three] = reports.map(({ report }) =>
      JSON.parse(JSON.stringify(report), (name, value) =>
        ["durationMs", "file"].includes(name) || (name === "runs" && value > 0) ? "any" : value,
      ),
    );
    expect(three).toEqual(one);
    expect(reports[0]?.report.reliances).toHaveLength(2);
  });
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
  test.skipIf(!hasCurl)(
    "are written as the same JSON as --json's, and as JUnit with a test case for each row",
    async () => {
      const [json, junit] = [
        join(temporaryFolder(), "report.json"),
        join(temporaryFolder(), "report.xml"),
      ];
      const nasty = "]]> <b> & \u{1f680} it's";
      const print = `printf ']]> <b> & \\001\u{1f680} it'\\''s'; exit 1`;
      const script =
        CALL + failsWith("payout.order=oldest-first").replace(/echo .*; exit 1/, print);
      const { report } = await matrix(script, [
        "--only",
        KEYS,
        "--report",
        `json=${json},junit=${junit}`,
      ]);
      expect(JSON.parse(readFileSync(json, "utf8"))).toEqual(report);

      const suite = childrenOf(readXml(readFileSync(junit, "utf8")), "testsuite")[0];
      const cases = childrenOf(suite, "testcase");
      const failures = cases.flatMap((each) => childrenOf(each, "failure"));
      expect(suite?.attributes).toMatchObject({
        name: "adsim.matrix",
        tests: String(report.rows.length + 1),
        failures: String(report.counts.failed),
      });
      expect(cases).toHaveLength(report.rows.length + 1);
      expect(failures).toHaveLength(report.counts.failed);
      for (const failure of failures) {
        expect(failure.attributes.message).toBe("fails with payout.order=oldest-first");
        expect(textOf(failure)).toContain(report.reliances[0]?.reproduce);
        expect(textOf(failure)).toContain(nasty);
      }
    },
  );

  test.skipIf(!hasCurl)(
    "go to standard output as text without --json, and a passing client leaves no files",
    async () => {
      const temporary = temporaryFolder();
      const args = ["matrix", "--only", "errors.invalid", "--", "sh", "-c", CALL];
      vi.stubEnv("TMPDIR", temporary);
      const { stdout, stderr } = await runAdsim(args);
      expect(stdout).toMatch(
        /^Your client passes everywhere: no pair of choices of 1 assumption makes it fail\.$/m,
      );
      expect(stderr).toMatch(/^row 1 of 1: passed \(\d+\.\d s\)\n$/);
      expect(readdirSync(temporary).filter((name) => !name.startsWith("adsim-test-"))).toEqual([]);
    },
  );

  test.each([
    ["--report", (path: string) => `junit=${path}/nowhere/report.xml`],
    ["--report", (path: string) => `json=${path}`],
    ["--keep-output", (path: string) => `${path}/file/folder`],
  ])("that can't be written are refused before anything runs: %s", async (option, value) => {
    const place = temporaryFolder();
    await promisify(execFile)("sh", ["-c", `touch '${place}/file'`]);
    const script = `touch '${place}/ran'`;
    const args = ["matrix", option, value(place), "--", "sh", "-c", script];
    const { code, stderr } = await runAdsim(args);
    expect(stderr).toContain(option);
    expect(stderr).toContain(place);
    expect(code).toBe(3);
    expect(readdirSync(place)).toEqual(["file"]);
  });
});

test.skipIf(!hasCurl)(
  "Ctrl-C ends the running CMD, and the results so far are reported",
  async () => {
    const place = temporaryFolder();
    const json = join(place, "report.json");
    const script = `${CALL} test -e '${place}/pid' && { sleep 60 & echo $! > '${place}/pid'; wait; }; ${failsWith("limit.exceeded=503")} true`;
    const only = ["--only", "limit.exceeded,errors.invalid,payout.order", "--jobs", "1"];
    const args = ["matrix", ...only, "--report", `json=${json}`, "--", "sh", "-c", script];
    const adsim = spawnAdsim(args, { TMPDIR: place });
    while (!adsim.stderr().includes("row 1 ")) await new Promise(setImmediate);
    // From here on CMD waits.
    await promisify(execFile)("touch", [`${place}/pid`]);
    while (readFileSync(`${place}/pid`, "utf8") === "") await new Promise(setImmediate);
    adsim.signal("SIGINT");
    expect(await adsim.ended).toEqual({ code: 130, signal: null });
    expect(isAlive(Number(readFileSync(`${place}/pid`, "utf8")))).toBe(false);
    const report: Report = JSON.parse(readFileSync(json, "utf8"));
    expect(report).toMatchObject({ verdict: "interrupted", interrupted: true, complete: false });
    expect(report.rows[0]?.run).not.toBeNull();
    expect(report.rows.at(-1)?.run).toBeNull();
    expect(adsim.stdout()).toContain("Interrupted by SIGINT");
  },
);
