/** HAProxy and nginx with the very files of deploy/: only addresses and paths are other ones. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Connection, requestText } from "./connection.ts";
import { start } from "./processes.ts";

const deploy = join(import.meta.dirname, "../../deploy");

export const REPLICAS = 4;

export interface Places {
  /** Where the balancer listens. */
  readonly port: number;
  /** Where the replicas listen. */
  readonly replicaPorts: readonly number[];
  /** For its files. */
  readonly folder: string;
}

export interface Balancer {
  readonly name: string;
  readonly program: string;
  /** What its clients get while a replica can't be reached. */
  readonly away: number;
  /** Checks the configuration, then starts it. It is ready when the promise resolves. */
  run(places: Places): Promise<void>;
}

const haproxy: Balancer = {
  name: "HAProxy",
  program: process.env.HAPROXY_PROGRAM ?? "/usr/sbin/haproxy",
  away: 503,
  async run({ port, replicaPorts }) {
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
  away: 502,
  async run({ port, replicaPorts, folder }) {
    const file = join(folder, "nginx.conf");
    const changes = [
      { from: "listen 8080;", to: `listen 127.0.0.1:${port};`, times: 1 },
      { from: "/tmp/nginx", to: join(folder, "nginx"), times: 6 },
      ...replicaPorts.map((one, index) => {
        return { from: `server adsim-${index}:4010 `, to: `server 127.0.0.1:${one} `, times: 1 };
      }),
    ];
    let text = readFileSync(join(deploy, "nginx.conf"), "utf8");
    for (const { from, to, times } of changes) {
      const parts = text.split(from);
      if (parts.length !== times + 1) {
        throw new Error(`deploy/nginx.conf has "${from}" ${parts.length - 1} times, not ${times}.`);
      }
      text = parts.join(to);
    }
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

/** Waits until a balancer answers. @throws Error after about ten seconds. */
async function untilReady(port: number): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const connection = new Connection(port);
    const answer = await connection.send(requestText("GET", "/_sim"));
    connection.close();
    if (answer !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Nothing answers at port ${port}.`);
}
