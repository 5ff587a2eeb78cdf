/** Every shipped scenario notices a defect in what it is about, by its own expectations. */

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { someOf } from "../../budget.ts";
import type { Defect } from "./defect.ts";
import type { Copy, Played } from "./play-with-defects.ts";

const scenarioNames = readdirSync(join(import.meta.dirname, "../../../scenarios"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length));

const folder = join(import.meta.dirname, "defects");
const modules: Readonly<Record<string, unknown>>[] = await Promise.all(
  readdirSync(folder).map((file) => import(join(folder, file))),
);
const defects = modules.flatMap((module) =>
  Object.values(module).flatMap((lists) => lists as readonly Defect[]),
);

/** First the simulator as it is, on which all scenarios are played elsewhere; then each defect with the scenarios that it breaks. */
const copies: Copy[] = [{ change: undefined, scenarios: someOf(scenarioNames) }];
const copyOf = defects.map(({ file, find, replace, scenario }) => {
  const same = copies.findIndex(
    ({ change }) => change?.file === file && change.find === find && change.replace === replace,
  );
  const copy = copies[same];
  if (copy === undefined)
    return copies.push({ change: { file, find, replace }, scenarios: [scenario] }) - 1;
  copies[same] = { ...copy, scenarios: [...copy.scenarios, scenario] };
  return same;
});

const played = new Map<string, Played>();
let complaints = "";

/** Plays them in a separate process, which can change modules as they are loaded. */
beforeAll(async () => {
  const script = join(import.meta.dirname, "play-with-defects.ts");
  const child = spawn(process.execPath, ["--no-warnings", script]);
  child.stdin.end(JSON.stringify(copies));
  const [lines, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  complaints = errors;
  for (const line of lines.split("\n").filter(Boolean)) {
    const one = JSON.parse(line) as Played;
    played.set(`${one.copy} ${one.scenario}`, one);
  }
}, 300_000);

function playedOn(copy: number, scenario: string): Played {
  const one = played.get(`${copy} ${scenario}`);
  if (one === undefined) throw new Error(`${scenario} wasn't played to the end. ${complaints}`);
  return one;
}

describe("without a defect the scenario holds", () => {
  test.each(someOf(scenarioNames))("%s", (name) => {
    expect(playedOn(0, name)).toMatchObject({ verdict: "held", broken: [] });
  });
});

describe("a defect breaks the scenario", () => {
  test.each(defects.map((defect, index) => [defect.scenario, defect.says, index] as const))(
    "%s: %s",
    (scenario, _says, index) => {
      const { verdict, why, broken } = playedOn(copyOf[index] ?? -1, scenario);
      // Its own expectations must break, whatever the invariants say.
      expect({ verdict, why, broken: broken.length }).toEqual({
        verdict: "broken",
        why: expect.any(String),
        broken: expect.toSatisfy((count: number) => count > 0),
      });
    },
  );

  test.each(scenarioNames)("%s: at least one is planted for it", (name) => {
    expect(defects.filter(({ scenario }) => scenario === name)).not.toEqual([]);
  });
});
