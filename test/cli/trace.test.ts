/** `exec --trace` and `serve --trace-on-exit`: the file, and what is said about it. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Trace } from "../../src/inspector/trace.ts";
import { recordingIn } from "../inspector/recording-in.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runAdsim, startAdsim } from "./run-adsim.ts";

const client = (count: number, prefix = "", exitCode = 0): string => `
{
  const { ADSIM_URL, ADSIM_API_KEY, ADSIM_PUBLISHER_ID, ADSIM_SURFACE_ID } = process.env;
  const send = (number) => fetch(ADSIM_URL + "${prefix}/v1/impression", {
    method: "POST",
    headers: { authorization: "Bearer " + ADSIM_API_KEY, "content-type": "application/json" },
    body: JSON.stringify({ publisher_id: ADSIM_PUBLISHER_ID, surface: ADSIM_SURFACE_ID, ad_id: "a", session_id: "s" + number }),
  });
  (async () => {
    for (let number = 0; number < ${count}; number += 1) await send(number);
    process.exitCode ||= ${exitCode};
  })();
}`;

function exec(script: string, options: readonly string[]): ReturnType<typeof runAdsim> {
  return runAdsim(["exec", ...options, "--", process.execPath, "-e", script]);
}

function traceIn(file: string): Trace {
  return recordingIn(readFileSync(file, "utf8"));
}

describe("exec --trace", () => {
  test("writes all worlds that were used, says where, and keeps CMD's exit code", async () => {
    const file = join(temporaryFolder(), "trace");
    const { code, stderr } = await exec(client(3, "", 7) + client(2, "/@other"), ["--trace", file]);
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /adsim: wrote a trace to \S+trace \(\d+ kB\)\. Open it in a browser\.\n$/,
    );
    const { title, worlds } = traceIn(file);
    expect(title).toMatch(/^adsim exec: node/);
    expect(worlds).toMatchObject({
      default: { audit: { total: { applied: 3 } } },
      other: { audit: { total: { applied: 2 } } },
    });
  });

  test("keeps CMD's exit code, also if the file can't be written at the end", async () => {
    const file = join(temporaryFolder(), "folder", "trace.html");
    mkdirSync(dirname(file));
    const removed = `fs.rmSync(${JSON.stringify(dirname(file))}, { recursive: true });`;
    const { code, stderr } = await exec(`${removed} process.exitCode = 5;`, ["--trace", file]);
    expect(code).toBe(5);
    expect(stderr).toContain(
      `adsim: ${file}: the trace can't be written: there is no such file or folder.`,
    );
  });

  test("replaces an earlier file and leaves nothing else", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "trace.html");
    writeFileSync(file, "before");
    const { stderr } = await exec(client(1), ["--trace", file]);
    expect(stderr).toContain("which replaced the file that was there. Open it in a browser.");
    expect(readdirSync(folder)).toEqual(["trace.html"]);
  });

  test.each([
    ["a folder", (): string => temporaryFolder(), "it is a folder"],
    [
      "a folder that doesn't exist",
      (): string => join(temporaryFolder(), "a", "b"),
      "no such file or folder",
    ],
  ])("refuses %s before CMD runs", async (_, place, why) => {
    const mark = join(temporaryFolder(), "ran");
    const file = place();
    const { code, stderr } = await exec(`fs.writeFileSync(${JSON.stringify(mark)}, "")`, [
      "--trace",
      file,
    ]);
    expect([code, existsSync(mark)]).toEqual([3, false]);
    expect(stderr).toContain(`${file}: the trace can't be written: `);
    expect(stderr).toContain(why);
  });

  test("refuses to run without a journal", async () => {
    const file = join(temporaryFolder(), "trace.html");
    const { code, stderr } = await exec("", ["--trace", file, "--journal-entries", "0"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "a trace is made from the journal, which --journal-entries 0 turns off",
    );
  });

  test.each([
    ["--save-on-exit", "the file of --save-on-exit"],
    ["--load", "the file of --load"],
    ["--faults", "the file of --faults"],
    ["--scenario", "the file of --scenario"],
  ])("doesn't replace the file of %s", async (option, said) => {
    const file = join(temporaryFolder(), "same.json");
    writeFileSync(file, "[]");
    const { code, stderr } = await exec("", ["--trace", file, option, file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`adsim: the trace would replace ${file}, ${said}.`);
    expect(readFileSync(file, "utf8")).toBe("[]");
  });

  test("doesn't replace them behind links either, nor before they exist", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const options = ["--trace", join(folder, "link/o"), "--save-on-exit", join(folder, "real/o")];
    const { code, stderr } = await exec("", options);
    expect(code).toBe(2);
    expect(stderr).toContain("the file of --save-on-exit");
  });

  test("refuses links that lead round in a circle", async () => {
    const folder = temporaryFolder();
    const [one = "", other = ""] = ["one", "other"].map((name) => join(folder, name));
    symlinkSync(one, other);
    symlinkSync(other, one);
    const { code, stderr } = await exec("", ["--trace", one, "--save-on-exit", join(folder, "s")]);
    expect(code).toBe(3);
    expect(stderr).toContain("the trace can't be written");
  });

  test("doesn't take the -- before CMD for its file", async () => {
    const { code, stderr } = await runAdsim(["exec", "--trace", "--", process.execPath, "-e", "1"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--trace <file>' argument '--' is invalid. It is missing.");
    expect(existsSync("--")).toBe(false);
  });

  test("names the worlds that it hasn't, because the server dropped them", async () => {
    const file = join(temporaryFolder(), "trace");
    const script = client(1, "/@a") + client(1, "/@b") + client(1, "/@c");
    const { stderr } = await exec(script, ["--trace", file, "--max-worlds", "2"]);
    expect(stderr).toContain(
      "adsim: Without these worlds, which the server dropped to make room: a, b.\n",
    );
  });

  test("has what was done by hand after a scenario's end", async () => {
    const file = join(temporaryFolder(), "trace");
    const steps = `(async () => {
      const { ADSIM_URL } = process.env;
      const post = (path, body) => fetch(new URL("/_sim/" + path, ADSIM_URL), {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
      });
      await post("faults", { id: "busy", verdict: { kind: "respond", status: 503 } });
      await post("clock/advance", { by: "1h" });
      await fetch(ADSIM_URL + "/v1/click", { method: "POST" });
    })();`;
    const { code } = await exec(steps, [
      "--scenario",
      "click-first",
      "--clock",
      "frozen",
      "--trace",
      file,
    ]);
    expect(code).toBe(0);
    const { events } = traceIn(file).worlds.default ?? {};
    expect(events).toMatch(/fault rule busy added: respond.*clock advanced by 1 h/);
  });

  test("goes on from a scenario's end", async () => {
    const file = join(temporaryFolder(), "trace.html");
    await exec(client(2), ["--trace", file, "--scenario", "click-first"]);
    expect(traceIn(file).worlds.default).toMatchObject({ "journal?limit=1": { total: 2 } });
  });
});

test("serve --trace-on-exit writes after the last answer", async () => {
  const file = join(temporaryFolder(), "trace.html");
  const adsim = startAdsim(["serve", "--port", "0", "--json", "--trace-on-exit", file]);
  await adsim.waitFor("\n");
  const { url, publishers } = JSON.parse(adsim.stdout().split("\n")[0] ?? "");
  const headers = { authorization: `Bearer ${publishers[0].apiKey}` };
  await fetch(`${url}/v1/publisher/surfaces?publisher_id=${publishers[0].id}`, { headers });
  adsim.signal("SIGTERM");
  expect((await adsim.ended).code).toBe(0);
  expect(adsim.stderr()).toMatch(/wrote a trace to/);
  expect(traceIn(file).worlds.default).toMatchObject({ "journal?limit=1": { total: 1 } });
});
