/** Writes long lists as JSON text in pieces, so that the whole text is never in memory. */

/** Writes an object with a list, and a few other members before and after it. */
export function* listPieces(
  name: string,
  items: Iterable<unknown>,
  others: Readonly<Record<string, unknown>> = {},
  first: Readonly<Record<string, unknown>> = {},
): Generator<string> {
  const begin = JSON.stringify(first).slice(0, -1);
  let before = `${begin}${begin === "{" ? "" : ","}${JSON.stringify(name)}:[`;
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ",";
  }
  const end = JSON.stringify(others).slice(1);
  yield `${before === "," ? "" : before}]${end === "}" ? "" : ","}${end}`;
}

/** Writes an object one of whose members is a long list. */
export function objectPieces<Value extends object>(
  value: Value,
  list: keyof Value & string,
): Generator<string> {
  const members = Object.entries(value);
  const at = members.findIndex(([name]) => name === list);
  const [first, others] = [members.slice(0, at), members.slice(at + 1)].map(Object.fromEntries);
  return listPieces(list, value[list] as Iterable<unknown>, others, first);
}
