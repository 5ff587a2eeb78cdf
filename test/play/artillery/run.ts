/**
 * An exported script in the real Artillery, against a server of ours: what it counts is what the server counts. Artillery is
 * too large for a dependency, so it is installed into a temporary folder: `npm run test:artillery`.
 */

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "../../../src/server.ts";

const VERSION = "2.0.34";
const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const adsim = [join(root, "src/cli/main.ts")];

const scenario = {
  name: "sent-by-artillery",
  about: "Seconds of everything, by two publishers.",
  steps: [
    {
      traffic: {
        for: "1s",
        arrivals: { kind: "constant", rate: "60/s" },
        mix: { impression: 7, stats: 1, surfaces: 1, payouts: 1 },
        clicks: { rate: 0.25, after: "200ms" },
        publishers: [0, 1],
      },
    },
    { traffic: { for: "1s", arrivals: { kind: "burst", count: 20 }, publishers: [0, 1] } },
    // Fifteen, in two intervals.
    { traffic: { for: "1500ms", arrivals: { kind: "constant", rate: "10/s" } } },
  ],
};
const ARRIVALS = 60 + 20 + 15;

const wrong: string[] = [];
function same(what: string, artillery: unknown, ours: unknown): void {
  console.log(`${what}: ${artillery} in Artillery, ${ours} in adsim`);
  if (artillery !== ours) wrong.push(what);
}

const folder = await mkdtemp(join(tmpdir(), "adsim-artillery-"));
const server = await startServer({ port: 0 });
const inFolder = (name: string): string => join(folder, name);
const fileOf = async (name: string) => JSON.parse(await readFile(inFolder(name), "utf8"));
const reportOf = async (path: string) => await (await fetch(`${server.url}/_sim/${path}`)).json();
try {
  await writeFile(inFolder("package.json"), '{ "private": true }');
  const install = [
    "install",
    `artillery@${VERSION}`,
    "--ignore-scripts",
    "--no-audit",
    "--prefer-offline",
  ];
  await run("npm", install, { cwd: folder });
  await writeFile(inFolder("scenario.json"), JSON.stringify(scenario));
  const files = [inFolder("scenario.json"), "--out", inFolder("script.json")];
  const words = ["export", ...files, "--to", "artillery", "--target", server.url];
  await run(process.execPath, [...adsim, ...words]);
  const artillery = [inFolder("node_modules/artillery/bin/run"), "run", "--quiet"];
  await run(process.execPath, [...artillery, "--output", "output.json", "script.json"], {
    cwd: folder,
    env: { ...process.env, ARTILLERY_DISABLE_TELEMETRY: "true" },
    timeout: 60_000,
  });
  const { counters } = (await fileOf("output.json")).aggregate;
  const { operations, requests } = await reportOf("report");
  const { total, balanced } = await reportOf("audit");
  const counted = (operation: string): number => operations[operation]?.["200"] ?? 0;

  same("users are the arrivals of the scenario", counters["vusers.created"], ARRIVALS);
  same("requests are those in the journal", counters["http.requests"], requests);
  same("every one is answered with 200", counters["http.codes.200"], requests);
  const paths = {
    impression: "/v1/impression",
    click: "/v1/click",
    stats: "/v1/publisher/stats",
    surfaces: "/v1/publisher/surfaces",
    payouts: "/v1/publisher/payouts",
  };
  for (const [operation, path] of Object.entries(paths)) {
    const name = `plugins.metrics-by-endpoint.${path}.codes.200`;
    same(operation, counters[name] ?? 0, counted(operation));
  }
  const events = counted("impression") + counted("click");
  same("impressions and clicks are applied", events, total.applied);
  same("no session comes twice", 0, total.duplicatesSuppressed);
  same("somebody clicks, and the audit balances", counted("click") > 0, balanced);
  same("no user fails", counters["vusers.failed"], 0);
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
console.log(wrong.length === 0 ? "all the same" : `different: ${wrong.join(", ")}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
