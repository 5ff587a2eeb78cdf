/**
 * Four worlds on four replicas answer as on one server, control API included, behind HAProxy and behind nginx with the very files
 * of deploy/: `npm run test:replicas`. Needs both programs.
 */

import { deepEqual, equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Server, startServer } from "../../src/server.ts";
import { inFolder } from "../package/project.ts";
import { parityOptions, type RecordedRequest, recordRequests } from "../parity-requests.ts";
import { freePort, untilAnswered } from "../ports.ts";

const deploy = join(import.meta.dirname, "../../deploy");
const haproxy = process.env.HAPROXY_PROGRAM ?? "/usr/sbin/haproxy";
const nginx = process.env.NGINX_PROGRAM ?? "/usr/sbin/nginx";

/** How a balancer is started at a port. `replicas`: their addresses. Nothing else of the files is changed, except paths. */
type Command = (
  port: number,
  replicas: readonly string[],
  folder: string,
) => { readonly args: readonly string[]; readonly env?: NodeJS.ProcessEnv };

const balancers: Readonly<Record<string, Command>> = {
  [haproxy](port, replicas) {
    const addresses = replicas.map((address, index) => [`ADSIM_${index}`, address]);
    const env = { ADSIM_LISTEN: `127.0.0.1:${port}`, ...Object.fromEntries(addresses) };
    return { args: ["-f", join(deploy, "haproxy.cfg"), "-db"], env };
  },
  [nginx](port, replicas, folder) {
    const text = readFileSync(join(deploy, "nginx.conf"), "utf8")
      .replace("listen 8080;", `listen 127.0.0.1:${port};`)
      .replaceAll("/tmp/nginx", join(folder, "nginx"))
      .replaceAll(/adsim-(\d):4010 /g, (_, index: string) => `${replicas[Number(index)]} `);
    const file = join(folder, "nginx.conf");
    writeFileSync(file, text);
    return { args: ["-c", file, "-g", "daemon off;"] };
  },
};

/** One for each replica, in the order of the replicas that both balancers give them to. */
const worlds = ["b", "default", "x", "c"];
const recorded = recordRequests(parityOptions);

const ask = (target: string, method = "GET", body?: object): RecordedRequest => ({
  ...{ method, target, body: body && JSON.stringify(body) },
  headers: body === undefined ? {} : { "content-type": "application/json" },
});

/** What a world is sent. The number makes worlds differ. */
const requestsTo = (world: number): readonly RecordedRequest[] => [
  ask("/_sim/publishers"),
  ...recorded.slice(world),
  ask("/_sim/clock/advance", "POST", { by: `${world + 1}h` }),
  ask("/_sim/faults", "POST", { id: "late", verdict: { kind: "respond", status: 503 } }),
  ask("/v1/publisher/payouts"),
  ...["clock", "faults", "audit", "nothing"].map((path) => ask(`/_sim/${path}`)),
];

/** What belongs to a connection and not to an answer. nginx adds Server. */
const ofTheConnection = ["connection", "date", "keep-alive", "server", "transfer-encoding"];

async function answerTo(baseUrl: string, request: RecordedRequest): Promise<string> {
  const { target, body = null, ...rest } = request;
  const answer = await fetch(baseUrl + target, { ...rest, body, redirect: "manual" });
  const content = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  const left = content === "" ? ofTheConnection : [...ofTheConnection, "content-length"];
  const lines = [...answer.headers].filter(([name]) => !left.includes(name));
  return [answer.status, ...lines.map((line) => line.join(": ")).sort(), "", content].join("\n");
}

/** Each world's answers by their requests. The worlds are asked at the same time. */
function play(origin: string): Promise<string[][]> {
  const playWorld = async (name: string, world: number): Promise<string[]> => {
    const baseUrl = name === "default" ? origin : `${origin}/@${name}`;
    const answers: string[] = [];
    for (const request of requestsTo(world)) {
      const answer = await answerTo(baseUrl, request);
      answers.push(`${request.method} /@${name}${request.target}\n${answer}`);
    }
    return answers;
  };
  return Promise.all(worlds.map(playWorld));
}

/** The names of the worlds that a replica recorded something of. */
const recordedBy = ({ worlds: { names, get } }: Server): string =>
  names()
    .filter((name) => get(name).journal.entries({ limit: 1 }).length > 0)
    .join();

async function expectOneService(origin: string, expected: string[][]): Promise<void> {
  for (const [world, answers] of (await play(origin)).entries()) {
    for (const [index, answer] of answers.entries()) equal(answer, expected[world]?.[index]);
  }
  const audit = ask("/_sim/audit");
  equal(await answerTo(`${origin}/@default`, audit), await answerTo(origin, audit));
  for (const path of ["/_sim/worlds?x=1", "/_sim/worlds/x", "/@x/_sim/metrics"])
    match(await answerTo(origin, ask(path)), /^421\n.*Send it to a replica itself/s);
}

async function main(folder: string): Promise<void> {
  const start = (): Promise<Server> => startServer({ ...parityOptions, port: 0 });
  const single = await start();
  const expected = await play(single.url);
  await single.close();
  for (const [program, command] of Object.entries(balancers)) {
    const port = await freePort();
    const replicas = await Promise.all(worlds.map(start));
    const { args, env } = command(
      port,
      replicas.map(({ url }) => new URL(url).host),
      folder,
    );
    const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
    try {
      // The balancer answers this itself, so no journal has it.
      await untilAnswered(`http://127.0.0.1:${port}/_sim/metrics`);
      await expectOneService(`http://127.0.0.1:${port}`, expected);
      deepEqual(replicas.map(recordedBy), worlds);
      console.log(`${program}: ${expected.flat().length} answers as those of one server`);
    } finally {
      // Not SIGKILL, with which nginx would leave its workers behind.
      child.kill("SIGTERM");
      for (const replica of replicas) await replica.close();
    }
  }
}

const missing = Object.keys(balancers).filter((program) => !existsSync(program));
if (missing.length === 0) await inFolder(main);
else {
  console.warn(`The replicas weren't tried: this machine lacks ${missing.join(" and ")}.`);
  if (process.env.ALL_TESTS === "1") process.exitCode = 1;
}
