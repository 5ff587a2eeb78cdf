import { expect, test, vi } from "vitest";
import { registerRules } from "../../../src/testing/contract/client-contract.ts";
import { createExampleClient } from "./example-client.ts";

test("a misspelt option is refused before anything is registered", () => {
  const registered = vi.fn();
  const options = { driver: createExampleClient, describe: registered, it: registered, runs: 0 };
  expect(() => registerRules([], options)).toThrow("runs must be a whole number");
  expect(registered).not.toHaveBeenCalled();
});
