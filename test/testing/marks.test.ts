/** Marks tell what was reached, how often, and above all what never was. */

import { describe, expect, test } from "vitest";
import { InputError } from "../../src/index.ts";
import { createMarks } from "../../src/testing.ts";

describe("marks", () => {
  test("count how often each was reached, and of how many looks", () => {
    const { sometimes, report } = createMarks();
    expect(sometimes("late click")).toBe(true);
    for (let second = 0; second < 4; second += 1) sometimes("at the edge", second === 3);
    expect(sometimes("never there", false)).toBe(false);
    expect(report(["wanted"])).toEqual({
      marks: [
        { name: "late click", reached: 1, looked: 1, share: 1 },
        { name: "at the edge", reached: 1, looked: 4, share: 0.25 },
        { name: "never there", reached: 0, looked: 1, share: 0 },
        { name: "wanted", reached: 0, looked: 0, share: 0 },
      ],
      neverReached: ["never there", "wanted"],
      text: "never: never there (of 1)\nnever: wanted\n1: late click\n1: at the edge (25% of 4)",
    });
  });

  test("fail with the names of those never reached, whether wanted or looked at", () => {
    const marks = createMarks();
    marks.sometimes("__proto__");
    expect(() => marks.expectReached()).not.toThrow();
    expect(() => marks.expectReached(["__proto__"])).not.toThrow();
    expect(() => marks.expectReached(["constructor", "__proto__", "b"])).toThrow(
      "Never reached: constructor; b.\nnever: constructor\nnever: b\n1: __proto__",
    );
    marks.sometimes("c", false);
    expect(() => marks.expectReached()).toThrow("Never reached: c.");
  });

  test("are wanted as a list, not as one text", () => {
    // One name instead of a list of them would be taken letter by letter.
    const wrong = "late click" as unknown as string[];
    expect(() => createMarks().expectReached(wrong)).toThrow(InputError);
  });
});
