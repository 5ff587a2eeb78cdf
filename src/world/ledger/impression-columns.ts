/**
 * One publisher's impressions in typed columns, about ten bytes per row. Rows are only appended; the row number is the
 * impression's serial.
 */

import { assert } from "../../base/assert.ts";
import { fromBase64, toBase64 } from "../../base/text.ts";

const CHUNK_ROWS = 8192;
const FIRST_ROWS = 16;
/** A row stores its surface in a byte. */
export const MAX_SURFACES = 255;

class Chunk {
  readonly rows: number;
  readonly surface: Uint8Array<ArrayBuffer>;
  readonly micros: Uint32Array<ArrayBuffer>;
  /** Milliseconds since the start of the row's {@link Epoch}. */
  readonly time: Uint32Array<ArrayBuffer>;
  /** One bit per row. */
  readonly clicked: Uint8Array<ArrayBuffer>;

  constructor(rows: number) {
    this.rows = rows;
    this.surface = new Uint8Array(rows);
    this.micros = new Uint32Array(rows);
    this.time = new Uint32Array(rows);
    this.clicked = new Uint8Array(Math.ceil(rows / 8));
  }

  grownTo(rows: number): Chunk {
    const grown = new Chunk(rows);
    grown.surface.set(this.surface);
    grown.micros.set(this.micros);
    grown.time.set(this.time);
    grown.clicked.set(this.clicked);
    return grown;
  }

  copy(): Chunk {
    return this.grownTo(this.rows);
  }
}

/** A range of rows whose times count from the same instant: 32 bits of milliseconds cover only 49 days. */
interface Epoch {
  readonly firstRow: number;
  readonly startMs: number;
}

/** The columns as JSON. Each text is the base 64 of `count` little-endian values. */
export interface SavedColumns {
  readonly count: number;
  readonly epochs: readonly (readonly [firstRow: number, startMs: number])[];
  readonly surface: string;
  readonly micros: string;
  readonly time: string;
  readonly clicked: string;
}

export interface ColumnSums {
  /** What was credited. */
  readonly micros: number;
  /** How many impressions were clicked. */
  readonly clicked: number;
  /** Impressions of each surface, by its index. */
  readonly bySurface: readonly number[];
}

export class ImpressionColumns {
  readonly #chunks: Chunk[];
  readonly #epochs: Epoch[];
  #count: number;
  /** The last chunk and the last epoch, which new rows go to, and the first row that doesn't fit. */
  #chunkOpen: Chunk | undefined;
  #epochOpen: Epoch | undefined;
  #room: number;

