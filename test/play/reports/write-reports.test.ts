import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkReports, writeReports } from "../../../src/cli/output/reports.ts";
import { reportHtml } from "../../../src/play/reports/report-html.ts";
import { reportJunit } from "../../../src/play/reports/report-junit.ts";
import type { PlayResult } from "../../../src/scenario.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { brokenResult, playResult } from "./play-results.ts";

const textsOf = (result: PlayResult) => ({
  junit: () => reportJunit(result),
  json: () => JSON.stringify(result),
  html: () => reportHtml(result),
});

describe("report files", () => {
  test("of every kind are written, the old ones replaced, and nothing else is left", async () => {
    const place = temporaryFolder();
    const targets = (["junit", "json", "html"] as const).map((kind) => ({
      ...{ kind, file: join(place, `report.${kind}`) },
    }));
    await writeReports(targets, textsOf(playResult()), process.stderr);
    await writeReports(targets, textsOf(brokenResult()), process.stderr);
    const [junit, json, html] = await Promise.all(
      targets.map(({ file }) => readFile(file, "utf8")),
    );
    expect(junit).toMatch(/^<\?xml[\s\S]*<\/testsuites>\n$/);
    expect(JSON.parse(json ?? "")).toMatchObject({ result: "failed" });
    expect(html).toMatch(/^<!doctype html>[\s\S]*<svg[\s\S]*<\/html>\n$/);
    expect(await readdir(place)).toHaveLength(3);
  });

  test("that can't be written are named in the error, before any work and after it", async () => {
    const place = temporaryFolder();
    await mkdir(join(place, "taken"));
    for (const file of [join(place, "taken"), join(place, "nowhere", "report.json")]) {
      const targets = [{ kind: "json" as const, file }];
      const message = `--report json=${file} can't be written`;
      await expect(checkReports(targets)).rejects.toThrow(message);
      const writing = writeReports(targets, textsOf(playResult()), process.stderr);
      await expect(writing).rejects.toThrow(message);
    }
    expect(await readdir(place)).toEqual(["taken"]);
  });
});
