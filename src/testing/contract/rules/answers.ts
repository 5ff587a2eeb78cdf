/** What a client makes of the answers to impressions and clicks (spec §2, §4). */

import { nearestMicros } from "../../../base/money.ts";
import { askedOf } from "../../session/asked.ts";
import { adInWords } from "../../session/names.ts";
import type { Session, Showing } from "../../session/session.ts";
import { jsonOf, memberOf } from "../../session/wire.ts";
import { mustPassOn, mustUnderstand } from "../as-answered.ts";
import { must, type Rule } from "../rule.ts";
import {
  again,
  anyShowing,
  click,
  everydaySequences,
  sequencesAfter,
  shortPause,
  showing,
  stats,
  surfaces,
  together,
} from "../sequences.ts";
import { countingRules } from "./counting.ts";

const answerAsGiven: Rule = {
  id: "answer-as-given",
  says: "What a client gives for an impression or a click has the service's own id and credit",
  source: "spec §2",
  needs: [],
  commands: () =>
    sequencesAfter([anyShowing], anyShowing, click, again, together(anyShowing), shortPause),
  judge: (session) => mustGive(session),
};

/** @returns how many receipts had something to be held against the service's answers. */
function mustGive(session: Session): number {
  let compared = 0;
  for (const { command, outcome, shown, exchanges } of askedOf(session)) {
    if (outcome.kind !== "done" || shown === undefined) continue;
    const operation = command.kind === "click" ? "click" : "impression";
    const given = receiptOf(outcome.value, operation);
    if (given.id === undefined && given.credit === undefined) continue;
    const answers = answersAbout(session, shown, operation);
    // A client that knows of itself that it is a repeat may say that nothing more was credited.
    const isOwn = command.kind !== "impression" && exchanges.length === 0;
    const isSame = answers.some(
      ({ id, credit }) =>
        (given.id === undefined || given.id === id) &&
        (given.credit === undefined ||
          isAmount(given.credit, credit) ||
          (isOwn && given.credit === 0)),
    );
    must(
      isSame,
      () =>
        `The client gave ${JSON.stringify(given)} for the ${operation} of ${adInWords(shown.ad)}. ` +
        `The service answered ${answers.map((one) => JSON.stringify(one)).join(", ") || "nothing"}.`,
    );
    compared += 1;
  }
  return compared;
}

interface Receipt {
  readonly id: unknown;
  readonly credit: unknown;
}

/** A member that is null is one that the client doesn't know, or not yet. */
function receiptOf(value: unknown, operation: "impression" | "click"): Receipt {
  const id = memberOf(value, `${operation}_id`) ?? undefined;
  return { id, credit: memberOf(value, "revenue_credited_inr") ?? undefined };
}

function isAmount(given: unknown, answered: unknown): boolean {
  if (typeof given !== "number" || typeof answered !== "number") return false;
  return nearestMicros(given) === nearestMicros(answered);
}

/** All that the service answered to impressions of this showing, or to clicks on them. */
function answersAbout(
  { exchanges }: Session,
  { ad }: Showing,
  operation: "impression" | "click",
): readonly Receipt[] {
  const answered = (of: string): typeof exchanges =>
    exchanges.filter((one) => one.operation === of && one.got.status === 200);
  const shown = answered("impression").filter(({ values }) => values.get("ad_id") === ad);
  const receipts = shown.map(({ got }) => receiptOf(jsonOf(got), "impression"));
  if (operation === "impression") return receipts;
  return answered("click")
    .filter(({ values }) => receipts.some(({ id }) => id === values.get("impression_id")))
    .map(({ got }) => receiptOf(jsonOf(got), "click"));
}

const opaqueIds: Rule = {
  id: "opaque-ids",
  says: "Ids come back as the service gave them, byte for byte, whatever they look like",
  source: "spec §2",
  needs: ["click"],
  assuming: (["prefixed", "digits", "url-unsafe", "uuid", "long"] as const).map((format) => ({
    "ids.format": format,
  })),
  commands: () => sequencesAfter([showing, click], click, click, showing, stats, surfaces),
  judge(session) {
    const { publisher, exchanges } = session;
    const given: Record<string, string[]> = {
      publisher_id: [publisher.id],
      surface: publisher.surfaces.map(({ id }) => id),
      impression_id: [],
    };
    let hits = 0;
    for (const { operation, request, values, got } of exchanges) {
      // 415: the service didn't read it.
      if (operation === undefined || got.status === 415) continue;
      for (const [name, known] of Object.entries(given)) {
        const sent = values.get(name);
        must(
          sent === undefined || known.includes(sent),
          () =>
            `${request.method} ${request.path} was sent with ${name} ${JSON.stringify(sent)}. ` +
            `The service gave ${known.map((one) => JSON.stringify(one)).join(", ") || "none"}.`,
        );
      }
      if (got.status !== 200) continue;
      if (operation === "click") hits += 1;
      const id = memberOf(jsonOf(got), "impression_id");
      if (typeof id === "string") given.impression_id?.push(id);
    }
    mustUnderstand(session);
    return hits;
  },
};

const unlistedMembers: Rule = {
  id: "unlisted-members",
  says: "A client reads answers that have members the spec doesn't list, in any order",
  source: "spec §2",
  needs: [],
  assuming: [
    { "response.extra-fields": "present", "response.key-order": "documented" },
    { "response.extra-fields": "none", "response.key-order": "shuffled" },
    { "response.extra-fields": "present", "response.key-order": "shuffled" },
  ],
  commands: everydaySequences,
  judge: mustRead,
};

const contentTypeCharset: Rule = {
  id: "content-type-charset",
  says: "A client reads JSON whose Content-Type names its charset",
  source: "spec §4",
  needs: [],
  assuming: [{ "http.content-type": "json-charset" }],
  commands: everydaySequences,
  judge: mustRead,
};

/** All that was answered is understood, and passed on as it was. */
function mustRead(session: Session): number {
  const understood = mustUnderstand(session);
  mustGive(session);
  for (const operation of ["stats", "surfaces", "payouts"] as const) mustPassOn(session, operation);
  return understood;
}

export const answerRules: readonly Rule[] = [
  ...countingRules,
  answerAsGiven,
  opaqueIds,
  unlistedMembers,
  contentTypeCharset,
];
