/** A service that behaves like this is wrong, and the invariant must detect it. */

import type { FaultRule } from "../../src/faults/rule.ts";
import type { ClientExchange } from "../../src/invariants/client-exchange.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import type { Lie } from "./stage.ts";

export interface PlantedLie {
  readonly id: string;
  readonly what: string;
  /** Created anew for each test: some lies keep state. */
  lie(): Lie;
  readonly assumptions?: Partial<Assumptions>;
  readonly faults?: readonly FaultRule[];
}

type AnswerMutator = NonNullable<Lie["answer"]>;
/** A lie that only looks at the answer. */
type ExchangeMutator = (exchange: ClientExchange) => ClientExchange;

/** Changes the answers at this path. */
function at(path: string, bend: AnswerMutator): Lie {
  return {
    answer: (exchange, ...rest) =>
      exchange.request.path === path ? bend(exchange, ...rest) : exchange,
  };
}

const stats = "/v1/publisher/stats";
const surfaces = "/v1/publisher/surfaces";
const payouts = "/v1/publisher/payouts";
const impression = "/v1/impression";
const click = "/v1/click";

/** Replaces the first match in the body of a success. */
function text(pattern: RegExp, by: string | ((match: string) => string)): ExchangeMutator {
  return (exchange) =>
    exchange.status === 200
      ? {
          ...exchange,
          text: exchange.text.replace(pattern, (match) =>
            typeof by === "string" ? by : by(match),
          ),
        }
      : exchange;
}

function header(name: string, value: (old: string) => string | undefined): ExchangeMutator {
  return (exchange) => {
    const old = exchange.headers[name];
    if (old === undefined) return exchange;
    const { [name]: _, ...others } = exchange.headers;
    const next = value(old);
    return { ...exchange, headers: next === undefined ? others : { ...others, [name]: next } };
  };
}

function queryOf({
  request: { query = "" },
}: ClientExchange): Readonly<Record<string, string | number>> {
  return typeof query === "object" ? query : Object.fromEntries(new URLSearchParams(query));
}

function valuesOf({ request }: ClientExchange): Readonly<Record<string, unknown>> {
  return typeof request.body === "string" ? JSON.parse(request.body) : {};
}

const oneMore = (match: string): string => String(Number(match) + 1);
const microMore = (match: string): string => (Number(match) + 0.000001).toFixed(6);

/** Changes what a limit decided, according to its state. */
function decides(when: (exchange: ClientExchange) => boolean, status: number): Lie {
  return at(stats, (exchange) => (when(exchange) ? { ...exchange, status } : exchange));
}
const overTheLimit = ({ status }: ClientExchange): boolean => status === 429;

function counting(
  bend: (exchange: ClientExchange, count: number, isAside: boolean) => ClientExchange,
): AnswerMutator {
  let count = 0;
  return (exchange, isAside) => {
    count += 1;
    return bend(exchange, count, isAside);
  };
}

type Audit = Parameters<NonNullable<Lie["audit"]>>[0];

function audits(bend: (audit: Audit) => Audit): Lie {
  return { audit: bend };
}

