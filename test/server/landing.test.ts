/** What a browser gets at the server's addresses: the inspector. Looking at it changes nothing. */

import { expect, test } from "vitest";
import { exchange, serve } from "./raw.ts";

const chrome =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
const asBrowser: RequestInit = { headers: { accept: chrome }, redirect: "manual" };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

test.each([
  ["/", "/_sim/"],
  ["/_sim", "/_sim/"],
  ["/@NAME", "/@NAME/_sim/"],
  ["/@NAME/", "/@NAME/_sim/"],
  ["/@NAME/_sim", "/@NAME/_sim/"],
])("%s leads a browser to %s", async (path, target) => {
  await using server = await serve();
  for (const method of ["GET", "HEAD"]) {
    const response = await fetch(server.url + path, { ...asBrowser, method });
    expect([response.status, response.headers.get("location")]).toEqual([302, target]);
    expect(response.headers.get("vary")).toBe("Accept");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).toBe("");
  }
  expect(server.worlds.names()).toEqual(["default"]);
  expect(server.worlds.get("default").journal.total).toBe(0);
});

test.each(["/_sim/", "/@NAME/_sim/"])(
  "%s is the page, with its script and style beside it, and looking creates no world",
  async (path) => {
    await using server = await serve();
    const response = await fetch(server.url + path, asBrowser);
    expect(response.status).toBe(200);
    const { headers } = response;
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("x-ratelimit-remaining")).toBe("60");
    const page = await response.text();
    expect(page).toMatch(/^<!doctype html>/i);
    // Nothing comes from elsewhere, and nothing in the page runs but its one script.
    expect(page).not.toMatch(/https?:|<script(?![^>]*\bsrc="inspector\.js")|\son\w+=|<style/i);
    for (const [name, type] of [
      ["", "text/html; charset=utf-8"],
      ["inspector.js", "text/javascript; charset=utf-8"],
      ["inspector.css", "text/css; charset=utf-8"],
    ] as const) {
      expect(page).toContain(name);
      const accept = name === "" ? chrome : "*/*";
      const asset = await fetch(server.url + path + name, { headers: { accept } });
      expect(asset.status).toBe(200);
      expect(Object.fromEntries(asset.headers)).toMatchObject({
        "content-type": type,
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
      const text = await asset.text();
      expect(Number(asset.headers.get("content-length"))).toBe(Buffer.byteLength(text));
      const head = await fetch(server.url + path + name, { method: "HEAD", headers: { accept } });
      expect(Object.fromEntries(head.headers)).toMatchObject({ "content-type": type });
      expect(await head.text()).toBe("");
    }
    expect(server.worlds.names()).toEqual(["default"]);
    expect(server.worlds.get("default").journal.total).toBe(0);
  },
);

test.each([
  "*/*",
  "application/json",
  "text/html;q=0",
  "text/html;q=0.5, application/json",
  "application/problem+json, text/html;q=0.9",
  "text/*",
  "",
])("with Accept: %s the answer is the API's 404, not a page", async (accept) => {
  await using server = await serve();
  for (const [path, type] of [
    ["/", "urn:adsim:error:route_not_found"],
    ["/@x/", "urn:adsim:error:route_not_found"],
    ["/_sim/", "urn:adsim:control:not-found"],
    ["/_sim", "urn:adsim:control:not-found"],
  ] as const) {
    const response = await fetch(server.url + path, { headers: { accept } });
    expect(response.status).toBe(404);
    const problem = await response.json();
    expect(problem.type).toBe(type);
    if (path.startsWith("/_sim")) expect(problem.detail).toContain("/_sim/journal");
  }
});

test("other methods and paths have no page", async () => {
  await using server = await serve();
  for (const [method, path] of [
    ["POST", "/"],
    ["POST", "/_sim/"],
    ["POST", "/_sim"],
    ["GET", "/v1"],
    ["GET", "/v1/"],
    ["GET", "/index.html"],
    ["GET", "/_simx"],
    ["GET", "/_sim//"],
    ["GET", "/_sim/inspector.js/"],
    ["GET", "//"],
    ["GET", "//evil.example/"],
    ["GET", "/@/"],
    ["GET", "/@<script>/"],
    ["GET", "/@<script>/_sim/inspector.js"],
    ["GET", `/@${"x".repeat(65)}/`],
    ["GET", `/@${"x".repeat(65)}/_sim/`],
  ] as const) {
    const response = await fetch(server.url + path, { ...asBrowser, method });
    expect(response.status, path).toBeGreaterThanOrEqual(400);
    expect(response.headers.get("content-type")).not.toContain("html");
  }
});

test("a page of another origin gets neither the page nor its parts, and a person reads why", async () => {
  await using server = await serve();
  for (const path of ["/_sim/", "/_sim", "/@x/_sim/", "/_sim/inspector.js", "/_sim/publishers"]) {
    for (const lines of [
      "Host: evil.example\r\n",
      "Host: localhost\r\nOrigin: http://localhost:3000\r\n",
      "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
    ]) {
      const sent = `GET ${path} HTTP/1.1\r\n${lines}Accept: ${chrome}\r\n\r\n`;
      const { responses } = await exchange(server.port, sent);
      expect(responses[0]?.status).toBe(403);
      expect(responses[0]?.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'",
        "x-content-type-options": "nosniff",
      });
      expect(responses[0]?.body).toMatch(/<h1>The control API may not be used from this place</);
    }
  }
});

