/** How a client handles the answers to impressions and clicks (spec §2, §4). */

import { eventIdIn } from "../../../journal/entry-values.ts";
import { queryKinds } from "../../session/command.ts";
import type { Session } from "../../session/session.ts";
import { hasWrongEncoding } from "../../session/tasks.ts";
import { mustMatchAnswers, mustMatchReceipts, mustUnderstand } from "./compare-answers.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  again,
  anyAdView,
  click,
  commandsAfter,
  everyday,
  shortPause,
  stats,
  surfaces,
  together,
} from "./sequences.ts";

const answerAsGiven: Rule = {
  id: "answer-as-given",
  says: "The client returns an impression or a click with the service's own id and credit",
  source: "spec §2",
  commands: () =>
    commandsAfter([anyAdView], anyAdView, click, again, together(anyAdView), shortPause),
  whyNever: (_, members) =>
    members.has("flush")
      ? "the driver has flush(), and its impression() never resolved with the service's answer"
      : undefined,
  judge: mustMatchReceipts,
};

const opaqueIds: Rule = {
  id: "opaque-ids",
  says: "The client sends ids back byte for byte as the service gave them, whatever they look like",
  source: "spec §2",
  needs: ["click"],
  assuming: (["prefixed", "digits", "url-unsafe", "uuid"] as const).map((format) => ({
    "ids.format": format,
  })),
  commands: () => commandsAfter([adView, click], click, click, adView, stats, surfaces),
  judge(session) {
    const { publisher, exchanges } = session;
    const given: Record<string, string[]> = {
      publisher_id: [publisher.id],
      surface: publisher.surfaces.map(({ id }) => id),
      impression_id: [],
    };
    let hits = 0;
    for (const exchange of exchanges) {
      const { operation, request, values, got } = exchange;
      if (operation === undefined || hasWrongEncoding(exchange)) continue;
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
      const id = eventIdIn(got, "impression");
      if (id !== undefined) given.impression_id?.push(id);
    }
    mustUnderstand(session);
    return hits;
  },
};

const unlistedMembers: Rule = {
  id: "unlisted-members",
  says: "A client reads answers with extra members, with members in any order, and with a charset in Content-Type",
  source: "spec §2",
  assuming: [{ "response.form": "evolved" }],
  commands: () => everyday(),
  judge: mustRead,
};

/** The client understood every answer, and returned it unchanged. */
function mustRead(session: Session): number {
  const understood = mustUnderstand(session);
  mustMatchReceipts(session);
  for (const operation of queryKinds) mustMatchAnswers(session, operation);
  return understood;
}

export const answerRules: readonly Rule[] = [answerAsGiven, opaqueIds, unlistedMembers];
