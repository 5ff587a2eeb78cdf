/** `adsim fleet`: one control request for several replicas, and one answer. */

import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/base/version.ts";
import type { Server, ServerOptions } from "../../src/server.ts";
import { foreign, serverFor } from "../play/targets/remote-world.ts";
import { runAdsim } from "./run-adsim.ts";

async function replicas(count: number, options: ServerOptions = {}): Promise<Server[]> {
  return Promise.all(
    Array.from({ length: count }, () => serverFor({ clock: "frozen", ...options })),
  );
}

/** Sends impressions of one publisher to a replica. */
function record({ worlds }: Server, ordinal: number, count: number): void {
  const { publishers, handle } = worlds.get("default");
  const { id, apiKey, surfaces } = publishers.at(ordinal);
  for (let index = 0; index < count; index += 1)
    handle({
      method: "POST",
      path: "/v1/impression",
      headers: { authorization: `Bearer ${apiKey}` },
      body: { publisher_id: id, surface: surfaces[0]?.id, ad_id: `ad-${index}` },
    });
}

async function fleet(servers: readonly Server[], ...request: readonly string[]) {
  const { code, stdout, stderr } = await runAdsim([
    ...["fleet", ...servers.map(({ url }) => url), "--", ...request],
  ]);
  const isJson = stdout.startsWith("{\n");
  return { code, stderr, answer: isJson ? JSON.parse(stdout) : stdout };
}

