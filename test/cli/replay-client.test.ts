/** What the client of `adsim replay` makes of answers that don't end. */

import { createServer, type RequestListener } from "node:http";
import net, { type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHttpClient, type Sent } from "../../src/cli/replay/http-client.ts";

const limits = { ms: 400, bodyBytes: 100_000 };

async function sentTo(server: net.Server): Promise<Sent> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = createHttpClient(new URL(`http://127.0.0.1:${port}`), limits);
  onTestFinished(() => {
    client.close();
    server.close();
  });
  return client.send({ method: "GET", path: "/", query: "", headers: {}, body: "" });
}

const answeredBy = (listener: RequestListener): Promise<Sent> => sentTo(createServer(listener));

test("a body at the bound is taken whole, one beyond it isn't", async () => {
  const whole = await answeredBy((_, response) => response.end(Buffer.alloc(100_000)));
  expect(whole).toMatchObject({ kind: "answered", status: 200 });
  const long = await answeredBy((_, response) => response.end(Buffer.alloc(100_001)));
  const why = "its body is longer than 100000 bytes, and the rest wasn't read";
  expect(long).toEqual({ kind: "broken", why });
});

test("a body without an end is given up, and the connection with it", async () => {
  let gone: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const sent = await answeredBy((_, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on("drain", write).on("close", gone);
    write();
  });
  expect(sent.kind).toBe("broken");
  await closed;
});

test.each(["body", "head"])("a %s that drips is given up in time", async (part) => {
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write(`HTTP/1.1 200 OK\r\n${part === "head" ? "x: " : "content-length: 9999\r\n\r\n"}`);
    const timer = setInterval(() => socket.write("x"), 5);
    socket.on("close", () => clearInterval(timer));
  });
  expect(await sentTo(server)).toEqual({
    kind: "broken",
    why: "the answer wasn't over after 0.4 s",
  });
});

test("a head without an end is given up", async () => {
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket.write(`x: ${"y".repeat(10_000)}\r\n`), 1);
    socket.on("close", () => clearInterval(timer));
  });
  expect(await sentTo(server)).toMatchObject({
    kind: "broken",
    why: expect.stringContaining("HPE_HEADER_OVERFLOW"),
  });
});
