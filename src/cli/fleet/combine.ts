/** Combines the replicas' answers to one control request into one. */

import type { AuditFigures } from "../../audit/audit.ts";
import { isPlainObject } from "../../base/input.ts";
import type { ControlRequest, ReplicaAnswer } from "./ask-replicas.ts";
import { sumOfAudits } from "./sum-audits.ts";

/** One answer for all; `undefined` if they differ and can't be added up. */
export function combined(request: ControlRequest, answers: readonly ReplicaAnswer[]): unknown {
  const combine = combiners[`${request.method} ${request.path}`];
  if (combine !== undefined) return combine(answers, request.query);
  const [first] = answers;
  return new Set(answers.map(stableText)).size === 1 ? (first?.value ?? first?.text) : undefined;
}

type Combiner = (answers: readonly ReplicaAnswer[], query: URLSearchParams) => unknown;

const combiners: Readonly<Record<string, Combiner>> = {
  // The casts are safe: all replicas have our version.
  "GET audit": (answers) => sumOfAudits(answers.map(({ value }) => value as AuditFigures)),
  "GET journal": journalOf,
  "GET metrics": metricsOf,
};

/** The text of an answer without times and usage, which differ between replicas that are otherwise the same. */
function stableText({ value, text }: ReplicaAnswer): string {
  if (!isPlainObject(value)) return text;
  const usage = ["now", "at", "server", "requests", "publishersTouched", "impressions"];
  return JSON.stringify(value, (name, member) => (usage.includes(name) ? undefined : member));
}

interface Journal {
  readonly entries: readonly { readonly at: string }[];
  readonly total: number;
}

/** All entries in the order of their times, each with its replica. Within a replica their order stays. */
function journalOf(answers: readonly ReplicaAnswer[], query: URLSearchParams): unknown {
  const journals = answers.map(({ url, value }) => ({ url, ...(value as Journal) }));
  const entries = journals
    .flatMap(({ url, entries: own }) => own.map((entry) => ({ replica: url, ...entry })))
    .sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  const limit = query.get("limit");
  return {
    entries: limit === null ? entries : entries.slice(-Number(limit)),
    total: journals.reduce((sum, { total }) => sum + total, 0),
  };
}

/** Prometheus metrics in which the label `replica` says where each sample comes from. */
function metricsOf(answers: readonly ReplicaAnswer[]): string {
  const families = new Map<string, string[]>();
  for (const { url, text } of answers) {
    for (const family of text.trim().split("\n\n")) {
      const lines = family.split("\n");
      const comments = lines.filter((line) => line.startsWith("#")).join("\n");
      const samples = lines.filter((line) => !line.startsWith("#"));
      families.set(comments, [
        ...(families.get(comments) ?? []),
        ...samples.map((sample) => labelled(sample, `replica="${url}"`)),
      ]);
    }
  }
  return Array.from(families, ([comments, samples]) => [comments, ...samples, ""].join("\n")).join(
    "\n",
  );
}

function labelled(sample: string, label: string): string {
  return sample.replace(
    /^(\w+)(?:\{(.*)\})? /,
    (_, name: string, labels?: string) =>
      `${name}{${labels === undefined ? "" : `${labels},`}${label}} `,
  );
}
