import { describe, expect, onTestFinished, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";

function prepare(): { sim: Simulator; path: string; init: { headers: Record<string, string> } } {
  const sim = createSimulator({ seed: "fetch" });
  const { id, apiKey } = sim.publishers.at(0);
  return {
    sim,
    path: `/v1/publisher/surfaces?publisher_id=${id}`,
    init: { headers: { authorization: `Bearer ${apiKey}` } },
  };
}

describe("sim.fetch", () => {
  test("answers any origin, a URL object, a Request and a URL without origin alike", async () => {
    const { sim, path, init } = prepare();
    const inputs = [
      path,
      `https://ads.example${path}`,
      `http://127.0.0.1:9${path}#part`,
      new URL(path, "http://a.test"),
      new Request(`http://b.test${path}`),
    ];
    const bodies = [];
    for (const input of inputs) {
      const response = await sim.fetch(input, init);
      expect(response.status).toBe(200);
      bodies.push(await response.text());
    }
    expect(new Set(bodies).size).toBe(1);
    expect(sim.journal.entries().map((entry) => entry.request.path)).toEqual(
      inputs.map(() => "/v1/publisher/surfaces"),
    );
  });

  test("answers a Request that a framework wraps, with its method and body", async () => {
    const { sim, init } = prepare();
    const { id: publisher_id, surfaces } = sim.publishers.at(0);
    const body = JSON.stringify({ publisher_id, surface: surfaces[0]?.id, ad_id: "a" });
    const headers = { ...init.headers, "content-type": "application/json" };
    const request = new Request("http://a.test/v1/impression", { method: "POST", headers, body });
    // As Next.js does it. The constructor of Request doesn't take it.
    const wrapped = new Proxy(request, { get: (target, name) => Reflect.get(target, name) });
    expect((await sim.fetch(wrapped)).status).toBe(200);
    await expect(sim.fetch(wrapped)).rejects.toThrow(TypeError);
    expect(sim.journal.total).toBe(1);
  });

  test("a path is passed on as it was sent, percent-encoding and double slashes included", async () => {
    const { sim } = prepare();
    await sim.fetch("http://a.test//v1/%63lick?a=%20b&&c=%zz");
    expect(sim.journal.entries()[0]?.request).toMatchObject({
      path: "//v1/%63lick",
      query: "a=%20b&&c=%zz",
    });
  });

  test("a signal that is aborted already rejects with its reason, and nothing is recorded", async () => {
    const { sim, path, init } = prepare();
    const reason = new Error("changed my mind");
    const pending = sim.fetch(path, { ...init, signal: AbortSignal.abort(reason) });
    await expect(pending).rejects.toBe(reason);
    expect(sim.journal.total).toBe(0);
  });

  test("aborting while the body is still being sent rejects, and nothing is recorded", async () => {
    const { sim, init } = prepare();
    const controller = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      pull(stream) {
        controller.abort(new Error("too late"));
        stream.enqueue(new TextEncoder().encode("{}"));
        stream.close();
      },
    });
    const pending = sim.fetch("/v1/impression", {
      ...init,
      method: "POST",
      body,
      signal: controller.signal,
      // Node wants it for a stream; the type doesn't know it.
      ...{ duplex: "half" },
    });
    await expect(pending).rejects.toThrow("too late");
    expect(sim.journal.total).toBe(0);
  });

  test("a URL with credentials or without a host, and a GET with a body, are refused with a TypeError", async () => {
    const { sim, path } = prepare();
    await expect(sim.fetch(`http://user:secret@a.test${path}`)).rejects.toThrow(TypeError);
    await expect(sim.fetch("http://")).rejects.toThrow(TypeError);
    await expect(sim.fetch(new URL(path, "http://a.test"), { body: "a" })).rejects.toThrow("body");
    await expect(sim.fetch(path, { body: "a", method: "GET" })).rejects.toThrow(TypeError);
    expect(sim.journal.total).toBe(0);
  });
});

type World = Pick<Simulator, "publishers" | "faults">;

/** What fetch says of an answer, to a publisher's request for its surfaces or for something else. */
async function shown(world: World, send: typeof fetch, base: string, [method, path]: Target) {
  const { id, apiKey } = world.publishers.at(0);
  for (const [operation, status] of [["click", 425] as const, ["stats", 555] as const])
    world.faults.add({ match: { operation }, verdict: { kind: "respond", status } });
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await send(`${base}${path}?publisher_id=${id}#part`, { method, headers });
  const { url, redirected, status, statusText, ok } = response;
  const about = { url: url.replace(base, ""), redirected, status, statusText, ok };
  const { date, connection, "keep-alive": _, ...sent } = Object.fromEntries(response.headers);
  const urlOfClone = response.clone().url.replace(base, "");
  return { ...about, urlOfClone, headers: sent, body: await response.text() };
}

type Target = readonly [method: string, path: string, status: number, statusText: string];

test.each<Target>([
  ["GET", "/v1/publisher/surfaces", 200, "OK"],
  ["HEAD", "/v1/publisher/surfaces", 200, "OK"],
  ["GET", "/v1/%63lick", 404, "Not Found"],
  ["PROPFIND", "/v1/click", 405, "Method Not Allowed"],
  ["POST", "/v1/click", 425, "Too Early"],
  ["GET", "/v1/publisher/stats", 555, "unknown"],
])("%s %s → %i %s: a Response as over HTTP", async (...target) => {
  const options = { seed: "fetch", profile: "adversarial", publishers: 1 } as const;
  const server = await startServer({ ...options, clock: "frozen", port: 0 });
  onTestFinished(() => server.close());
  const sim = createSimulator(options);
  const own = await shown(sim, sim.fetch, "http://a.test", target);
  expect(own).toEqual(await shown(server.worlds.get("default"), fetch, server.url, target));
  expect(own).toMatchObject({ status: target[2], statusText: target[3], redirected: false });
});
