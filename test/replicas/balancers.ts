/** HAProxy and nginx with the very files of deploy/: only addresses and paths are other ones. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";

const deploy = join(import.meta.dirname, "../../deploy");

export const REPLICAS = 4;

interface Balancer {
  readonly name: string;
  readonly program: string;
  /** Checks the configuration, and starts it at `port`, when it is ready. `folder`: for its files. */
  run(port: number, replicaPorts: readonly number[], folder: string): Promise<void>;
}

const haproxy: Balancer = {
  name: "HAProxy",
  program: process.env.HAPROXY_PROGRAM ?? "/usr/sbin/haproxy",
  async run(port, replicaPorts) {
    const file = join(deploy, "haproxy.cfg");
    const listen = { ADSIM_LISTEN: `127.0.0.1:${port}` };
    const addresses = replicaPorts.map((one, index) => [`ADSIM_${index}`, `127.0.0.1:${one}`]);
    const env = { ...listen, ...Object.fromEntries(addresses) };
    execFileSync(haproxy.program, ["-c", "-f", file], { env: { ...process.env, ...env } });
    start(haproxy.program, ["-db", "-f", file], env);
    await untilReady(port);
  },
};

const nginx: Balancer = {
  name: "nginx",
  program: process.env.NGINX_PROGRAM ?? "/usr/sbin/nginx",
  async run(port, replicaPorts, folder) {
    const file = join(folder, "nginx.conf");
    const changes = [
      ["listen 8080;", `listen 127.0.0.1:${port};`],
      ["/tmp/nginx", join(folder, "nginx")],
      ...replicaPorts.map((one, index) => [`adsim-${index}:4010 `, `127.0.0.1:${one} `]),
    ];
    let text = readFileSync(join(deploy, "nginx.conf"), "utf8");
    for (const [from = "", to = ""] of changes) text = text.replaceAll(from, to);
    writeFileSync(file, text);
    execFileSync(nginx.program, ["-t", "-q", "-c", file]);
    start(nginx.program, ["-c", file, "-g", "daemon off;"]);
    await untilReady(port);
  },
};

export const balancers: readonly Balancer[] = [haproxy, nginx];

/** The programs of the balancers that this machine lacks. */
export function missingPrograms(): string[] {
  return balancers.map(({ program }) => program).filter((program) => !existsSync(program));
}

const running = new Set<ChildProcess>();
process.once("exit", endAll);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Not SIGKILL, with which nginx would leave its workers behind. */
export function endAll(): void {
  for (const child of running) child.kill("SIGTERM");
}

function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void {
  running.add(
    spawn(program, args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, ...env },
    }),
  );
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // The cast is safe: it listens on TCP.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until a balancer answers. @throws Error after about ten seconds. */
async function untilReady(port: number): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    // The balancer answers this itself, so no journal has it.
    const answer = await fetch(`http://127.0.0.1:${port}/_sim/metrics`).catch(() => undefined);
    if (answer !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Nothing answers at port ${port}.`);
}
