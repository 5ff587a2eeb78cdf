/** Makes one answer of the answers that several replicas give to the same control request. */

import { isPlainObject } from "../../base/input.ts";
import type { ControlAnswer } from "../../play/targets/control-api.ts";
import { type AuditFigures, sumOfAudits } from "./sum-audits.ts";

export interface ReplicaAnswer extends ControlAnswer {
  /** The replica's base URL. */
  readonly url: string;
}

/** One answer for all, or `undefined` if they differ and there is no way to add them up. */
export function combined(
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
  answers: readonly ReplicaAnswer[],
): unknown {
  if (path === "audit") return sumOfAudits(answers.map(({ value }) => value as AuditFigures));
  if (path === "journal" && !query.has("format", "har")) return journalOf(query, answers);
  if (path === "metrics") return metricsOf(answers);
  const [first] = answers;
  const isSame = answers.every((answer) => stableText(answer) === (first && stableText(first)));
  return isSame ? (first?.value ?? first?.text) : undefined;
}

/** The text of an answer without its times: clocks that run show different ones. */
function stableText({ value, text }: ReplicaAnswer): string {
  if (!isPlainObject(value)) return text;
  const { now: _, at: _at, ...rest } = value;
  return JSON.stringify(rest);
}

interface Journal {
  readonly entries: readonly { readonly at: string }[];
  readonly total: number;
}

/** All entries in the order of their times, each with its replica. Within a replica their order stays. */
function journalOf(query: URLSearchParams, answers: readonly ReplicaAnswer[]): unknown {
  if (query.has("format", "ndjson")) return answers.map(({ text }) => text).join("");
  const journals = answers.map(({ url, value }) => ({ url, journal: value as Journal }));
  const entries = journals
    .flatMap(({ url, journal }) => journal.entries.map((entry) => ({ replica: url, ...entry })))
    .sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  const limit = query.get("limit");
  return {
    entries: limit === null ? entries : entries.slice(-Number(limit)),
    total: journals.reduce((sum, { journal }) => sum + journal.total, 0),
  };
}

/** Prometheus metrics in which the label `replica` tells where each sample comes from. */
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
