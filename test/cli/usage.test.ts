/** Help, and the errors about wrong usage. */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { fileOf } from "../temporary-folder.ts";
import { runAdsim, runAdsimOver } from "./run-adsim.ts";

describe("help", () => {
  test.each(["", "--help", "help"])("adsim %s shows every command on stdout", async (words) => {
    const { code, stdout, stderr } = await runAdsim(words === "" ? [] : [words]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^ {2}${name}\\b`, "m"));
    expect(stdout).toMatch(/^ {2}exec -- CMD .*\n[\s\S]*^ {2}fixtures --out <folder> /m);
  });

  test.each(commands.map(({ name }) => name))(
    "adsim %s --help says how to call it",
    async (name) => {
      const { code, stdout } = await runAdsim([name, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: adsim ${name} `));
      expect(stdout).toMatch(/^ {2}--json +write JSON|^ {2}--out <file> /m);
      expect(stdout).toMatch(/^ {2}--help +show help$/m);
      expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(130);
    },
  );

  test("adsim help COMMAND shows that command's help, and --version the version", async () => {
    const [usage] = (await runAdsim(["help", "export"])).stdout.split("\n");
    expect(usage).toBe("Usage: adsim export --to <tool> [options] <SCENARIO>");
    const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    const version = (await runAdsim(["--version"])).stdout.trim();
    expect(JSON.parse(manifest)).toMatchObject({ version });
  });
});

const noPort = "must be a whole number from 0 to 65535, not";

test.each([
  ["sevre", "unknown command 'sevre'. Did you mean serve? Commands: npx adsim --help\n"],
  ["help sevre", "unknown command 'sevre'. Did you mean serve? Commands: npx adsim --help\n"],
  ["deploy", "unknown command 'deploy'. Commands: npx adsim --help\n"],
  ["serve --outfile=x", "unknown option '--outfile=x'. Options: npx adsim serve --help\n"],
  ["serve --prot 1", "'--prot'. Did you mean --port? Options: npx adsim serve --help\n"],
  ["serve 8080", "unexpected '8080': serve takes no arguments."],
  ["record a b", "unexpected 'b': record takes only FILE."],
  ["openapi --successes=no", "--successes takes no value."],
  ["export busy-day", "--to <tool> is missing."],
  ["export --to ab x", "must be one of artillery, k6"],
  ["serve --log xml", "unexpected 'xml'"],
  ["serve --log=xml", "text, json, off"],
  ["play", "SCENARIO is missing. Give the name of a scenario (see: npx adsim scenarios)"],
  ["exec", "CMD"],
  ["matrix", "adsim matrix -- npm test"],
  ["serve --port", "--port needs a value"],
  ["exec --trace -- true", "--trace needs a value: --trace <file>."],
  ["serve --port http", noPort],
  ["serve --port 65536", noPort],
  ["serve --port=-1", noPort],
  ["serve --clock sundial", "system, frozen, flowing"],
  ["serve --profile huge", "typical, tiny, adversarial"],
  ["serve --port 0 --publishers 0", "--publishers must be a whole number from 1"],
  ["serve --port 0 --start soon", "--start must be an instant"],
  ["serve --port 0 --max-worlds 0", "--max-worlds"],
  ["serve --control-token=", "--control-token must not be empty"],
  ["serve --assume dedup.repeat", "KEY=CHOICE"],
  ["serve --port 0 --assume dedup.repaet=count", "dedup.repeat"],
  ["openapi --assume foo=bar", "See: npx adsim assumptions.\n"],
  ["openapi --assume dedup.repeat=never", "conflict"],
  ["openapi --publishers 0", "--publishers must be a whole number"],
  ["assumptions --clock system --start 9000-01-01", "--start must not be after"],
  ["assumptions dedup.nothing", "See: npx adsim assumptions"],
  ["matrix --jobs 0 -- true", "a whole number from 1"],
  ["matrix --strength 4 -- true", "1, 2, 3"],
  ["matrix --time-limit soon -- true", "--time-limit must be a duration from 1ms"],
  ["matrix --time-limit 0s -- true", "--time-limit must be a duration from 1ms"],
  ["matrix --report out.xml -- true", "junit=FILE"],
  ["matrix --only errors.x -- true", "not an assumption"],
  ["matrix --only errors.invalid --assume errors.invalid=422 -- true", "can't vary: you chose 422"],
])("adsim %s ends with 2 and one line that says what is wrong", async (words, expected) => {
  const { code, stdout, stderr } = await runAdsim(words.split(" "));
  expect(stderr).toContain(expected);
  expect(stderr.split("\n")).toHaveLength(2);
  expect([code, stdout]).toEqual([2, ""]);
});

