/** All clients with a planted defect: what the contract is measured on. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../../src/base/digest.ts";
import { readContract } from "../../../src/testing/contract/contract-options.ts";
import type { SessionsOptions } from "../../../src/testing/contract/sessions.ts";
import type { CreateDriver } from "../../../src/testing/driver/driver.ts";
import { createChangedDriver } from "../../client/reference-driver.ts";
import { importChanged, plantedIn } from "../../planted-modules.ts";
import { firstBreach } from "../contract/correct-clients.ts";
import { onceOnly } from "../contract/patient-client.ts";
import { changedClient } from "./changes.ts";
import { plainDefects } from "./plain-defects.ts";
import { referenceDefects } from "./reference-defects.ts";

export const halves = ["tuned", "other"] as const;

export interface PlantedClient {
  /** The client that it is planted into. */
  readonly corpus: string;
  /** What is wrong, in a few words. With the corpus it is the name of this client. */
  readonly says: string;
  /** Whether the rules may be tuned on it. A hash of its name decides, so that nobody chooses. */
  readonly half: (typeof halves)[number];
  make(): Promise<CreateDriver>;
}

function planted(corpus: string, says: string, make: PlantedClient["make"]): PlantedClient {
  const digit = Number.parseInt(digestOf([nameOf({ corpus, says })]).slice(-1), 16);
  return { corpus, says, half: halves[digit % 2] ?? "tuned", make };
}

export function nameOf({ corpus, says }: Pick<PlantedClient, "corpus" | "says">): string {
  return `${corpus}: ${says}`;
}

/** Clients with changed texts. `name`: under which the client's module exports its driver. */
function texts(table: string, name: string, path: string): PlantedClient[] {
  const [corpus = ""] = table.split("-");
  const defects = plantedIn(readFileSync(join(import.meta.dirname, `${table}.txt`), "utf8"));
  return defects.map(({ says, changes }) =>
    planted(corpus, says, async () => {
      const module = await importChanged(join(import.meta.dirname, path), changes);
      return Reflect.get(module, name) as CreateDriver;
    }),
  );
}

/** Clients with something around them. */
function wraps<Changes>(
  corpus: string,
  defects: Readonly<Record<string, Changes>>,
  make: (changes: Changes) => CreateDriver,
): PlantedClient[] {
  return Object.entries(defects).map(([says, changes]) =>
    planted(corpus, says, async () => make(changes)),
  );
}

/** What the contract finds, with its defaults. With the globals replaced it sees what a client does with the machine's clock. */
export async function breachOf(
  { make }: PlantedClient,
  options?: Pick<SessionsOptions, "runs" | "sequenceSeed">,
): ReturnType<typeof firstBreach> {
  const driver = await make();
  const none = (): void => {};
  const { runs, sequenceSeed } = options ?? readContract({ driver, describe: none, it: none });
  return await firstBreach(driver, { globals: "replaced", runs, sequenceSeed });
}

const patient = "../contract/patient-client.ts";

export const corpora: readonly PlantedClient[] = [
  ...texts("queueing-defects", "createQueueingDriver", "queueing-client.ts"),
  ...texts("calling-defects", "createCallingDriver", "calling-client.ts"),
  ...texts("direct-defects", "createDirectDriver", "direct-client.ts"),
  ...texts("patient-defects", "createPatientDriver", patient),
  ...texts("patient-queue-defects", "createPatientQueueDriver", patient),
  ...wraps("reference", referenceDefects, createChangedDriver),
  ...wraps("plain", plainDefects, (changes) => changedClient(onceOnly, changes)),
];
