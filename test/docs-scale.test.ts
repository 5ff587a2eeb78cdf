/** docs/scale.md: its commands run as they stand, at servers of ours. */

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { entry } from "./cli/run-adsim.ts";
import { serverFor } from "./play/targets/remote-world.ts";
import { snippetsIn } from "./run-snippet.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/scale.md"), "utf8");

function sectionOf(title: string): string {
  const section = page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0];
  if (section === undefined) throw new Error(`docs/scale.md has no section "${title}".`);
  return section;
}

/** Runs shell lines with the sources in place of the package, and servers of ours in place of the page's ports. */
async function shell(lines: string, urls: Readonly<Record<string, string>>): Promise<string> {
  let here = lines.replaceAll(/^npx adsim /gm, `"${process.execPath}" "${entry}" `);
  for (const [port, url] of Object.entries(urls))
    here = here.replaceAll(`http://127.0.0.1:${port}`, url);
  const folder = temporaryFolder();
  const [scenario] = snippetsIn(sectionOf("Load from many workers"), "json");
  // A test must not depend on how fast the machine is.
  writeFileSync(join(folder, "rush.json"), (scenario ?? "").replace("p99 < 500ms", "p99 < 1h"));
  const { stdout } = await promisify(execFile)("sh", ["-e", "-c", here], { cwd: folder });
  return stdout;
}

test("the commands for all replicas run", async () => {
  const [first, second] = [
    await serverFor({ clock: "frozen" }),
    await serverFor({ clock: "frozen" }),
  ];
  const [lines = ""] = snippetsIn(sectionOf("One control request for all replicas"), "sh");
  const output = await shell(lines, { 4011: first.url, 4012: second.url });
  expect(output).toContain('"now": "2026-01-15T01:00:00.000Z"');
  expect(output).toContain('"balanced": true');
});

test("two workers send what they should, and merge proves it", async () => {
  const { url } = await serverFor({ clock: "system" });
  const [lines = ""] = snippetsIn(sectionOf("Load from many workers"), "sh");
  const output = await shell(lines, { 4010: url });
  expect(output).toContain("✓ held  rush: everything came out as expected");
  expect(output).toContain("✓ audit  audit of 1 target");
});
