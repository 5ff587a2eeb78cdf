/** What a browser gets at the server's addresses: the inspector. Looking at it changes nothing. */

import { expect, test } from "vitest";
import { serve } from "./raw.ts";

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
    const page = await (await fetch(server.url + path, asBrowser)).text();
    expect(page).toMatch(/^<!doctype html>/i);
    // Nothing comes from elsewhere, and nothing in the page runs but its one script.
    expect(page).not.toMatch(/https?:|<script(?![^>]*\bsrc="inspector\.js")|\son\w+=|<style/i);
    for (const [name, type, accept] of [
      ["", "text/html; charset=utf-8", chrome],
      ["inspector.js", "text/javascript; charset=utf-8", "*/*"],
      ["inspector.css", "text/css; charset=utf-8", "*/*"],
    ] as const) {
      expect(page).toContain(name);
      const asset = await fetch(server.url + path + name, { headers: { accept } });
      expect(asset.status).toBe(200);
      expect(Object.fromEntries(asset.headers)).toMatchObject({
        "content-type": type,
        "content-length": String(Buffer.byteLength(await asset.text())),
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
        "x-ratelimit-remaining": "60",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
    }
    expect(server.worlds.names()).toEqual(["default"]);
    expect(server.worlds.get("default").journal.total).toBe(0);
  },
);

test.each(["*/*", "text/html;q=0", "application/json, text/html", ""])(
  "with Accept: %s the answer is the API's 404, not a page",
  async (accept) => {
    await using server = await serve();
    for (const [path, type] of [
      ["/", "urn:adsim:error:route_not_found"],
      ["/@x/", "urn:adsim:error:route_not_found"],
      ["/_sim/", "urn:adsim:control:not-found"],
      ["/_sim", "urn:adsim:control:not-found"],
    ] as const) {
      const response = await fetch(server.url + path, { headers: { accept } });
      expect([response.status, (await response.json()).type]).toEqual([404, type]);
    }
  },
);

test.each([
  ["POST", "/"],
  ["POST", "/_sim/"],
  ["GET", "/v1"],
  ["GET", "/_simx"],
  ["GET", "/_sim//"],
  ["GET", "//evil.example/"],
  ["GET", "/@<script>/"],
  ["GET", "/@<script>/_sim/inspector.js"],
  ["GET", `/@${"x".repeat(65)}/_sim/`],
])("%s %s has no page", async (method, path) => {
  await using server = await serve();
  const response = await fetch(server.url + path, { ...asBrowser, method });
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.headers.get("content-type")).not.toContain("html");
});

test("with the token a browser gets the page, its parts, the API and the events", async () => {
  await using server = await serve({ controlToken: "s3cr:t" });
  const authorization = `bAsIc  ${Buffer.from("ü:s3cr:t").toString("base64")}`;
  const headers = { accept: chrome, authorization };
  for (const path of ["", "inspector.js", "inspector.css", "health", "events?follow=false"]) {
    for (const world of ["", "/@new"]) {
      const { status } = await fetch(`${server.url}${world}/_sim/${path}`, { headers });
      expect(status, path).toBe(200);
    }
  }
});
