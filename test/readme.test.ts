/** The README keeps its promises: every snippet in it runs, every table matches what there is. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { startServer } from "../src/server.ts";
import { catalogue, type OpenPoint } from "../src/spec/assumptions/catalogue.ts";
import { runAdsim } from "./cli/run-adsim.ts";
import { hasCurl } from "./programs.ts";
import { runSnippet } from "./run-snippet.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const readme = await readFile(join(root, "README.md"), "utf8");
const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  await readFile(join(root, "package.json"), "utf8"),
);

interface Snippet {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

const snippets: readonly Snippet[] = [...readme.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", text = ""], index, all) => ({
    language,
    text,
    line: readme.slice(0, all[index]?.index).split("\n").length,
  }),
);
const shellLines = snippets
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.trim().split("\n"));

test("every snippet is of a kind that is run below", () => {
  expect(snippets.length).toBeGreaterThan(8);
  for (const { language, line } of snippets)
    expect(["ts", "sh", "text"], `line ${line}`).toContain(language);
  for (const line of shellLines) expect(line).toMatch(/^(npm|curl) /);
});

test("it counts the assumptions, and shows what matrix says of a client that relies on 429", () => {
  expect(readme).toContain(`is silent in ${Object.keys(catalogue).length} places`);
  const [text] = snippets.filter(({ language }) => language === "text");
  const { caution, choices, default: usual }: OpenPoint = catalogue["limit.exceeded"];
  const others = Object.keys(choices).filter((name) => name !== usual);
  expect(text?.text).toContain(`limit.exceeded ≠ ${others.join(", ")}\n`);
  expect(text?.text).toContain(`Don't rely on: ${caution}\n`);
});

test("it is shorter than 250 lines and begins with the two commands", () => {
  expect(readme.split("\n").length).toBeLessThan(250);
  expect(snippets[0]?.text).toBe("npm ci && npm start\nnpm ci && npm test\n");
});

describe("shell", () => {
  let url = "";
  beforeAll(async () => {
    // `npm start` has no options either, so that what the lines hold is the default seed's.
    expect(manifest.scripts.start).toBe("exec node src/cli/main.ts serve");
    const server = await startServer({ port: 0 });
    url = server.url;
    return () => server.close();
  });

  const curlLines = shellLines.filter((line) => line.startsWith("curl "));
  test.skipIf(!hasCurl).each(curlLines)("%s", async (line) => {
    expect(line).toContain("http://127.0.0.1:4010/");
    const here = line.replaceAll("http://127.0.0.1:4010", url);
    const { stdout } = await run("sh", ["-c", `${here} --silent --show-error --fail`]);
    expect(() => JSON.parse(stdout)).not.toThrow();
  });

  test.each(shellLines.filter((line) => line.startsWith("npm ")))("%s", async (line) => {
    for (const command of line.split(" && ")) {
      const [, script = "", ...rest] = command.replace(/^npm run /, "npm ").split(" ");
      if (script !== "ci") expect(Object.keys(manifest.scripts)).toContain(script);
      if (rest.length > 0) await expectOptions("serve", rest);
    }
  });
});

async function expectOptions(command: string, words: readonly string[]): Promise<void> {
  expect(words[0]).toBe("--");
  const { stdout } = await runAdsim([command, "--help"]);
  for (const word of words.slice(1)) {
    if (word.startsWith("--")) expect(stdout).toMatch(new RegExp(`^ {2}${word} `, "m"));
  }
}

describe("TypeScript", () => {
  test.each(snippets.filter(({ language }) => language === "ts"))(
    "line $line",
    async ({ text }) => {
      const expected = [...text.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(
        ([, value]) => value,
      );
      expect(expected.length).toBe(text.split("console.log(").length - 1);
      const stdout = await runSnippet(text);
      expect(stdout.trimEnd().split("\n")).toEqual(expected);
    },
  );
});

test("the table of commands has every one and no other", async () => {
  const commands = [...readme.matchAll(/^\| `adsim (\w+)/gm)].map(([, name = ""]) => name);
  const { stdout } = await runAdsim(["--help"]);
  const real = [...stdout.matchAll(/^ {2}(\w+) .*$/gm)].map(([, name = ""]) => name);
  expect(commands.sort()).toEqual(real.filter((name) => name !== "help").sort());
});

test("every page that it points to is there", async () => {
  const pages = [...readme.matchAll(/\]\((docs\/[^)#]+)/g)].map(([, path = ""]) => path);
  expect(pages.length).toBeGreaterThan(5);
  for (const path of pages)
    expect((await readFile(join(root, path), "utf8")).length).toBeGreaterThan(500);
});