  constructor(chunks: Chunk[] = [], epochs: Epoch[] = [], count = 0) {
    this.#chunks = chunks;
    this.#epochs = epochs;
    this.#count = count;
    this.#chunkOpen = chunks.at(-1);
    this.#epochOpen = epochs.at(-1);
    this.#room = chunks.reduce((rows, chunk) => rows + chunk.rows, 0);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a row with its credit in micro-INR. @returns its number. */
  append(surfaceIndex: number, micros: number, nowMs: number): number {
    const row = this.#count;
    const open = this.#chunkOpen;
    const chunk = open === undefined || row === this.#room ? this.#makeRoom() : open;
    let epoch = this.#epochOpen;
    if (epoch === undefined || nowMs - epoch.startMs > 0xffff_ffff) {
      epoch = { firstRow: row, startMs: nowMs };
      this.#epochs.push(epoch);
      this.#epochOpen = epoch;
    }
    const at = row % CHUNK_ROWS;
    chunk.surface[at] = surfaceIndex;
    chunk.micros[at] = micros;
    chunk.time[at] = nowMs - epoch.startMs;
    this.#count = row + 1;
    return row;
  }

  surfaceIndex(row: number): number {
    return this.#chunk(row).surface[row % CHUNK_ROWS] ?? 0;
  }

  micros(row: number): number {
    return this.#chunk(row).micros[row % CHUNK_ROWS] ?? 0;
  }

  /** When the impression was recorded, in milliseconds since 1970. */
  recordedMs(row: number): number {
    let index = this.#epochs.length - 1;
    while (index > 0 && (this.#epochs[index]?.firstRow ?? 0) > row) index -= 1;
    return (this.#epochs[index]?.startMs ?? 0) + (this.#chunk(row).time[row % CHUNK_ROWS] ?? 0);
  }

  isClicked(row: number): boolean {
    const at = row % CHUNK_ROWS;
    return ((this.#chunk(row).clicked[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0;
  }

  markClicked(row: number): void {
    const at = row % CHUNK_ROWS;
    const { clicked } = this.#chunk(row);
    clicked[at >>> 3] = (clicked[at >>> 3] ?? 0) | (1 << (at & 7));
  }

  /** Sums over all rows. Reads every one of them. */
  sums(): ColumnSums {
    const bySurface = new Array<number>(MAX_SURFACES + 1).fill(0);
    let micros = 0;
    let clicked = 0;
    for (const [index, chunk] of this.#chunks.entries()) {
      const rows = Math.min(chunk.rows, this.#count - index * CHUNK_ROWS);
      const { surface, micros: credits } = chunk;
      for (let row = 0; row < rows; row += 1) {
        const on = surface[row] ?? 0;
        bySurface[on] = (bySurface[on] ?? 0) + 1;
        micros += credits[row] ?? 0;
      }
      // No bit is set past the last row.
      for (const bits of chunk.clicked) clicked += onesIn(bits);
    }
    return { micros, clicked, bySurface };
  }

  copy(): ImpressionColumns {
    const chunks = this.#chunks.map((chunk) => chunk.copy());
    return new ImpressionColumns(chunks, [...this.#epochs], this.#count);
  }

  save(): SavedColumns {
    const column = (
      pick: (chunk: Chunk) => Uint8Array | Uint32Array,
      bytesPerRow: number,
    ): string => {
      const bytes = new Uint8Array(Math.ceil(this.#count * bytesPerRow));
      let at = 0;
      for (const chunk of this.#chunks) {
        const values = pick(chunk);
        const source = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
        bytes.set(source.subarray(0, bytes.length - at), at);
        at += source.length;
      }
      return toBase64(bytes);
    };
    return {
      count: this.#count,
      epochs: this.#epochs.map((epoch) => [epoch.firstRow, epoch.startMs] as const),
      surface: column((chunk) => chunk.surface, 1),
      micros: column((chunk) => chunk.micros, 4),
      time: column((chunk) => chunk.time, 4),
      clicked: column((chunk) => chunk.clicked, 1 / 8),
    };
  }

  static load(saved: SavedColumns): ImpressionColumns {
    const surface = fromBase64(saved.surface);
    const micros = new Uint32Array(fromBase64(saved.micros).buffer);
    const time = new Uint32Array(fromBase64(saved.time).buffer);
    const clicked = fromBase64(saved.clicked);
    const chunks: Chunk[] = [];
    for (let first = 0; first < saved.count; first += CHUNK_ROWS) {
      const end = Math.min(saved.count, first + CHUNK_ROWS);
      // With several chunks each must be full-sized, because a row's chunk is computed from its number.
      const chunk = new Chunk(saved.count > CHUNK_ROWS ? CHUNK_ROWS : capacityFor(end));
      chunk.surface.set(surface.subarray(first, end));
      chunk.micros.set(micros.subarray(first, end));
      chunk.time.set(time.subarray(first, end));
      chunk.clicked.set(clicked.subarray(first >>> 3, (end + 7) >>> 3));
      chunks.push(chunk);
    }
    const epochs = saved.epochs.map(([firstRow, startMs]) => ({ firstRow, startMs }));
    return new ImpressionColumns(chunks, epochs, saved.count);
  }

  #chunk(row: number): Chunk {
    const chunk = this.#chunks[(row / CHUNK_ROWS) | 0];
    assert(chunk !== undefined && row < this.#count, `There is no impression row ${row}.`);
    return chunk;
  }

  /** Grows the first chunk in small steps, because most publishers have few rows. @returns the chunk that new rows go to. */
  #makeRoom(): Chunk {
    const [first] = this.#chunks;
    const grows = first !== undefined && first.rows < CHUNK_ROWS;
    const made = grows
      ? first.grownTo(first.rows * 2)
      : new Chunk(first === undefined ? FIRST_ROWS : CHUNK_ROWS);
    if (grows) this.#chunks[0] = made;
    else this.#chunks.push(made);
    this.#room += grows ? made.rows - first.rows : made.rows;
    this.#chunkOpen = made;
    return made;
  }
}

function onesIn(byte: number): number {
  let ones = 0;
  for (let left = byte; left !== 0; left &= left - 1) ones += 1;
  return ones;
}

function capacityFor(rows: number): number {
  let capacity = FIRST_ROWS;
  while (capacity < rows) capacity *= 2;
  return capacity;
}
