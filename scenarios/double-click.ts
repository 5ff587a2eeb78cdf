/** What a client must survive: clicks that come twice, too early, too late, or for an impression that isn't its own. */

import { defineScenario } from "../src/scenario.ts";
import {
  assume,
  clickOn,
  credited,
  creditOf,
  error,
  leaves,
  ok,
  ref,
  report,
  rule,
  uncredited,
} from "./words.ts";

const unknown = error(404, "impression_not_found", "impression_id");
const sameClick = {
  ...uncredited,
  body: { click_id: ref("click.click_id"), revenue_credited_inr: 0 },
};

export const scenario = defineScenario({
  name: "double-click",
  about:
    "A click is sent twice, then ten times at once, and earns once: a repeat gets the same id with 0 credited, the first answer again, or 409. A click on an impression that the service doesn't know, or that is another publisher's, doesn't count, and isn't kept until the impression comes. A late click counts on its own day, or gets 410 once a window of 24 hours is over.",
  faults: [
    rule("unavailable", "impression", 1, {
      kind: "respond",
      status: 503,
      headers: { "retry-after": "2" },
    }),
  ],
  steps: [
    {
      impression: { session_id: "visit-1" },
      as: "refused",
      note: "The impression doesn't get through …",
      expect: { status: 503, headers: { "retry-after": "2", "x-ratelimit-remaining": "10000" } },
    },
    {
      click: { impression_id: "pending-visit-1" },
      as: "early",
      note: "… and the user has clicked already, under an id that the client made up.",
      expect: { ...leaves(9999), ...unknown },
    },
    { heal: "all" },
    { advance: { retryAfterOf: "refused" } },
    {
      impression: { session_id: "visit-1" },
      as: "shown",
      note: "Now it does. The early click isn't credited along with it.",
      expect: { ...leaves(9998), ...credited },
    },
    { expect: report(["2026-01-15"], { clicks: 0, revenue_inr: creditOf("shown") }) },
    { click: { impression_id: "pending-visit-1" }, expect: unknown },
    clickOn("shown", { as: "click", expect: credited }),
    clickOn("shown", { note: "A double click.", expect: sameClick }),
    {
      parallel: { times: 10, steps: [clickOn("shown")] },
      note: "A retry loop that doesn't wait for answers.",
      expect: { sent: 10, ok: 10, differentIds: 1, creditedInr: 0 },
    },
    { publisher: 1, impression: {}, as: "theirs", expect: credited },
    clickOn("theirs", {
      note: "Another publisher's impression is answered as one that doesn't exist, to the byte.",
      expect: { ...unknown, text: { contains: "impression_not_found" } },
    }),
    { expect: { body: { detail: ref("early.detail") } } },
    { click: { impression_id: ref("publishers.0.surfaces.0.id") }, expect: unknown },
    { click: { impression_id: "" }, expect: error(400, "invalid_parameter", "impression_id") },
    { raw: { method: "POST", path: "/v1/click" }, expect: error(400, "missing_parameter") },
    assume("click.unknown", "400"),
    clickOn("theirs", { expect: error(400, "impression_not_found") }),
    clickOn("theirs", {
      publisher: 1,
      note: "The attempts spent neither their quota nor their click.",
      expect: { ...leaves(9998), ...credited },
    }),
    { advance: "45d" },
    clickOn("shown", { note: "Weeks later it is still the same click.", expect: sameClick }),
    assume("click.repeat", "replay", "Now the repeat gets the first answer again."),
    clickOn("shown", { expect: ok(ref("click")) }),
    assume("click.repeat", "conflict"),
    clickOn("shown", { expect: error(409, "duplicate_click", "impression_id") }),
    assume("click.repeat", "count", "This service counts every click."),
    clickOn("shown", {
      as: "counted",
      expect: ok({
        click_id: { not: ref("click.click_id") },
        revenue_credited_inr: ref("click.revenue_credited_inr"),
      }),
    }),
    {
      expect: report(["2026-03-01", "2026-03-01"], {
        clicks: 1,
        revenue_inr: creditOf("counted"),
      }),
      note: "It counts on its own day.",
    },
    { assume: { "click.repeat": "original-uncredited", "click.window": "24h" } },
    { impression: {}, as: "inTime", expect: credited },
    { impression: {}, as: "tooLate", expect: credited },
    { advance: 86_399_999 },
    clickOn("inTime", { note: "The last millisecond of 24 hours.", expect: credited }),
    { advance: 1 },
    clickOn("tooLate", { expect: error(410, "click_too_late", "impression_id") }),
    clickOn("inTime", { note: "Even if it repeats one.", expect: error(410, "click_too_late") }),
  ],
  expectations: [
    report(["2026-01-15", "2026-01-15"], { impressions: 1, clicks: 1 }),
    report(["2026-01-15"], { impressions: 1, clicks: 1 }, 1),
    report(["2026-03-01"], { impressions: 2, clicks: 2 }),
  ],
});
