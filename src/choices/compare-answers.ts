/** Compares two answers to one request, the recorded one and the new one, byte for byte. */

import type { ApiResponse } from "../spec/messages.ts";

/** `body`: undefined if it wasn't recorded. */
export type ComparedAnswer = Pick<ApiResponse, "status" | "headers"> & {
  readonly body: string | Uint8Array | undefined;
};

/** Two values that should be the same. */
export interface Sides<Value = string> {
  readonly recorded: Value | undefined;
  readonly now: Value | undefined;
}

export interface Difference {
  readonly status?: Sides<number> | undefined;
  readonly headers: readonly ({ readonly name: string } & Sides)[];
  /** `byte`: index of the first difference, from 0. The sides show the text around it. */
  readonly body?: ({ readonly byte: number } & Sides) | undefined;
}

/** They come from the connection, the clock, a proxy, or adsim's explanations. */
const notOfService =
  "age alt-svc cf-ray connection content-encoding date keep-alive nel report-to server set-cookie " +
  "transfer-encoding vary via x-adsim-assumptions x-adsim-fault x-cache x-powered-by";

/** The difference; undefined if there is none. */
export function differenceOf(one: ComparedAnswer, other: ComparedAnswer): Difference | undefined {
  const isSame = one.status === other.status;
  const status = isSame ? undefined : { recorded: one.status, now: other.status };
  const headers = headerDifferences(Object.entries(one.headers), Object.entries(other.headers));
  const body = one.body === undefined ? undefined : bodyDifference(one.body, other.body ?? "");
  if (isSame && headers.length === 0 && body === undefined) return undefined;
  return { status, headers, body };
}

type Fields = Iterable<[name: string, value: string]>;

function headerDifferences(one: Fields, other: Fields): Difference["headers"] {
  const [before, after] = [new Map(one), new Map(other)];
  const names = new Set([...before.keys(), ...after.keys()]);
  // Compression changes the length of a body, and a chunked body has no Content-Length.
  const isEncoded = names.has("content-encoding") || names.has("transfer-encoding");
  for (const name of notOfService.split(" ")) names.delete(name);
  if (isEncoded) names.delete("content-length");
  return Array.from(names)
    .map((name) => ({ name, recorded: before.get(name), now: after.get(name) }))
    .filter(({ recorded, now }) => recorded !== now);
}

function bodyDifference(one: string | Uint8Array, other: string | Uint8Array): Difference["body"] {
  const [recorded, now] = [bytesOf(one), bytesOf(other)];
  const length = Math.max(recorded.length, now.length);
  let byte = 0;
  while (byte < length && recorded[byte] === now[byte]) byte += 1;
  if (byte === length) return undefined;
  return { byte, recorded: around(recorded, byte), now: around(now, byte) };
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

function around(bytes: Uint8Array, byte: number): string {
  const text = new TextDecoder().decode(bytes.subarray(Math.max(0, byte - 40), byte + 40));
  return `${byte > 40 ? "…" : ""}${text}${byte + 40 < bytes.length ? "…" : ""}`;
}
