/** `adsim exec -- CMD`. CMD is Node here, which every machine that runs the tests has. */

import { describe, expect, test } from "vitest";
import { defaultAssumptions } from "../../src/spec/assumptions/resolve.ts";
import { runAdsim, startAdsim } from "./run-adsim.ts";

function execNode(script: string, options: readonly string[] = []): ReturnType<typeof runAdsim> {
  return runAdsim(["exec", ...options, "--", process.execPath, "-e", script]);
}

const useApi = `
  const { ADSIM_URL, ADSIM_API_KEY, ADSIM_PUBLISHER_ID, ADSIM_SURFACE_ID } = process.env;
  const headers = { authorization: "Bearer " + ADSIM_API_KEY };
  const body = new URLSearchParams({ publisher_id: ADSIM_PUBLISHER_ID, surface: ADSIM_SURFACE_ID, ad_id: "a" });
  const call = (path, init) => fetch(ADSIM_URL + path, { headers, ...init }).then((answer) => answer.json());
`;

describe("CMD", () => {
  test("finds in its environment what it needs to record an impression", async () => {
    const { code, stdout } = await execNode(
      `${useApi} call("/v1/impression", { method: "POST", body }).then((it) => console.log(JSON.stringify(it)))`,
    );
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, impression_id: expect.any(String) });
    expect(code).toBe(0);
  });

  test("finds the choices in force in its environment, as JSON", async () => {
    const options = ["--assume", "dedup.repeat=conflict"];
    const { stdout } = await execNode("console.log(process.env.ADSIM_ASSUMPTIONS)", options);
    expect(JSON.parse(stdout)).toEqual({ ...defaultAssumptions, "dedup.repeat": "conflict" });
  });

  test("determines the exit code", async () => {
    expect((await execNode("process.exit(7)")).code).toBe(7);
  });

  test("that is ended by a signal gives 128 plus the signal's number", async () => {
    expect((await execNode('process.kill(process.pid, "SIGKILL")')).code).toBe(137);
  });

  test("that can't be started is named, with exit code 3", async () => {
    const { code, stderr } = await runAdsim(["exec", "--", "no-such-command"]);
    expect(code).toBe(3);
    expect(stderr).toContain("no-such-command");
  });

  test("gets its own options unchanged, and no shell interprets them", async () => {
    const words = ["--seed", "$HOME", "a b", "*"];
    const { stdout } = await runAdsim([
      ...["exec", "--", process.execPath, "-p", "JSON.stringify(process.argv.slice(1))", "--"],
      ...words,
    ]);
    expect(JSON.parse(stdout)).toEqual(words);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "gets %s, and its exit code is passed on",
    async (signal) => {
      const script = `process.on("${signal}", () => process.exit(5)); console.log("up"); setInterval(() => {}, 1000);`;
      const adsim = startAdsim(["exec", "--", process.execPath, "-e", script]);
      await adsim.waitFor("up");
      adsim.signal(signal);
      expect(await adsim.ended).toEqual({ code: 5, signal: null });
    },
  );
});

describe("the report", () => {
  const script = `${useApi} (async () => {
    await call("/v1/impression", { method: "POST", body });
    await call("/v1/impression", { method: "POST", body });
    await call("/v1/impression", { method: "POST" });
    await call("/v1/publisher/stats?publisher_id=" + ADSIM_PUBLISHER_ID);
    await call("/nowhere");
  })()`;

  test("counts requests by operation and status on stderr", async () => {
    const { stdout, stderr } = await execNode(script);
    expect(stdout).toBe("");
    expect(stderr).toContain("adsim: 5 requests\n");
    expect(stderr).toMatch(/^ {2}impression +200 × 2, 400 × 1$/m);
    expect(stderr).toMatch(/^ {2}stats +200 × 1$/m);
    expect(stderr).toMatch(/^ {2}not in the API {2}404 × 1$/m);
  });

  test("says how many requests the journal has forgotten", async () => {
    const { stderr } = await execNode(script, ["--journal-entries", "2"]);
    expect(stderr).toContain("adsim: 5 requests, of which the last 2 were kept\n");
    expect(stderr).toContain(
      "Note: The journal has forgotten the requests before #4, so only #4 to #5 were judged.",
    );
  });

  test("names what the client did wrong, with one request as proof, and no key", async () => {
    const wrong = `${useApi} (async () => {
      await call("/v1/impression", { method: "POST", body });
      await call("/v1/publisher/stats?api_key=" + ADSIM_API_KEY);
    })()`;
    const { code, stderr } = await execNode(wrong);
    expect(code).toBe(0);
    expect(stderr).toContain("\n\n2 findings:\n\n✗ API keys in URLs: 1 request by pub_");
    expect(stderr).toMatch(/^ {4}#2 \S+Z GET \/v1\/publisher\/stats → 400, a key in the query$/m);
    expect(stderr).toContain("✗ Impressions without session_id: 1 request by pub_");
    expect(stderr).toContain("(spec §5)");
    expect(stderr).not.toMatch(/key_[0-9a-z]/);
    expect(Math.max(...stderr.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  test("says so when there is nothing wrong", async () => {
    const { stderr } = await execNode(
      `${useApi} call("/v1/publisher/stats?publisher_id=" + ADSIM_PUBLISHER_ID)`,
    );
    expect(stderr).toBe("adsim: 1 request\n  stats           200 × 1\n\nNo findings.\n");
  });

  test("says that it can't judge what the journal hasn't kept", async () => {
    const { stderr } = await execNode(script, ["--journal-entries", "0"]);
    expect(stderr).toContain(
      "The journal has kept none of the requests, so there is nothing to judge.",
    );
    expect(stderr).not.toContain("No findings");
  });

  test("with --fail-on-findings and a finding turns exit code 0 into 1, and keeps any other", async () => {
    const options = ["--fail-on-findings"];
    const fine = `${useApi} call("/v1/publisher/stats?publisher_id=" + ADSIM_PUBLISHER_ID)`;
    const codes = await Promise.all(
      [fine, script, `${script}.then(() => process.exit(7))`].map(
        async (each) => (await execNode(each, options)).code,
      ),
    );
    expect(codes).toEqual([0, 1, 7]);
  });

  test("with --json is the last line of stdout", async () => {
    const { stdout } = await execNode(script, ["--json"]);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      event: "report",
      exitCode: 0,
      requests: 5,
      kept: 5,
      from: expect.stringMatching(/^2026-01-15T00:00:0/),
      operations: { impression: { 200: 2, 400: 1 }, stats: { 200: 1 }, none: { 404: 1 } },
      faults: {},
      notes: [],
    });
    const ids = report.findings.map(({ id }: { readonly id: string }) => id);
    expect(ids).toEqual(["impression-without-session", "no-such-operation"]);
    expect(report.findings[0].proof[0]).toMatchObject({ sequence: 1, operation: "impression" });
  });
});

describe("--coverage", () => {
  test("is an event of --json", async () => {
    const { stdout } = await execNode(`${useApi} call("/v1/publisher/stats")`, [
      "--coverage",
      "--json",
    ]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({
      event: "coverage",
      groups: expect.arrayContaining([
        expect.objectContaining({ name: "errors", reached: ["missing_parameter"] }),
      ]),
      next: expect.arrayContaining([expect.objectContaining({ before: [] })]),
    });
  });
});
