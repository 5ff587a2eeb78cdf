/** Hashes texts to 64 bits. It can hash a part of a longer text in place, without slicing it. */

export class TextHash {
  /** The hash of the last text, as two signed 32-bit numbers. */
  a = 0;
  b = 0;

  /** Hashes a whole text. The start values let callers chain texts. */
  take(text: string, startA: number = START_A, startB: number = START_B): void {
    let a = startA;
    let b = startB;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      a = Math.imul(a ^ code, 0x9e3779b1);
      b = Math.imul(b ^ code, 0x5f356495);
      a ^= b >>> 15;
    }
    this.a = a;
    this.b = b;
  }

  /**
   * Hashes from `from` on, up to the first character that isn't printable ASCII or is a quotation mark or a backslash.
   * Repeats the loop of `take`: one loop with a flag would make impressions 3% slower.
   *
   * @returns the index of the character where it stopped.
   */
  takePlain(text: string, from: number): number {
    let a = START_A;
    let b = START_B;
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code < 0x20 || code >= 0x7f || code === QUOTE || code === BACKSLASH) break;
      a = Math.imul(a ^ code, 0x9e3779b1);
      b = Math.imul(b ^ code, 0x5f356495);
      a ^= b >>> 15;
    }
    this.a = a;
    this.b = b;
    return at;
  }
}

// Not 0: leading zeros would leave the hash unchanged.
const START_A = 0x2545f491;
const START_B = 0x6c8e9cf5;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
