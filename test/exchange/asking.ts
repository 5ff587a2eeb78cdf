/** Requests of one publisher, with the answers taken apart. */

import type { Publisher, Simulator } from "../../src/index.ts";

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The body's members. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly remaining: number;
  /** Whose key was sent, and the open points that shaped the answer: as the journal has them. */
  readonly publisher: string | undefined;
  readonly shapedBy: readonly string[];
}

export interface Asking {
  /** Parameters that are undefined aren't sent. */
  post(what: "impression" | "click", body: Readonly<Record<string, unknown>>): Answer;
  get(
    what: "stats" | "surfaces" | "payouts",
    query: Readonly<Record<string, string | number>>,
  ): Answer;
}

export function asking(sim: Simulator, { apiKey }: Pick<Publisher, "apiKey">): Asking {
  const headers = { authorization: `Bearer ${apiKey}` };
  function answerTo(request: Parameters<Simulator["handle"]>[0]): Answer {
    const { status, headers: answered, body: text } = sim.handle(request);
    const entry = sim.journal.entries({ limit: 1 })[0];
    return {
      status,
      text,
      body: JSON.parse(text),
      remaining: Number(answered["x-ratelimit-remaining"]),
      publisher: entry?.publisher,
      shapedBy: entry === undefined || entry.assumptions === "documented" ? [] : entry.assumptions,
    };
  }
  return {
    post: (what, body) => answerTo({ method: "POST", path: `/v1/${what}`, headers, body }),
    get: (what, query) =>
      answerTo({ method: "GET", path: `/v1/publisher/${what}`, headers, query }),
  };
}
