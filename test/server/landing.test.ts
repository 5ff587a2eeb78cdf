/** The pages that a browser gets at the server's addresses. Looking at them changes nothing. */

import { expect, test } from "vitest";
import { exchange, serve } from "./raw.ts";

const chrome =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

test.each([
  ["/", ["/_sim/publishers", "/_sim/openapi.json", "/_sim/"]],
  ["/@NAME/", ["/@NAME/_sim/publishers", "/@NAME/_sim/"]],
  ["/@NAME", ["/@NAME/_sim/publishers"]],
  ["/_sim/", ["/_sim/health", "/_sim/journal", "/_sim/metrics"]],
  ["/_sim", ["/_sim/health"]],
  ["/@NAME/_sim/", ["/@NAME/_sim/health"]],
])("%s shows a browser a page whose links all work", async (path, links) => {
  await using server = await serve();
  const response = await fetch(server.url + path, { headers: { accept: chrome } });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("x-ratelimit-remaining")).toBe("60");
  const page = await response.text();
  const found = Array.from(page.matchAll(/href="([^"]+)"/g), ([, href = ""]) => href);
  expect(found).toEqual(expect.arrayContaining(links));
  // Looking created no world.
  expect(server.worlds.names()).toEqual(["default"]);
  expect(server.worlds.get("default").journal.total).toBe(0);
  for (const href of found) {
    const linked = await fetch(server.url + href, { headers: { accept: chrome } });
    expect(linked.status, href).toBe(200);
    await linked.arrayBuffer();
  }
});

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
  ] as const) {
    const response = await fetch(server.url + path, { headers: { accept } });
    expect(response.status).toBe(404);
    expect((await response.json()).type).toBe(type);
  }
});

test("other methods and paths have no page", async () => {
  await using server = await serve();
  const headers = { accept: chrome };
  for (const [method, path] of [
    ["POST", "/"],
    ["GET", "/v1"],
    ["GET", "/v1/"],
    ["GET", "/index.html"],
    ["GET", "/_simx"],
    ["GET", "//"],
    ["GET", "/@/"],
    ["GET", "/@<script>/"],
    ["GET", `/@${"x".repeat(65)}/`],
  ] as const) {
    const response = await fetch(server.url + path, { method, headers });
    expect(response.status, path).toBeGreaterThanOrEqual(400);
    expect(response.headers.get("content-type")).not.toContain("html");
  }
  const response = await fetch(`${server.url}/`, { method: "HEAD", headers });
  expect([response.status, await response.text()]).toEqual([200, ""]);
});

test("the guard of the control API protects its page too", async () => {
  await using server = await serve();
  const accept = `Accept: ${chrome}\r\n`;
  for (const path of ["/_sim/", "/_sim", "/@x/_sim/"]) {
    for (const lines of [
      "Host: evil.example\r\n",
      "Host: localhost\r\nOrigin: http://localhost:3000\r\n",
      "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
    ]) {
      const sent = `GET ${path} HTTP/1.1\r\n${lines}${accept}\r\n`;
      expect((await exchange(server.port, sent)).responses[0]?.status).toBe(403);
    }
  }
  await using locked = await serve({ controlToken: "s3cret" });
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${locked.url}/_sim/`, { headers: { accept: chrome, ...headers } })).status;
  expect(await status({})).toBe(401);
  expect(await status({ authorization: "Bearer s3cret" })).toBe(200);
});
