/**
 * The clocks of a server. Every answer to `/v1` has one Date, which shows the world's; those to `/_sim` show the machine's. On the
 * system's clock all worlds have the same start, whenever they are created.
 */

import { expect, test } from "vitest";
import type { FaultRule } from "../../src/index.ts";
import { openRawConnection, serve } from "./raw.ts";

const START = "2026-01-15T00:00:59.999Z";
const WORLD = "Thu, 15 Jan 2026 00:00:59 GMT";
const OWN = "Mon, 05 May 2031 00:00:00 GMT";
const HEAD = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";

const respond = (headers = {}): FaultRule => ({
  verdict: { kind: "respond", status: 503, headers },
});

const cases: Readonly<Record<string, readonly [string, FaultRule?]>> = {
  "a refusal": [`GET /v1/publisher/stats ${HEAD}\r\n`],
  "an answer to HEAD": [`HEAD /v1/publisher/stats ${HEAD}\r\n`],
  "a preflight": [
    `OPTIONS /v1/click ${HEAD}Origin: http://localhost:1\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
  ],
  "broken HTTP": ["GET /v1\x01 HTTP/1.1\r\n\r\n"],
  "an injected answer": [`GET /v1/click ${HEAD}\r\n`, respond()],
  "a truncated answer": [
    `GET /v1/publisher/stats ${HEAD}\r\n`,
    { verdict: { kind: "truncate", atByte: 3 } },
  ],
  "an injected answer with a Date of its own": [
    `GET /v1/click ${HEAD}\r\n`,
    respond({ Date: OWN }),
  ],
};

async function datesOf(sent: string, rule?: FaultRule): Promise<readonly (string | undefined)[]> {
  await using server = await serve({ start: START, faults: rule === undefined ? [] : [rule] });
  const { socket, whole } = await openRawConnection(server.port);
  socket.write(sent, "latin1");
  const [head = ""] = (await whole).split("\r\n\r\n");
  return Array.from(head.matchAll(/^date: (.*)$/gim), ([, date]) => date);
}

test.each(Object.entries(cases))(
  "%s has one Date, the world's or the rule's own",
  async (name, [sent, rule]) => {
    expect(await datesOf(sent, rule)).toEqual([name.includes("of its own") ? OWN : WORLD]);
  },
);

test.each([
  `GET /_sim/health ${HEAD}\r\n`,
  `GET /_sim/nothing ${HEAD}\r\n`,
  `GET /_sim/health ${HEAD}Origin: https://elsewhere.example\r\n\r\n`,
])("%j has the machine's", async (sent) => {
  const [date = "", ...others] = await datesOf(sent);
  expect(others).toEqual([]);
  expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(60_000);
});

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
});

test("a world can be created even after the system's clock was set back", async () => {
  let wallMs = STARTED_MS;
  await using server = await serve({ clock: "system", wallClock: () => wallMs });
  wallMs -= DAY_MS;
  expect(server.worlds.get("late").clock.now()).toBe(STARTED_MS);
});
