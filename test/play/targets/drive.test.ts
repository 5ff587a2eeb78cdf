import { expect, test } from "vitest";
import { type EffectGenerator, perform } from "../../../src/play/player/effects.ts";
import { drive } from "../../../src/play/targets/drive.ts";
import type { AsyncPerformers } from "../../../src/play/targets/target.ts";

/** Knows two effects. */
const performers = {
  now: async () => 7,
  async wait({ ms }: { readonly ms: number }) {
    if (ms < 0) throw new Error("not back");
    return undefined;
  },
} as unknown as AsyncPerformers;

test("each effect gets what its performer gave, and the result is the play's", async () => {
  function* play(): EffectGenerator<string> {
    const now = yield* perform({ kind: "now" });
    const waited = yield* perform({ kind: "wait", ms: 1 });
    return `${now} ${waited}`;
  }
  expect(await drive(play(), performers)).toBe("7 undefined");
});

test("an error of a performer is thrown where the play asked, and the play can go on", async () => {
  function* play(): EffectGenerator<string> {
    try {
      yield* perform({ kind: "wait", ms: -1 });
    } catch (error) {
      return `${(error as Error).message} at ${yield* perform({ kind: "now" })}`;
    }
    return "nothing thrown";
  }
  expect(await drive(play(), performers)).toBe("not back at 7");
});

test("an error that the play doesn't catch rejects, and its own isn't thrown into it again", async () => {
  const seen: unknown[] = [];
  function* play(): EffectGenerator<void> {
    try {
      yield* perform({ kind: "now" });
      throw new Error("its own");
    } catch (error) {
      seen.push(error);
      throw error;
    }
  }
  await expect(drive(play(), performers)).rejects.toThrow("its own");
  expect(seen).toHaveLength(1);
  const unknown = (function* (): EffectGenerator<void> {
    yield* perform({ kind: "heal", ids: undefined });
  })();
  await expect(drive(unknown, performers)).rejects.toThrow("can't do this: heal.");
});
