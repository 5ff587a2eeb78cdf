/** Which connections the sweep closes. Time is counted in sweeps, and the sockets are fakes. */

import { expect, test } from "vitest";
import { createSweeper } from "../../src/adapters/server/connections.ts";

function connection(): {
  bytesRead: number;
  writableLength: number;
  destroyed: number;
  destroy: () => never;
} {
  const made = { bytesRead: 100, writableLength: 0, destroyed: 0, destroy: () => made as never };
  made.destroy = () => {
    made.destroyed += 1;
    return made as never;
  };
  return made;
}

/** The number of sweeps until the connection is closed; 100 if it stays open. */
function sweepsUntilClosed(
  socket: ReturnType<typeof connection>,
  before: (sweep: number) => void = () => undefined,
): number {
  const sweep = createSweeper([socket]);
  for (let count = 1; count < 100; count += 1) {
    before(count);
    sweep();
    if (socket.destroyed > 0) return count;
  }
  return 100;
}

test("a connection without data is closed at the second sweep", () => {
  expect(sweepsUntilClosed(connection())).toBe(2);
});

test("a connection with data between sweeps stays open", () => {
  const socket = connection();
  const bring = (): void => {
    socket.bytesRead += 1;
  };
  expect(sweepsUntilClosed(socket, bring)).toBe(100);
});

test("a connection whose client reads a long answer slowly stays open until it is read", () => {
  const socket = connection();
  const send = (sweep: number): void => {
    socket.writableLength = sweep < 8 ? 1_000_000 : 0;
  };
  expect(sweepsUntilClosed(socket, send)).toBe(9);
});

test("a connection whose client never reads its answer is closed in the end", () => {
  const socket = connection();
  socket.writableLength = 1_000_000;
  expect(sweepsUntilClosed(socket)).toBe(11);
});
