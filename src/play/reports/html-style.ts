/** The style of the HTML report: follows the reader's light or dark theme and fits on a phone. */

import type { Markup } from "./markup.ts";

export const STYLE: Markup = {
  markup: `
:root { color-scheme: light dark; }
body {
  margin: 0; font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  color: light-dark(#1b2129, #e7ebf0); background: light-dark(#f4f5f7, #12161b);
}
main { max-width: 1120px; margin: 0 auto; padding: 28px 20px; }
h1 { display: inline; font-size: 24px; }
h2 { margin: 34px 0 12px; font-size: 18px; }
p { margin: 6px 0; }
.passed { color: light-dark(#17723f, #6fd39a); }
.failed { color: light-dark(#b3261e, #ff9d94); }
.undecided, .skipped { color: light-dark(#835400, #f0c465); }
.done, .muted { color: light-dark(#59636f, #a2adb9); }
.chip { font-size: 13px; font-weight: 600; white-space: nowrap; }
.charts {
  display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr));
}
figure, table {
  background: light-dark(#ffffff, #1b2129); border: 1px solid light-dark(#dfe3e8, #313a45);
}
figure { margin: 0; padding: 12px 14px 8px; }
svg { display: block; width: 100%; height: 140px; }
path { fill: none; stroke: currentColor; stroke-width: 2; vector-effect: non-scaling-stroke; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 8px 10px; font-weight: 400; }
thead th:first-child { width: 1%; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
pre { margin: 0; padding: 8px 12px; white-space: pre-wrap; }
`,
};
