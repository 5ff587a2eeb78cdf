/** The style of the HTML report: follows the reader's light or dark theme and fits on a phone. */

export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #ffffff; --text: #1b2129; --muted: #59636f; --line: #dfe3e8; --grid: #e8ebef;
  --code: #f1f3f5; --accent: #2563c9;
  --passed: #17723f; --held-soft: #e2f4e9; --failed: #b3261e; --broken-soft: #fce9e7;
  --undecided: #835400; --unknown-soft: #fdf1d6; --done: #59636f; --done-soft: #eceff2;
  --series-1: #2563c9; --series-2: #1f9254; --series-3: #c2410c;
  --status-2a: #37a36a; --status-2b: #8fd0ab; --status-4a: #e0a526; --status-4b: #b9770e; --status-4c: #f2d183;
  --status-5a: #d0453b; --status-5b: #8d241d; --status-5c: #ef9d96; --status-other: #6b8fc9; --status-none: #7b8490;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --card: #1b2129; --text: #e7ebf0; --muted: #a2adb9; --line: #313a45; --grid: #2a323c;
    --code: #242c36; --accent: #7fb0ff;
    --passed: #6fd39a; --held-soft: #17352a; --failed: #ff9d94; --broken-soft: #43211f;
    --undecided: #f0c465; --unknown-soft: #3b3018; --done: #a2adb9; --done-soft: #29313b;
    --series-1: #6ea8ff; --series-2: #5ccb8d; --series-3: #ff9a5c;
    --status-2a: #4cb87f; --status-2b: #2b6b4a; --status-4a: #e3b04b; --status-4b: #a3701a; --status-4c: #f5dc9f;
    --status-5a: #e5655b; --status-5b: #a5352d; --status-5c: #f3aca6; --status-other: #7d9fd6; --status-none: #8792a0;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
main, footer { max-width: 1120px; margin: 0 auto; padding: 0 20px; }
main { padding-top: 28px; }
footer { padding-top: 20px; padding-bottom: 32px; color: var(--muted); font-size: 13px; }
h1 { margin: 0; font-size: 26px; line-height: 1.25; }
h2 { margin: 34px 0 12px; font-size: 18px; }
h3 { margin: 14px 0 4px; font-size: 13px; color: var(--muted); font-weight: 600; }
p { margin: 6px 0; }
.muted { color: var(--muted); }
.chip { display: inline-block; padding: 1px 10px; border-radius: 999px; font-size: 13px; font-weight: 600; white-space: nowrap; }
.held { color: var(--held); background: var(--held-soft); }
.broken { color: var(--broken); background: var(--broken-soft); }
.unknown, .skipped { color: var(--unknown); background: var(--unknown-soft); }
.done { color: var(--done); background: var(--done-soft); }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; }
.top .chip { font-size: 16px; padding: 3px 14px; }
.why { font-size: 16px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 20px 0 0; }
.figures div, figure, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.figures div { padding: 10px 14px; }
dt { color: var(--muted); font-size: 13px; }
dd { margin: 0; font-size: 18px; overflow-wrap: normal; font-weight: 600; font-variant-numeric: tabular-nums; }
#charts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 14px; }
figure { margin: 0; padding: 12px 14px 8px; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: 4px; }
figcaption span { color: var(--muted); font-weight: 400; }
.u-legend { font-size: 13px; text-align: left; color: var(--text); }
.u-legend .u-value { font-variant-numeric: tabular-nums; color: var(--muted); }
.card { overflow-x: auto; }
table.rows { width: 100%; border-collapse: collapse; font-size: 14px; }
table.rows > thead > tr > th { color: var(--muted); font-weight: 600; font-size: 13px; }
table.rows > * > tr > th, table.rows > * > tr > td { text-align: left; vertical-align: top; padding: 8px 14px; font-weight: 400; }
table.rows > thead > tr > th:first-child { width: 1%; }
table.rows > tbody > tr { border-top: 1px solid var(--line); }
table.rows > tbody > tr.more { border-top: 0; }
table.rows > tbody > tr.more > td { padding-top: 0; }
td.number, th.number { text-align: right !important; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: 0; padding: 8px 12px; background: var(--code); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.all { user-select: all; }
summary { cursor: pointer; color: var(--accent); }
details[open] > summary { margin-bottom: 6px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; }
.pair h3 { margin-top: 6px; }
.pair .found pre { box-shadow: inset 3px 0 var(--broken); }
.narrow { display: none; }
@media (max-width: 760px) {
  main, footer { padding-left: 12px; padding-right: 12px; }
  #charts { grid-template-columns: minmax(0, 1fr); }
  .pair { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .wide { display: none; }
  code.narrow { display: block; color: var(--muted); }
  table.rows > * > tr > th, table.rows > * > tr > td { padding: 8px 10px; }
  .figures { grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); gap: 8px; }
  h1 { font-size: 22px; }
}
`;
