/** The forms of error bodies: each gives the same facts (`errors.body`). */

import { describe, expect, test } from "vitest";
import type { Choice } from "../../src/spec/assumptions/catalogue.ts";
import { errorBodies } from "../../src/spec/error-bodies.ts";
import { exchange, serve } from "../server/raw.ts";
import { createTestClient } from "./test-client.ts";

const stats = "/v1/publisher/stats";
const rejected = createTestClient().get(stats, { publisher_id: "nobody" });
const { code, detail } = JSON.parse(rejected.body) as { code: string; detail: string };

const expected: Readonly<Record<Choice<"errors.body">, readonly [type: unknown, body: unknown]>> = {
  problem: ["application/problem+json", rejected.body],
  envelope: [
    "application/json",
    JSON.stringify({ error: { code, message: detail, parameter: "publisher_id" } }),
  ],
  flat: ["application/json", JSON.stringify({ error: detail })],
  list: [
    "application/json",
    JSON.stringify({ errors: [{ code, message: detail, parameter: "publisher_id" }] }),
  ],
  text: ["text/plain; charset=utf-8", detail],
  html: [
    "text/html; charset=utf-8",
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>There is no such publisher</title></head>` +
      `<body><h1>There is no such publisher</h1><p>${detail}</p></body></html>`,
  ],
  empty: [undefined, ""],
};
const choices = Object.keys(expected) as Choice<"errors.body">[];

describe.each(choices)("%s", (choice) => {
  const { get, send, sim, publisher } = createTestClient({ "errors.body": choice });
  const [type, body] = expected[choice];

  test("has its content type, its body, and the right length", () => {
    const response = get(stats, { publisher_id: "nobody" });
    expect(response.status).toBe(404);
    expect(response.headers["content-type"]).toBe(type);
    expect(response.body).toBe(body);
    expect(response.headers["content-length"]).toBe(String(Buffer.byteLength(response.body)));
    expect("content-type" in response.headers).toBe(choice !== "empty");
    expect(response.headers["x-ratelimit-remaining"]).toBe("59");
  });

  test("HEAD has the headers of GET and no body", () => {
    const query = { publisher_id: "nobody" };
    const got = createTestClient({ "errors.body": choice }).get(stats, query);
    const head = createTestClient({ "errors.body": choice }).send({
      method: "HEAD",
      path: stats,
      query,
    });
    expect(head).toEqual({ ...got, body: "" });
  });

  test("is journalled as shaping the answer, and changes no success", () => {
    send({ method: "GET", path: "/nowhere" });
    const [refusal] = sim.journal.entries({ limit: 1 });
    expect(refusal?.assumptions).toContain("errors.body");
    const plain = createTestClient().get(stats, { publisher_id: publisher.id });
    expect(get(stats).body).toBe(plain.body);
    expect(get(stats).headers["content-type"]).toBe("application/json");
  });

  test("names no parameter if none is at fault", () => {
    const response = send({ method: "GET", path: "/nowhere" });
    expect(response.body).not.toContain("parameter");
  });

  test("is also the form for requests that the server can't parse", async () => {
    await using server = await serve({ assumptions: { "errors.body": choice } });
    const { responses } = await exchange(server.port, "GET / HTTP/1.1\r\nbroken\r\n\r\n");
    const [response] = responses;
    expect(response?.status).toBe(400);
    expect(response?.headers["content-type"]).toBe(type);
    expect(response?.headers["content-length"]).toBe(
      String(Buffer.byteLength(response?.body ?? "none")),
    );
    expect(response?.body === "").toBe(choice === "empty");
  });
});

test("an HTML page shows any detail as text", () => {
  const detail = `<script>alert("&")</script>`;
  const page = errorBodies.html.write({ code: "invalid_parameter", detail }, 400);
  expect(page).toContain("<p>&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;</p>");
  expect(page).not.toContain("<script>");
});

test("JSON error bodies escape what their details hold", () => {
  const detail = 'a "quoted" \\ text\n';
  for (const choice of ["problem", "envelope", "flat", "list"] as const) {
    const body = errorBodies[choice].write({ code: "invalid_parameter", detail }, 400);
    expect(JSON.stringify(JSON.parse(body))).toContain(JSON.stringify(detail));
  }
});
