/** What a client may get wrong about the API, as far as the spec leaves it open. */

import type { Payout } from "../../src/client/api.ts";

/** What a client takes for granted, or doesn't. */
export interface Habits {
  /** What an error says, for the log. */
  readError(body: string): string;
  /** Whether an answer means "too many requests, come back later". */
  isSlowDown(answer: Response): boolean;
  /** How long to wait after such an answer, in milliseconds. */
  waitMs(answer: Response): number;
  /** An id on its way into the client's store, from which it is sent back later. */
  storedId(id: string): string | number;
  /** What was paid: the amount of a payout, or nothing while it isn't. */
  paidAmount(payout: Payout): number;
  /** Looks at the members of a recorded impression. */
  checkMembers(record: object): void;
}

const MINUTE_MS = 60_000;

/** Takes nothing for granted that the spec doesn't promise. */
export const robust: Habits = {
  // The body of an error is for people.
  readError: (body) => body.slice(0, 200),
  isSlowDown: ({ status, headers }) =>
    status === 429 ||
    // A refusal for another reason leaves something of the quota, as far as this client comes.
    ([403, 503].includes(status) && headers.get("x-ratelimit-remaining") === "0"),
  waitMs({ headers }) {
    const hint = headers.get("retry-after");
    // The limits are per minute (spec, part 8).
    if (hint === null) return MINUTE_MS;
    if (/^\d+$/.test(hint)) return Number(hint) * 1000;
    // The client's own clock may show another time than the service's.
    return Math.max(0, Date.parse(hint) - Date.parse(headers.get("date") ?? ""));
  },
  storedId: (id) => id,
  paidAmount: ({ status, amount_inr }) => (status === "paid" ? amount_inr : 0),
  checkMembers: () => undefined,
};

/** The robust client's with six mistakes, one place each. */
export const relying: Habits = {
  // Relies on errors.body: an error is taken for JSON.
  readError: (body) => JSON.stringify(JSON.parse(body)),

  // Relies on limit.exceeded: nothing but 429 means "slow down".
  isSlowDown: ({ status }) => status === 429,

  // Relies on limit.retry-after: the header is taken to be there.
  waitMs(answer) {
    if (!answer.headers.has("retry-after")) throw new Error("for how long?");
    return robust.waitMs(answer);
  },

  // Relies on ids.format: what looks like a number is kept as one, and 2^53 is soon passed.
  storedId: (id) => (/^\d+$/.test(id) ? Number(id) : id),

  // Relies on payout.statuses: what is listed is taken to be paid.
  paidAmount({ status, amount_inr }) {
    if (status !== "paid") throw new Error(`what is ${JSON.stringify(status)}?`);
    return amount_inr;
  },

  // Relies on response.form: there may be the documented members and no other.
  checkMembers(record) {
    const documented = ["ok", "impression_id", "revenue_credited_inr"];
    const other = Object.keys(record).find((name) => !documented.includes(name));
    if (other !== undefined) throw new Error(`what is ${JSON.stringify(other)}?`);
  },
};
