/** Help, and the errors about wrong usage. */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { fileOf } from "../temporary-folder.ts";
import { runAdsim, runAdsimOver } from "./run-adsim.ts";

const commonOptions = "seed start publishers profile assume assumptions json help".split(" ");

describe("help", () => {
  test.each([[[]], [["--help"]], [["help"]]])(
    "adsim %j shows every command on stdout",
    async (args) => {
      const { code, stdout, stderr } = await runAdsim(args);
      expect([code, stderr]).toEqual([0, ""]);
      for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^ {2}${name}\\b`, "m"));
      expect(stdout).toMatch(/^ {2}exec -- CMD .*\n[\s\S]*^ {2}fixtures --out <folder> /m);
      expect(stdout).toContain("Start with: npx adsim serve\n");
    },
  );

  test.each([
    ["serve", [...commonOptions, "clock", "port", "trace", "save-on-exit", "no-log"]],
    ["exec", [...commonOptions, "clock", "port", "trace", "fail-on-findings", "coverage"]],
    ["matrix", [...commonOptions, "clock", "strength", "jobs", "only", "report", "keep-output"]],
    ["replay", [...commonOptions, "target", "api-key", "wait", "differences"]],
    ["play", [...commonOptions, "target", "speed", "report", "api-key", "publisher", "surface"]],
    ["export", [...commonOptions, "to", "out", "target", "api-key", "publisher", "surface"]],
    ["record", ["name", "out", "sign-up", "help"]],
    ["scenarios", ["json", "help"]],
    ["fixtures", [...commonOptions, "out"]],
    ["assumptions", ["assume", "assumptions", "json", "help"]],
    ["openapi", [...commonOptions, "successes"]],
  ])("adsim %s --help names its options", async (command, options) => {
    const { code, stdout } = await runAdsim([command, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: adsim ${command} `));
    for (const option of options) expect(stdout).toMatch(new RegExp(`^ {2}--${option}\\b`, "m"));
    expect(stdout.includes("  --clock")).toBe(options.includes("clock"));
    expect(stdout.includes("  --seed")).toBe(options.includes("seed"));
    expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(130);
  });

  test("adsim help COMMAND shows that command's help, and --version the version", async () => {
    const { code, stdout } = await runAdsim(["help", "export"]);
    const [usage] = stdout.split("\n");
    expect([code, usage]).toEqual([0, "Usage: adsim export --to <tool> [options] <SCENARIO>"]);
    const manifest: unknown = JSON.parse(
      readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
    );
    expect(manifest).toMatchObject({ version: (await runAdsim(["--version"])).stdout.trim() });
  });
});

