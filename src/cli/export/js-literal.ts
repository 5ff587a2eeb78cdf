/** Writes data as JavaScript that people like to read: on one line if it fits, otherwise a line for each part. */

/** Items of a list that come so many times. */
export class Repeated<Item> {
  readonly times: number;
  readonly items: readonly Item[];

  constructor(times: number, items: readonly Item[]) {
    this.times = times;
    this.items = items;
  }
}

const WIDTH = 100;

/** `indent`: of the line that it begins on. `column`: how much of that line is taken. */
export function jsLiteral(value: unknown, indent = "", column: number = indent.length): string {
  if (value instanceof Repeated) {
    const { times, items } = value;
    const before = `...Array(${times}).fill(`;
    return `${before}${jsLiteral(items, indent, column + before.length)}).flat()`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => {
      const label = isList ? "" : `${keyOf(name)}: `;
      return label + jsLiteral(part, inner, inner.length + label.length);
    });
  const pad = isList || parts.length === 0 ? "" : " ";
  const line = `${open}${pad}${parts.join(", ")}${pad}${close}`;
  if (!line.includes("\n") && column + line.length < WIDTH) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
