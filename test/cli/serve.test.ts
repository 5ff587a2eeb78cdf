/** `adsim serve` from start to end. */

import { execFile, spawn } from "node:child_process";
import { connect } from "node:net";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasCurl } from "../programs.ts";
import { type Adsim, startAdsim } from "./run-adsim.ts";

interface ReadyEvent {
  readonly event: string;
  readonly url: string;
  readonly inspector: string | undefined;
  readonly publishers: readonly {
    readonly id: string;
    readonly apiKey: string;
    readonly surfaces: readonly { readonly id: string }[];
  }[];
}

async function readyEvent(adsim: Adsim): Promise<ReadyEvent> {
  await adsim.waitFor("\n");
  return JSON.parse(adsim.stdout().split("\n", 1)[0] ?? "") as ReadyEvent;
}

async function serveJson(args: readonly string[] = []): Promise<[Adsim, ReadyEvent]> {
  const adsim = startAdsim(["serve", "--port", "0", "--json", ...args]);
  return [adsim, await readyEvent(adsim)];
}

describe("the ready message", () => {
  test.skipIf(!hasCurl)(
    "has one curl line for each operation, and each works as pasted",
    async () => {
      await expectWorkingLines([]);
    },
  );

  test.skipIf(!hasCurl).each(["json", "form", "query"])(
    "has lines that work if POST takes only %s",
    (encoding) =>
      expectWorkingLines([
        "--assume",
        `request.encoding=${encoding}`,
        "--assume",
        "ids.format=url-unsafe",
      ]),
  );

  async function expectWorkingLines(flags: readonly string[]): Promise<void> {
    const adsim = startAdsim(["serve", "--port", "0", ...flags]);
    await adsim.waitFor("/v1/publisher/payouts");
    const lines = adsim
      .stdout()
      .split("\n")
      .filter((line) => line.startsWith("curl "));
    expect(lines).toHaveLength(5);
    const shapes = ["impression_id", "click_id", "period", "cpm_range", "pending_inr"];
    for (const [index, line] of lines.entries()) {
      const { stdout } = await promisify(execFile)("sh", ["-c", `${line} -sS -f`]);
      expect(stdout).toContain(`"${shapes[index]}"`);
    }
  }

  test("is printable text in short lines even with adversarial names", async () => {
    const adsim = startAdsim(["serve", "--port", "0", "--profile", "adversarial", "--seed", "7"]);
    await adsim.waitFor("/v1/publisher/payouts");
    expect(adsim.stdout().replaceAll("\n", "")).not.toMatch(/\p{Cc}|\p{Cf}/u);
    for (const line of adsim.stdout().split("\n")) {
      if (!line.startsWith("curl ")) expect(line.length).toBeLessThan(120);
    }
  });

  test("with --json is one line with the first five publishers, whose keys work", async () => {
    const [adsim, ready] = await serveJson();
    expect(ready.event).toBe("ready");
    expect(ready.inspector).toBe(`${ready.url}/_sim/`);
    expect(adsim.stderr()).toContain(`See what happens there: ${ready.url}/_sim/\n`);
    expect(ready.publishers).toHaveLength(5);
    for (const { id, apiKey, surfaces } of ready.publishers) {
      const answer = await fetch(`${ready.url}/v1/publisher/surfaces?publisher_id=${id}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ surfaces: surfaces.map(({ id }) => ({ id })) });
    }
    expect(adsim.stdout().trimEnd().split("\n")).toHaveLength(1);
    expect(adsim.stderr()).toContain(ready.url);
  });
});

describe("options reach the server", () => {
  test("seed, start, clock, publishers and assumptions", async () => {
    const [, { url }] = await serveJson(
      "--seed s --start 2026-03-01T00:00:00Z --clock frozen --publishers 3 --assume auth.failure=403".split(
        " ",
      ),
    );
    const read = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
    expect(await read("/_sim/health")).toMatchObject({
      seed: "s",
      now: "2026-03-01T00:00:00.000Z",
    });
    expect(await read("/_sim/clock")).toMatchObject({ mode: "frozen" });
    expect(await read("/_sim/publishers")).toMatchObject({ total: 3 });
    expect((await fetch(`${url}/v1/publisher/stats`)).status).toBe(403);
  });

  test("a control token from the environment is required, and never printed", async () => {
    const adsim = startAdsim(["serve", "--port", "0", "--json"], { ADSIM_CONTROL_TOKEN: "t0ken" });
    const { url } = await readyEvent(adsim);
    expect((await fetch(`${url}/_sim/health`)).status).toBe(401);
    const headers = { authorization: "Bearer t0ken" };
    expect((await fetch(`${url}/_sim/health`, { headers })).status).toBe(200);
    expect(adsim.stdout() + adsim.stderr()).not.toContain("t0ken");
  });
});

test.each([
  ["0.0.0.0", [], 403, true],
  ["0.0.0.0", ["--control-token", "t0ken"], 401, false],
  ["localhost", [], 200, false],
] as const)(
  "on %s with %j the control API answers %i; stderr says how to open it: %s",
  async (host, more, status, isSaid) => {
    const [adsim, { url, inspector }] = await serveJson(["--host", host, ...more]);
    expect(inspector).toBe(isSaid ? undefined : `${url}/_sim/`);
    expect(adsim.stderr().includes("See what happens there")).toBe(!isSaid);
    expect((await fetch(`${url}/_sim/health`)).status).toBe(status);
    expect(adsim.stderr().includes("Give --control-token to open it")).toBe(isSaid);
  },
);

test("the inspector's address says to clients that aren't browsers what it is for", async () => {
  const [, { url }] = await serveJson();
  const answer = await fetch(`${url}/_sim/`);
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("The inspector at /_sim/ is for whoever accepts text/html");
});

test("a port that fetch refuses is named at the start", async () => {
  const adsim = startAdsim(["serve", "--port", "6000"]);
  await adsim.waitFor("/v1/publisher/payouts");
  expect(adsim.stderr()).toMatch(/^adsim: browsers and fetch refuse to call port 6000 /);
});

describe("the end of the server", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s gives exit code 0", async (signal) => {
    const [adsim, { url }] = await serveJson();
    await (await fetch(`${url}/_sim/health`)).text();
    adsim.signal(signal);
    expect(await adsim.ended).toEqual({ code: 0, signal: null });
    await expect(fetch(`${url}/_sim/health`)).rejects.toThrow();
  });

  test("a request in flight is answered first, even if a second signal follows at once", async () => {
    const [adsim, { url, publishers }] = await serveJson();
    const [publisher] = publishers;
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const body = `publisher_id=${publisher?.id}&surface=${publisher?.surfaces[0]?.id}&ad_id=a`;
    const head = `POST /v1/impression HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${publisher?.apiKey}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`;
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    await new Promise<void>((resolve) => socket.write(head + body.slice(0, 5), () => resolve()));
    // Once another connection was answered, the server has seen the head of the first.
    await (await fetch(`${url}/_sim/health`)).text();
    adsim.signal("SIGINT");
    adsim.signal("SIGTERM");
    while (!adsim.stderr().includes("closing")) await new Promise(setImmediate);
    socket.write(body.slice(5));
    expect(await adsim.ended).toEqual({ code: 0, signal: null });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"ok":true');
  });

  // As a supervisor does. npm's own exit code depends on its shell.
  test("after npm start SIGTERM to npm ends the server too", async () => {
    const npm = spawn("npm", ["start", "--", "--port", "0", "--json"], {
      cwd: new URL("../..", import.meta.url),
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { pid = Number.NaN } = npm;
    let isOver = false;
    onTestFinished(() => {
      if (!isOver) process.kill(-pid, "SIGKILL");
    });
    // `close` comes once no process has stdout and stderr open, so after the end of the server.
    const over = new Promise<void>((resolve) => npm.once("close", () => resolve()));
    let stderr = "";
    npm.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    let stdout = "";
    npm.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (/^\{.*\}\n/m.test(stdout)) process.kill(pid, "SIGTERM");
    });
    await over;
    isOver = true;
    expect(stderr).toContain("closing");
    const { url } = JSON.parse(/^\{.*\}$/m.exec(stdout)?.[0] ?? "{}");
    await expect(fetch(`${url}/_sim/health`)).rejects.toThrow();
  });
});
