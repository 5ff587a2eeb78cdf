/** Describes how a response reaches the client if that isn't at once and whole. Adapters carry it out. */

/** How a response reaches the client. Times are real time: a frozen world clock doesn't move meanwhile. */
export type Delivery = DeliveryMode & {
  /** The delay before anything is sent, in milliseconds. */
  readonly delayMs: number;
  /** The adapter calls it if the client left before the response was handed over. The response then counts as lost. */
  readonly undelivered: () => void;
};

export type DeliveryMode =
  | { readonly kind: "whole" }
  /** Sent after `by` later responses of the same transport, or when the time is over. */
  | { readonly kind: "overtaken"; readonly by: number; readonly atMostMs: number }
  /** Sends these bytes instead of the body. The response's `body` shows them as text. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /**
   * The head announces the whole body, but the connection closes after these bytes of it. The response's `body` shows them
   * as text, which differs if the cut is inside a character.
   */
  | { readonly kind: "cut"; readonly bytes: Uint8Array }
  | { readonly kind: "drip"; readonly bytesPerSecond: number }
  /** Sends these bytes instead of an HTTP response; then the connection closes. */
  | { readonly kind: "noise"; readonly bytes: Uint8Array }
  /** The connection closes without a byte. */
  | { readonly kind: "close" }
  /** The connection is reset (TCP RST). */
  | { readonly kind: "reset" }
  /** Nothing comes, and the connection stays open. */
  | { readonly kind: "silence" };

/** How much of a response a client gets. */
export type Received = "whole" | "part" | "nothing";

/**
 * `seen`: what a client sees if it waits long enough. Unless that is an answer, no request behind it on the connection reaches
 * the service. Readers rely on these pairs: a new one needs a look at each of them.
 */
export const deliveryTraits = {
  whole: { received: "whole", seen: "answered" },
  overtaken: { received: "whole", seen: "answered" },
  bytes: { received: "part", seen: "answered" },
  cut: { received: "part", seen: "cut" },
  drip: { received: "whole", seen: "answered" },
  noise: { received: "nothing", seen: "lost" },
  close: { received: "nothing", seen: "lost" },
  reset: { received: "nothing", seen: "lost" },
  silence: { received: "nothing", seen: "timed-out" },
} as const satisfies Record<Delivery["kind"], { received: Received; seen: string }>;
