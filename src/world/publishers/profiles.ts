/** The kinds of population: the bounds of a publisher's numbers, and the names of its surfaces. */

/** `typical` has everyday traffic, `tiny` next to none; `adversarial` has extreme names and numbers. */
export type Profile = "typical" | "tiny" | "adversarial";

type Bounds = readonly [lowest: number, highest: number];

export interface ProfileBounds {
  readonly surfaces: Bounds;
  /** The lower cpm bound, in paise. */
  readonly cpmPaise: Bounds;
  /** How far the upper cpm bound is above the lower one, in percent of the lower one. */
  readonly cpmSpreadPercent: Bounds;
  /** Impressions per day and surface, before growth and weekdays are applied. */
  readonly dailyImpressions: Bounds;
  /** Days between joining and the world's start. */
  readonly historyDays: Bounds;
  readonly surfaceNames: readonly string[];
}

const placements: readonly string[] = [
  "Editor sidebar",
  "Terminal status line",
  "Build output footer",
  "Search results panel",
  "Package manager prompt",
  "Documentation footer",
  "Dashboard banner",
  "Chat assistant reply",
  "Test report header",
  "Release notes page",
  "Log viewer strip",
  "Onboarding checklist",
  "Diff view gutter",
  "Notebook output cell",
  "Extension welcome page",
  "Deploy progress screen",
];

const awkwardNames: readonly string[] = [
  "x",
  "साइडबार विज्ञापन",
  "إعلان الشريط الجانبي",
  "שורת המצב של המסוף",
  "サイドバー 広告枠",
  "🧑‍🚀🚀 launch pad 👨‍👩‍👧‍👦",
  "Zalgo t̴̢͝e̷̺̕x̶̰͝t",
  "<script>alert(1)</script>",
  "Robert'); DROP TABLE surfaces;--",
  '"quoted" \\ back\\slash',
  "  leading and trailing  ",
  "\u202Eright-to-left override",
  "a very long name ".repeat(600).trimEnd(),
  "नमस्ते".repeat(100),
];

export const profiles: { readonly [Name in Profile]: ProfileBounds } = {
  typical: {
    surfaces: [2, 6],
    cpmPaise: [800, 9000],
    cpmSpreadPercent: [20, 180],
    dailyImpressions: [150, 9000],
    historyDays: [45, 720],
    surfaceNames: placements,
  },
  tiny: {
    surfaces: [1, 2],
    cpmPaise: [300, 2000],
    cpmSpreadPercent: [10, 60],
    dailyImpressions: [0, 12],
    historyDays: [3, 60],
    surfaceNames: placements,
  },
  adversarial: {
    surfaces: [1, 8],
    cpmPaise: [1, 300_000],
    cpmSpreadPercent: [0, 200],
    // Small enough that no publisher's lifetime revenue can exceed 2^53 micro-INR.
    dailyImpressions: [0, 15_000],
    historyDays: [0, 1500],
    surfaceNames: awkwardNames,
  },
};

export const profileNames: readonly Profile[] = Object.keys(profiles) as Profile[];
