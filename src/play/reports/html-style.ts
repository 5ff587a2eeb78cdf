/** The style of the HTML report: follows the reader's light or dark theme and fits on a phone. */

import type { Html } from "./html.ts";

export const STYLE: Html = {
  html: `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #ffffff; --text: #1b2129; --muted: #59636f; --line: #dfe3e8;
  --code: #f1f3f5; --accent: #2563c9;
  --passed: #17723f; --passed-soft: #e2f4e9; --failed: #b3261e; --failed-soft: #fce9e7;
  --undecided: #835400; --undecided-soft: #fdf1d6; --done: #59636f; --done-soft: #eceff2;
  --ok: #37a36a; --refused: #e0a526; --bad: #d0453b; --none: #7b8490; --other: #6b8fc9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --card: #1b2129; --text: #e7ebf0; --muted: #a2adb9; --line: #313a45;
    --code: #242c36; --accent: #7fb0ff;
    --passed: #6fd39a; --passed-soft: #17352a; --failed: #ff9d94; --failed-soft: #43211f;
    --undecided: #f0c465; --undecided-soft: #3b3018; --done: #a2adb9; --done-soft: #29313b;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
main { max-width: 1120px; margin: 0 auto; padding: 28px 20px; }
h1 { display: inline; margin: 0 0 0 8px; font-size: 24px; }
h2 { margin: 34px 0 12px; font-size: 18px; }
p { margin: 6px 0; }
.muted, figure p, figcaption span { color: var(--muted); }
.chip { padding: 1px 10px; border-radius: 999px; font-size: 13px; font-weight: 600; white-space: nowrap; }
.passed { color: var(--passed); background: var(--passed-soft); }
.failed { color: var(--failed); background: var(--failed-soft); }
.undecided, .skipped { color: var(--undecided); background: var(--undecided-soft); }
.done { color: var(--done); background: var(--done-soft); }
.why { font-size: 16px; }
.charts { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); }
figure, table { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
figure { margin: 0; padding: 12px 14px 8px; }
figcaption { font-weight: 600; }
figcaption span { font-weight: 400; }
figure p { display: flex; flex-wrap: wrap; justify-content: space-between; font-size: 13px; }
figure svg { display: block; width: 100%; height: 140px; border-bottom: 1px solid var(--line); }
figure .key { justify-content: flex-start; gap: 0 14px; }
i { display: inline-block; width: 10px; height: 10px; border-radius: 3px; }
.ok { fill: var(--ok); background: var(--ok); }
.refused { fill: var(--refused); background: var(--refused); }
.bad { fill: var(--bad); background: var(--bad); }
.none { fill: var(--none); background: var(--none); }
.other { fill: var(--other); background: var(--other); }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 8px 10px; font-weight: 400; }
thead th:first-child { width: 1%; }
tbody tr { border-top: 1px solid var(--line); }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: 0; padding: 8px 12px; background: var(--code); border-radius: 8px; white-space: pre-wrap; }
summary { cursor: pointer; color: var(--accent); }
`,
};
