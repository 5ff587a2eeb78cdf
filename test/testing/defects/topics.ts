/** Topics of the sequences that look for defects: which assumptions take any choice, which commands come often. */

import type { Campaign } from "../../properties/campaign.ts";
import { usualWeights } from "../../properties/commands.ts";

export type Topic = Pick<
  Campaign,
  "about" | "weights" | "unusualOneIn" | "sequences" | "mostCommands"
>;

export type TopicName =
  | "amounts"
  | "duplicates"
  | "clicks"
  | "surfaces"
  | "payouts"
  | "stats"
  | "limits"
  | "keys"
  | "continuing";

/** No commands but impressions and clicks, for topics that name the others they need. */
const nothing: Topic["weights"] = {
  ...Object.fromEntries(Object.keys(usualWeights).map((kind) => [kind, 0])),
  impression: usualWeights.impression,
  click: usualWeights.click,
};

/** By part of the service. None of them knows of a defect. */
export const topics: Readonly<Record<TopicName, Topic>> = {
  amounts: {
    sequences: 30,
    mostCommands: 12,
    about: ["money.precision", "date.timezone"],
    weights: { ...nothing, impression: 30, click: 30, stats: 20, payouts: 10, advance: 10 },
    unusualOneIn: 20,
  },
  duplicates: {
    sequences: 30,
    mostCommands: 12,
    about: ["dedup.key", "dedup.window", "dedup.repeat"],
    weights: { impression: 60, "dedup-edge": 12, advance: 10 },
    unusualOneIn: 20,
  },
  clicks: {
    sequences: 60,
    mostCommands: 12,
    about: ["click.unknown", "click.repeat", "click.window"],
    weights: { impression: 30, click: 50, "click-edge": 12, advance: 6 },
    unusualOneIn: 20,
  },
  surfaces: {
    sequences: 40,
    mostCommands: 12,
    about: ["surface.unknown", "surface.inactive", "surface.statuses", "ids.format"],
    weights: { ...nothing, impression: 20, stats: 10, surfaces: 20, "set-surface": 20 },
    unusualOneIn: 20,
  },
  payouts: {
    sequences: 30,
    mostCommands: 10,
    about: ["payout.statuses", "payout.order"],
    weights: { impression: 6, click: 2, payouts: 30, "payout-edge": 40, advance: 20 },
    unusualOneIn: 20,
  },
  stats: {
    sequences: 30,
    mostCommands: 12,
    about: ["date.timezone", "stats.today", "stats.surfaces"],
    weights: { stats: 50, overnight: 20, payouts: 0 },
    unusualOneIn: 20,
  },
  limits: {
    sequences: 200,
    mostCommands: 9,
    about: ["limit.algorithm", "limit.retry-after", "limit.recording-pool"],
    weights: { ...nothing, impression: 30, flood: 30, stats: 10, "rotate-key": 15, advance: 20 },
    unusualOneIn: 20,
  },
  keys: {
    sequences: 200,
    mostCommands: 12,
    about: ["auth.failure", "auth.key-scope", "ids.format"],
    weights: { impression: 20, surfaces: 30, "rotate-key": 20, advance: 6 },
    unusualOneIn: 20,
  },
  continuing: {
    sequences: 100,
    mostCommands: 24,
    about: ["dedup.repeat", "click.repeat"],
    weights: {
      ...nothing,
      impression: 40,
      click: 30,
      stats: 10,
      snapshot: 10,
      restore: 15,
      fork: 20,
      "rotate-key": 6,
    },
    unusualOneIn: 50,
  },
};
