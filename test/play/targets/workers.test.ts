/** Workers that know only their number send over HTTP, in real time, what one worker sends; the target's audit agrees. */

import { expect, test } from "vitest";
import { auditStep } from "../../../src/cli/merge/audit-step.ts";
import { mergeShares, type PlayedShare } from "../../../src/play/player/merge-shares.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import { playScenario } from "../../../src/play/targets/play-scenario.ts";
import type { Share } from "../../../src/play/traffic/order.ts";
import type { Server } from "../../../src/server.ts";
import { foreign, serverFor } from "./remote-world.ts";

const scenario = {
  name: "load",
  about: "Everything that traffic can send.",
  seed: "workers",
  publishers: 5,
  steps: [
    {
      traffic: {
        for: "20s",
        arrivals: { kind: "daily", mean: "3000/m", spacing: "poisson" },
        publishers: [0, 3, 4],
        mix: { impression: 30, stats: 1, surfaces: 1, payouts: 1 },
        repeatedSessions: 0.1,
        clicks: { rate: 0.1, after: "2s" },
      },
    },
    { traffic: { for: "1s", arrivals: { kind: "burst", count: 50 } }, expect: { ok: 50 } },
  ],
  thresholds: ["errors = 0", "dropped = 0"],
};
const WORLD = { seed: "workers", publishers: 5 };

async function playBy(of: number, server: Pick<Server, "url">): Promise<PlayedShare[]> {
  const shares = Array.from({ length: of }, (_, index): Share => ({ worker: index + 1, of }));
  const results = await Promise.all(
    shares.map((share) => playScenario(scenario, { target: server.url, speed: 40, share })),
  );
  return JSON.parse(JSON.stringify(results));
}

/** What the server saw, without order. A click is told by its impression's event. */
function eventsAt(server: Server): string[] {
  const entries = server.worlds.get("default").journal.entries();
  const shown = new Map<string, string>();
  for (const { request, response } of entries) {
    const id = /"impression_id":"([^"]+)"/.exec(response.body)?.[1];
    if (request.path === "/v1/impression" && id !== undefined) shown.set(id, request.body);
  }
  return entries
    .map(({ request: { method, path, query, body } }) => {
      const clicked = path === "/v1/click" ? shown.get(JSON.parse(body).impression_id) : body;
      return `${method} ${path} ${query} ${clicked}`;
    })
    .sort();
}

test("1, 4 and 16 workers send the same events, and the target's audit proves it", async () => {
  const seen: string[][] = [];
  const merged: PlayResult[] = [];
  for (const of of [1, 4, 16]) {
    const server = await serverFor({ ...WORLD, clock: "system" });
    const result = mergeShares(await playBy(of, server), "");
    expect([result.verdict, result.why]).toEqual(["held", "everything came out as expected"]);
    // Sent is what was planned, less what was dropped.
    expect(result.tally.dropped).toBe(0);
    expect(result.tally.sent).toBe(eventsAt(server).length);
    const { verdict, checks } = await auditStep(result, [server.url], undefined);
    expect([verdict, checks.map(({ about }) => about)]).toEqual([
      "held",
      ["impressions that arrived", "clicks that arrived", "the books"],
    ]);
    seen.push(eventsAt(server));
    merged.push(result);
  }
  expect(seen[0]?.length).toBeGreaterThan(700);
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
  expect(merged.map(({ tally }) => tally.operations)).toEqual(
    Array(3).fill(merged[0]?.tally.operations),
  );
});

test("the audit finds a request that no worker reported, and one that never arrived", async () => {
  const server = await serverFor({ ...WORLD, clock: "system" });
  const [share] = await playBy(1, server);
  if (share === undefined) throw new Error("There is no result.");
  const claimed = (more: number, lost = 0): PlayResult => {
    const { impression = { sent: 0, ok: 0 } } = share.tally.operations;
    const operations = {
      ...share.tally.operations,
      impression: { ...impression, sent: impression.sent + more },
    };
    return { ...share, tally: { ...share.tally, lost, operations } };
  };
  const verdictOf = async (result: PlayResult): Promise<string> =>
    (await auditStep(result, [server.url], undefined)).verdict;
  expect(await verdictOf(claimed(0))).toBe("held");
  expect(await verdictOf(claimed(-1))).toBe("broken");
  expect(await verdictOf(claimed(1))).toBe("broken");
  // It may have been lost on its way.
  expect(await verdictOf(claimed(1, 1))).toBe("held");
});

test("workers take the keys and the run id that they are given", async () => {
  const sent: { key: string | undefined; body: string }[] = [];
  const url = await foreign((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      sent.push({ key: request.headers.authorization, body });
      response.end("{}");
    });
  });
  const burst = {
    ...{ name: "burst", about: "A burst." },
    steps: [{ traffic: { for: "1ms", arrivals: { kind: "burst", count: 5 } } }],
  };
  const credentials = [{ id: "pub_mine", apiKey: "key_mine", surfaces: ["srf_mine"] }];
  const result = await playScenario(burst, {
    ...{ target: url, share: { worker: 2, of: 2 }, credentials, runId: "second" },
  });
  expect(sent.map(({ key }) => key)).toEqual(Array(2).fill("Bearer key_mine"));
  for (const { body } of sent)
    expect(JSON.parse(body)).toMatchObject({
      publisher_id: "pub_mine",
      session_id: expect.stringMatching(/^second-/),
    });
  expect([result.tally.sent, result.runId, result.share?.worker]).toEqual([2, "second", 2]);
});

test.each([
  [{ worker: 0, of: 4 }],
  [{ worker: 5, of: 4 }],
  [{ worker: 1.5, of: 4 }],
  [{ worker: 1, of: 1_000_000 }],
])("a share of %j is refused before anything is sent", async (share) => {
  await expect(
    playScenario(scenario, { target: "http://127.0.0.1:9", share }),
  ).rejects.toMatchObject({ field: "share" });
});
