/** Defects of the calling client that show only if several calls wait at once while something goes wrong. */

import type { PlantedDefect } from "./queueing-defects.ts";

const inClient = { file: "../test/testing/defects/calling-client.ts" };
const looksAgain = {
  ...inClient,
  find: "        await this.#change();\n        continue;\n      }\n      this.#underWay += 1;",
};
const pauses = {
  ...inClient,
  find: "        await this.#sleep(quietMs);\n        patience.untilMs += quietMs;\n        continue;",
};
const learns = {
  ...inClient,
  find: "      const how = this.#learnFrom(call, got);\n",
};
const endsProbe = {
  ...inClient,
  find: "      if (isProbe) this.#isProbing = false;\n      const how = this.#learnFrom(call, got);\n",
};
const stops = {
  ...inClient,
  find: "if (this.#refusal !== undefined) throw this.#refusal;",
};
const leaves = { ...inClient, find: "      this.#underWay -= 1;\n" };
const takesTurn = {
  ...inClient,
  find: "const isProbe = await this.#turn(call.pool, patience);",
  replace: "const isProbe = await this.#turn(call.pool, patience, attempt);",
};
const turnOfAttempt = {
  ...inClient,
  find: "async #turn(pool: Pool, patience: { untilMs: number })",
  replace: "async #turn(pool: Pool, patience: { untilMs: number }, attempt: number)",
};

export const callingDefects: readonly PlantedDefect[] = [
  {
    ...looksAgain,
    says: "doesn't look whether there is a pause once a call has waited for its turn",
    cause: "waits and time limits",
    breaks: "waits-as-told",
    replace:
      "        while (this.#underWay >= MAX_AT_ONCE) await this.#change();\n        if (this.#refusal !== undefined) throw this.#refusal;\n      }\n      this.#underWay += 1;",
  },
  {
    ...pauses,
    says: "sends all calls at once when a pause is over",
    cause: "order, requests at once",
    breaks: "at-most-at-once",
    replace:
      "        await this.#sleep(quietMs);\n        this.#underWay += 1;\n        return false;",
  },
  ...(["unclear", "limited", "refused"] as const).map(
    (how): PlantedDefect => ({
      ...learns,
      says: `gives a place back twice if the answer is ${how}`,
      cause: "order, requests at once",
      breaks: "at-most-at-once",
      replace: `${learns.find}      if (how === "${how}") this.#underWay = Math.max(0, this.#underWay - 1);\n`,
    }),
  ),
  {
    ...takesTurn,
    says: "sends repeats beyond the number of requests at once",
    cause: "order, requests at once",
    breaks: "at-most-at-once",
    also: [
      turnOfAttempt,
      {
        ...inClient,
        find: "if (this.#underWay >= MAX_AT_ONCE)",
        replace: "if (attempt === 1 && this.#underWay >= MAX_AT_ONCE)",
      },
    ],
  },
  {
    ...leaves,
    says: "keeps the place of a request that a limit refuses",
    cause: "many events, long sessions",
    breaks: "comes-back",
    replace: "      if (got?.status !== 429) this.#underWay -= 1;\n",
  },
  {
    ...leaves,
    says: "keeps the place of a request that is invalid",
    cause: "many events, long sessions",
    breaks: "comes-back",
    replace: "      if (got?.status !== 400 && got?.status !== 422) this.#underWay -= 1;\n",
  },
  {
    ...looksAgain,
    says: "sends calls that waited for their turn when the key was refused",
    cause: "refused keys, closing",
    breaks: "rotated-key",
    replace:
      "        while (this.#underWay >= MAX_AT_ONCE) await this.#change();\n        if (this.#quietUntilMs[pool] > now()) continue;\n      }\n      this.#underWay += 1;",
  },
  {
    ...pauses,
    says: "sends calls that waited for the end of a pause when the key was refused",
    cause: "refused keys, closing",
    breaks: "rotated-key",
    replace: `${pauses.find.replace("continue;", "hasPaused = true;\n        continue;")}`,
    also: [
      {
        ...inClient,
        find: "    for (;;) {\n      if (this.#refusal !== undefined)",
        replace:
          "    let hasPaused = false;\n    for (;;) {\n      if (!hasPaused && this.#refusal !== undefined)",
      },
    ],
  },
  {
    ...takesTurn,
    says: "repeats calls though the key was refused",
    cause: "refused keys, closing",
    breaks: "rotated-key",
    also: [
      turnOfAttempt,
      {
        ...stops,
        replace: "if (attempt === 1 && this.#refusal !== undefined) throw this.#refusal;",
      },
    ],
  },
  {
    ...stops,
    says: "sends every call with a key that was refused",
    cause: "refused keys, closing",
    breaks: "rotated-key",
    replace: "",
  },
  {
    ...endsProbe,
    says: "never probes again after an outage if a limit refuses the first probe",
    cause: "many events, long sessions",
    breaks: "comes-back",
    replace:
      '      const how = this.#learnFrom(call, got);\n      if (isProbe && how !== "limited") this.#isProbing = false;\n',
  },
  {
    ...endsProbe,
    says: "never probes again after an outage if the first probe gets an unreadable answer",
    cause: "many events, long sessions",
    breaks: "comes-back",
    replace:
      '      const how = this.#learnFrom(call, got);\n      if (isProbe && !(how === "unclear" && got?.status === 200)) this.#isProbing = false;\n',
  },
];
