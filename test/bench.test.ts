/** The figures that the benchmarks print are those that were measured. */

import { expect, test } from "vitest";
import { peers, titleOf } from "../bench/peers/peers.ts";
import { ratios, rotated, spreadOf } from "../bench/table.ts";

test("each round's figure is compared with that of the same round", () => {
  // The machine was slower in two of the rounds. That says nothing about either server.
  expect(spreadOf(ratios([80, 20, 45], [100, 40, 50]))).toBe("0.80 (0.50 to 0.90)");
});

test("in as many rounds as there are servers, each goes first once", () => {
  const orders = [-1, 0, 1, 2].map((round) => rotated(["a", "b", "c"], round).join(""));
  expect(orders).toEqual(["cab", "abc", "bca", "cab"]);
});

test("every other server is compared at one version", () => {
  for (const peer of peers) expect(titleOf(peer)).toMatch(/^\w+ \d+\.\d+\.\d+$/);
});
