import { describe, expect, onTestFinished, test } from "vitest";
import { createHttpClient, type HttpClient } from "../../../src/play/targets/http-client.ts";
import type { ApiRequest } from "../../../src/spec/messages.ts";
import { foreign, serverFor } from "./remote-world.ts";

async function clientOf(url: string): Promise<HttpClient> {
  const client = await createHttpClient(url, { connections: 2 });
  onTestFinished(() => client.close());
  return client;
}

interface Got {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** What a service receives. */
async function arrived(request: ApiRequest, prefix = ""): Promise<Got> {
  let got: Got | undefined;
  const url = await foreign((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const { method, url: target, rawHeaders: headers } = incoming;
      got = { line: `${method} ${target}`, headers, body: Buffer.concat(pieces).toString("hex") };
      response.end();
    });
  });
  const client = await clientOf(url);
  const answer = await client.send(prefix, { request, timeoutMs: 20_000 });
  expect(answer.outcome).toBe("answered");
  if (got === undefined) throw new Error("Nothing arrived.");
  return got;
}

describe("a request", () => {
  test("is sent as it is, below the prefix, with no more headers than a connection needs", async () => {
    const { line, headers, body } = await arrived(
      { method: "PURGE", path: "//a%2f/../~?x", query: "?y=%zz", headers: { "X-Odd": "ü" } },
      "/base",
    );
    expect(line).toBe("PURGE /base//a%2f/../~?x&y=%zz");
    expect(headers).toEqual(["host", headers[1], "connection", "keep-alive", "X-Odd", "ü"]);
    expect(body).toBe("");
  });

  test("carries bytes or text as its body unchanged, with its length", async () => {
    const bytes = Uint8Array.of(0xff, 0, 0x80);
    const asBytes = await arrived({ method: "POST", path: "/", body: bytes });
    expect(asBytes.body).toBe("ff0080");
    expect(asBytes.headers.slice(2)).toEqual(["connection", "keep-alive", "content-length", "3"]);
    const asText = await arrived({ method: "GET", path: "/", body: "é" });
    expect(asText.body).toBe("c3a9");
  });

  test("encodes an object given as its query, and sends one given as its body as JSON", async () => {
    const request = { method: "POST", path: "/a", query: { "b c": "ü&", d: 1 }, body: { e: 2 } };
    const { line, headers, body } = await arrived(request);
    expect(line).toBe("POST /a?b%20c=%C3%BC%26&d=1");
    expect(headers).toContain("application/json");
    expect(Buffer.from(body, "hex").toString()).toBe('{"e":2}');
    const typed = await arrived({ ...request, headers: { "Content-Type": "text/x" } });
    expect(typed.headers).toContain("text/x");
    expect(typed.headers).not.toContain("application/json");
  });

  test.each<readonly [string, ApiRequest, string]>([
    ["an invalid method", { method: "GE T", path: "/" }, "request"],
    ["an empty method", { method: "", path: "/" }, "request"],
    ["CONNECT", { method: "CONNECT", path: "/" }, "request.method"],
    ["a path without a slash", { method: "GET", path: "v1" }, "request.path"],
    ["another origin", { method: "GET", path: "http://other/" }, "request.path"],
    ["a space in the path", { method: "GET", path: "/a b" }, "request.path"],
    ["a line break in the query", { method: "GET", path: "/", query: "a\r\nb" }, "request.path"],
    ["a path beyond ASCII", { method: "GET", path: "/ü" }, "request.path"],
    ["a header with a line break", head({ "x-a": "key_b\r\nc: d" }), "request"],
    ["an invalid header name", head({ "a b": "c" }), "request"],
    ["its own length", head({ "Content-Length": "5" }), "request.headers.content-length"],
    ["its own framing", head({ "transfer-encoding": "chunked" }), "request"],
    ["an upgrade", head({ upgrade: "websocket" }), "request"],
  ])("with %s is refused with the field's name, and nothing is sent", async (_, request, field) => {
    let count = 0;
    const url = await foreign((_request, response) => {
      count += 1;
      response.end();
    });
    const client = await clientOf(url);
    const refused = await client.send("", { request, timeoutMs: 9 }).catch((error) => error);
    expect(refused).toMatchObject({ name: "InputError", field });
    expect(refused.message).toContain("over HTTP");
    expect(refused.message).not.toContain("key_b");
    expect(count).toBe(0);
  });
});

