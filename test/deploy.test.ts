/**
 * The files of deploy/ agree with each other and with the command line. Whether balancers and replicas behave as one server is
 * for `npm run test:replicas`.
 */

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { startAdsim } from "./cli/run-adsim.ts";

const folder = join(import.meta.dirname, "../deploy");
const textOf = (name: string): string => readFileSync(join(folder, name), "utf8");
const haproxy = textOf("haproxy.cfg");
const nginx = textOf("nginx.conf");
const dockerfile = textOf("Dockerfile");
const compose = parse(textOf("compose.yaml"), { merge: true });

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: object };
  readonly spec: {
    readonly replicas: number;
    readonly serviceName: string;
    readonly selector: { readonly matchLabels: object };
    readonly ports: readonly object[];
    readonly template: Manifest;
    readonly containers: readonly {
      readonly image: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string }[];
      readonly ports: readonly object[];
      readonly livenessProbe?: object;
    }[];
  };
}
const manifests = parseAllDocuments(textOf("kubernetes.yaml")).map((one): Manifest => one.toJS());
function manifest(kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`kubernetes.yaml has no ${kind} ${name}.`);
  return found;
}
const containerOf = (kind: string, name: string): Manifest["spec"]["containers"][number] =>
  present(manifest(kind, name).spec.template.spec.containers[0]);
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("It is missing.");
  return value;
}

const names = ["adsim-0", "adsim-1", "adsim-2", "adsim-3"];
const execForm = (instruction: string): string[] =>
  JSON.parse(new RegExp(`${instruction} (\\[.*\\])$`, "m").exec(dockerfile)?.[1] ?? "null");

test("all files have the same four replicas", () => {
  const found = (text: string, pattern: RegExp): string[] =>
    Array.from(text.matchAll(pattern), ([, name = ""]) => name);
  expect(found(haproxy, /presetenv ADSIM_\d (\S+):4010$/gm)).toEqual(names);
  expect(found(haproxy, /^backend (\S+)$/gm)).toEqual(names);
  expect(found(haproxy, /mod\((\d+)\)/g)).toEqual([String(names.length)]);
  expect(found(nginx, /^ *server (\S+):4010 max_fails=0;$/gm)).toEqual(names);
  expect(Object.keys(compose.services)).toEqual([...names, "haproxy", "nginx"]);
  expect(manifest("StatefulSet", "adsim").spec.replicas).toBe(names.length);
});

test("both balancers refuse what concerns many worlds with the same words", () => {
  const refusals = [haproxy, nginx].map((text) => /'(\{.*"status":421,.*\})'/.exec(text)?.[1]);
  expect(refusals[0]).toBe(refusals[1]);
  expect(JSON.parse(refusals[0] ?? "").detail).toContain("Send it to a replica itself.");
});

test("compose.yaml gives each replica an address, which the balancers know", () => {
  const own = names.map((name) => {
    const { networks, image, command, environment, read_only } = compose.services[name];
    expect([image, read_only]).toEqual(["adsim", true]);
    expect(command).toEqual(compose["x-replica"].command);
    expect(Object.keys(environment)).toEqual(["ADSIM_CONTROL_TOKEN"]);
    return `${name}:${networks.default.ipv4_address}`;
  });
  for (const balancer of ["haproxy", "nginx"]) {
    const { extra_hosts, depends_on, ports, volumes } = compose.services[balancer];
    expect(extra_hosts).toEqual(own);
    expect(Object.keys(depends_on)).toEqual(names);
    expect(ports).toEqual(["8080:8080"]);
    expect(existsSync(join(folder, volumes[0].split(":")[0]))).toBe(true);
  }
  expect(haproxy).toContain("presetenv ADSIM_LISTEN :8080\n");
  expect(nginx).toContain("listen 8080;\n");
});

test("kubernetes.yaml: each service finds its pods, at the port that they listen on", () => {
  const labels = ["StatefulSet/adsim", "Deployment/adsim-haproxy"].map((path) => {
    const [kind = "", name = ""] = path.split("/");
    const { selector, template } = manifest(kind, name).spec;
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    return template.metadata.labels;
  });
  const services = manifests.filter(({ kind }) => kind === "Service");
  const found = services.map(({ metadata, spec }) => [metadata.name, spec.selector, spec.ports]);
  expect(found).toEqual([
    ["adsim", labels[1], [{ port: 80, targetPort: 8080 }]],
    ["adsim-replicas", labels[0], [{ port: 4010 }]],
    ...names.map((name) => {
      return [name, { "statefulset.kubernetes.io/pod-name": name }, [{ port: 4010 }]];
    }),
  ]);
  expect(manifest("StatefulSet", "adsim").spec.serviceName).toBe("adsim-replicas");
  const replica = containerOf("StatefulSet", "adsim");
  expect(replica.ports).toEqual([{ containerPort: 4010 }]);
  expect(replica.args).toEqual(compose["x-replica"].command);
  expect(replica.env[0]?.name).toBe("ADSIM_CONTROL_TOKEN");
  // A restart would lose the replica's events.
  expect(replica.livenessProbe).toBeUndefined();
  expect(containerOf("Deployment", "adsim-haproxy").image).toBe(compose.services.haproxy.image);
  const { resources, configMapGenerator } = parse(textOf("kustomization.yaml"));
  expect(configMapGenerator).toEqual([{ name: "adsim-haproxy", files: ["haproxy.cfg"] }]);
  expect(resources).toEqual(["kubernetes.yaml"]);
});

test("the image's command line starts with the options of compose.yaml, and its health check tells", async () => {
  const [program, ...entry] = execForm("ENTRYPOINT");
  expect(program).toBe("/adsim/node_modules/.bin/adsim");
  const args = [...entry, ...compose["x-replica"].command];
  const isHealthy = (url: string): Promise<boolean> => {
    const [node, flag, script = ""] = execForm("CMD");
    expect([node, flag]).toEqual(["node", "--eval"]);
    expect(script).toContain("http://127.0.0.1:4010/");
    const moved = script.replace("http://127.0.0.1:4010", url);
    return new Promise((resolve) => {
      execFile(process.execPath, ["--eval", moved], (error) => resolve(error === null));
    });
  };
  const token = { ADSIM_CONTROL_TOKEN: "secret" };
  const adsim = startAdsim([...args, "--port", "0", "--json"], token);
  await adsim.waitFor("\n");
  const { url } = JSON.parse(adsim.stdout());
  expect((await fetch(`${url}/_sim/health`)).status).toBe(401);
  const authorization = `Bearer ${token.ADSIM_CONTROL_TOKEN}`;
  const health = await fetch(`${url}/_sim/health`, { headers: { authorization } });
  expect(await health.json()).toMatchObject({ status: "ok" });
  expect(await isHealthy(url)).toBe(true);
  adsim.signal("SIGTERM");
  expect((await adsim.ended).code).toBe(0);
  expect(await isHealthy(url)).toBe(false);
});
