/**
 * Lists that shrink by removing any part: halves, quarters, and in the end single items. fast-check's own arrays keep
 * their last item, so a sequence that is judged only at its end would keep commands after its failure.
 */

import fc from "fast-check";
import { InputError } from "../../base/input.ts";

/** The bounds of a list's length, both included. */
export interface SequenceLength {
  readonly minLength: number;
  readonly maxLength: number;
  /** The shortest list that is drawn. It may still shrink to `minLength`. @default minLength */
  readonly shortestDrawn?: number | undefined;
}

/** @throws InputError for lengths that contradict each other. */
export function sequenceOf<Item>(
  item: fc.Arbitrary<Item>,
  length: SequenceLength,
): fc.Arbitrary<readonly Item[]> {
  const { minLength, maxLength } = length;
  if (minLength > maxLength) throw new InputError("minLength", "must not be above maxLength");
  return new Sequence(item, length);
}

type Items<Item> = readonly fc.Value<Item>[];

class Sequence<Item> extends fc.Arbitrary<readonly Item[]> {
  readonly item: fc.Arbitrary<Item>;
  readonly length: SequenceLength;

  constructor(item: fc.Arbitrary<Item>, length: SequenceLength) {
    super();
    this.item = item;
    this.length = length;
  }

  generate(random: fc.Random): fc.Value<readonly Item[]> {
    const { minLength, maxLength, shortestDrawn = minLength } = this.length;
    const length = random.nextInt(shortestDrawn, maxLength);
    // Without bias, which would make the items alike.
    const items = Array.from({ length }, () => this.item.generate(random, undefined));
    return shrinkable(fromTheStart(items));
  }

  canShrinkWithoutContext(value: unknown): value is readonly Item[] {
    const { minLength, maxLength } = this.length;
    if (!Array.isArray(value) || value.length < minLength || value.length > maxLength) return false;
    return value.every((one) => this.item.canShrinkWithoutContext(one));
  }

  shrink(value: readonly Item[], context: unknown): fc.Stream<fc.Value<readonly Item[]>> {
    // Values of this arbitrary carry their items as context; a user's example has no context.
    const shrinking: Shrinking<Item> =
      context === undefined
        ? fromTheStart(value.map((one) => new fc.Value(one, undefined)))
        : (context as Shrinking<Item>);
    return fc.stream(this.#simpler(shrinking));
  }

  /** What failed already isn't tried again until everything else was: a long list would take long. */
  *#simpler(shrinking: Shrinking<Item>): Generator<fc.Value<readonly Item[]>> {
    yield* this.#shorter(shrinking);
    yield* this.#plainer(shrinking);
    if (!shrinking.hasShrunk) return;
    const again = fromTheStart(shrinking.items);
    yield* this.#shorter(again);
    yield* this.#plainer(again);
  }

  *#shorter({ items, removal }: Shrinking<Item>): Generator<fc.Value<readonly Item[]>> {
    if (removal === undefined) return;
    const { length } = items;
    const most = length - this.length.minLength;
    let end = Math.min(removal.end, length);
    for (let size = Math.min(removal.size, most); size > 0; size = halfOf(size)) {
      // From the end: the last items are the least likely to matter.
      for (; end > 0; end -= size) {
        const start = Math.max(0, end - size);
        const left = [...items.slice(0, start), ...items.slice(end)];
        const next = { size, end: start };
        yield shrinkable({ items: left, removal: next, place: 0, hasShrunk: true });
      }
      end = length;
    }
  }

  *#plainer({ items, place: from }: Shrinking<Item>): Generator<fc.Value<readonly Item[]>> {
    for (const [place, one] of items.entries()) {
      if (place < from) continue;
      for (const simpler of this.item.shrink(one.value_, one.context)) {
        const changed = items.with(place, simpler);
        yield shrinkable({ items: changed, removal: undefined, place, hasShrunk: true });
      }
    }
  }
}

/** A list, and where shrinking it goes on. */
interface Shrinking<Item> {
  readonly items: Items<Item>;
  /** The next part to remove: so many items before `end`. Undefined: none, the items themselves are shrunk. */
  readonly removal: { readonly size: number; readonly end: number } | undefined;
  /** The next item to shrink. */
  readonly place: number;
  /** Whether anything has shrunk since it began at the start. */
  readonly hasShrunk: boolean;
}

function fromTheStart<Item>(items: Items<Item>): Shrinking<Item> {
  const { length } = items;
  return { items, removal: { size: length, end: length }, place: 0, hasShrunk: false };
}

function halfOf(size: number): number {
  return size === 1 ? 0 : Math.ceil(size / 2);
}

function shrinkable<Item>(shrinking: Shrinking<Item>): fc.Value<readonly Item[]> {
  return new fc.Value(
    shrinking.items.map(({ value }) => value),
    shrinking,
  );
}
