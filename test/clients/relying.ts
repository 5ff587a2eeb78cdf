/** The robust client with six mistakes, one place each. It passes on the defaults. */

import { type Habits, robust } from "./habits.ts";
import { playSession } from "./session.ts";

const relying: Habits = {
  // Relies on errors.body: an error is taken for JSON.
  readError: (body) => JSON.stringify(JSON.parse(body)),

  // Relies on limit.exceeded: nothing but 429 means "slow down".
  isSlowDown: ({ status }) => status === 429,

  // Relies on limit.retry-after: the header is taken to be there.
  waitMs(answer, nowMs) {
    if (!answer.headers.has("retry-after")) throw new Error("for how long?");
    return robust.waitMs(answer, nowMs);
  },

  // Relies on ids.format: what looks like a number is kept as one, and 2^53 is soon passed.
  storedId: (id) => (/^\d+$/.test(id) ? Number(id) : id),

  // Relies on payout.statuses: what is listed is taken to be paid.
  paidAmount({ status, amount_inr }) {
    if (status !== "paid") throw new Error(`what is ${JSON.stringify(status)}?`);
    return amount_inr;
  },

  // Relies on response.extra-fields: there may be the documented members and no other.
  checkMembers(record) {
    const documented = ["ok", "impression_id", "revenue_credited_inr"];
    const other = Object.keys(record).find((name) => !documented.includes(name));
    if (other !== undefined) throw new Error(`what is ${JSON.stringify(other)}?`);
  },
};

await playSession(relying);
