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
    const { minLength, maxLength } = this.length;
    const length = random.nextInt(minLength, maxLength);
    // Without bias, which would make the items alike.
    return listOf(Array.from({ length }, () => this.item.generate(random, undefined)));
  }

  canShrinkWithoutContext(value: unknown): value is readonly Item[] {
    const { minLength, maxLength } = this.length;
    if (!Array.isArray(value) || value.length < minLength || value.length > maxLength) return false;
    return value.every((one) => this.item.canShrinkWithoutContext(one));
  }

  shrink(value: readonly Item[], context: unknown): fc.Stream<fc.Value<readonly Item[]>> {
    // Values of this arbitrary carry their items as context; a user's example has no context.
    const items =
      context === undefined
        ? value.map((one) => new fc.Value(one, undefined))
        : (context as Items<Item>);
    return fc.stream(this.#simpler(items));
  }

  *#simpler(items: Items<Item>): Generator<fc.Value<readonly Item[]>> {
    const { length } = items;
    const most = length - this.length.minLength;
    for (let size = most; size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      // From the end: the last items are the least likely to matter.
      for (let end = length; end > 0; end -= size) {
        const start = Math.max(0, end - size);
        yield listOf([...items.slice(0, start), ...items.slice(end)]);
      }
    }
    for (const [place, one] of items.entries()) {
      for (const simpler of this.item.shrink(one.value_, one.context)) {
        yield listOf(items.with(place, simpler));
      }
    }
  }
}

function listOf<Item>(items: Items<Item>): fc.Value<readonly Item[]> {
  return new fc.Value(
    items.map(({ value }) => value),
    items,
  );
}
