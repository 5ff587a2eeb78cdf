/** `--trace` of `exec` and `serve`: the file, and what is said about it. */

import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Trace } from "../../src/inspector/trace.ts";
import { recordingIn } from "../inspector/recording-in.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Cmd, type Ran, runAdsimOver } from "./run-adsim.ts";

/** Records so many impressions in the world with this prefix. */
const client =
  (count: number, prefix = ""): Cmd =>
  async ({ env }) => {
    const headers = { authorization: `Bearer ${env.ADSIM_API_KEY}` };
    for (let number = 0; number < count; number += 1) {
      const body = new URLSearchParams({
        ...{ publisher_id: env.ADSIM_PUBLISHER_ID ?? "", surface: env.ADSIM_SURFACE_ID ?? "" },
        ...{ ad_id: "a", session_id: `s${number}` },
      });
      await fetch(`${env.ADSIM_URL}${prefix}/v1/impression`, { method: "POST", headers, body });
    }
  };

function exec(cmd: Cmd, ...options: readonly string[]): Promise<Ran> {
  return runAdsimOver(cmd, ["exec", ...options]);
}

/** Runs it with a CMD that must not run. */
async function refusal(...options: readonly string[]): Promise<string> {
  let hasRun = false;
  const { code, stderr } = await exec(
    () => {
      hasRun = true;
    },
    ...options,
  );
  expect(hasRun).toBe(false);
  return `${code} ${stderr}`;
}

function traceIn(file: string): Trace {
  return recordingIn(readFileSync(file, "utf8"));
}

describe("exec --trace", () => {
  test("writes all worlds that were used, says where, and keeps CMD's exit code", async () => {
    const file = join(temporaryFolder(), "trace");
    const both: Cmd = async (cmd) => {
      await client(3)(cmd);
      await client(2, "/@other")(cmd);
      return 7;
    };
    const { code, stderr } = await exec(both, "--trace", file);
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /adsim: wrote a trace to \S+trace \(\d+ kB\)\. Open it in a browser\.\n$/,
    );
    const { title, worlds } = traceIn(file);
    expect(title).toBe("adsim exec: client");
    expect(worlds).toMatchObject({
      default: { audit: { total: { applied: 3 } } },
      other: { audit: { total: { applied: 2 } } },
    });
  });

  test("ends with 3 if the file can't be written at the end", async () => {
    const file = join(temporaryFolder(), "trace.html");
    const removes: Cmd = () => rmSync(dirname(file), { recursive: true });
    const { code, stderr } = await exec(removes, "--trace", file);
    expect(code).toBe(3);
    expect(stderr).toContain(`adsim: --trace ${file} can't be written: there is no such file`);
  });

  test("refuses a folder before CMD runs", async () => {
    const folder = temporaryFolder();
    expect(await refusal("--trace", folder)).toBe(
      `3 adsim: --trace ${folder} can't be written: it is a folder. Name a file in a folder that exists.\n`,
    );
  });

  test("refuses to run without a journal", async () => {
    const file = join(temporaryFolder(), "trace.html");
    expect(await refusal("--trace", file, "--journal-entries", "0")).toMatch(
      /^2 .*a trace is made from the journal: leave --journal-entries 0 out/,
    );
  });

  test("names the worlds that it hasn't, because the server dropped them", async () => {
    const file = join(temporaryFolder(), "trace");
    const three: Cmd = async (cmd) => {
      for (const name of ["a", "b", "c"]) await client(1, `/@${name}`)(cmd);
    };
    const { stderr } = await exec(three, "--trace", file, "--max-worlds", "2");
    expect(stderr).toContain(
      "adsim: These worlds are missing, because the server dropped them to make room: a, b.\n",
    );
  });
});
