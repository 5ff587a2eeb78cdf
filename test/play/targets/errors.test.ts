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

function refusalOf(options: PlayScenarioOptions, steps: readonly object[] = scenario.steps) {
  return playScenario({ ...scenario, steps }, options).then(
    () => new Error("It was played."),
    (error: Error) => error,
  );
}

test("a server that isn't there, or goes away during the play, can't be reached", async () => {
  const server = await startServer({ port: 0 });
  const target = server.url;
  const gone = await refusalOf(
    { target, speed: 10, onStep: (index) => void (index === 1 && server.close()) },
    [...scenario.steps, { advance: "1s" }],
  );
  for (const { message } of [gone, await refusalOf({ target })]) {
    expect(message).toContain(`The target ${target}`);
    expect(message).toContain("can't be reached: ");
    expect(message).toContain("Start the service, or check the address");
  }
});

test("if the server doesn't use TLS, the error for https says so without OpenSSL's own text", async () => {
  const { url } = await serverFor();
  const { message } = await refusalOf({ target: url.replace("http:", "https:") });
  expect(message).toContain("TLS failed, or the server doesn't use it (ERR_SSL_");
  expect(message).not.toMatch(/openssl|\n/i);
});

const here = "http://127.0.0.1:9";
const service = { target: here, credentials: [{ id: "p", apiKey: "k", surfaces: ["s"] }] };

test.each<[options: PlayScenarioOptions, field: string, message: string]>([
  [{ target: "localhost:4010" }, "target", "must be a URL that begins with http:// or https://"],
  [{ target: "nonsense" }, "target", 'must be a URL such as "http://127.0.0.1:4010"'],
  [{ target: "http://me:key_secret@127.0.0.1/" }, "target", "a URL without user, password"],
  [{ target: "http://127.0.0.1/?a=b" }, "target", "a URL without user, password, ? and #"],
  [{ speed: 2 }, "speed", "needs a target"],
  [{ wait: true }, "wait", "is for a service other than adsim"],
  [{ target: here, runId: "a" }, "runId", "is for a service other than adsim"],
  [{ target: here, assumptions: {} }, "assumptions", "is for a service other than adsim"],
  [{ ...service, speed: 0 }, "speed", "above 0"],
  [{ ...service, speed: Number.NaN }, "speed", "above 0"],
])("%j is refused", async (options, field, message) => {
  const refused = await refusalOf(options);
  expect(refused).toMatchObject({ name: "InputError", field });
  expect(refused.message).toContain(message);
  expect(refused.message).not.toContain("key_secret");
});

test("if the control token is wrong, the error names the option and doesn't repeat the token", async () => {
  const { url, worlds } = await serverFor({ controlToken: "right" });
  for (const controlToken of [undefined, "wrong-one"]) {
    const { message } = await refusalOf({ target: url, controlToken });
    expect(message).toContain(`The adsim at ${url} answered GET /_sim/health with status 401`);
    expect(message).toContain("--control-token");
    expect(message).not.toContain("wrong-one");
  }
  expect(worlds.names()).toEqual(["default"]);
  const played = await playScenario(scenario, { target: url, controlToken: "right" });
  expect(played.result).toBe("passed");
});

test("a service whose answers don't end cuts a step, with the reason", async () => {
  const target = await foreign((_, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "a")));
    };
    response.on("drain", write);
    write();
  });
  const result = await playScenario(scenario, { ...service, target });
  expect(result.result).toBe("failed");
  expect(playText(result)).toContain("200, cut");
  expect(playText(result)).toContain("its body is longer than 1048576 bytes");
});

test.each([404, 200])(
  "for another service that answers %d the error names the options that it needs",
  async (status) => {
    const target = await foreign((_, response) => response.writeHead(status).end("{}"));
    const { message } = await refusalOf({ target });
    expect(message).toContain(`The target ${target} is not an adsim: it answered GET /_sim/health`);
    expect(message).toContain("--api-key KEY and --publisher ID");
  },
);

test("if an adsim of another version rejects the world, the error has both versions", async () => {
  const type = "urn:adsim:control:invalid";
  const target = await foreign(({ url }, response) => {
    const health = { status: "ok", version: "99.0.0" };
    const problem = { type, detail: "version must be 9.", field: "version" };
    if (url === "/_sim/health") response.end(JSON.stringify(health));
    else response.writeHead(400).end(JSON.stringify(problem));
  });
  expect((await refusalOf({ target })).message).toBe(
    `The scenario's world can't be imported: version must be 9. It is adsim 99.0.0, and this is ${VERSION}.`,
  );
});