describe("wrong usage ends with 2 and says what is wrong", () => {
  test.each([
    [
      "an unknown command",
      ["sevre"],
      "unknown command 'sevre'. Did you mean serve? Commands: npx adsim --help\n",
    ],
    [
      "a command with no similar name",
      ["deploy"],
      "unknown command 'deploy'. Commands: npx adsim --help\n",
    ],
    [
      "an option with no similar name",
      ["serve", "--outfile=x"],
      "unknown option '--outfile=x'. Options: npx adsim serve --help\n",
    ],
    [
      "an assumption with no similar name",
      ["openapi", "--assume", "foo=bar"],
      "See: npx adsim assumptions.\n",
    ],
    [
      "an unknown option",
      ["serve", "--prot", "1"],
      "'--prot'. Did you mean --port? Options: npx adsim serve --help\n",
    ],
    ["a surplus argument", ["serve", "8080"], "unexpected '8080': serve takes no arguments."],
    ["two files", ["record", "a", "b"], "unexpected 'b': record takes only FILE."],
    ["a value of a flag", ["openapi", "--successes=no"], "--successes takes no value."],
    ["no tool", ["export", "busy-day"], "--to <tool> is missing."],
    ["a tool that isn't offered", ["export", "--to", "ab", "x"], "must be one of artillery, k6"],
    ["a format of the log that isn't offered", ["serve", "--log", "xml"], "text, json, off"],
    [
      "no scenario",
      ["play"],
      "SCENARIO is missing. Give the name of a scenario that comes with adsim",
    ],
    [
      "help for no command",
      ["help", "sevre"],
      "unknown command 'sevre'. Did you mean serve? Commands: npx adsim --help\n",
    ],
    ["an option without its value", ["serve", "--port"], "--port"],
    ["a port that is no number", ["serve", "--port", "http"], "a whole number from 0 to 65535"],
    ["a port out of range", ["serve", "--port", "65536"], "a whole number from 0 to 65535"],
    ["a negative port", ["serve", "--port=-1"], "a whole number from 0 to 65535"],
    ["an unknown clock", ["serve", "--clock", "sundial"], "frozen, flowing, system"],
    ["an unknown profile", ["serve", "--profile", "huge"], "typical, tiny, adversarial"],
    [
      "no publishers",
      ["serve", "--port", "0", "--publishers", "0"],
      "--publishers must be a whole number from 1",
    ],
    [
      "a start that is no instant",
      ["serve", "--port", "0", "--start", "soon"],
      "--start must be an instant",
    ],
    ["an assumption without a choice", ["serve", "--assume", "dedup.repeat"], "KEY=CHOICE"],
    [
      "an unknown assumption",
      ["serve", "--port", "0", "--assume", "dedup.repaet=count"],
      "dedup.repeat",
    ],
    ["an unknown choice", ["openapi", "--assume", "dedup.repeat=never"], "conflict"],
    ["an empty control token", ["serve", "--control-token", ""], "--control-token"],
    [
      "no room for the default world",
      ["serve", "--port", "0", "--max-worlds", "0"],
      "--max-worlds",
    ],
    ["an unknown KEY", ["assumptions", "dedup.nothing"], "See: npx adsim assumptions"],
    ["exec without CMD", ["exec"], "CMD"],
    ["matrix without CMD", ["matrix"], "adsim matrix -- npm test"],
    ["no jobs", ["matrix", "--jobs", "0", "--", "true"], "a whole number from 1"],
    ["a strength that isn't offered", ["matrix", "--strength", "4", "--", "true"], "1, 2, 3"],
    [
      "a time limit that is no duration",
      ["matrix", "--time-limit", "soon", "--", "true"],
      "--time-limit must be a duration from 1ms",
    ],
    [
      "no time at all",
      ["matrix", "--time-limit", "0s", "--", "true"],
      "--time-limit must be a duration from 1ms",
    ],
    [
      "--markdown with a KEY",
      ["assumptions", "--markdown", "dedup.key"],
      "leave out KEY and --json",
    ],
    ["--markdown with --json", ["assumptions", "--markdown", "--json"], "leave out KEY and --json"],
    ["a report without a kind", ["matrix", "--report", "out.xml", "--", "true"], "junit=FILE"],
    ["an unknown key to vary", ["matrix", "--only", "errors.x", "--", "true"], "not an assumption"],
    [
      "a key to vary that is pinned",
      [..."matrix --only errors.invalid --assume errors.invalid=422 -- true".split(" ")],
      "errors.invalid can't vary",
    ],
    ...["openapi", "assumptions"].flatMap(
      (command) =>
        [
          [
            `${command} for no publishers`,
            [command, "--publishers", "0"],
            "--publishers must be a whole number",
          ],
          [
            `${command} with an invalid start`,
            [command, "--start", "xx"],
            "--start must be an instant",
          ],
          [
            `${command} with a start after the system's clock`,
            [command, "--clock", "system", "--start", "9000-01-01"],
            "--start must not be after",
          ],
        ] satisfies [string, string[], string][],
    ),
  ])("%s", async (_, args, expected) => {
    const { code, stdout, stderr } = await runAdsim(args);
    expect(stderr).toContain(expected);
    expect(stderr.split("\n")).toHaveLength(2);
    expect([code, stdout]).toEqual([2, ""]);
  });
});

test.each(["", " "])(
  "an empty control token in the environment is ignored, a blank one refused: %j",
  async (token) => {
    const environment = { ADSIM_CONTROL_TOKEN: token };
    const { code, stderr } = await runAdsimOver(() => 7, ["exec"], environment);
    expect(stderr.includes("--control-token must be visible ASCII")).toBe(token === " ");
    expect(code).toBe(token === "" ? 7 : 2);
  },
);

