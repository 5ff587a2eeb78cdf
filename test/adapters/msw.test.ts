import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterEach, describe, expect, test } from "vitest";
import { createSimulator, InputError } from "../../src/index.ts";
import { createHandlers, type HandlerOptions } from "../../src/msw.ts";

const sim = createSimulator({ seed: "msw" });
const { id, apiKey } = sim.publishers.at(0);
const path = `/v1/publisher/surfaces?publisher_id=${id}`;
const init = { headers: { authorization: `Bearer ${apiKey}` } };

/** Answers what no other handler answers, so that no test uses the network. */
const elsewhere = http.all("*", () => HttpResponse.text("elsewhere", { status: 299 }));

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function listen(options?: HandlerOptions): void {
  const server = setupServer(...createHandlers(sim, options), elsewhere);
  server.listen({ onUnhandledFrame: "error" });
  closers.push(() => server.close());
}

const isOurs = async (url: string): Promise<boolean> => (await fetch(url, init)).status !== 299;

describe("createHandlers", () => {
  test("without a base URL answers /v1 of any origin, and nothing else", async () => {
    listen();
    expect((await fetch(`https://ads.example${path}`, init)).status).toBe(200);
    expect((await fetch(`http://localhost:1234${path}`, init)).status).toBe(200);
    expect((await fetch("https://ads.example/v1/nothing", init)).status).toBe(404);
    expect(await isOurs("https://ads.example/")).toBe(false);
    expect(await isOurs("https://ads.example/v10/click")).toBe(false);
    expect(await isOurs("https://ads.example/api/v1/click")).toBe(false);
  });

  test("with a base URL answers everything below it, and nothing beside it", async () => {
    listen({ baseUrl: "https://ads.example/api" });
    expect((await fetch(`https://ads.example/api${path}`, init)).status).toBe(200);
    expect((await fetch("https://ads.example/api", init)).status).toBe(404);
    expect((await fetch("https://ads.example/api/x", init)).status).toBe(404);
    expect(await isOurs(`https://ads.example${path}`)).toBe(false);
    expect(await isOurs(`https://ads.example/apis${path}`)).toBe(false);
    expect(await isOurs(`http://ads.example/api${path}`)).toBe(false);
    expect(await isOurs(`https://ads.example:8443/api${path}`)).toBe(false);
  });

  test("a slash at the base URL's end, a URL object and the scheme's own port change nothing", async () => {
    const spellings = [
      "https://ads.example/a(b)*/",
      new URL("https://ads.example/a(b)*"),
      "https://ads.example:443/a(b)*",
    ];
    for (const baseUrl of spellings) {
      listen({ baseUrl });
      expect((await fetch(`https://ads.example/a(b)*${path}`, init)).status).toBe(200);
      for (const close of closers.splice(0)) await close();
    }
  });

  test.each([
    ["/api", "baseUrl must be an http or https URL"],
    ["ftp://ads.example", "baseUrl must be an http or https URL"],
  ])("refuses the base URL %s with an error that names baseUrl", (baseUrl, message) => {
    expect(() => createHandlers(sim, { baseUrl })).toThrow(InputError);
    expect(() => createHandlers(sim, { baseUrl })).toThrow(message);
  });

  test("refuses a misspelled option and an object that isn't a simulator", () => {
    const misspelled = { baseURL: "https://ads.example" } as HandlerOptions;
    expect(() => createHandlers(sim, misspelled)).toThrow("baseURL is not known here");
    expect(() => createHandlers({} as typeof sim)).toThrow("sim must be a simulator");
  });
});
