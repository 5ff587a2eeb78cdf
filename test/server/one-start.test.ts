/** On the system's clock all worlds of a server have the same start, whenever they are created. */

import { expect, test } from "vitest";
import { InputError } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { serve } from "./raw.ts";

const DAY_MS = 86_400_000;
const STARTED_MS = Date.parse("2026-05-04T03:02:01.007Z");

test("a world that is created or reset days later starts when the server did", async () => {
  let wallMs = STARTED_MS + 0.75;
  await using server = await serve({ clock: "system", wallClock: () => wallMs });
  wallMs += 3 * DAY_MS;
  const early = server.worlds.get("default");
  const late = server.worlds.get("late");
  early.reset();
  for (const world of [early, late]) {
    expect(world.snapshot().start).toBe(STARTED_MS);
    expect(world.clock.now()).toBe(STARTED_MS + 3 * DAY_MS);
  }
  const { id, apiKey } = early.publishers.at(0);
  const stats = (path: string): Promise<unknown> =>
    fetch(`${server.url}${path}/v1/publisher/stats?publisher_id=${id}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    }).then((response) => response.json());
  expect(await stats("/@late")).toEqual(await stats(""));
});

test("a world can be created even after the system's clock was set back", async () => {
  let wallMs = STARTED_MS;
  await using server = await serve({ clock: "system", wallClock: () => wallMs });
  wallMs -= DAY_MS;
  expect(server.worlds.get("late").clock.now()).toBe(STARTED_MS);
});

test("a wall clock that says no time is refused", async () => {
  await expect(startServer({ port: 0, wallClock: () => Number.NaN })).rejects.toThrow(InputError);
});