test.each([
  ["", 7],
  [" ", 2],
])("a control token in the environment may be empty, but not blank: %j", async (token, code) => {
  const ran = await runAdsimOver(() => 7, ["exec"], { ADSIM_CONTROL_TOKEN: token });
  expect(ran.code).toBe(code);
  expect(ran.stderr.includes("--control-token must be visible ASCII")).toBe(code === 2);
});

test("a port in use ends with 3 and names the port", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const { code, stderr } = await runAdsim(["serve", "--port", String(port)]);
  expect(stderr).toContain(`Port ${port}`);
  expect(stderr).not.toContain("    at ");
  expect(code).toBe(3);
});

test("adsim assumptions lists every key, with the choice in force marked, or one as JSON", async () => {
  const { stdout } = await runAdsim(["assumptions", "--assume", "dedup.repeat=conflict"]);
  for (const key of Object.keys(catalogue)) expect(`\n${stdout}`).toContain(`\n${key}  (spec`);
  expect(stdout).toMatch(/^ {2}\* conflict/m);
  expect(stdout).toMatch(/^ {4}original-uncredited \(default\) {2}200/m);
  const one = await runAdsim(["assumptions", "date.timezone", "--json"]);
  const shown = { key: "date.timezone", ...catalogue["date.timezone"], inForce: "utc" };
  expect(JSON.parse(one.stdout)).toEqual(shown);
});

describe("--assumptions FILE", () => {
  test("sets choices, and --assume wins over it", async () => {
    const file = fileOf('\ufeff{ "dedup.repeat": "conflict", "errors.invalid": "422" }');
    const inForce = async (...args: readonly string[]): Promise<unknown> => {
      const words = ["assumptions", "dedup.repeat", "--json", "--assumptions", file, ...args];
      return JSON.parse((await runAdsim(words)).stdout).inForce;
    };
    expect(await inForce()).toBe("conflict");
    expect(await inForce("--assume", "dedup.repeat=count")).toBe("count");
  });

  test.each([
    ["isn't JSON", "{", "is not valid JSON"],
    ["is no object", "[]", 'such as {"dedup.repeat": "conflict"}'],
    ["has a choice that is no text", '{"auth.failure": 403}', "auth.failure must be a string"],
    ["has an unknown key", '{"dedup.repaet":"count"}', 'Did you mean "dedup.repeat"?'],
    ["has an unknown choice", '{"dedup.repeat":"never"}', "dedup.repeat has no choice"],
    ["isn't there", undefined, "can't be read"],
  ])("that %s is refused by name, with what is wrong", async (_, text, expected) => {
    const file = text === undefined ? "/no/such/file" : fileOf(text);
    const { code, stdout, stderr } = await runAdsim(["openapi", "--assumptions", file]);
    expect(stderr).toContain(`--assumptions ${file}: `);
    expect(stderr).toContain(expected);
    expect([code, stdout]).toEqual([2, ""]);
  });
});

test("--explain puts the assumptions that shaped an answer into a header", async () => {
  let header: unknown;
  await runAdsimOver(
    async ({ env }) => {
      const { headers } = await fetch(`${env.ADSIM_URL}/v1/click`, { method: "POST" });
      header = headers.get("x-adsim-assumptions");
    },
    ["exec", "--explain"],
  );
  expect(header).toContain("auth.failure");
});

test("adsim openapi follows the assumptions", async () => {
  const [byDefault, chosen] = await Promise.all([
    runAdsim(["openapi"]),
    runAdsim(["openapi", "--assume", "errors.invalid=422"]),
  ]);
  expect(Object.keys(JSON.parse(byDefault.stdout).paths)).toHaveLength(5);
  expect(chosen.stdout).not.toBe(byDefault.stdout);
});
