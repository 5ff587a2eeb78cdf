import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { LineHost } from "../../../src/cli/output/progress-line.ts";
import { reportOption } from "../../../src/cli/output/report-option.ts";
import { checkReports } from "../../../src/cli/output/reports.ts";
import { createProgress, type PlayState } from "../../../src/cli/play/progress.ts";
import { writePlayReports } from "../../../src/cli/play/write-reports.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { brokenResult, playResult } from "./play-results.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("--report", () => {
  const KINDS = ["junit", "json", "html"] as const;
  function parsed(...args: string[]): unknown {
    const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    return command.addOption(reportOption(KINDS)).parse(args, { from: "user" }).opts().report;
  }

  test("takes several kinds, after a comma or given again, and paths with commas", () => {
    expect(parsed("--report", "junit=a.xml,html=b,c.html", "--report", "json=d=e.json")).toEqual([
      { kind: "junit", file: "a.xml" },
      { kind: "html", file: "b,c.html" },
      { kind: "json", file: "d=e.json" },
    ]);
  });

  test.each(["out.xml", "junit", "junit=", "=a", "pdf=a", "html=a,pdf=b"])(
    "refuses %s, and says what is allowed",
    (text) => {
      expect(() => parsed("--report", text)).toThrow(
        "It must be junit=FILE, json=FILE, html=FILE, or several with commas between.",
      );
    },
  );
});

describe("report files", () => {
  test("of every kind are written, the old ones replaced, and nothing else is left", async () => {
    const place = temporaryFolder();
    const targets = (["junit", "json", "html"] as const).map((kind) => ({
      ...{ kind, file: join(place, `report.${kind}`) },
    }));
    await writePlayReports(targets, playResult(), process.stderr);
    await writePlayReports(targets, brokenResult(), process.stderr);
    const [junit, json, html] = await Promise.all(
      targets.map(({ file }) => readFile(file, "utf8")),
    );
    expect(junit).toMatch(/^<\?xml[\s\S]*<\/testsuites>\n$/);
    expect(JSON.parse(json ?? "")).toMatchObject({ result: "failed" });
    expect(html).toMatch(/^<!doctype html>[\s\S]*<svg[\s\S]*<\/html>\n$/);
    expect(await readdir(place)).toHaveLength(3);
  });

  test("behind a link are written to where it leads", async () => {
    const place = temporaryFolder();
    await writeFile(join(place, "real.json"), "old");
    await symlink("real.json", join(place, "link.json"));
    await writePlayReports(
      [{ kind: "json", file: join(place, "link.json") }],
      playResult(),
      process.stderr,
    );
    expect(await readFile(join(place, "real.json"), "utf8")).toContain('"version": 1');
    expect(await readdir(place)).toEqual(["link.json", "real.json"]);
  });

  test("that can't be written are named in the error, before any work and after it", async () => {
    const place = temporaryFolder();
    await mkdir(join(place, "taken"));
    for (const file of [join(place, "taken"), join(place, "nowhere", "report.json")]) {
      const targets = [{ kind: "json" as const, file }];
      const message = `--report json=${file} can't be written`;
      await expect(checkReports(targets)).rejects.toThrow(message);
      await expect(writePlayReports(targets, playResult(), process.stderr)).rejects.toThrow(
        message,
      );
    }
    expect(await readdir(place)).toEqual(["taken"]);
  });
});

describe("progress", () => {
  function terminalOf(
    { isTTY = true, columns = 200 } = {},
    env: LineHost["env"] = {},
  ): LineHost & { readonly written: string[] } {
    const written: string[] = [];
    const write = (text: unknown): boolean => {
      written.push(String(text));
      return true;
    };
    return { stderr: { isTTY, columns, write }, env, written };
  }
  const state: PlayState = {
    ...{ done: 2, planned: 8, sent: 250, errors: 3, elapsedMs: 500 },
  };

  test("on a terminal is one line with the step, rate, errors and the time left", () => {
    const terminal = terminalOf();
    const progress = createProgress(terminal);
    progress.update(state);
    expect(terminal.written).toEqual([
      "\r\u001b[K[======                  ] step 3 of 8, 500/s, 3 errors, 2 s left",
    ]);
    progress.done();
    expect(terminal.written.at(-1)).toBe("\r\u001b[K");
  });

  test("in real time counts down the planned waiting, and is redrawn while nothing happens", () => {
    const terminal = terminalOf();
    const progress = createProgress(terminal);
    progress.update({ done: 1, planned: 2, leftMs: 7_200_000, elapsedMs: 1000 });
    expect(terminal.written.at(-1)).toContain("] step 2 of 2, 2 h left");
    progress.update({ elapsedMs: 61_000 });
    expect(terminal.written.at(-1)).toContain("] step 2 of 2, 1 h 59 min left");
  });

  test("is drawn ten times a second at most, with the rate of the last second", () => {
    const terminal = terminalOf();
    const progress = createProgress(terminal);
    for (let elapsedMs = 0; elapsedMs < 3000; elapsedMs += 10) {
      const sent = elapsedMs < 2000 ? elapsedMs : 2000 + (elapsedMs - 2000) * 5;
      progress.update({ ...state, elapsedMs, sent });
    }
    expect(terminal.written).toHaveLength(30);
    expect(terminal.written.at(-2)).toContain(", 1,000/s");
    progress.update({ ...state, elapsedMs: 3000, sent: 7000 });
    expect(terminal.written.at(-1)).toContain(", 5,000/s");
  });

  test("counts steps, and leaves out what it can't know if nothing is planned or sent", () => {
    const terminal = terminalOf();
    const steps = createProgress(terminal);
    const quiet = { sent: 0 };
    steps.update({ ...state, ...quiet, done: 2, planned: 9 });
    expect(terminal.written.at(-1)).toContain("] step 3 of 9, 2 s left");
    steps.update({ ...state, ...quiet, done: 9, planned: 9, elapsedMs: 700 });
    expect(terminal.written.at(-1)).toMatch(/\[={24}\] step 9 of 9$/);
    steps.update({ ...state, planned: 0, elapsedMs: 2000 });
    expect(terminal.written.at(-1)).toContain("250 requests, 125/s, 3 errors");
  });

  test("fits the terminal's width", () => {
    const narrow = terminalOf({ columns: 40 });
    createProgress(narrow).update(state);
    expect(narrow.written.at(-1)).toHaveLength("\r\u001b[K".length + 39);
  });

  test.each([
    ["a stream that isn't a terminal", false, ""],
    ["a terminal in a build", true, "true"],
  ])("writes nothing on %s", (_, isTTY, ci) => {
    const other = terminalOf({ isTTY }, { CI: ci });
    const progress = createProgress(other);
    progress.update(state);
    progress.done();
    expect(other.written).toEqual([]);
  });
});
