import { expect, test } from "vitest";
import { VERSION } from "../../../src/base/version.ts";
import { createSimulator } from "../../../src/index.ts";
import { reportText } from "../../../src/play/reports/report-text.ts";
import { playScenario } from "../../../src/play/targets/play-scenario.ts";
import { startServer } from "../../../src/server.ts";
import { foreign, impressionBy, opened, performEffect, serverFor } from "./remote-world.ts";

test("if the server isn't there, the error says so and what to do", async () => {
  const server = await startServer({ port: 0 });
  await server.close();
  const message = `The target ${server.url} can't be reached: connect ECONNREFUSED`;
  await expect(opened(server.url, {})).rejects.toThrow(message);
  await expect(opened(server.url, {})).rejects.toThrow("Start the service, or check the address");
});

test("if the server doesn't use TLS, the error for https says so without OpenSSL's own text", async () => {
  const { url } = await serverFor();
  const refused = await opened(url.replace("http:", "https:"), {}).catch((error) => error);
  expect(refused.message).toContain("TLS failed, or the server doesn't use it (ERR_SSL_");
  expect(refused.message).not.toMatch(/openssl|\n/i);
});

test.each([
  ["localhost:4010", "target must be a URL that begins with http:// or https://"],
  ["nonsense", 'target must be a URL, such as "http://127.0.0.1:4010"'],
  ["ftp://127.0.0.1/", "target must be a URL that begins with http:// or https://"],
  ["http://me:key_secret@127.0.0.1/", "target must be a URL without user and password"],
  ["http://127.0.0.1/?a=b", "target must be a URL without ? and #"],
])("the target %s is refused", async (url, message) => {
  const refused = await opened(url, {}).catch((error) => error);
  expect(refused).toMatchObject({ name: "InputError", field: "target" });
  expect(refused.message).toContain(message);
  expect(refused.message).not.toContain("key_secret");
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  "the speed %d is refused",
  async (speed) => {
    const { url } = await serverFor();
    await expect(opened(url, { speed })).rejects.toMatchObject({
      name: "InputError",
      field: "speed",
    });
  },
);

test("if the control token is wrong, the error names the option and doesn't repeat the token", async () => {
  const { url, worlds } = await serverFor({ controlToken: "right" });
  for (const controlToken of [undefined, "wrong-one"]) {
    const refused = await opened(url, { controlToken }).catch((error) => error);
    expect(refused.message).toContain(
      `The target ${url} is an adsim that refuses control requests (401)`,
    );
    expect(refused.message).toContain("--control-token");
    expect(refused.message).not.toContain("wrong-one");
  }
  expect(worlds.names()).toEqual(["default"]);
  const target = await opened(url, { controlToken: "right" });
  expect(target.capabilities.control).toBe(true);
});

test("a service whose answers don't end fails the health check and cuts a step, with the reason", async () => {
  const url = await foreign((_, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "a")));
    };
    response.on("drain", write);
    write();
  });
  const why = "its body is longer than 1048576 bytes, so the rest wasn't read";
  await expect(opened(url, {})).rejects.toThrow(
    `The target ${url} gave no complete answer to GET /_sim/health: ${why}.`,
  );
  const credentials = [{ id: "p", apiKey: "key_aaaaaaaaaaaaa" }];
  const target = await opened(url, { credentials });
  await expect(performEffect(target, "member", { ordinal: 0 })).rejects.toThrow(why);
  const result = await playScenario(
    {
      name: "endless",
      about: "Asks once.",
      steps: [{ stats: {}, expect: { status: 200, outcome: "answered" } }],
    },
    { target: url, credentials: [{ ...credentials[0], id: "p", apiKey: "k", surfaces: ["s"] }] },
  );
  expect(result.result).toBe("failed");
  expect(reportText(result)).toContain(`200, body cut off`);
  expect(reportText(result)).toContain(`(${why})`);
});

test("if an adsim refuses all control requests, the error has its status", async () => {
  const { url } = await serverFor({ host: "0.0.0.0" });
  await expect(opened(url, {})).rejects.toThrow("refuses control requests (403)");
});

test("for another service without credentials the error names the options that it needs", async () => {
  const url = await foreign((_, response) => response.writeHead(404).end("no"));
  const refused = await opened(url, {}).catch((error) => error);
  expect(refused).toMatchObject({ name: "InputError", field: "target" });
  expect(refused.message).toContain(
    `${url} is not an adsim (GET ${url}/_sim/health has status 404)`,
  );
  expect(refused.message).toContain("--api-key KEY and --publisher ID");
});

test("an adsim is a service like any other if credentials are given", async () => {
  const { url, worlds } = await serverFor();
  const { id, apiKey } = worlds.get("default").publishers.at(0);
  const target = await opened(`${url}/@there`, { credentials: [{ id, apiKey }] });
  expect(target.description).toEqual({ kind: "service", url: `${url}/@there` });
  expect(target.capabilities).toEqual({ time: { kind: "real", speed: 1 }, control: false });
});

test("if an adsim of another version lacks a route, the error has both versions", async () => {
  const url = await foreign((request, response) => {
    const health = { status: "ok", version: "99.0.0", seed: "s", world: "w", now: "" };
    const problem = {
      type: "urn:adsim:control:invalid",
      detail: "version must be 9.",
      field: "version",
    };
    if (request.url?.endsWith("/health")) response.end(JSON.stringify(health));
    else if (request.url === "/@old/_sim/snapshot") response.writeHead(404).end();
    else response.writeHead(400).end(JSON.stringify(problem));
  });
  const old = opened(`${url}/@old`, {});
  await expect(old).rejects.toThrow(
    `The adsim at ${url}/@old refused PUT /_sim/snapshot with status 404. It is adsim 99.0.0, but this is ${VERSION}. Use the same version.`,
  );
  await expect(opened(url, {})).rejects.toThrow(
    "The target rejected the scenario's world: version must be 9.",
  );
});

test("if the server goes away, requests are lost and control requests fail with an error that says so", async () => {
  const server = await startServer({ port: 0 });
  const target = await opened(server.url, {});
  const outgoing = impressionBy(createSimulator().publishers.at(0));
  await server.close();
  expect(await performEffect(target, "send", { outgoing })).toMatchObject({
    outcome: "lost",
    status: 0,
  });
  await expect(performEffect(target, "audit")).rejects.toThrow("no longer answers");
  await target.close();
});

test("if the server has no room for a copy, the error says so and no copy is left", async () => {
  const { url, worlds } = await serverFor({ maxWorlds: 2 });
  const target = await opened(url, {});
  await expect(performEffect(target, "fork")).rejects.toThrow(
    "The target can't copy its world: name can't be created: this server already has 2 worlds",
  );
  expect(worlds.names()).toEqual(["default", "played"]);
});
