/** `adsim exec -- CMD`. CMD is Node here, which every machine that runs the tests has. */

import { describe, expect, test } from "vitest";
import { defaultAssumptions } from "../../src/assumptions/resolve.ts";
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

  test("finds the choices in force there, as JSON", async () => {
    const options = ["--assume", "dedup.repeat=conflict"];
    const { stdout } = await execNode("console.log(process.env.ADSIM_ASSUMPTIONS)", options);
    expect(JSON.parse(stdout)).toEqual({ ...defaultAssumptions, "dedup.repeat": "conflict" });
  });

  test("gives its exit code", async () => {
    expect((await execNode("process.exit(7)")).code).toBe(7);
  });

  test("that a signal ends gives 128 and the signal's number", async () => {
    expect((await execNode('process.kill(process.pid, "SIGKILL")')).code).toBe(137);
  });

  test("that can't be started is named, with exit code 3", async () => {
    const { code, stderr } = await runAdsim(["exec", "--", "no-such-command"]);
    expect(code).toBe(3);
    expect(stderr).toContain("no-such-command");
  });

  test("keeps its own options, and no shell reads them", async () => {
    const words = ["--seed", "$HOME", "a b", "*"];
    const { stdout } = await runAdsim([
      ...["exec", "--", process.execPath, "-p", "JSON.stringify(process.argv.slice(1))", "--"],
      ...words,
    ]);
    expect(JSON.parse(stdout)).toEqual(words);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "gets %s, and its exit code counts",
    async (signal) => {
      const script = `process.on("${signal}", () => process.exit(5)); console.log("up"); setInterval(() => {}, 1000);`;
      const adsim = startAdsim(["exec", "--", process.execPath, "-e", script]);
      await adsim.waitFor("up");
      adsim.child.kill(signal);
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
    expect(stderr).toMatch(/^ {2}none +404 × 1$/m);
  });

  test("says when the journal has forgotten some", async () => {
    const { stderr } = await execNode(script, ["--journal-entries", "2"]);
    expect(stderr).toContain("adsim: 5 requests, the last 2 of them kept\n");
  });

  test("with --json is the last line of stdout", async () => {
    const { stdout } = await execNode(script, ["--json"]);
    expect(JSON.parse(stdout)).toEqual({
      event: "report",
      exitCode: 0,
      requests: 5,
      counted: 5,
      operations: { impression: { 200: 2, 400: 1 }, stats: { 200: 1 }, none: { 404: 1 } },
    });
  });
});
