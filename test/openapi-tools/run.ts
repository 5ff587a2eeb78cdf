/**
 * Gives the API's document to other people's tools, at the versions of the package.json beside this file: a linter, a client
 * generator, a validating proxy, and a tool that sends the examples. A script, since it takes a minute and the network.
 */

import { equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startServer } from "../../src/server.ts";
import { check, endChecks } from "../package/checks.ts";
import { inFolder, newProject, type Project } from "../package/project.ts";
import { freePort, untilAnswered } from "../ports.ts";
import { session } from "./session.ts";

const adsim = join(import.meta.dirname, "../../src/cli/main.ts");
const server = await startServer({ port: 0 });
const { faults, publishers } = server.worlds.get("default");
const { id, apiKey, surfaces } = publishers.at(0);

const compilerOptions = {
  ...{ target: "es2022", lib: ["es2023", "dom", "dom.iterable"], types: ["node"] },
  ...{ module: "nodenext", strict: true, noEmit: true, noUncheckedIndexedAccess: true },
  ...{ allowImportingTsExtensions: true, skipLibCheck: true },
};

async function tryTools(project: Project): Promise<void> {
  const tool = (name: string, ...args: readonly string[]): Promise<string> =>
    project.node(join("node_modules/.bin", name), ...args);
  await check("redocly: no error, no warning", async () => {
    const out = await tool("redocly", "lint", "--format=json", "openapi.json");
    const totals = Array.from(out.matchAll(/"(?:errors|warnings)": (\d+)/g), ([, count]) => count);
    equal(totals.join(), "0,0", out);
  });
  await check("openapi-typescript: the types of a session with openapi-fetch fit", async () => {
    await tool("openapi-typescript", "openapi.json", "--output", "api.ts");
    await tool("tsc", "-p", ".");
  });
  await throughPrism(project);
  await check("dredd: every success is as `adsim openapi --successes` documents it", async () => {
    const header = ["--header", `Authorization: Bearer ${apiKey}`];
    const out = await tool("dredd", "successes.json", server.url, "--loglevel=error", ...header);
    match(out, /\b5 passing, 0 failing, 0 errors\b/);
  });
}

/** With `--errors` Prism answers in the service's place where a request or a response contradicts the document. */
async function throughPrism({ path, node }: Project): Promise<void> {
  const port = await freePort();
  const proxy = `http://127.0.0.1:${port}`;
  const words = ["proxy", "openapi.json", server.url, "--errors", "--port", String(port)];
  const options = { cwd: path, stdio: "ignore" } as const;
  const child = spawn(process.execPath, ["node_modules/.bin/prism", ...words], options);
  try {
    await untilAnswered(proxy);
    await check("openapi-fetch, prism: a session through the proxy without a violation", () => {
      const access = { baseUrl: proxy, apiKey, publisher_id: id, surface: surfaces[0]?.id };
      return node("session.ts", JSON.stringify(access));
    });
    await check("prism: notices an answer that contradicts the document", async () => {
      const body = { surfaces: [{ id: "srf" }] };
      const heal = faults.add({ verdict: { kind: "respond", status: 200, body } });
      const answer = await fetch(`${proxy}/v1/publisher/surfaces?publisher_id=${id}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      heal();
      equal(answer.status, 500);
      match(await answer.text(), /VIOLATIONS/);
    });
  } finally {
    child.kill("SIGTERM");
  }
}

await inFolder(async (folder) => {
  const project = await newProject(folder, process.execPath);
  const document = (...options: string[]) => project.node(adsim, "openapi", ...options);
  await project.write({
    "package.json": await readFile(join(import.meta.dirname, "package.json"), "utf8"),
    "openapi.json": await document(),
    "successes.json": await document("--successes"),
    "session.ts": session,
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["*.ts"] }),
  });
  await check("the tools are installed", () => project.shell("npm install --ignore-scripts"));
  await tryTools(project);
});
await server.close();
endChecks();
