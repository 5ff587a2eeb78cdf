/** Reads the credited revenue from an answer's text without parsing all of it, because traffic has millions of answers. */

const MEMBER = '"revenue_credited_inr":';

/** The credited revenue in micro-INR; 0 if the answer has none. */
export function creditedMicros(text: string): number {
  const at = text.indexOf(MEMBER);
  if (at === -1) return 0;
  let micros = 0;
  let decimals = -1;
  for (let index = at + MEMBER.length; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x2e) decimals = 0;
    else if (code >= 0x30 && code <= 0x39) {
      micros = micros * 10 + (code - 0x30);
      if (decimals >= 0) decimals += 1;
    } else if (code !== 0x20 || micros > 0) break;
  }
  for (let missing = 6 - Math.max(decimals, 0); missing > 0; missing -= 1) micros *= 10;
  return micros;
}
