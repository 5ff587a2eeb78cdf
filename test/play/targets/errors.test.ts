/** What goes wrong before or during a play at a URL: each error says what, where and what to do. */

import { expect, test } from "vitest";
import { VERSION } from "../../../src/base/version.ts";
import { type PlayScenarioOptions, playScenario } from "../../../src/play/play-scenario.ts";
import { playText } from "../../../src/play/reports/play-text.ts";
import { startServer } from "../../../src/server.ts";
import { foreign, serverFor } from "./remote-world.ts";

const scenario = {
  name: "once",
  about: "Asks once.",
  steps: [{ stats: {}, expect: { outcome: "answered", status: 200 } }],
};

function refusalOf(options: PlayScenarioOptions): Promise<Error> {
  return playScenario(scenario, options).then(
    () => new Error("It was played."),
    (error) => error,
  );
}

test("if the server isn't there, the error says so and what to do", async () => {
  const server = await startServer({ port: 0 });
  await server.close();
  const { message } = await refusalOf({ target: server.url });
  expect(message).toContain(`The target ${server.url} can't be reached: connect ECONNREFUSED`);
  expect(message).toContain("Start the service, or check the address");
});

test("if the server doesn't use TLS, the error for https says so without OpenSSL's own text", async () => {
  const { url } = await serverFor();
  const { message } = await refusalOf({ target: url.replace("http:", "https:") });
  expect(message).toContain("TLS failed, or the server doesn't use it (ERR_SSL_");
  expect(message).not.toMatch(/openssl|\n/i);
});

const here = "http://127.0.0.1:9";
test.each<[options: PlayScenarioOptions, field: string, message: string]>([
  [{ target: "localhost:4010" }, "target", "must be a URL that begins with http:// or https://"],
  [{ target: "nonsense" }, "target", 'must be a URL such as "http://127.0.0.1:4010"'],
  [{ target: "http://me:key_secret@127.0.0.1/" }, "target", "a URL without user and password"],
  [{ target: "http://127.0.0.1/?a=b" }, "target", "must be a URL without ? and #"],
  [{ speed: 2 }, "speed", "needs a target"],
  [{ wait: true }, "wait", "needs a target"],
  [{ target: here, runId: "a" }, "runId", "needs credentials"],
  [{ target: here, credentials: [{ id: "p", apiKey: "k" }], speed: 0 }, "speed", "above 0"],
  [{ target: here, credentials: [{ id: "p", apiKey: "k" }], runId: "a b" }, "runId", "letters"],
])("%j is refused", async (options, field, message) => {
  const refused = await refusalOf(options);
  expect(refused).toMatchObject({ name: "InputError", field });
  expect(refused.message).toContain(message);
  expect(refused.message).not.toContain("key_secret");
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  "the speed %d is refused",
  async (speed) => {
    const { url } = await serverFor();
    expect(await refusalOf({ target: url, speed })).toMatchObject({ field: "speed" });
  },
);

test("a play that waits for more than a minute in real time must be asked for", async () => {
  const long = { ...scenario, steps: [...scenario.steps, { advance: "2m" }] };
  const options = { target: here, credentials: [{ id: "p", apiKey: "k", surfaces: ["s"] }] };
  await expect(playScenario(long, options)).rejects.toThrow(
    "wait must be given: this takes 2 min, since time is real",
  );
});

test("if the control token is wrong, the error names the option and doesn't repeat the token", async () => {
  const { url, worlds } = await serverFor({ controlToken: "right" });
  for (const controlToken of [undefined, "wrong-one"]) {
    const { message } = await refusalOf({ target: url, controlToken });
    expect(message).toContain(`The target ${url} is an adsim that refuses control requests (401)`);
    expect(message).toContain("--control-token");
    expect(message).not.toContain("wrong-one");
  }
  expect(worlds.names()).toEqual(["default"]);
  const played = await playScenario(scenario, { target: url, controlToken: "right" });
  expect(played.result).toBe("passed");
});

test("if an adsim refuses all control requests, the error has its status", async () => {
  const { url } = await serverFor({ host: "0.0.0.0" });
  expect((await refusalOf({ target: url })).message).toContain("refuses control requests (403)");
});

test("a service whose answers don't end fails the health check and cuts a step, with the reason", async () => {
  const target = await foreign(({ url }, response) => {
    const isHealth = url === "/_sim/health";
    if (isHealth) response.setHeader("content-length", "9");
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "a")));
    };
    response.on("drain", write);
    if (isHealth) response.end("half");
    else write();
  });
  expect((await refusalOf({ target })).message).toContain(
    `The target ${target} gave no complete answer to GET /_sim/health: `,
  );
  const credentials = [{ id: "p", apiKey: "k", surfaces: ["s"] }];
  const result = await playScenario(scenario, { target, credentials });
  expect(result.result).toBe("failed");
  expect(playText(result)).toContain(`200, body cut off`);
  expect(playText(result)).toContain("its body is longer than 1048576 bytes");
});

test("for another service without credentials the error names the options that it needs", async () => {
  const target = await foreign((_, response) => response.writeHead(404).end("no"));
  const refused = await refusalOf({ target });
  expect(refused).toMatchObject({ name: "InputError", field: "target" });
  expect(refused.message).toContain(
    `${target} is not an adsim (GET ${target}/_sim/health has status 404)`,
  );
  expect(refused.message).toContain("--api-key KEY and --publisher ID");
});

test("if an adsim of another version lacks a route, the error has both versions", async () => {
  const url = await foreign((request, response) => {
    const health = { status: "ok", version: "99.0.0" };
    const problem = {
      type: "urn:adsim:control:invalid",
      detail: "version must be 9.",
      field: "version",
    };
    if (request.url?.endsWith("/health")) response.end(JSON.stringify(health));
    else if (request.url === "/@old/_sim/snapshot") response.writeHead(404).end();
    else response.writeHead(400).end(JSON.stringify(problem));
  });
  expect((await refusalOf({ target: `${url}/@old` })).message).toBe(
    `The adsim at ${url}/@old refused PUT /_sim/snapshot with status 404. It is adsim 99.0.0, but this is ${VERSION}. Use the same version.`,
  );
  expect((await refusalOf({ target: url })).message).toBe(
    "The target rejected the scenario's world: version must be 9.",
  );
});

test("if the server goes away during a play, the error says so", async () => {
  const server = await startServer({ port: 0 });
  const playing = playScenario(
    { ...scenario, steps: [...scenario.steps, { advance: "1s" }] },
    { target: server.url, speed: 10, onStep: (index) => void (index === 1 && server.close()) },
  );
  await expect(playing).rejects.toThrow("no longer answers");
});
