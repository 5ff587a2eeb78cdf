/** Replaces the machine's randomness by draws from the world's seed, so that a run of a client can be repeated exactly. */

import { deriveKey, drawsFrom } from "../../base/random.ts";

/** What to replace: the members of these objects, by name. */
export type Replacements = readonly (readonly [
  target: object,
  members: Readonly<Record<string, unknown>>,
])[];

/** `Math.random`, and the methods of `crypto` that the machine has. What they refuse is still refused. */
export function seededRandom(seed: string): Replacements {
  const draw = drawsFrom(deriveKey(seed, "globals"));
  const fill = (bytes: Uint8Array): Uint8Array => bytes.map(() => draw(256));
  // 53 bits, as many as the machine's.
  const random = (): number =>
    (draw(0x400_0000) * 0x800_0000 + draw(0x800_0000)) / (Number.MAX_SAFE_INTEGER + 1);
  const { crypto }: { crypto?: Partial<Crypto> } = globalThis;
  const { getRandomValues, randomUUID } = crypto ?? {};
  const ofCrypto = {
    ...(getRandomValues && {
      getRandomValues<View extends ArrayBufferView>(this: Crypto, view: View): View {
        // The machine's own method throws for a wrong `this`, a wrong kind of array, and one that is too long.
        Reflect.apply(getRandomValues, this, [view]);
        const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
        bytes.set(fill(bytes));
        return view;
      },
    }),
    ...(randomUUID && {
      randomUUID(this: Crypto, ...given: unknown[]): string {
        Reflect.apply(randomUUID, this, given);
        return uuidOf(fill(new Uint8Array(16)));
      },
    }),
  };
  return [[Math, { random }], ...(crypto === undefined ? [] : [[crypto, ofCrypto] as const])];
}

/** Of version 4 (RFC 9562 §5.4). */
function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = (8 + ((bytes[8] ?? 0) & 3)).toString(16);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`);
}
