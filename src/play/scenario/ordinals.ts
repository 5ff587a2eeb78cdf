/** Which publishers a scenario names by their ordinals. */

export function ordinalsIn(data: unknown): readonly number[] {
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([name, part]) => {
    if (name === "publisher" && typeof part === "number") return [part];
    if (name === "publishers" && Array.isArray(part))
      return part.filter((one) => typeof one === "number");
    if (typeof part !== "string") return ordinalsIn(part);
    const ordinal =
      name === "ref" || name === "of" ? /^publishers\.(\d+)/.exec(part)?.[1] : undefined;
    return ordinal === undefined ? [] : [Number(ordinal)];
  });
}
