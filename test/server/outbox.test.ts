/** Answers are written together when a turn of the event loop ends: in order, none forgotten, none held up. */

import { ServerResponse } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { createOutbox } from "../../src/adapters/node-outbox.ts";
import { exchange, open, parseResponses, serve } from "./raw.ts";

const HEAD = "POST /v1/click HTTP/1.1\r\nHost: localhost\r\n";

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("the outbox", () => {
  /** An outbox, what was written from it, and what puts a name into it. */
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

  test("writes when the turn ends, in the order in which answers came", async () => {
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

  test("writes at once, and each answer once, where a turn brings many", async () => {
    const { written, put } = setUp();
    const names = Array.from({ length: 200 }, (_, index) => `${index}`);
    for (const name of names) put(name);
    const early = written.length;
    expect(early).toBeGreaterThan(100);
    expect(early).toBeLessThan(200);
    await turn();
    expect(written).toEqual(names);
  });

  test("can be emptied before", async () => {
    const { outbox, written, put } = setUp();
    put("first");
    outbox.empty();
    expect(written).toEqual(["first"]);
    put("second");
    await turn();
    expect(written).toEqual(["first", "second"]);
  });

  test("takes an answer while it writes others", async () => {
    const { written, put } = setUp();
    put("first", () => put("third"));
    put("second");
    await turn();
    await turn();
    expect(written).toEqual(["first", "second", "third"]);
  });
});

describe("a server", () => {
  /** What it does with requests that come in one packet, step by step. */
  async function stepsOf(paths: readonly string[]): Promise<string[]> {
    await using server = await serve();
    const handle = vi.spyOn(server.worlds, "handle");
    const end = vi.spyOn(ServerResponse.prototype, "end");
    try {
      const sent = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await exchange(server.port, sent.join(""), { count: paths.length });
      const steps = [
        ...handle.mock.calls.map(([{ path }], at) => ({ step: `answers ${path}`, at, by: handle })),
        ...end.mock.calls.map((_, at) => ({ step: "writes", at, by: end })),
      ].map(({ step, at, by }) => ({ step, order: by.mock.invocationCallOrder[at] ?? 0 }));
      return steps.toSorted((one, other) => one.order - other.order).map(({ step }) => step);
    } finally {
      end.mockRestore();
    }
  }

  test("writes answers together", async () => {
    expect(await stepsOf(["/v1/click", "/v1/publisher/stats"])).toEqual([
      "answers /v1/click",
      "answers /v1/publisher/stats",
      "writes",
      "writes",
    ]);
  });

  test("lets no answer wait for what a control request takes", async () => {
    for (const control of ["/_sim/health", "/@other/_sim/health"]) {
      expect(await stepsOf(["/v1/click", control]), control).toEqual([
        "answers /v1/click",
        "writes",
        `answers ${control}`,
        "writes",
      ]);
    }
  });

  test("answers a client that closes its half right after the last byte of what is read at once", async () => {
    await using server = await serve();
    const socket = await open(server.port);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    // Node reads this much at a time, and goes on reading where it got all of it: then it finds the end.
    const length = 64 * 1024;
    const head = `${HEAD}Content-Length: 65000\r\n`;
    const filler = "x".repeat(length - 65_000 - head.length - "filler: \r\n\r\n".length);
    // Between turns: both are there when the server reads.
    await turn();
    socket.end(`${head}filler: ${filler}\r\n\r\n${" ".repeat(65_000)}`);
    await closed;
    expect(parseResponses(text).map(({ status }) => status)).toEqual([401]);
  });

  test("answers while a test's timers are fake", async () => {
    await using server = await serve();
    vi.useFakeTimers();
    try {
      const socket = await open(server.port);
      const answer = new Promise((resolve) => socket.once("data", resolve));
      socket.write(`${HEAD}\r\n`);
      expect(String(await answer)).toContain("401 Unauthorized");
      socket.destroy();
    } finally {
      vi.useRealTimers();
    }
  });

  test("outlives clients that reset their connection while their answers wait", async () => {
    await using server = await serve();
    for (let round = 0; round < 20; round += 1) {
      const sockets = await Promise.all([1, 2, 3, 4].map(() => open(server.port)));
      for (const socket of sockets) {
        socket.on("error", () => undefined);
        socket.write(`${HEAD}\r\n${HEAD}\r\n`);
      }
      await turn();
      for (const socket of sockets) socket.resetAndDestroy();
    }
    const socket = await open(server.port);
    const answer = new Promise((resolve) => socket.once("data", resolve));
    socket.write(`${HEAD}\r\n`);
    expect(String(await answer)).toContain("401 Unauthorized");
    socket.destroy();
  });

  test("answers all of a thousand requests that come in one packet, in order", async () => {
    await using server = await serve();
    const socket = await open(server.port);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const paths = Array.from({ length: 1000 }, (_, index) =>
      index % 3 === 0 ? "/v1/publisher/stats" : "/nowhere",
    );
    const head = (path: string, more = ""): string =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    socket.write([...paths.map((path) => head(path)), head("/", "Connection: close\r\n")].join(""));
    await closed;
    expect(parseResponses(text).map(({ status }) => status)).toEqual([
      ...paths.map((path) => (path === "/nowhere" ? 404 : 401)),
      404,
    ]);
  });
});
