/** Answers are written together at the end of an event loop turn: in order, none lost, none delayed. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import type { IncomingRequest } from "../../src/adapters/server/incoming-request.ts";
import { createOutbox } from "../../src/adapters/server/outbox.ts";
import { open, openRawConnection, parseResponses, serve } from "./raw.ts";

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("the outbox", () => {
  /** An outbox, what it wrote, and a function that adds a name to it. */
  function setUp() {
    const outbox = createOutbox();
    const written: string[] = [];
    const put = (name: string, then = () => {}): void =>
      outbox.put({
        writeAnswer() {
          written.push(name);
          then();
        },
      });
    return { outbox, written, put };
  }

  test("writes at the end of the turn, in the order in which answers came", async () => {
    const { written, put } = setUp();
    put("first");
    put("second");
    await Promise.resolve();
    expect(written).toEqual([]);
    await turn();
    expect(written).toEqual(["first", "second"]);
    put("third");
    await turn();
    expect(written).toEqual(["first", "second", "third"]);
  });

  test("writes at once, and each answer once, if a turn brings many", async () => {
    const { written, put } = setUp();
    const names = Array.from({ length: 200 }, (_, index) => `${index}`);
    for (const name of names) put(name);
    expect(written.length).toBeGreaterThan(100);
    expect(written.length).toBeLessThan(200);
    await turn();
    expect(written).toEqual(names);
  });

  test("can be flushed earlier", async () => {
    const { outbox, written, put } = setUp();
    put("first");
    outbox.empty();
    expect(written).toEqual(["first"]);
    put("second");
    await turn();
    expect(written).toEqual(["first", "second"]);
  });

  test("accepts an answer while it writes others", async () => {
    const { written, put } = setUp();
    put("first", () => put("third"));
    put("second");
    await turn();
    await turn();
    expect(written).toEqual(["first", "second", "third"]);
  });
});

/** A GET as bytes; `more`: further header lines. */
function get(path: string, more = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
}

/** Answered with 404 and with 401. */
const [NOWHERE, STATS] = [get("/nowhere"), get("/v1/publisher/stats")];

/** A connection that the server has accepted, with what it has received since. */
async function connection(port: number): Promise<{
  readonly socket: Socket;
  statuses(): number[];
  /** Waits until there are so many answers. */
  answered(count: number): Promise<void>;
  readonly closed: Promise<unknown>;
  text(): string;
}> {
  const { socket, text, whole: closed } = await openRawConnection(port);
  let before = 0;
  const own = (): string => text().slice(before);
  const statuses = (): number[] => parseResponses(own()).map(({ status }) => status);
  const answered = (count: number): Promise<void> =>
    vi.waitFor(() => expect(statuses().length).toBe(count), { timeout: 10_000, interval: 2 });
  socket.write(get("/_sim/health"));
  await answered(1);
  before = text().length;
  return { socket, statuses, answered, closed, text: own };
}

