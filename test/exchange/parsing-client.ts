/** Requests of one publisher, with the answers parsed. */

import type { ApiResponse, Publisher, Simulator } from "../../src/index.ts";
import { senderOf } from "../sender.ts";

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The body's members. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly remaining: number;
  /** The publisher whose key was sent, and the assumptions that shaped the answer, from the journal. */
  readonly publisher: string | undefined;
  readonly shapedBy: readonly string[];
}

export interface ParsingClient {
  /** Parameters that are undefined are left out. */
  post(what: "impression" | "click", body: Readonly<Record<string, unknown>>): Answer;
  get(
    what: "stats" | "surfaces" | "payouts",
    query: Readonly<Record<string, string | number>>,
  ): Answer;
}

export function createParsingClient(sim: Simulator, publisher: Publisher): ParsingClient {
  const { get, post } = senderOf(sim, publisher);
  function read({ status, headers, body: text }: ApiResponse): Answer {
    const entry = sim.journal.entries({ limit: 1 })[0];
    return {
      status,
      text,
      body: JSON.parse(text),
      remaining: Number(headers["x-ratelimit-remaining"]),
      publisher: entry?.publisher,
      shapedBy: entry === undefined || entry.assumptions === "documented" ? [] : entry.assumptions,
    };
  }
  return {
    post: (what, body) => read(post(what, body)),
    get: (what, query) => read(get(what, query)),
  };
}
