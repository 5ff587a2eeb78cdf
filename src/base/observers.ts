/** Lets others watch something. */

/** An observer that is added twice is called twice. @returns a function that removes it. */
export function addObserver<Seen extends readonly unknown[]>(
  observers: Set<(...seen: Seen) => void>,
  observer: (...seen: Seen) => void,
): () => void {
  const own = (...seen: Seen): void => observer(...seen);
  observers.add(own);
  return () => void observers.delete(own);
}