describe("a server", () => {
  /** The steps of a server that gets these paths: each list on its own connection in one packet, all in one turn. */
  async function stepsOf(...lists: readonly (readonly string[])[]): Promise<string[]> {
    await using server = await serve();
    const connections = await Promise.all(lists.map(() => connection(server.port)));
    const answering = [vi.spyOn(server.worlds, "handle"), vi.spyOn(server.worlds, "begin")];
    const end = vi.spyOn(ServerResponse.prototype, "end");
    try {
      for (const [at, { socket }] of connections.entries()) {
        socket.write((lists[at] ?? []).map((path) => get(path)).join(""));
      }
      await Promise.all(connections.map(({ answered }, at) => answered(lists[at]?.length ?? 0)));
      for (const { socket } of connections) socket.destroy();
      const steps = [
        ...answering.flatMap((by) =>
          by.mock.calls.map(([{ path }], at) => ({ step: `answers ${path}`, at, by })),
        ),
        ...end.mock.calls.map((_, at) => ({ step: "writes", at, by: end })),
      ].map(({ step, at, by }) => ({ step, order: by.mock.invocationCallOrder[at] ?? 0 }));
      return steps.toSorted((one, other) => one.order - other.order).map(({ step }) => step);
    } finally {
      end.mockRestore();
    }
  }

  test("writes the answers of several connections together", async () => {
    expect(await stepsOf(["/v1/click"], ["/v1/publisher/stats"])).toEqual([
      "answers /v1/click",
      "answers /v1/publisher/stats",
      "writes",
      "writes",
    ]);
  });

  test("holds back at most one answer of a connection", async () => {
    expect(await stepsOf(["/v1/click", "/v1/publisher/stats", "/nowhere"])).toEqual([
      "answers /v1/click",
      "answers /v1/publisher/stats",
      "writes",
      "writes",
      "answers /nowhere",
      "writes",
    ]);
  });

  test("writes the waiting answers before it runs a control request", async () => {
    for (const control of ["/_sim/health", "/@other/_sim/health"]) {
      expect(await stepsOf(["/v1/click"], [control]), control).toEqual([
        "answers /v1/click",
        "writes",
        `answers ${control}`,
        "writes",
      ]);
    }
  });

  test.each([1, 2, 10, 66, 1000])(
    "answers %i requests that come with the end of their connection",
    async (count) => {
      await using server = await serve();
      const { socket, statuses, closed } = await connection(server.port);
      // Node reads this much at a time. If it gets all of it, it reads on and finds the end in the same turn.
      const whole = 64 * 1024;
      const padded = (length: number): string =>
        get("/nowhere", `x: ${"x".repeat(length - NOWHERE.length - 5)}\r\n`);
      const others = Math.floor((whole - 1000) / count);
      const requests = Array.from({ length: count - 1 }, () =>
        others > 1000 ? padded(1000) : NOWHERE,
      );
      const left = whole - requests.join("").length;
      const body = Math.max(0, left - 2000);
      const head = `POST /v1/click HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body}\r\n`;
      const filler = `x: ${"x".repeat(left - body - head.length - 7)}\r\n\r\n`;
      const sent = `${requests.join("")}${head}${filler}${" ".repeat(body)}`;
      expect(sent.length).toBe(whole);
      // Sent between turns, so that all of it is there when the server reads.
      await turn();
      socket.end(sent);
      await closed;
      expect(statuses()).toEqual([...requests.map(() => 404), 401]);
    },
  );

  test.each([1, 2, 5])("answers %i requests before one with a broken body", async (count) => {
    await using server = await serve();
    const { socket, statuses, closed } = await connection(server.port);
    const broken =
      "POST /v1/click HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n";
    socket.write(NOWHERE.repeat(count) + broken);
    await closed;
    expect(statuses()).toEqual([...Array.from({ length: count }, () => 404), 400]);
  });

  test.each(["one connection", "two connections"])(
    "lets only later answers overtake a reordered one, on %s",
    async (on) => {
      await using server = await serve();
      const sim = server.worlds.get("default");
      sim.faults.add({
        match: { operation: "stats" },
        verdict: { kind: "reorder", by: 1, atMost: "10m" },
      });
      const first = await connection(server.port);
      const second = on === "one connection" ? first : await connection(server.port);
      const both = on === "one connection" ? [1, 2] : [1, 1];
      if (first === second) first.socket.write(NOWHERE + STATS);
      else {
        first.socket.write(NOWHERE);
        second.socket.write(STATS);
      }
      await first.answered(1);
      // A control request doesn't count, and is answered after all the waiting answers.
      const other = await connection(server.port);
      other.socket.write(get("/_sim/health"));
      await other.answered(1);
      expect(first.statuses()).toEqual([404]);
      other.socket.write(NOWHERE);
      await second.answered(both[1] ?? 0);
      for (const { socket } of [first, second, other]) socket.destroy();
    },
  );

  test("keeps a connection alive in an answer that was made before the server began to close", async () => {
    const server = await serve();
    const { handle } = server.worlds;
    let closed: Promise<void> | undefined;
    vi.spyOn(server.worlds, "handle").mockImplementation((request) => {
      if (request.path === "/v1/publisher/stats") closed = server.close();
      return handle(request);
    });
    const [first, second] = [await connection(server.port), await connection(server.port)];
    first.socket.write(NOWHERE);
    second.socket.write(STATS);
    await Promise.all([first.closed, second.closed]);
    await closed;
    expect(parseResponses(first.text()).map(({ headers }) => headers.connection)).toEqual([
      "keep-alive",
    ]);
    expect(parseResponses(second.text()).map(({ headers }) => headers.connection)).toEqual([
      "close",
    ]);
  });

  test.each(["after", "before"])(
    "answers under fake timers that were installed %s it was loaded",
    async (when) => {
      if (when === "before") {
        vi.useFakeTimers();
        vi.resetModules();
      }
      const { startServer } = await import("../../src/server.ts");
      const server = await startServer({ port: 0, publishers: 3 });
      try {
        vi.useFakeTimers();
        const socket = await open(Number(new URL(server.url).port));
        const answer = new Promise((resolve) => socket.once("data", resolve));
        socket.write(NOWHERE);
        expect(String(await answer)).toContain("404 Not Found");
        socket.destroy();
      } finally {
        vi.useRealTimers();
        await server.close();
      }
    },
  );

  test("keeps no reference to an answer that was written", async () => {
    await using server = await serve();
    const { socket, answered } = await connection(server.port);
    const requests: IncomingRequest[] = [];
    const keep = (message: unknown): void => {
      const { request } = message as { readonly request: IncomingRequest };
      requests.push(request);
    };
    subscribe("http.server.request.start", keep);
    socket.write(NOWHERE);
    await answered(1);
    unsubscribe("http.server.request.start", keep);
    expect(requests.map(({ url, answer }) => ({ url, answer }))).toEqual([
      { url: "/nowhere", answer: undefined },
    ]);
    socket.destroy();
  });

  test("survives clients that reset their connection while their answers wait", async () => {
    await using server = await serve();
    for (let round = 0; round < 20; round += 1) {
      const connections = await Promise.all([1, 2, 3, 4].map(() => connection(server.port)));
      for (const { socket } of connections) socket.write(NOWHERE + NOWHERE);
      await turn();
      for (const { socket } of connections) socket.resetAndDestroy();
    }
    const { socket, answered } = await connection(server.port);
    socket.write(NOWHERE);
    await answered(1);
    socket.destroy();
  });
});
