/** Parses Prometheus's text format 0.0.4, strictly. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const METRIC = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const helpLine = new RegExp(`^# HELP (${METRIC}) ((?:[^\\\\\n]|\\\\[\\\\n])*)$`);
const typeLine = new RegExp(`^# TYPE (${METRIC}) (counter|gauge|histogram)$`);
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\n]|\\\\["\\\\n])*"';
const sampleLine = new RegExp(
  `^(${METRIC})(?:\\{(${label}(?:,${label})*)\\})? (-?\\d+(?:\\.\\d+)?(?:e[-+]\\d+)?)$`,
);

/** The families by name. @throws Error that says which line is wrong, and why. */
export function parsePrometheus(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("The last line has no line feed.");
  const families = new Map<string, Family>();
  let help: readonly [name: string, text: string] | undefined;
  let current: readonly [name: string, family: Family] | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, helped, about] = helpLine.exec(line) ?? [];
    const [, typed, type] = typeLine.exec(line) ?? [];
    const [, name, labels = "", value] = sampleLine.exec(line) ?? [];
    if (helped !== undefined && about !== undefined) {
      help = [helped, about];
      current = undefined;
    } else if (typed !== undefined && type !== undefined) {
      if (help?.[0] !== typed || current !== undefined) throw new Error(`No HELP before: ${line}`);
      if (families.has(typed)) throw new Error(`A second time: ${line}`);
      current = [typed, { type, help: help[1], samples: [] }];
      families.set(...current);
    } else if (name !== undefined && value !== undefined) {
      if (current === undefined || !belongs(name, current))
        throw new Error(`Out of place: ${line}`);
      current[1].samples.push({ name, labels: labelsOf(labels), value: Number(value) });
    } else if (line !== "") {
      throw new Error(`Not of the format: ${line}`);
    }
  }
  for (const [name, family] of families) check(name, family);
  return families;
}

function belongs(sample: string, [name, { type }]: readonly [string, Family]): boolean {
  if (type !== "histogram") return sample === name;
  return ["_bucket", "_sum", "_count"].some((part) => sample === `${name}${part}`);
}

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(new RegExp(label, "g"))].map(([pair]) => {
    const equals = pair.indexOf("=");
    const value = pair.slice(equals + 2, -1);
    const unescaped = value.replaceAll(/\\(.)/g, (_, escaped) =>
      escaped === "n" ? "\n" : escaped,
    );
    return [pair.slice(0, equals), unescaped] as const;
  });
  const labels = Object.fromEntries(pairs);
  if (Object.keys(labels).length < pairs.length) throw new Error(`A label comes twice: ${text}`);
  return labels;
}

function check(name: string, { type, samples }: Family): void {
  const keys = samples.map(
    (sample) => sample.name + JSON.stringify(Object.entries(sample.labels).sort()),
  );
  if (new Set(keys).size < keys.length) throw new Error(`${name} has a series twice.`);
  if (type !== "gauge" && samples.some(({ value }) => !(value >= 0))) {
    throw new Error(`${name} is below zero.`);
  }
  if (type === "counter" && !name.endsWith("_total"))
    throw new Error(`${name} is no counter's name.`);
  if (type !== "histogram") return;
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  const bounds = buckets.map(({ labels: { le } }) => (le === "+Inf" ? Infinity : Number(le)));
  const counts = buckets.map(({ value }) => value);
  const isRising = (values: readonly number[], strictly: boolean): boolean =>
    values.every(
      (value, at) =>
        at === 0 || (strictly ? value > (values[at - 1] ?? 0) : value >= (values[at - 1] ?? 0)),
    );
  const count = samples.filter((sample) => sample.name === `${name}_count`);
  const sum = samples.filter((sample) => sample.name === `${name}_sum`);
  if (!isRising(bounds, true) || bounds.at(-1) !== Infinity) throw new Error(`${name}: bounds.`);
  if (!isRising(counts, false)) throw new Error(`${name}: the buckets aren't cumulative.`);
  if (count.length !== 1 || sum.length !== 1) throw new Error(`${name}: sum or count is missing.`);
  if (count[0]?.value !== counts.at(-1)) throw new Error(`${name}: +Inf isn't the count.`);
}
