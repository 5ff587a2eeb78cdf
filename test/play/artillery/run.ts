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
  about: "A few seconds of everything, by two publishers.",
  steps: [
    {
      traffic: {
        for: "3s",
        arrivals: { kind: "constant", rate: "30/s" },
        mix: { impression: 7, stats: 1, surfaces: 1, payouts: 1 },
        clicks: { rate: 0.25, after: "200ms" },
        publishers: [0, 1],
      },
    },
    { traffic: { for: "1s", arrivals: { kind: "burst", count: 20 }, publishers: [0, 1] } },
    // Fifteen, in tenths of a second.
    { traffic: { for: "1500ms", arrivals: { kind: "constant", rate: "10/s" } } },
  ],
};
const ARRIVALS = 3 * 30 + 20 + 15;

const wrong: string[] = [];
function same(what: string, artillery: unknown, ours: unknown): void {
  const isSame = artillery === ours;
  console.log(
    `${isSame ? "ok      " : "WRONG   "}${what}: ${artillery}${isSame ? "" : `, not ${ours}`}`,
  );
  if (!isSame) wrong.push(what);
}

async function asked(url: string) {
  return JSON.parse(await (await fetch(url)).text());
}

async function compare(folder: string, url: string): Promise<void> {
  const [file, script, output] = ["scenario.json", "script.json", "output.json"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  await writeFile(file, JSON.stringify(scenario));
  const args = ["export", file, "--to", "artillery", "--target", url, "--out", script];
  await run(process.execPath, [...adsim, ...args]);
  const bin = join(folder, "node_modules/artillery/bin/run");
  await run(process.execPath, [bin, "run", "--quiet", "--output", output, script], {
    cwd: folder,
    env: { ...process.env, ARTILLERY_DISABLE_TELEMETRY: "true" },
    timeout: 60_000,
  });
  const { aggregate } = JSON.parse(await readFile(output, "utf8"));
  const counters: Readonly<Record<string, number>> = aggregate.counters;
  const { operations, requests } = await asked(`${url}/_sim/report`);
  const { total, balanced } = await asked(`${url}/_sim/audit`);
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
    same(`${operation}: the same number`, counters[name] ?? 0, counted(operation));
  }
  const events = counted("impression") + counted("click");
  same("impressions and clicks are applied, none twice", events, total.applied);
  same("no session comes twice", total.duplicatesSuppressed, 0);
  same("somebody clicks", counted("click") > 0, true);
  same("the books are balanced", balanced, true);
  same("no user fails", counters["vusers.failed"], 0);
}

const startedMs = performance.now();
const seconds = (): string => `${Math.round((performance.now() - startedMs) / 1000)} s`;
const folder = await mkdtemp(join(tmpdir(), "adsim-artillery-"));
try {
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const install = [
    "install",
    `artillery@${VERSION}`,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
  ];
  await run("npm", install, { cwd: folder });
  console.log(`installed Artillery ${VERSION} after ${seconds()}`);
  const server = await startServer({ port: 0 });
  try {
    await compare(folder, server.url);
  } finally {
    await server.close();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`${seconds()}, ${wrong.length === 0 ? "all the same" : `${wrong.length} differ`}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
