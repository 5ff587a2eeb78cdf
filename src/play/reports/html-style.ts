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
main, footer { max-width: 1120px; margin: 0 auto; padding: 28px 20px 0; }
footer { padding: 20px 20px 32px; font-size: 13px; }
h1 { margin: 0; font-size: 26px; line-height: 1.25; }
h2 { margin: 34px 0 12px; font-size: 18px; }
h3 { margin: 14px 0 4px; font-size: 13px; font-weight: 600; }
p { margin: 6px 0; }
.muted, footer, h3, figure p, figcaption span { color: var(--muted); }
.chip { display: inline-block; padding: 1px 10px; border-radius: 999px; font-size: 13px; font-weight: 600; white-space: nowrap; }
.passed { color: var(--passed); background: var(--passed-soft); }
.failed { color: var(--failed); background: var(--failed-soft); }
.undecided, .skipped { color: var(--undecided); background: var(--undecided-soft); }
.done { color: var(--done); background: var(--done-soft); }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; }
.why { font-size: 16px; }
.charts { display: grid; gap: 12px; margin: 0 0 8px; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); }
figure, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
figure { margin: 0; padding: 12px 14px 8px; min-width: 0; }
figcaption { font-weight: 600; }
figcaption span { font-weight: 400; }
figure p { display: flex; flex-wrap: wrap; justify-content: space-between; font-size: 13px; margin: 2px 0; }
figure svg { display: block; width: 100%; height: 140px; border-bottom: 1px solid var(--line); }
figure .key { justify-content: flex-start; gap: 0 14px; }
i { display: inline-block; width: 10px; height: 10px; border-radius: 3px; }
.ok { fill: var(--ok); background: var(--ok); }
.refused { fill: var(--refused); background: var(--refused); }
.bad { fill: var(--bad); background: var(--bad); }
.none { fill: var(--none); background: var(--none); }
.other { fill: var(--other); background: var(--other); }
.card { overflow-x: auto; }
table.rows { width: 100%; border-collapse: collapse; font-size: 14px; }
.rows > * > tr > th, .rows > * > tr > td { text-align: left; vertical-align: top; padding: 8px 10px; font-weight: 400; }
.rows > thead > tr > th:first-child { width: 1%; }
.rows > tbody > tr:not(.more) { border-top: 1px solid var(--line); }
.rows .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: 0; padding: 8px 12px; background: var(--code); border-radius: 8px; white-space: pre-wrap; }
summary { cursor: pointer; color: var(--accent); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 0 10px; }
@media (max-width: 760px) {
  .wide { display: none; }
}
`,
};