describe("a change", () => {
  test("is made on every replica, and shown once", async () => {
    const servers = await replicas(3);
    const { code, answer, stderr } = await fleet(servers, "POST", "clock/advance", '{"by":"36h"}');
    expect([code, stderr]).toEqual([0, ""]);
    expect(answer).toEqual({ mode: "frozen", now: "2026-01-16T12:00:00.000Z" });
    for (const { worlds } of servers)
      expect(worlds.get("default").clock.now()).toBe(Date.parse("2026-01-16T12:00:00Z"));
  });

  test("may give no answer, and may be about another world", async () => {
    const servers = await replicas(2);
    for (const { worlds } of servers) worlds.get("load").clock.advance("1h");
    const urls = servers.map(({ url }) => `${url}/@load`);
    expect((await runAdsim(["fleet", ...urls, "post", "/_sim/reset"])).code).toBe(0);
    for (const { worlds } of servers)
      expect(worlds.get("load").clock.now()).toBe(Date.parse("2026-01-15T00:00:00Z"));
    for (const server of servers) record(server, 0, 1);
    const emptied = await fleet(servers, "DELETE", "journal");
    expect([emptied.code, emptied.answer]).toEqual([0, ""]);
    for (const { worlds } of servers) expect(worlds.get("default").journal.entries()).toEqual([]);
  });

  test("is the same for replicas that were used differently", async () => {
    const servers = await replicas(2);
    servers[0]?.worlds.get("only-here");
    record(servers[0] as Server, 0, 5);
    for (const request of [
      ["POST", "worlds", '{"name":"copy"}'],
      ["POST", "reset"],
    ]) {
      const { code, stderr } = await fleet(servers, ...request);
      expect([code, stderr]).toEqual([0, ""]);
    }
  });

  test("that a replica may or may not have made is told", async () => {
    const [server] = await replicas(1);
    let asked = 0;
    const dying = await foreign((request, response) => {
      asked += 1;
      if (request.method !== "GET") return response.destroy();
      const known = { status: "ok", version: VERSION, seed: "adsim", world: "default", now: "" };
      return response.end(JSON.stringify(known));
    });
    const { code, stdout, stderr } = await runAdsim([
      ...["fleet", server?.url ?? "", dying, "POST", "clock/advance", '{"by":"1h"}'],
    ]);
    expect([code, asked]).toEqual([1, 2]);
    expect(stderr).toContain(
      `${dying} gave no answer, and may have done it; the replicas may differ`,
    );
    const answers: { status: number }[] = JSON.parse(stdout).replicas;
    expect(answers.map(({ status }) => status)).toEqual([200, 0]);
  });

  test("that only some refuse is reported with what each one answered", async () => {
    const servers = await replicas(2);
    servers[1]?.worlds.get("default").clock.advance("30d");
    const now = '{"mode":"frozen","now":"2026-01-20T00:00:00Z"}';
    const { code, answer, stderr } = await fleet(servers, "PUT", "clock", now);
    expect(code).toBe(1);
    expect(stderr).toContain(`${servers[1]?.url} refused it; the replicas may differ now`);
    expect(answer.replicas.map(({ status }: { status: number }) => status)).toEqual([200, 409]);
  });

  test("with different results says that the replicas differ", async () => {
    const servers = await replicas(2);
    servers[0]?.worlds.get("default").publishers.signUp();
    const { code, answer, stderr } = await fleet(servers, "POST", "publishers", "{}");
    expect(code).toBe(1);
    expect(stderr).toContain("the replicas did it with different results");
    expect(answer.replicas).toHaveLength(2);
  });

  test("has different results if frozen clocks differ", async () => {
    const servers = await replicas(2);
    servers[1]?.worlds.get("default").clock.advance("5h");
    const asked = await fleet(servers, "GET", "clock");
    expect([asked.code, asked.answer.replicas.length]).toEqual([0, 2]);
    const { code, answer } = await fleet(servers, "POST", "clock/advance", '{"by":"1h"}');
    expect(code).toBe(1);
    expect(answer.replicas.map((one: { answer: { now: string } }) => one.answer.now)).toEqual([
      "2026-01-15T01:00:00.000Z",
      "2026-01-15T06:00:00.000Z",
    ]);
  });

  test("has one result if clocks aren't frozen", async () => {
    const servers = await replicas(2, { clock: "flowing" });
    const { code, stderr } = await fleet(servers, "POST", "clock/advance", '{"by":"1h"}');
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("that all refuse is wrong usage, with the control API's words", async () => {
    const servers = await replicas(2);
    const { code, stderr } = await fleet(servers, "POST", "clock/advance", '{"by":"soon"}');
    expect(code).toBe(2);
    expect(stderr).toContain("by must be whole milliseconds");
  });
});

describe("a question", () => {
  test("about the audit gets the sum, exact to the micro", async () => {
    const servers = await replicas(3);
    for (const [index, server] of servers.entries()) record(server, index, 100 + index);
    const [first, second] = servers;
    if (first === undefined || second === undefined) throw new Error("There are no replicas.");
    // A publisher on two replicas, as a key for any publisher can cause.
    record(second, 0, 7);
    const { code, answer } = await fleet(servers, "GET", "audit");
    expect(code).toBe(0);
    const audits = servers.map(({ worlds }) => worlds.get("default").audit());
    expect(answer.total.applied).toBe(310);
    expect(answer.total.impressions.applied).toBe(310);
    const micros = audits.map(({ total }) => Math.round(total.creditedRecordedInr * 1e6));
    expect(answer.total.creditedRecordedInr).toBe(micros.reduce((sum, one) => sum + one) / 1e6);
    const applied = answer.publishers.map((one: { applied: number }) => one.applied);
    expect(applied).toEqual([107, 101, 102]);
    expect([answer.balanced, answer.discrepancies]).toEqual([true, []]);
    expect(Object.keys(answer)).toEqual(Object.keys(JSON.parse(JSON.stringify(audits[0]))));
  });

  test("about the journal gets the last entries of all, in the order of their times", async () => {
    const servers = await replicas(2);
    for (const [turn, server] of [...servers, ...servers].entries()) {
      server.worlds.get("default").clock.set({ nowMs: Date.UTC(2026, 0, 15, turn) });
      record(server, 0, 1);
    }
    const { answer } = await fleet(servers, "GET", "journal?limit=3");
    const [one, other] = servers.map(({ url }) => url);
    expect(answer.total).toBe(4);
    expect(
      answer.entries.map((entry: { at: string; replica: string }) => [entry.at, entry.replica]),
    ).toEqual([
      ["2026-01-15T01:00:00.000Z", other],
      ["2026-01-15T02:00:00.000Z", one],
      ["2026-01-15T03:00:00.000Z", other],
    ]);
  });

  test("about metrics gets every sample with its replica", async () => {
    const servers = await replicas(2);
    for (const [index, server] of servers.entries()) record(server, index, index + 3);
    const { code, answer } = await fleet(servers, "GET", "metrics");
    expect(code).toBe(0);
    const [one, other] = servers.map(({ url }) => url);
    const requests = 'adsim_requests_total{operation="impression",status="200"';
    expect(answer).toContain(
      `${requests},replica="${one}"} 3\n${requests},replica="${other}"} 4\n`,
    );
    expect(answer).toContain(`adsim_worlds{replica="${one}"} 1\n`);
    const names = [...String(answer).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(5);
  });

  test.each(["audit", "journal", "metrics"])(
    "about %s needs an answer of its form from each",
    async (path) => {
      const [server] = await replicas(1);
      for (const [status, body] of [
        [200, "{\u0000garbage"],
        [200, "null"],
        [200, "[]"],
        [200, "{}"],
        [204, undefined],
      ] as const) {
        const broken = await foreign((request, response) => {
          const known = {
            status: "ok",
            version: VERSION,
            seed: "adsim",
            world: "default",
            now: "",
          };
          if (request.url?.endsWith("health") === true) return response.end(JSON.stringify(known));
          response.statusCode = status;
          return response.end(body);
        });
        const { code, stderr, stdout } = await runAdsim([
          ...["fleet", server?.url ?? "", broken, "GET", path],
        ]);
        expect([code, stdout], `${body}`).toEqual([3, ""]);
        expect(stderr).toContain(`${broken} answered GET /_sim/${path} with something unexpected.`);
      }
    },
  );

  test("that some don't answer changes nothing", async () => {
    const [server] = await replicas(1);
    const failing = await foreign((request, response) => {
      const known = { status: "ok", version: VERSION, seed: "adsim", world: "default", now: "" };
      if (request.url?.endsWith("health") === true) return response.end(JSON.stringify(known));
      return response.destroy();
    });
    const { code, stderr } = await runAdsim(["fleet", server?.url ?? "", failing, "GET", "audit"]);
    expect([code, stderr]).toEqual([1, `adsim: ${failing} gave no answer\n`]);
  });

  test("that all answer alike is answered once, and any other for each replica", async () => {
    const servers = await replicas(2);
    const { answer } = await fleet(servers, "GET", "publishers?limit=1");
    expect(answer.publishers).toHaveLength(1);
    record(servers[0] as Server, 0, 1);
    const report = await fleet(servers, "GET", "report");
    expect(report.code).toBe(0);
    expect(report.answer.replicas.map(({ url }: { url: string }) => url)).toEqual(
      servers.map(({ url }) => url),
    );
  });
});

test("the token goes to all replicas, and nothing is sent if one refuses it", async () => {
  const secured = await replicas(2, { controlToken: "secret" });
  const other = await serverFor({ clock: "frozen", controlToken: "other" });
  const urls = secured.map(({ url }) => url);
  const words = ["POST", "clock/advance", '{"by":"1h"}'];
  const token = ["--control-token", "secret"];
  expect((await runAdsim(["fleet", ...token, ...urls, ...words])).code).toBe(0);
  const { code, stderr } = await runAdsim(["fleet", ...urls, other.url, ...token, "--", ...words]);
  expect(code).toBe(3);
  expect(stderr).toContain(`${other.url} refuses control requests (401)`);
  expect(stderr).toContain("Give its control token (--control-token).");
  for (const { worlds } of secured)
    expect(worlds.get("default").clock.now()).toBe(Date.parse("2026-01-15T01:00:00Z"));
});

test("nothing is sent unless all are replicas of one server", async () => {
  const server = await serverFor({ clock: "frozen" });
  const seeded = await serverFor({ clock: "frozen", seed: "other" });
  const stranger = await foreign((_, response) => response.end("hello"));
  const older = { status: "ok", version: "0.0.1", seed: "adsim", world: "default", now: "" };
  const old = await foreign((_, response) => response.end(JSON.stringify(older)));
  for (const [url, why] of [
    [old, `is adsim 0.0.1, but this is ${VERSION}. Nothing was sent.`],
    [seeded.url, "these aren't replicas of one server"],
    [stranger, "isn't an adsim: it answers GET /_sim/health with status 200, but not as"],
    ["ftp://127.0.0.1", "must be a URL that begins with http:// or https://"],
    [`${server.url}/@default`, "is given twice"],
    ["http://127.0.0.1:9", "can't be reached"],
  ] as const) {
    const { code, stderr } = await runAdsim([
      ...["fleet", server.url, url, "POST", "clock/advance", '{"by":"1h"}'],
    ]);
    const isUsage = /^ftp|@default$/.test(url);
    expect([code, stderr.includes(why)], stderr).toEqual([isUsage ? 2 : 3, true]);
  }
  expect(server.worlds.get("default").clock.now()).toBe(Date.parse("2026-01-15T00:00:00Z"));
});

const url = "http://127.0.0.1:9";
test.each([
  [["GET", "audit"], "URL is missing"],
  [[], "URL is missing"],
  [[url], "give a control request: METHOD PATH [BODY]"],
  [[url, "audit"], "give a control request: METHOD PATH [BODY]"],
  [[url, "GET"], "give a control request: METHOD PATH [BODY]"],
  [[url, `${url}/`, "GET", "audit"], `${url} is given twice`],
  [[url, "POST", "reset", "now"], "the body is not valid JSON at line 1, column 1"],
  [[url, "POST", "clock/advance", '{"by":', '"1h"}'], "unexpected '\"1h\"}' after the body"],
  [[url, "GET", "journal limit"], "'journal limit' isn't a path of the control API"],
  [[url, "POST", "reset", '"now"'], "the body must be a JSON object"],
  [[url, "nonsense", `${url}/@other`, "GET", "clock"], "METHOD PATH [BODY], not 'nonsense'."],
  [[url, "nonsense", "--", "GET", "clock"], "METHOD PATH [BODY], not 'nonsense'. Examples"],
  [[url, "GET", "../v1"], "'../v1' isn't a path of the control API"],
  [[url, "GET", "events"], "GET /_sim/events can't be sent to all: it never ends"],
  [[url, "POST", "scenarios/play", "{}"], "can't be sent to all: each replica would play"],
  [[url, "GET", "journal?format=har&limit=3"], "Leave out after and format"],
  [[`${url}?x=1`, "GET", "audit"], "must be a URL without ? and #"],
])("%j is wrong usage", async (words, why) => {
  const { code, stderr } = await runAdsim(["fleet", ...words]);
  expect([code, stderr.includes(why)], stderr).toEqual([2, true]);
});
