/** Combines the replicas' answers to one control request into one. */

import * as v from "valibot";
import { isPlainObject } from "../../base/input.ts";
import { type ControlRequest, contentOf, type ReplicaAnswer } from "./ask-replicas.ts";
import { auditIn, sumOfAudits } from "./sum-audits.ts";

/** One answer for all; `undefined` if they differ and can't be added up. */
export function combined(request: ControlRequest, answers: readonly ReplicaAnswer[]): unknown {
  const combine = combiners[`${request.method} ${request.path}`];
  if (combine !== undefined) return combine(answers, request);
  const [first] = answers;
  // What a change says of times and usage differs between replicas that are otherwise the same. A question may be about that.
  const text = request.method === "GET" ? ({ text: all }: ReplicaAnswer) => all : resultOf;
  return new Set(answers.map(text)).size === 1 ? (first?.value ?? first?.text) : undefined;
}

type Combiner = (answers: readonly ReplicaAnswer[], request: ControlRequest) => unknown;

const combiners: Readonly<Record<string, Combiner>> = {
  "GET audit": (answers) => sumOfAudits(answers.map(auditIn)),
  "GET journal": journalOf,
  "GET metrics": metricsOf,
};

/** The text of an answer without usage, and without times unless they are of a frozen clock. */
function resultOf({ value, text }: ReplicaAnswer): string {
  if (!isPlainObject(value)) return text;
  const usage = ["at", "server", "requests", "publishersTouched", "impressions"];
  const left = value.mode === "frozen" ? usage : ["now", ...usage];
  return JSON.stringify(value, (name, member) => (left.includes(name) ? undefined : member));
}

const journal = v.object({
  entries: v.array(v.looseObject({ at: v.string() })),
  total: v.number(),
});

/** All entries in the order of their times, each with its replica. Within a replica their order stays. */
function journalOf(answers: readonly ReplicaAnswer[], request: ControlRequest): unknown {
  const journals = answers.map((answer) => ({
    url: answer.url,
    ...contentOf(journal, answer, request),
  }));
  const entries = journals
    .flatMap(({ url, entries: own }) => own.map((entry) => ({ replica: url, ...entry })))
    .sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  const limit = request.query.get("limit");
  return {
    entries: limit === null ? entries : entries.slice(-Number(limit)),
    total: journals.reduce((sum, { total }) => sum + total, 0),
  };
}

const metrics = v.pipe(
  v.string(),
  v.check((text) => /^(?:(?:#.*|\w+(?:\{.*\})? \S+|)\n)+$/.test(text)),
);

/** Prometheus metrics in which the label `replica` says where each sample comes from. */
function metricsOf(answers: readonly ReplicaAnswer[], request: ControlRequest): string {
  const families = new Map<string, string[]>();
  for (const answer of answers) {
    const { url } = answer;
    const text = contentOf(metrics, { ...answer, value: answer.text }, request);
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
