/** A world's state in a file, in process: saved whole or not at all, loaded strictly. */

import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSimulator, InputError, type Simulator } from "../../src/index.ts";
import { loadSnapshot, SnapshotFileError, saveSnapshot, startServer } from "../../src/server.ts";
import { senderOf } from "../operation-sender.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function used(): Simulator {
  const sim = createSimulator({
    seed: "file",
    publishers: 4,
    assumptions: { "errors.body": "flat" },
  });
  for (const place of [0, 2]) record(sim, place);
  sim.publishers.signUp({ name: "Grüße 🌱\n\u2028" });
  sim.faults.add({ match: { nth: 9 }, verdict: { kind: "drop" } });
  sim.clock.advance("3h");
  return sim;
}

function record(sim: Simulator, place: number): string {
  return senderOf(sim, sim.publishers.at(place)).impression().body;
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error("It didn't fail.");
}

describe("saving", () => {
  test("and loading gives the same state, and the same answers afterwards", async () => {
    const path = join(temporaryFolder(), "state.json");
    const sim = used();
    await saveSnapshot(sim, path);
    const other = createSimulator();
    await loadSnapshot(other, path);
    expect(other.snapshot()).toEqual(sim.snapshot());
    expect(record(other, 2)).toBe(record(sim, 2));
  });

  test("writes JSON readable only by this user, or keeps a replaced file's mode, and leaves no other file", async () => {
    const directory = temporaryFolder();
    const path = join(directory, "state.json");
    const sim = used();
    expect(await saveSnapshot(sim, path)).toEqual({ replaced: false });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, "old");
    chmodSync(path, 0o646);
    expect(await saveSnapshot(sim, path)).toEqual({ replaced: true });
    expect(statSync(path).mode & 0o777).toBe(0o646);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(sim.snapshot());
    expect(readdirSync(directory)).toEqual(["state.json"]);
  });

  test("fails if a rule is a function, and writes nothing", async () => {
    const directory = temporaryFolder();
    const sim = used();
    sim.faults.add(() => undefined);
    const error = await failureOf(saveSnapshot(sim, join(directory, "state.json")));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toContain("is a function");
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("loading", () => {
  test.each<[string, (text: string) => string, string]>([
    ["an empty file", () => "\n", "not valid JSON"],
    ["a file that ends early", (text) => text.slice(0, -90), "not valid JSON"],
    [
      "a file that lacks an account",
      (text) => {
        const { accounts, ...others } = JSON.parse(text);
        return JSON.stringify({ ...others, accounts: accounts.slice(1) });
      },
      "digest",
    ],
    ["an edited file", (text) => text.replace('"seed":"file"', '"seed":"other"'), "digest"],
    ["another version", (text) => text.replace('"version":6', '"version":1'), "version must be 6"],
    ["a journal", () => '{"entries":[],"total":0}', "it is not a snapshot of adsim"],
    ["other JSON", () => "[1]", "it is not a snapshot of adsim"],
    ["a file that isn't JSON", () => "seed: 7", "not valid JSON"],
  ])("%s is refused and changes nothing", async (_, damaged, why) => {
    const path = join(temporaryFolder(), "state.json");
    await saveSnapshot(used(), path);
    writeFileSync(path, damaged(readFileSync(path, "utf8")));
    const sim = used();
    const before = JSON.stringify(sim.snapshot());
    const error = await failureOf(loadSnapshot(sim, path));
    expect(error).toBeInstanceOf(SnapshotFileError);
    expect(error.message).toContain(`${path}: can't be loaded: `);
    expect(error.message).toContain(why);
    expect(error.message).not.toMatch(/key_|@invalid/);
    expect(JSON.stringify(sim.snapshot())).toBe(before);
  });

  test("an absent file, a folder, and bytes that aren't text are refused", async () => {
    const directory = temporaryFolder();
    writeFileSync(join(directory, "bytes"), Uint8Array.of(0x7b, 0xff));
    for (const [path, why] of [
      [join(directory, "none"), "there is no such file"],
      [directory, "it is a folder"],
      [join(directory, "bytes"), "it is not text in UTF-8"],
    ] as const) {
      const error = await failureOf(loadSnapshot(used(), path));
      expect(error.message).toContain(`${path}: can't be loaded: ${why}`);
    }
  });
});

test("a server's default world continues from a snapshot; other worlds and a reset start from the options", async () => {
  const saved = used();
  const snapshot = JSON.parse(JSON.stringify(saved.snapshot()));
  const server = await startServer({ port: 0, seed: "own", clock: "frozen", snapshot });
  onTestFinished(() => server.close());
  expect(server.worlds.get("default").snapshot()).toEqual(saved.snapshot());
  expect(server.worlds.get("other").seed).toBe("own");
  server.worlds.get("default").reset();
  expect(server.worlds.get("default").seed).toBe("own");
  const damaged = { ...snapshot, seed: "x" };
  await expect(startServer({ port: 0, snapshot: damaged })).rejects.toThrow(
    "snapshot.digest doesn't match",
  );
});

const given = { id: "given", verdict: { kind: "drop" } } as const;
const own = { id: "own", verdict: { kind: "reset" } } as const;

test.each([
  ["given", []],
  ["own", [own]],
])("a restored world has the rule %s if its snapshot has %j", async (id, rules) => {
  const snapshot = createSimulator({ faults: rules }).snapshot();
  const server = await startServer({ port: 0, clock: "frozen", snapshot, faults: [given] });
  onTestFinished(() => server.close());
  expect(server.worlds.get("default").faults.list()).toMatchObject([{ id }]);
});
