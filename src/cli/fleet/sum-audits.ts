/** Sums the audits of worlds that share their publishers' requests, such as the replicas of one deployment. */

import * as v from "valibot";
import type { AuditFigures, PublisherAudit } from "../../audit/audit.ts";
import { microsToInr, nearestMicros } from "../../base/money.ts";
import { type ControlRequest, contentOf, type ReplicaAnswer } from "./ask-replicas.ts";

const events = v.looseObject({ attempts: v.number() });
const audit = v.looseObject({
  ...{ at: v.string(), balanced: v.boolean(), discrepancies: v.array(v.string()) },
  total: v.looseObject({ impressions: events, clicks: events }),
  publishers: v.array(v.looseObject({ publisher: v.string() })),
  withoutKey: v.looseObject({}),
});

export const auditRequest: ControlRequest = {
  method: "GET",
  path: "audit",
  query: new URLSearchParams(),
  body: undefined,
};

/** The audit in a replica's answer. @throws CommandFailure if it isn't one. */
export function auditIn(answer: ReplicaAnswer): AuditFigures {
  // The cast is safe: all other members are only added.
  return contentOf(audit, answer, auditRequest) as unknown as AuditFigures;
}

/** Figures are added. It is balanced if all are. Its time is the latest. */
export function sumOfAudits(audits: readonly AuditFigures[]): AuditFigures {
  const publishers = new Map<string, PublisherAudit>();
  for (const one of audits.flatMap((audit) => audit.publishers)) {
    const before = publishers.get(one.publisher);
    publishers.set(one.publisher, before === undefined ? one : sumOf(before, one));
  }
  const sum = audits.reduce((before, audit) => ({
    at: before.at > audit.at ? before.at : audit.at,
    balanced: before.balanced && audit.balanced,
    discrepancies: [...before.discrepancies, ...audit.discrepancies],
    total: sumOf(before.total, audit.total),
    publishers: [],
    withoutKey: sumOf(before.withoutKey, audit.withoutKey),
  }));
  return { ...sum, publishers: Array.from(publishers.values()) };
}

/** Both have the same shape. Amounts in INR stay exact to the micro; anything but figures is that of `one`. */
function sumOf<Figures extends object>(one: Figures, other: Figures): Figures {
  const added = Object.entries(one).map(([name, value]) => {
    const more: unknown = other[name as keyof Figures];
    if (typeof value === "boolean") return [name, value && more === true];
    if (typeof value === "object" && typeof more === "object" && more !== null)
      return [name, sumOf(value, more)];
    if (typeof value !== "number" || typeof more !== "number") return [name, value];
    const isAmount = name.endsWith("Inr");
    const micros = nearestMicros(value) + nearestMicros(more);
    return [name, isAmount ? microsToInr(micros) : value + more];
  });
  // The cast is safe: every member keeps its type.
  return Object.fromEntries(added) as Figures;
}