test("if other machines can reach a server without a token, its browsers read how to open the page", async () => {
  await using server = await serve({ host: "0.0.0.0" });
  const response = await fetch(`${server.url}/`, { headers: { accept: chrome } });
  expect([response.status, response.redirected]).toEqual([403, true]);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await response.text()).toContain("--control-token TOKEN");
  const program = await fetch(`${server.url}/_sim/`);
  expect(program.headers.get("content-type")).toBe("application/problem+json");
});

const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

test("a browser is asked for the token, and may then use the page, its parts and the API", async () => {
  await using server = await serve({ controlToken: "s3cr:t" });
  const { url } = server;
  const asked = await fetch(`${url}/_sim/`, asBrowser);
  expect(asked.status).toBe(401);
  expect(asked.headers.get("www-authenticate")).toBe('Basic realm="adsim control"');
  expect(asked.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const part = await fetch(`${url}/_sim/inspector.js`);
  expect(part.headers.get("www-authenticate")).toBe('Basic realm="adsim control"');
  const program = await fetch(`${url}/_sim/health`);
  expect(program.status).toBe(401);
  expect(program.headers.get("www-authenticate")).toBe('Bearer realm="adsim control"');
  for (const sent of [
    basic("", "s3cr:t"),
    basic("anybody", "s3cr:t"),
    { authorization: `bAsIc  ${Buffer.from("ü:s3cr:t").toString("base64")}` },
    { authorization: "Bearer s3cr:t" },
  ]) {
    const page = await fetch(`${url}/_sim/`, { headers: { accept: chrome, ...sent } });
    expect(page.status).toBe(200);
    for (const path of ["/_sim/inspector.js", "/_sim/health", "/@new/_sim/clock"]) {
      expect((await fetch(url + path, { headers: sent })).status, path).toBe(200);
    }
    const events = await fetch(`${url}/_sim/events`, { headers: sent });
    expect(events.status).toBe(200);
    await events.body?.cancel();
  }
});

test.each([
  basic("s3cret", ""),
  basic("s3cret", "wrong"),
  basic("", "s3cret "),
  basic("", "s3cretx"),
  { authorization: `Basic ${Buffer.from("s3cret").toString("base64")}` },
  { authorization: "Basic" },
  { authorization: "Basic " },
  { authorization: "Basic s3cret" },
  { authorization: "Basic :s3cret" },
  { authorization: "Basic %%%%" },
  { authorization: "Basic OnMzY3JldA==, Basic OnMzY3JldA==" },
  { authorization: `Basic ${Buffer.from([0xff, 0x3a]).toString("base64")}` },
  { authorization: "Digest OnMzY3JldA==" },
  { authorization: "s3cret" },
])("%j isn't the token", async (headers) => {
  await using server = await serve({ controlToken: "s3cret" });
  expect((await fetch(`${server.url}/_sim/health`, { headers })).status).toBe(401);
  expect((await fetch(`${server.url}/_sim/health`, { headers: basic("", "s3cret") })).status).toBe(
    200,
  );
});

test("the right password doesn't help a page of another origin, because browsers send it by themselves", async () => {
  await using server = await serve({ controlToken: "s3cret", cors: ["*"] });
  for (const lines of [
    "Host: localhost\r\nOrigin: http://evil.example\r\n",
    "Host: localhost\r\nOrigin: null\r\n",
    "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
    "Host: localhost\r\nSec-Fetch-Site: same-site\r\n",
  ]) {
    for (const path of ["/_sim/", "/_sim/publishers", "/@new/_sim/events"]) {
      const sent = `GET ${path} HTTP/1.1\r\n${lines}Authorization: ${basic("", "s3cret").authorization}\r\n\r\n`;
      expect((await exchange(server.port, sent)).responses[0]?.status).toBe(403);
    }
  }
  expect(server.worlds.names()).toEqual(["default"]);
});
