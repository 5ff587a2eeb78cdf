/** Starting and stopping: requests in progress are answered, and a server that can't start says why. */

import { createServer } from "node:net";
import { expect, test } from "vitest";
import { startServer } from "../../src/server.ts";
import { open, openRawConnection, parseResponses, serve } from "./raw.ts";

const HEAD = "POST /v1/click HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n";

test("a request whose body is on its way when the server closes is answered", async () => {
  await using server = await serve();
  const { socket, whole } = await openRawConnection(server.port);
  socket.write(HEAD);
  // The server must have seen the head.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = server.close();
  setTimeout(() => socket.write("{}"), 100);
  await closed;
  const [response] = parseResponses(await whole);
  expect(response?.status).toBe(401);
  expect(response?.headers.connection).toBe("close");
});

test("idle, half-sent and silent connections don't keep the server from closing", async () => {
  const server = await serve();
  const sockets = await Promise.all([1, 2, 3, 4].map(() => open(server.port)));
  const gone = sockets.map(
    (socket) =>
      new Promise((resolve) => {
        socket.on("close", resolve);
        socket.on("error", () => undefined);
        socket.resume();
      }),
  );
  sockets[0]?.write("GET /_sim/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  sockets[1]?.write("GET /_sim/hea");
  sockets[2]?.write(HEAD);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await server.close();
  await Promise.all(gone);
  await expect(open(server.port)).rejects.toThrow("ECONNREFUSED");
});

test("a port in use is refused with advice", async () => {
  await using server = await serve();
  await expect(startServer({ port: server.port })).rejects.toThrow(
    `Port ${server.port} on 127.0.0.1 is in use. Stop the program that uses it, or choose another port`,
  );
});

test("a host of another machine is refused with advice", async () => {
  await expect(startServer({ port: 0, host: "203.0.113.1" })).rejects.toThrow(
    "can't listen on host 203.0.113.1",
  );
});

test.each([
  [{ port: 70_000 }, "port"],
  [{ host: "" }, "host"],
  [{ controlToken: "two words" }, "controlToken"],
  [{ maxWorlds: 0 }, "maxWorlds"],
  [{ colour: "red" }, "colour"],
])("the invalid option %j is refused with an error that names it", async (options, field) => {
  await expect(startServer({ port: 0, ...options })).rejects.toMatchObject({
    name: "InputError",
    field,
  });
});

test("the URL works as it is, for IPv6 too", async () => {
  await using server = await serve({ host: "localhost" });
  expect((await fetch(`${server.url}/_sim/health`)).status).toBe(200);
  const hasIpv6 = await new Promise<boolean>((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(0, "::1", () => probe.close(() => resolve(true)));
  });
  const starting = serve({ host: "::1" });
  if (!hasIpv6) {
    await expect(starting).rejects.toThrow("can't listen on host ::1");
    return;
  }
  await using six = await starting;
  expect(six.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${six.url}/_sim/health`)).status).toBe(200);
});