function head(headers: Readonly<Record<string, string>>): ApiRequest {
  return { method: "POST", path: "/", headers };
}

describe("an answer", () => {
  test("has its bytes as text, names in lower case, repeated fields joined, and is not followed", async () => {
    let count = 0;
    const url = await foreign((_, response) => {
      count += 1;
      const headers = ["Location", "/else", "X-Two", "1", "x-two", "2", "Set-Cookie", "a=ü"];
      response.writeHead(302, [...headers, "set-cookie", "b"]);
      response.end(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff]));
    });
    const client = await clientOf(url);
    const { why, ...answer } = await client.send("", getting());
    expect(answer).toMatchObject({
      outcome: "answered",
      status: 302,
      headers: { location: "/else", "x-two": "1, 2", "set-cookie": "a=ü, b" },
      text: "\ufeffa\ufffd",
    });
    // The text alone can't show which bytes came.
    expect(Buffer.from(answer.bytes ?? []).toString("hex")).toBe("efbbbf61ff");
    expect(why).toBeUndefined();
    expect(count).toBe(1);
  });

  test("whose body breaks off is cut, with a length announced or in chunks", async () => {
    const url = await foreign(({ url: path }, response) => {
      if (path === "/length") response.setHeader("content-length", "9");
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    const client = await clientOf(url);
    for (const path of ["/length", "/chunks"]) {
      const answer = await client.send("", getting(path));
      expect(answer).toMatchObject({ outcome: "cut", status: 200, text: "half" });
      expect(answer.why).not.toBe(undefined);
    }
  });

  test("that isn't complete in time is given up, and its connection is closed", async () => {
    let gone: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const url = await foreign((_, response) => {
      response.on("close", gone);
      response.write("half");
    });
    const client = await clientOf(url);
    const answer = await client.send("", { ...getting(), timeoutMs: 50 });
    expect(answer).toMatchObject({ outcome: "timed-out", status: 0, headers: {}, text: "" });
    await closed;
  });

  test("to a request that waits for a connection for too long is given up: it isn't sent later", async () => {
    const paths: (string | undefined)[] = [];
    const url = await foreign(({ url: path }, response) => {
      paths.push(path);
      if (path === "/last") response.end();
    });
    const client = await clientOf(url);
    const waiting = [1, 2, 3].map((number) => {
      const timeoutMs = number === 3 ? 50 : 400;
      return client.send("", { ...getting(`/${number}`), timeoutMs });
    });
    const outcomes = (await Promise.all(waiting)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["timed-out", "timed-out", "timed-out"]);
    expect((await client.send("", getting("/last"))).outcome).toBe("answered");
    expect(paths.sort()).toEqual(["/1", "/2", "/last"]);
  });
});

test("requests with odd methods and paths get what they get in process", async () => {
  const { url, worlds } = await serverFor();
  const client = await clientOf(url);
  const sim = worlds.get("default").fork();
  const requests: readonly ApiRequest[] = [
    { method: "HEAD", path: "/v1/publisher/stats" },
    { method: "OPTIONS", path: "/v1/impression/" },
    { method: "GET", path: "/v1//click?a=%zz" },
    { method: "DELETE", path: "/%fc%00", query: { a: "b c" } },
    { method: "POST", path: "/v1/impression", body: { publisher_id: 1 } },
  ];
  for (const request of requests) {
    const { status, text } = await client.send("", { request, timeoutMs: 20_000 });
    const here = sim.handle(request);
    expect({ status, text }).toEqual({ status: here.status, text: here.body });
  }
});

function getting(path = "/"): { readonly request: ApiRequest; readonly timeoutMs: number } {
  return { request: { method: "GET", path }, timeoutMs: 20_000 };
}
