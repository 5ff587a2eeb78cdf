/**
 * Measures what the contract finds: for each planted client the rule that catches it and the number of the session, or MISSED.
 *
 *     node test/testing/defects/measure.ts [CORPUS or HALF ...] [--runs 1500] [--seed 1]
 */

import { stdout } from "node:process";
import { parseArgs } from "node:util";
import { breachOf, corpora, halves, nameOf, type PlantedClient } from "./corpora.ts";
import { missed } from "./missed.ts";

interface Measured extends Pick<PlantedClient, "corpus" | "says" | "half"> {
  readonly rule: string | undefined;
  readonly found: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "1500" },
    seed: { type: "string", default: "1" },
  },
});
const names = [...new Set(corpora.map(({ corpus }) => corpus))];
const isWanted = (name: string, all: readonly string[]): boolean =>
  positionals.includes(name) || !all.some((one) => positionals.includes(one));
const wanted = corpora.filter(
  ({ corpus, half }) => isWanted(corpus, names) && isWanted(half, halves),
);

async function measured(client: PlantedClient): Promise<Measured> {
  const { corpus, says, half } = client;
  const about = { corpus, says, half };
  try {
    const options = { runs: Number(values.runs), sequenceSeed: Number(values.seed) };
    const breach = await breachOf(client, options);
    const found = breach ? `${breach.rule} in session ${breach.run}: ${breach.why}` : "MISSED";
    return { ...about, rule: breach?.rule, found };
  } catch (error) {
    return { ...about, rule: undefined, found: `FAILED: ${error}` };
  }
}

const all: Measured[] = [];
for (const client of wanted) {
  const one = await measured(client);
  all.push(one);
  const hint = one.rule === undefined && missed.has(nameOf(one)) ? " (as listed)" : "";
  stdout.write(
    `${nameOf(one)} [${one.half}] ${one.found.replaceAll("\n", " ").slice(0, 200)}${hint}\n`,
  );
}
for (const name of [...names, ...halves, "all"]) {
  const those = all.filter((one) => name === "all" || one.corpus === name || one.half === name);
  const caught = those.filter(({ rule }) => rule !== undefined).length;
  if (those.length > 0) stdout.write(`${name}: ${caught} of ${those.length}\n`);
}
const counts = Map.groupBy(all, ({ rule = "none" }) => rule);
for (const [rule, { length }] of counts) stdout.write(`${rule}: ${length}\n`);
