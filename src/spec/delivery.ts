/** How a response is handed over where that isn't at once and whole. Described here; only an adapter acts it out. */

/** A response's way to the client. Times are real ones: a world's clock doesn't move meanwhile. */
export type Delivery = DeliveryMode & {
  /** How long nothing happens first, in milliseconds. */
  readonly delayMs: number;
  /** For the adapter to call where the client had gone before the response was handed over: then it counts as lost. */
  readonly undelivered: () => void;
};

export type DeliveryMode =
  | { readonly kind: "whole" }
  /** After so many later responses of the same transport, or once the time is over. */
  | { readonly kind: "overtaken"; readonly by: number; readonly atMostMs: number }
  /** These bytes in place of the body, which shows them as text. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /**
   * The head announces the whole body, and the connection closes after these bytes of it. The body shows them as text,
   * which is not the same where the last character is cut.
   */
  | { readonly kind: "cut"; readonly bytes: Uint8Array }
  | { readonly kind: "drip"; readonly bytesPerSecond: number }
  /** These bytes in place of an HTTP response, then the connection closes. */
  | { readonly kind: "noise"; readonly bytes: Uint8Array }
  /** The connection closes without a byte. */
  | { readonly kind: "close" }
  /** The connection is reset (TCP RST). */
  | { readonly kind: "reset" }
  /** Nothing comes, and the connection stays open. */
  | { readonly kind: "silence" };

/** How much of an answer a client gets. */
export type Received = "whole" | "part" | "nothing";

interface DeliveryTraits {
  /** What arrives of the answer. */
  readonly received: Received;
  /** What a client sees that waits long enough. */
  readonly seen: "answered" | "cut" | "lost" | "timed-out";
  readonly endsConnection: boolean;
}

export const deliveryTraits: Readonly<Record<Delivery["kind"], DeliveryTraits>> = {
  whole: { received: "whole", seen: "answered", endsConnection: false },
  overtaken: { received: "whole", seen: "answered", endsConnection: false },
  bytes: { received: "part", seen: "answered", endsConnection: false },
  cut: { received: "part", seen: "cut", endsConnection: true },
  drip: { received: "whole", seen: "answered", endsConnection: false },
  noise: { received: "nothing", seen: "lost", endsConnection: true },
  close: { received: "nothing", seen: "lost", endsConnection: true },
  reset: { received: "nothing", seen: "lost", endsConnection: true },
  silence: { received: "nothing", seen: "timed-out", endsConnection: true },
};