test("a port in use ends with 3 and names the port", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    taken.close();
  });
  const { port } = taken.address() as AddressInfo;
  const { code, stderr } = await runAdsim(["serve", "--port", String(port)]);
  expect(stderr).toContain(`Port ${port}`);
  expect(stderr).not.toContain("    at ");
  expect(code).toBe(3);
});

describe("adsim assumptions", () => {
  test("lists every key, with the choice in force marked", async () => {
    const { code, stdout } = await runAdsim(["assumptions", "--assume", "dedup.repeat=conflict"]);
    expect(code).toBe(0);
    for (const key of Object.keys(catalogue))
      expect(stdout).toContain(`\n${key}  (spec`.slice(key === "request.encoding" ? 1 : 0));
    expect(stdout).toMatch(/^ {2}\* conflict/m);
    expect(stdout).toMatch(/^ {4}original-uncredited \(default\) {2}200/m);
    expect(stdout).toMatch(/\n\n\* marks the choice in force\.\n$/);
  });

  test("with KEY and --json gives that key as one JSON document", async () => {
    const { stdout } = await runAdsim(["assumptions", "date.timezone", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      key: "date.timezone",
      ...catalogue["date.timezone"],
      inForce: "utc",
    });
  });
});

describe("--assumptions FILE", () => {
  const inForce = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse((await runAdsim(["assumptions", "dedup.repeat", "--json", ...args])).stdout).inForce;

  test("sets choices, and --assume wins over it", async () => {
    const file = fileOf('\ufeff{ "dedup.repeat": "conflict", "errors.invalid": "422" }');
    expect(await inForce("--assumptions", file)).toBe("conflict");
    expect(await inForce("--assumptions", file, "--assume", "dedup.repeat=count")).toBe("count");
  });

  test.each([
    ["isn't JSON", "{", "is not valid JSON"],
    ["is no object", "[]", 'such as {"dedup.repeat": "conflict"}'],
    ["has a choice that is no text", '{"auth.failure": 403}', '"auth.failure"'],
    ["has an unknown key", '{"dedup.repaet":"count"}', 'Did you mean "dedup.repeat"?'],
    ["has an unknown choice", '{"dedup.repeat":"never"}', "dedup.repeat has no choice"],
    ["has __proto__ as a key", '{"__proto__":"count"}', "__proto__ is not an assumption"],
  ])("that %s is refused by name, with what is wrong", async (_, text, expected) => {
    const file = fileOf(text);
    const { code, stdout, stderr } = await runAdsim(["openapi", "--assumptions", file]);
    expect(stderr).toContain(`--assumptions ${file}: `);
    expect(stderr).toContain(expected);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("that can't be read is refused by name", async () => {
    const { code, stderr } = await runAdsim(["openapi", "--assumptions", "/no/such/file"]);
    expect(stderr).toContain("--assumptions /no/such/file: can't be read");
    expect(code).toBe(2);
  });

  test("isn't blamed for an error in --assume", async () => {
    const args = ["--assumptions", fileOf("{}"), "--assume", "dedup.repeat=never"];
    const { code, stderr } = await runAdsim(["openapi", ...args]);
    expect(stderr).toMatch(/^adsim: --assume: dedup\.repeat has no/);
    expect(code).toBe(2);
  });
});

test("--explain puts the open points that shaped an answer into a header", async () => {
  const explained = async (options: readonly string[]): Promise<unknown> => {
    let header: unknown;
    await runAdsimOver(
      async ({ env }) => {
        const { headers } = await fetch(`${env.ADSIM_URL}/v1/click`, { method: "POST" });
        header = headers.get("x-adsim-assumptions");
      },
      ["exec", ...options],
    );
    return header;
  };
  expect(await explained([])).toBe(null);
  expect(await explained(["--explain"])).toContain("auth.failure");
});

test("adsim openapi follows the assumptions", async () => {
  const [byDefault, chosen] = await Promise.all([
    runAdsim(["openapi"]),
    runAdsim(["openapi", "--assume", "errors.invalid=422"]),
  ]);
  expect(JSON.parse(byDefault.stdout)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
  expect(Object.keys(JSON.parse(byDefault.stdout).paths)).toHaveLength(5);
  expect(chosen.stdout).not.toBe(byDefault.stdout);
});
