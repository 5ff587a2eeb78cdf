/** Which connections the sweep closes. Time is the number of sweeps here, and the sockets are made up. */

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

/** How many sweeps it takes until the connection is closed; 100 where it isn't. */
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

test("one that brings nothing is closed at the second sweep", () => {
  expect(sweepsUntilClosed(connection())).toBe(2);
});

test("one that brings something between sweeps stays", () => {
  const socket = connection();
  const bring = (): void => {
    socket.bytesRead += 1;
  };
  expect(sweepsUntilClosed(socket, bring)).toBe(100);
});

test("one whose client takes a long answer in slowly stays until it has it", () => {
  const socket = connection();
  const send = (sweep: number): void => {
    socket.writableLength = sweep < 8 ? 1_000_000 : 0;
  };
  expect(sweepsUntilClosed(socket, send)).toBe(9);
});

test("one whose client never takes its answer is given up in the end", () => {
  const socket = connection();
  socket.writableLength = 1_000_000;
  expect(sweepsUntilClosed(socket)).toBe(11);
});
