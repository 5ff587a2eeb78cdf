/** The script of the HTML report, which draws the charts with uPlot. It fetches nothing and never turns data into markup. */

export const CHART_SCRIPT = `"use strict";
(() => {
  const element = document.getElementById("chart-data");
  if (element === null) return;
  const { seconds, charts } = JSON.parse(element.textContent);
  const span = seconds[seconds.length - 1];
  const two = (number) => String(number).padStart(2, "0");
  // Hides floating-point noise, such as that of 0.1 + 0.2.
  const plain = (number) => String(Number(number.toPrecision(6)));
  const elapsed = (at) => {
    if (span < 120) return plain(at) + " s";
    const days = Math.floor(at / 86400);
    const [hours, minutes, rest] = [at / 3600 % 24, at / 60 % 60, at % 60].map(Math.floor);
    if (span < 7200) return Math.floor(at / 60) + ":" + two(rest);
    if (span < 259200) return Math.floor(at / 3600) + ":" + two(minutes) + " h";
    return days + " d" + (hours === 0 ? "" : " " + hours + " h");
  };
  const short = (number) => {
    const size = Math.abs(number);
    if (size >= 1e6) return plain(number / 1e6) + " M";
    return size >= 1e4 ? plain(number / 1e3) + " k" : plain(number);
  };
  const steps = [1, 2, 5, 10, 15, 30].flatMap((n) => [n, 60 * n])
    .concat([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
    .concat([1, 2, 3, 6, 12].map((n) => 3600 * n))
    .concat([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((n) => 86400 * n))
    .sort((left, right) => left - right);
  const wholes = Array.from({ length: 40 }, (_, at) => [1, 2, 5][at % 3] * Number("1e" + Math.floor(at / 3)));
  const stack = (lines) => {
    const sums = seconds.map(() => 0);
    return lines.map(({ values }) => values.map((value, at) => (sums[at] += value ?? 0)));
  };
  const draw = (chart, place) => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const heights = chart.stacked ? stack(chart.lines) : chart.lines.map(({ values }) => values);
    const order = chart.lines.map((_, at) => at);
    // In a stacked chart the top line is drawn first and the others over it.
    if (chart.stacked) order.reverse();
    const stepped = chart.path === "stepped" ? { paths: uPlot.paths.stepped({ align: 1 }) } : {};
    const axis = {
      stroke: colour("--muted"),
      grid: { stroke: colour("--grid"), width: 1 },
      ticks: { stroke: colour("--grid"), width: 1, size: 4 },
      font: "12px system-ui, sans-serif",
    };
    const plot = new uPlot({
      width: place.clientWidth,
      height: 220,
      cursor: { y: false, sync: { key: "run" }, points: { size: 7 } },
      legend: { live: true },
      scales: {
        x: { time: false, range: (_, from, to) => [from, to] },
        y: { range: (_, from, to) => [0, to > 0 ? to * 1.08 : 1] },
      },
      axes: [
        { ...axis, size: 36, incrs: steps, space: 64, values: (_, all) => all.map(elapsed) },
        {
          ...axis,
          // Counts have whole numbers only.
          ...(chart.unit === "" ? { incrs: wholes } : {}),
          size: (_, all) => 20 + 7 * Math.max(4, ...(all ?? []).map(({ length }) => length)),
          values: (_, all) => all.map((one) => short(one) + chart.unit),
        },
      ],
      series: [
        { label: "after", value: (_, at) => (at === null ? "–" : elapsed(at)) },
        ...order.map((which) => {
          const { label, colour: name, values } = chart.lines[which];
          const isFilled = chart.stacked || chart.path === "line";
          return {
            label,
            stroke: colour(name),
            width: chart.stacked ? 0.5 : 1.75,
            ...(isFilled ? { fill: colour(name) + (chart.stacked ? "" : "26") } : {}),
            ...stepped,
            // A value between two gaps draws no line, so show points.
            points: { show: values.includes(null), size: 5, fill: colour(name) },
            value: (_, __, ___, at) => {
              const value = at === null ? null : values[at];
              return value === null || value === undefined ? "–" : plain(value) + chart.unit;
            },
          };
        }),
      ],
    }, [seconds, ...order.map((which) => heights[which])], place);
    return plot;
  };
  const places = charts.map((chart) => document.getElementById("chart-" + chart.id));
  let plots = [];
  const drawAll = () => {
    for (const plot of plots) plot.destroy();
    plots = charts.map((chart, at) => draw(chart, places[at]));
  };
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  new ResizeObserver(() => {
    for (const [at, plot] of plots.entries()) {
      const width = places[at].clientWidth;
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: 220 });
    }
  }).observe(document.getElementById("charts"));
})();
`;
