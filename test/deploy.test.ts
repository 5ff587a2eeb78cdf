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

const manifests = parseAllDocuments(textOf("kubernetes.yaml")).map((one) => one.toJS());
const manifest = (kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name);

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
    const { networks, image, command } = compose.services[name];
    expect([image, command]).toEqual(["adsim", compose["x-replica"].command]);
    return `${name}:${networks.default.ipv4_address}`;
  });
  for (const balancer of ["haproxy", "nginx"]) {
    const { extra_hosts, depends_on, volumes } = compose.services[balancer];
    expect(extra_hosts).toEqual(own);
    expect(Object.keys(depends_on)).toEqual(names);
    expect(existsSync(join(folder, volumes[0].split(":")[0]))).toBe(true);
  }
});

test("kubernetes.yaml: each service finds its pods, at the port that they listen on", () => {
  const replicas = manifest("StatefulSet", "adsim").spec;
  const balancer = manifest("Deployment", "adsim-haproxy").spec;
  for (const { selector, template } of [replicas, balancer])
    expect(template.metadata.labels).toEqual(selector.matchLabels);
  const services = manifests.filter(({ kind }) => kind === "Service");
  const found = services.map(({ metadata, spec }) => [metadata.name, spec.selector, spec.ports]);
  expect(found).toEqual([
    ["adsim", balancer.selector.matchLabels, [{ port: 80, targetPort: 8080 }]],
    [replicas.serviceName, replicas.selector.matchLabels, [{ port: 4010 }]],
    ...names.map((name) => {
      return [name, { "statefulset.kubernetes.io/pod-name": name }, [{ port: 4010 }]];
    }),
  ]);
  const [{ ports, args, livenessProbe }] = replicas.template.spec.containers;
  expect([ports, args]).toEqual([[{ containerPort: 4010 }], compose["x-replica"].command]);
  // A restart would lose the replica's events.
  expect(livenessProbe).toBeUndefined();
  const [{ image }] = balancer.template.spec.containers;
  expect(image).toBe(compose.services.haproxy.image);
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
  const adsim = startAdsim([...args, "--port", "0", "--json"], { ADSIM_CONTROL_TOKEN: "secret" });
  await adsim.waitFor("\n");
  const { url } = JSON.parse(adsim.stdout());
  expect(await isHealthy(url)).toBe(true);
  adsim.signal("SIGTERM");
  expect((await adsim.ended).code).toBe(0);
  expect(await isHealthy(url)).toBe(false);
});
