/** The README keeps its promises: its snippets run, its commands exist, its counts are right. */

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { shippedScenarios } from "../src/adapters/shipped-scenarios.ts";
import { startServer } from "../src/server.ts";
import { rules } from "../src/testing/contract/rules.ts";
import { runAdsim, runAdsimIn } from "./cli/run-adsim.ts";
import { snippetsIn } from "./page-blocks.ts";
import { hasCurl } from "./programs.ts";
import { fromSource } from "./run-snippet.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const readme = await readFile(join(root, "README.md"), "utf8");
const manifest: { readonly scripts: Readonly<Record<string, string>>; readonly version: string } =
  JSON.parse(await readFile(join(root, "package.json"), "utf8"));

const shellLines = snippetsIn(readme, "sh").flatMap((text) => text.trim().split("\n"));

test("every snippet is of a kind that these tests know", () => {
  const languages = Array.from(readme.matchAll(/^```(.+)$/gm), ([, language]) => language);
  expect(languages.length).toBeGreaterThan(6);
  for (const language of languages) expect(["js", "sh"]).toContain(language);
  for (const line of shellLines) expect(line).toMatch(/^(npm|npx|node|curl) /);
});

test("the README says how many rules the contract has, and how many scenarios are shipped", async () => {
  expect(readme).toContain(`[${rules.length} rules]`);
  expect(readme).toContain(`[${shippedScenarios.length} scenarios]`);
});

test("the README has fewer than 180 lines and begins with the command that starts a server", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThan(180);
  expect(snippetsIn(readme, "sh")[0]).toBe("npm ci && npm start\n");
});

describe("the command", () => {
  let url = "";
  beforeAll(async () => {
    // `npm start` has no options either, so ids and keys in the commands are those of the default seed.
    expect(manifest.scripts.start).toMatch(/ src\/cli\/main\.ts serve$/);
    const server = await startServer({ port: 0 });
    url = server.url;
    return () => server.close();
  });

  const curlLines = shellLines.filter((line) => line.startsWith("curl "));
  test.skipIf(!hasCurl).each(curlLines)("%s gets JSON", async (line) => {
    expect(line).toContain("http://127.0.0.1:4010/");
    const here = line.replaceAll("http://127.0.0.1:4010", url);
    const { stdout } = await run("sh", ["-c", `${here} --silent --show-error --fail`]);
    expect(() => JSON.parse(stdout)).not.toThrow();
  });

  test.each(shellLines.filter((line) => line.startsWith("npm ")))(
    "%s runs scripts that exist",
    (line) => {
      for (const command of line.split(" && ")) {
        const [, script = "", ...rest] = command.replace(/^npm run /, "npm ").split(" ");
        if (script === "install") {
          expect(rest).toEqual(["--save-dev", `./adsim-${manifest.version}.tgz`]);
        } else {
          expect(["ci", "pack", ...Object.keys(manifest.scripts)]).toContain(script);
          expect(rest).toEqual([]);
        }
      }
    },
  );
});

describe("in the five minutes", () => {
  const [client = "", inProcess = "", overHttp = "", ...others] = snippetsIn(readme, "js");

  async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries({ "ads.mjs": client, ...files })) {
      expect(readme).toContain(`\`${name}\``);
      await writeFile(join(folder, name), fromSource(text));
    }
    return folder;
  }

  const own = { ...process.env, NODE_TEST_CONTEXT: undefined };

  test("the test in process is green", async () => {
    expect(others).toEqual([]);
    const name = "in-process.test.mjs";
    expect(readme).toContain(`\`node --test ${name}\``);
    const cwd = await folderWith({ [name]: inProcess });
    const { stdout } = await run(process.execPath, ["--test", name], { cwd, env: own });
    expect(stdout).toMatch(/pass 1\b/);
  });

  test("without a session_id it is red, and says how many were recorded", async () => {
    const name = "in-process.test.mjs";
    const wrong = inProcess.replace(', session_id: "s-1" }', " }");
    expect(wrong).not.toBe(inProcess);
    const cwd = await folderWith({ [name]: wrong });
    const running = run(process.execPath, ["--test", name], { cwd, env: own });
    await expect(running).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("client: 1, ledger: 2"),
    });
  });

  test("the test over HTTP is green in adsim exec, which prints its report", async () => {
    const name = "over-http.test.mjs";
    expect(shellLines).toContain(`npx adsim exec -- node --test ${name}`);
    const cwd = await folderWith({ [name]: overHttp });
    const args = ["exec", "--", process.execPath, "--test", name];
    const { stdout, stderr } = await runAdsimIn(cwd, args);
    expect(stdout).toMatch(/pass 1\b/);
    expect(stdout + stderr).toContain("adsim: 1 request");
  });
});

test("the README names every command and no other", async () => {
  const commands = new Set(Array.from(readme.matchAll(/`adsim ([a-z]+)/g), ([, name]) => name));
  const { stdout } = await runAdsim(["--help"]);
  const real = [...stdout.matchAll(/^ {2}(\w+) .*$/gm)].map(([, name = ""]) => name);
  expect([...commands].sort()).toEqual(real.filter((name) => name !== "help").sort());
});
