/**
 * The files of deploy/ agree with each other and with the command line. Whether balancers and replicas behave as one server is
 * for `npm run test:replicas`.
 */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { startAdsim } from "./cli/run-adsim.ts";

const textOf = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../deploy", name), "utf8");
const { services } = parse(textOf("compose.yaml"), { merge: true });
const { command } = services["adsim-0"];
const names = ["adsim-0", "adsim-1", "adsim-2", "adsim-3"];

test("compose.yaml: four replicas alike, which both balancers find", () => {
  const replicas = names.map((name) => services[name]);
  const addresses = replicas.map(({ networks }) => networks.default.ipv4_address);
  expect(replicas.map((replica) => replica.command)).toEqual(names.map(() => command));
  for (const file of ["haproxy.cfg", "nginx.conf"]) {
    const { extra_hosts, volumes } = services[file.replace(/\..*/, "")];
    expect(extra_hosts).toEqual(addresses.map((address, at) => `${names[at]}:${address}`));
    expect(volumes[0]).toMatch(`./${file}:`);
    expect(textOf(file).match(/(?<= )adsim-\d(?=:4010\b)/g)).toEqual(names);
  }
});

test("kubernetes.yaml: the same replicas, and services that find their pods at their ports", () => {
  const manifests = parseAllDocuments(textOf("kubernetes.yaml")).map((one) => one.toJS());
  const [balancer, replica] = manifests.flatMap(({ spec }) => spec.template ?? []);
  const found = manifests
    .filter(({ kind }) => kind === "Service")
    .map(({ metadata, spec }) => [metadata.name, spec.selector, spec.ports]);
  expect(found).toEqual([
    ["adsim", balancer.metadata.labels, [{ port: 80, targetPort: 8080 }]],
    ["adsim-replicas", replica.metadata.labels, [{ port: 4010 }]],
    ...names.map((name) => [
      name,
      { "statefulset.kubernetes.io/pod-name": name },
      [{ port: 4010 }],
    ]),
  ]);
  const statefulSet = manifests.find(({ kind }) => kind === "StatefulSet");
  expect(statefulSet.spec.replicas).toBe(names.length);
  const { image } = services.haproxy;
  expect(balancer.spec.containers).toMatchObject([{ image, ports: [{ containerPort: 8080 }] }]);
  const ports = [{ containerPort: 4010 }];
  expect(replica.spec.containers).toMatchObject([{ image: "adsim", args: command, ports }]);
});

test("the image's command line starts with the options of compose.yaml, and its health check tells", async () => {
  const [[program, ...entry], [, ...check]] = ["ENTRYPOINT", "CMD"].map((instruction) =>
    JSON.parse(
      new RegExp(`${instruction} (\\[.*\\])$`, "m").exec(textOf("Dockerfile"))?.[1] ?? "null",
    ),
  );
  expect(program).toBe("/adsim/node_modules/.bin/adsim");
  const options = [...entry, ...command, "--port", "0", "--json"];
  const adsim = startAdsim(options, { ADSIM_CONTROL_TOKEN: "secret" });
  await adsim.waitFor("\n");
  const { url } = JSON.parse(adsim.stdout());
  const words = check.map((word: string) => word.replace("http://127.0.0.1:4010", url));
  const checkHealth = () => promisify(execFile)(process.execPath, words);
  await checkHealth();
  adsim.signal("SIGTERM");
  expect((await adsim.ended).code).toBe(0);
  await expect(checkHealth()).rejects.toThrow();
});