export const lies: readonly PlantedLie[] = [
  {
    id: "M1",
    what: "pending is a micro too much",
    lie: () => at(payouts, text(/(?<="pending_inr":)[0-9.]+/, microMore)),
  },
  {
    id: "M2",
    what: "the books don't balance",
    lie: () =>
      audits((audit) => ({ ...audit, balanced: false, discrepancies: ["1 here, 2 there"] })),
  },
  {
    id: "M2",
    what: "an answer credits a micro more than is on record",
    lie: () => at(impression, text(/(?<="revenue_credited_inr":)0\.[0-9]+/, microMore)),
  },
  {
    id: "M2",
    what: "a publisher's recorded revenue is a micro off",
    lie: () =>
      audits((audit) => ({
        ...audit,
        publishers: audit.publishers.map((one) => ({
          ...one,
          creditedRecordedInr: one.creditedRecordedInr + 0.000001,
        })),
      })),
  },
  {
    id: "M3",
    what: "a credit above the range",
    lie: () => at(impression, text(/(?<="revenue_credited_inr":)0\.[0-9]+/, "0.5")),
  },
  {
    id: "M4",
    what: "an exponent",
    lie: () => at(impression, text(/(?<="revenue_credited_inr":)[0-9.]+/, "1e-7")),
  },
  {
    id: "M4",
    what: "seven decimals",
    lie: () => at(stats, text(/(?<="revenue_inr":)[0-9.]+/, "1.1234567")),
  },
  { id: "M4", what: "NaN", lie: () => at(payouts, text(/(?<="pending_inr":)[0-9.]+/, "NaN")) },
  {
    id: "S1",
    what: "each period has an impression too much",
    lie: () => at(stats, text(/(?<="impressions":)[0-9]+/, oneMore)),
  },
  {
    id: "S2",
    what: "totals have a micro too much",
    lie: () => at(stats, text(/(?<="revenue_inr":)[0-9.]+/, microMore)),
  },
  {
    id: "S3",
    what: "with a surface the totals are another's",
    lie: () =>
      at(stats, (exchange) =>
        "surface" in queryOf(exchange)
          ? text(/(?<="impressions":)[0-9]+/, oneMore)(exchange)
          : exchange,
      ),
  },
  {
    id: "S4",
    what: "the default begins a day late",
    lie: () =>
      at(stats, (exchange) =>
        "from" in queryOf(exchange)
          ? exchange
          : text(/(?<="from":")[0-9-]+/, "2025-12-17")(exchange),
      ),
  },
  {
    id: "D2",
    what: "the window ends a minute early",
    lie: () =>
      at(
        impression,
        counting((exchange, count) => ({
          ...exchange,
          text: exchange.text.replace(/imp_\w+/, `imp_${count}`),
        })),
      ),
  },
  {
    id: "D2",
    what: "the window has no end",
    lie: () =>
      at(impression, (exchange) =>
        valuesOf(exchange).session_id === "D2" ? text(/imp_\w+/, "imp_same")(exchange) : exchange,
      ),
  },
  {
    id: "D3",
    what: "a session collides with another publisher's",
    lie: () =>
      at(impression, (exchange) =>
        valuesOf(exchange).session_id === "D3" ? text(/imp_\w+/, "imp_same")(exchange) : exchange,
      ),
  },
  {
    id: "D3",
    what: "an id is given to two publishers",
    lie: () =>
      at(impression, (exchange, isAside) =>
        isAside ? exchange : text(/imp_\w+/, "imp_same")(exchange),
      ),
  },
  {
    id: "D4",
    what: "two impressions have one click",
    lie: () => at(click, text(/clk_\w+/, "clk_same")),
  },
  {
    id: "D4",
    what: "a second click counts",
    lie: () =>
      at(
        stats,
        text(/(?<="clicks":)[0-9]+/, (match) => String(Number(match) * 2)),
      ),
  },
  {
    id: "L4",
    what: "Retry-After is a second short",
    lie: () =>
      at(
        stats,
        header("retry-after", (old) => String(Number(old) - 1)),
      ),
  },
  {
    id: "L4",
    what: "Retry-After is a second long",
    lie: () =>
      at(
        stats,
        header("retry-after", (old) => String(Number(old) + 1)),
      ),
  },
  {
    id: "L4",
    what: "Retry-After is missing",
    lie: () =>
      at(
        stats,
        header("retry-after", () => undefined),
      ),
  },
  {
    id: "L7",
    what: "one response is without Remaining",
    lie: () => ({
      answer: counting((exchange, count) =>
        count === 30 ? header("x-ratelimit-remaining", () => undefined)(exchange) : exchange,
      ),
    }),
  },
  {
    id: "L7",
    what: "Remaining isn't a count",
    lie: () =>
      at(
        surfaces,
        header("x-ratelimit-remaining", () => "-1"),
      ),
  },
  {
    id: "A4",
    what: "a foreign publisher can be told from none",
    assumptions: { "auth.key-scope": "publisher-hidden" },
    lie: () =>
      at(payouts, (exchange, _, sim) => {
        const isReal = sim.publishers
          .list({ limit: 100 })
          .some(({ id }) => id === queryOf(exchange).publisher_id);
        return isReal && exchange.status === 404
          ? { ...exchange, text: `${exchange.text} ` }
          : exchange;
      }),
  },
  { id: "H1", what: "a member is missing", lie: () => at(impression, text(/"ok":true,/, "")) },
  {
    id: "H1",
    what: "a member isn't documented",
    lie: () => at(click, text(/"ok":true,/, '"ok":true,"more":1,')),
  },
  {
    id: "H1",
    what: "a count is a text",
    lie: () =>
      at(
        stats,
        text(/(?<="impressions":)[0-9]+/, (match) => `"${match}"`),
      ),
  },
  {
    id: "H1",
    what: "a date isn't one",
    lie: () => at(payouts, text(/(?<="date":")[0-9-]+/, "yesterday")),
  },
  {
    id: "H1",
    what: "a range has one bound",
    lie: () => at(surfaces, text(/(?<="cpm_range":)\[[^\]]*\]/, "[1]")),
  },
  {
    id: "H1",
    what: "a range has three bounds",
    lie: () => at(surfaces, text(/(?<="cpm_range":\[)/, "1,")),
  },
  { id: "H1", what: "a 500 from nowhere", lie: () => ({ answer: unscriptedOnce() }) },
  {
    id: "H1",
    what: "a 503 under a limit that refuses with 429",
    lie: () => decides(overTheLimit, 503),
  },
  {
    id: "R2",
    what: "a number of answers isn't saved",
    lie: () =>
      at(
        surfaces,
        counting((exchange, count) => ({
          ...exchange,
          text: `${exchange.text}${" ".repeat(count)}`,
        })),
      ),
  },
];

function unscriptedOnce(): AnswerMutator {
  return counting((exchange, count) =>
    count === 40 ? { ...exchange, status: 500, text: "" } : exchange,
  );
}
