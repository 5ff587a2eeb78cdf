/** HAProxy and nginx with the very files of deploy/: only addresses and paths are other ones. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { untilAnswered } from "../ports.ts";

const deploy = join(import.meta.dirname, "../../deploy");

export const REPLICAS = 4;

/** How a balancer is started. */
interface Command {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

interface Balancer {
  readonly name: string;
  readonly program: string;
  /** `folder`: for its files. */
  command(port: number, replicaPorts: readonly number[], folder: string): Command;
  /** Options that only check the configuration, and those that stay in the foreground. */
  readonly check: readonly string[];
  readonly stay: readonly string[];
}

export const balancers: readonly Balancer[] = [
  {
    name: "HAProxy",
    program: process.env.HAPROXY_PROGRAM ?? "/usr/sbin/haproxy",
    check: ["-c"],
    stay: ["-db"],
    command(port, replicaPorts) {
      const addresses = replicaPorts.map((one, index) => [`ADSIM_${index}`, `127.0.0.1:${one}`]);
      const env = { ADSIM_LISTEN: `127.0.0.1:${port}`, ...Object.fromEntries(addresses) };
      return { args: ["-f", join(deploy, "haproxy.cfg")], env };
    },
  },
  {
    name: "nginx",
    program: process.env.NGINX_PROGRAM ?? "/usr/sbin/nginx",
    check: ["-t", "-q"],
    stay: ["-g", "daemon off;"],
    command(port, replicaPorts, folder) {
      const changes = [
        ["listen 8080;", `listen 127.0.0.1:${port};`],
        ["/tmp/nginx", join(folder, "nginx")],
        ...replicaPorts.map((one, index) => [`adsim-${index}:4010 `, `127.0.0.1:${one} `]),
      ];
      let text = readFileSync(join(deploy, "nginx.conf"), "utf8");
      for (const [from = "", to = ""] of changes) text = text.replaceAll(from, to);
      const file = join(folder, "nginx.conf");
      writeFileSync(file, text);
      return { args: ["-c", file], env: {} };
    },
  },
];

/** The programs of the balancers that this machine lacks. */
export const missingPrograms: readonly string[] = balancers
  .map(({ program }) => program)
  .filter((program) => !existsSync(program));

const running = new Set<ChildProcess>();
process.once("exit", endAll);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Not SIGKILL, with which nginx would leave its workers behind. */
export function endAll(): void {
  for (const child of running) child.kill("SIGTERM");
}

/** Checks the configuration, and starts the balancer at `port`. */
export async function start(
  { program, check, stay, command }: Balancer,
  port: number,
  replicaPorts: readonly number[],
  folder: string,
): Promise<void> {
  const { args, env: own } = command(port, replicaPorts, folder);
  const env = { ...process.env, ...own };
  execFileSync(program, [...check, ...args], { env });
  running.add(spawn(program, [...args, ...stay], { stdio: ["ignore", "ignore", "inherit"], env }));
  // The balancer answers this itself, so no journal has it.
  await untilAnswered(`http://127.0.0.1:${port}/_sim/metrics`);
}
