/** `adsim exec -- CMD`. CMD is a function here, except where its exit or the signals to it matter. */

import { describe, expect, test } from "vitest";
import { defaultAssumptions } from "../../src/spec/assumptions/resolve.ts";
import { type Cmd, type Ran, runAdsim, runAdsimOver } from "./run-adsim.ts";

type Call = (path: string, init?: RequestInit) => Promise<unknown>;

/** Runs CMD, which sends these requests with the key that it finds in its environment. */
function exec(
  client: (call: Call, env: Readonly<Record<string, string>>) => unknown,
  ...options: readonly string[]
): Promise<Ran> {
  const cmd: Cmd = ({ env }) => {
    const headers = { authorization: `Bearer ${env.ADSIM_API_KEY}` };
    const call: Call = async (path, init) => {
      const answer = await fetch(`${env.ADSIM_URL}${path}`, { headers, ...init });
      return answer.json();
    };
    return client(call, env as Readonly<Record<string, string>>);
  };
  return runAdsimOver(cmd, ["exec", ...options]);
}

const impression = (env: Readonly<Record<string, string>>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams({
    ...{ publisher_id: env.ADSIM_PUBLISHER_ID ?? "", surface: env.ADSIM_SURFACE_ID ?? "" },
    ad_id: "a",
  }),
});
const stats = (env: Readonly<Record<string, string>>): string =>
  `/v1/publisher/stats?publisher_id=${env.ADSIM_PUBLISHER_ID}`;

const node = (...args: readonly string[]) => runAdsim(["exec", "--", process.execPath, ...args]);

describe("CMD", () => {
  test("finds in its environment the choices in force, and what it needs to record an impression", async () => {
    let assumptions = "";
    let answer: unknown;
    const client = async (call: Call, env: Readonly<Record<string, string>>): Promise<void> => {
      assumptions = env.ADSIM_ASSUMPTIONS ?? "";
      answer = await call("/v1/impression", impression(env));
    };
    expect((await exec(client, "--assume", "dedup.repeat=conflict")).code).toBe(0);
    expect(JSON.parse(assumptions)).toEqual({ ...defaultAssumptions, "dedup.repeat": "conflict" });
    expect(answer).toMatchObject({ ok: true, impression_id: expect.any(String) });
  });

  test("gets its own options unchanged, and no shell interprets them", async () => {
    const words = ["--seed", "$HOME", "a b", "*"];
    const { stdout } = await node("-p", "JSON.stringify(process.argv.slice(1))", "--", ...words);
    expect(JSON.parse(stdout)).toEqual(words);
  });

  test("may be ended by a signal, whose number is in the exit code", async () => {
    const { code } = await node("-e", "process.kill(process.pid, 'SIGKILL')");
    expect(code).toBe(128 + 9);
  });
});

describe("a proxy of CMD's", () => {
  test.each([
    [{}, "127.0.0.1,localhost,127.0.0.1"],
    [{ NO_PROXY: "a.test" }, "a.test,127.0.0.1,localhost,127.0.0.1"],
  ])("doesn't get its requests to adsim: with %j", async (given, expected) => {
    let seen: unknown;
    const cmd: Cmd = ({ env }) => {
      seen = [env.NO_PROXY, env.no_proxy];
    };
    await runAdsimOver(cmd, ["exec"], { NO_PROXY: "", no_proxy: "", ...given });
    expect(seen).toContain(expected);
  });

  test("is named if CMD sent no request", async () => {
    const proxy = { http_proxy: "http://proxy.test:3128" };
    const { stderr } = await runAdsimOver(() => 0, ["exec"], proxy);
    expect(stderr).toContain("Its environment has the proxy http_proxy=http://proxy.test:3128: ");
  });
});

describe("the report", () => {
  const client = async (call: Call, env: Readonly<Record<string, string>>): Promise<void> => {
    await call("/v1/impression", impression(env));
    await call("/v1/impression", impression(env));
    await call("/v1/impression", { method: "POST" });
    await call(stats(env));
    await call("/nowhere");
  };

  test("is about all worlds, also those that were reset, deleted or dropped", async () => {
    const { code, stdout, stderr } = await exec(
      async (call, env) => {
        const post = {
          ...impression(env),
          headers: { authorization: `Bearer ${env.ADSIM_API_KEY}` },
        };
        await call("/@a/v1/impression", post);
        await call("/@a/_sim/reset", { method: "POST" });
        await call("/@a/v1/impression", post);
        await call("/@b/nowhere");
        await fetch(`${env.ADSIM_URL}/_sim/worlds/b`, { method: "DELETE" });
        await call(`/@c${stats(env)}`);
        await call(`/@d${stats(env)}`);
      },
      ...["--max-worlds", "3", "--fail-on-findings", "--coverage", "--json"],
    );
    expect(code).toBe(1);
    expect(stderr).toContain(
      "adsim: 5 requests to 5 worlds (3 of them reset, deleted or dropped)\n",
    );
    expect(stderr).toMatch(/^ {2}impression +200 × 2$/m);
    expect(stderr).toMatch(/^✗ Impressions without session_id: 2 requests by pub_\w+\n {4}@a #1 /m);
    expect(stderr).toMatch(/\nadsim: coverage of the API\n {2}operations +2 of 5\n/);
    const report = JSON.parse(stdout.split("\n")[0] ?? "");
    expect(report).toMatchObject({ requests: 5, worlds: 5, ended: ["a", "b", "a"] });
  });

  test("says how many requests the journal has forgotten, and what it can't judge", async () => {
    const { stderr } = await exec(client, "--journal-entries", "2");
    expect(stderr).toContain("adsim: 5 requests, of which the last 2 were kept\n");
    expect(stderr).toContain("Note: The journal has only the last 2 of 5 requests.");
    const none = await exec(client, "--journal-entries", "0");
    expect(none.stderr).toContain("only the last 0 of 5 requests.");
    expect(none.stderr).not.toContain("No findings");
  });

  test("names what the client did wrong, with one request as proof, and no key", async () => {
    const { code, stderr } = await exec(async (call, env) => {
      await call("/v1/impression", impression(env));
      await call(`/v1/publisher/stats?api_key=${env.ADSIM_API_KEY}`);
    });
    expect(code).toBe(0);
    expect(stderr).toContain("\n\n2 findings:\n\n✗ API keys in URLs: 1 request by pub_");
    expect(stderr).toMatch(/^ {4}#2 \S+Z GET \/v1\/publisher\/stats → 400, a key in the query$/m);
    expect(stderr).toContain("✗ Impressions without session_id: 1 request by pub_");
    expect(stderr).toContain("(spec §5)");
    expect(stderr).not.toMatch(/key_[0-9a-z]/);
    expect(Math.max(...stderr.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  test.each([
    ["no finding", 0, 0],
    ["a finding", 0, 1],
    ["a finding", 7, 7],
  ])(
    "with --fail-on-findings, %s and CMD's exit code %i adsim ends with %i",
    async (found, own, code) => {
      const ran = await exec(async (call, env) => {
        await call(found === "a finding" ? "/nowhere" : stats(env));
        return own;
      }, "--fail-on-findings");
      expect(ran.code).toBe(code);
    },
  );

  test("with --json --coverage, stdout has the report and the coverage as events", async () => {
    const { stdout } = await exec(client, "--json", "--coverage");
    const [report, coverage] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
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
    expect(coverage).toMatchObject({
      event: "coverage",
      groups: expect.arrayContaining([
        expect.objectContaining({ name: "operations", reached: ["stats", "impression"] }),
      ]),
    });
  });
});
