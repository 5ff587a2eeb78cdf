/** Reads a file line by line. The file may be larger than the longest string, but no line may. */

import { constants, isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";

const LINE_FEED = 0x0a;

/** The lines without line ends. @throws Error that says which line isn't text; errors of the file system. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let number = 1;
  let pieces: Buffer[] = [];
  let bytes = 0;
  const keep = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > constants.MAX_STRING_LENGTH) {
      throw new RangeError(
        `line ${number} is longer than ${constants.MAX_STRING_LENGTH} bytes, the longest string in Node`,
      );
    }
    pieces.push(piece);
  };
  const line = (): string => {
    const whole = Buffer.concat(pieces);
    if (!isUtf8(whole)) throw new Error(`line ${number} is not text in UTF-8`);
    const text = whole.toString();
    // Some editors write a byte order mark first.
    const plain = number === 1 ? text.replace(/^\ufeff/, "") : text;
    number += 1;
    pieces = [];
    bytes = 0;
    return plain;
  };
  const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1 << 20 });
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, end));
      yield line();
      start = end + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (pieces.length > 0) yield line();
}
