/** Leaves out members without a value, for objects whose members may be missing but not undefined. */

type Given<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** The members that aren't undefined. */
export function given<Members extends object>(members: Members): Given<Members> {
  const all = Object.entries(members).filter(([, value]) => value !== undefined);
  // Only members without a value are missing.
  return Object.fromEntries(all) as Given<Members>;
}
