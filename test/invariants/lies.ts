/** A service that behaves like this is wrong, and the invariant must notice it. */

import type { Lie, StageOptions, Told } from "./stage.ts";

export interface PlantedLie extends Pick<StageOptions, "assumptions"> {
  readonly id: string;
  readonly what: string;
  readonly lie: Lie;
  /** Whether the answers of a run give it away, so that it is noticed at another service. */
  readonly isSeen?: boolean;
}

type Change = NonNullable<Lie["answer"]>;

/** Changes the answers at this path. */
function at(path: string, change: Change): Lie {
  return { answer: (told) => (told.request.path === `/v1/${path}` ? change(told) : {}) };
}

/** Replaces the first match in the body of a success. */
function body(path: string, pattern: RegExp, by: string | ((match: string) => string)): Lie {
  const change = (match: string): string => (typeof by === "string" ? by : by(match));
  return at(path, ({ status, text }) =>
    status === 200 ? { text: text.replace(pattern, change) } : {},
  );
}

function header(path: string, name: string, by: (old: string) => string): Lie {
  return at(path, ({ headers }) => {
    const { [name]: old, ...others } = headers;
    const value = old && by(old);
    return { headers: { ...others, ...(value && { [name]: value }) } };
  });
}

function isAbout(told: Told, name: string, value = ""): boolean {
  const sent = JSON.stringify([told.request.query, told.request.body]);
  return sent.replaceAll(/["\\]/g, "").includes(`${name}:${value}`);
}

const amount = (name: string): RegExp => new RegExp(`(?<="${name}":)[0-9.]+`);
const oneMore = (match: string): string => String(Number(match) + 1);
const microMore = (match: string): string => (Number(match) + 0.000001).toFixed(6);
const credit = /(?<="revenue_credited_inr":)0\.[0-9]+/;
const stats = "publisher/stats";
const surfaces = "publisher/surfaces";
const payouts = "publisher/payouts";

function lie(id: string, what: string, made: Lie, more: Partial<PlantedLie> = {}): PlantedLie {
  return { id, what, lie: made, ...more };
}

const seen = { isSeen: true };

export const lies: readonly PlantedLie[] = [
  lie("M1", "pending is a micro too much", body(payouts, amount("pending_inr"), microMore)),
  lie("M2", "the audit doesn't balance", {
    audit: () => ({ balanced: false, discrepancies: ["1 here, 2 there"] }),
  }),
  lie(
    "M2",
    "an answer credits a micro more than the audit says",
    body("impression", credit, microMore),
  ),
  lie("M3", "a credit above the range", body("impression", credit, "0.5"), seen),
  lie("M4", "an exponent", body("impression", credit, "1e-7")),
  lie("M4", "seven decimals", body(stats, amount("revenue_inr"), "1.1234567")),
  lie("M4", "NaN", body(payouts, amount("pending_inr"), "NaN"), seen),
  lie("S1", "each period has an impression too much", body(stats, amount("impressions"), oneMore)),
  lie("S2", "the total is a micro too much", body(stats, amount("revenue_inr"), microMore)),
  lie("S2", "the total is a rupee", body(stats, amount("revenue_inr"), "1"), seen),
  lie(
    "S3",
    "with a surface the totals are another's",
    {
      answer: (told) =>
        isAbout(told, "surface") ? { text: told.text.replace(amount("impressions"), oneMore) } : {},
    },
    seen,
  ),
  lie(
    "S4",
    "the default begins a day late",
    at(stats, (told) =>
      isAbout(told, "from")
        ? {}
        : { text: told.text.replace(/(?<="from":")[0-9-]+/, "2025-12-17") },
    ),
    seen,
  ),
  lie(
    "S4",
    "the default ends a day early, and is as long",
    at(stats, ({ text }) => ({
      text: text.replace(/"period":\{[^}]*\}/, '"period":{"from":"2025-12-15","to":"2026-01-14"}'),
    })),
  ),
  lie(
    "D2",
    "the window ends early",
    at("impression", ({ text, place }) => ({
      text: text.replace(/imp_\w+/, `imp_${place}`),
    })),
  ),
  lie(
    "D2",
    "the window has no end",
    at("impression", (told) =>
      isAbout(told, "session_id", "D2") ? { text: told.text.replace(/imp_\w+/, "imp_1") } : {},
    ),
  ),
  lie(
    "D3",
    "a session collides with another publisher's",
    at("impression", (told) =>
      isAbout(told, "session_id", "D3") ? { text: told.text.replace(/imp_\w+/, "imp_1") } : {},
    ),
  ),
  lie("D3", "an id is given to two publishers", body("impression", /imp_\w+/, "imp_1"), seen),
  lie("D4", "two impressions have one click", body("click", /clk_\w+/, "clk_1"), seen),
  lie(
    "D4",
    "a second click counts",
    body(stats, amount("clicks"), (match) => String(Number(match) * 2)),
  ),
  lie(
    "L4",
    "Retry-After is a second short",
    header(stats, "retry-after", (old) => String(Number(old) - 1)),
  ),
  lie("L4", "Retry-After is a second long", header(stats, "retry-after", oneMore)),
  lie(
    "L4",
    "Retry-After is missing",
    header(stats, "retry-after", () => ""),
  ),
  lie(
    "L7",
    "one kind of answer is without it",
    header(surfaces, "x-ratelimit-remaining", () => ""),
    seen,
  ),
  lie(
    "L7",
    "it isn't a count",
    header(surfaces, "x-ratelimit-remaining", () => "-1"),
  ),
  lie(
    "A4",
    "a foreign publisher can be told from none",
    at(payouts, ({ request, sim, status, text }) => {
      const ids = sim.publishers.list({ limit: 100 }).map(({ id }) => id);
      const isReal = ids.some((id) => JSON.stringify(request.query).includes(id));
      return isReal && status === 404 ? { text: `${text} ` } : {};
    }),
    { assumptions: { "auth.key-scope": "publisher-hidden" } },
  ),
  lie(
    "R2",
    "a number of answers isn't saved",
    at(surfaces, ({ text, place }) => ({
      text: `${text}${" ".repeat(place)}`,
    })),
  ),
  lie("H1", "a member is missing", body("impression", /"ok":true,/, ""), seen),
  lie("H1", "a member isn't documented", body("click", /"ok":true,/, '"ok":true,"more":1,')),
  lie(
    "H1",
    "a count is a text",
    body(stats, amount("impressions"), (match) => `"${match}"`),
    seen,
  ),
  lie("H1", "a date isn't one", body(payouts, /(?<="date":")[0-9-]+/, "yesterday"), seen),
  lie("H1", "a range has one bound", body(surfaces, /(?<="cpm_range":)\[[^\]]*\]/, "[1]"), seen),
  lie("H1", "a range has three bounds", body(surfaces, /(?<="cpm_range":\[)/, "1,"), seen),
  lie("H1", "a 500 from nowhere", { answer: ({ place }) => (place === 9 ? { status: 500 } : {}) }),
  lie(
    "H1",
    "a 503 under a limit that refuses with 429",
    at(stats, ({ status }) => ({
      status: status === 429 ? 503 : status,
    })),
  ),
];
