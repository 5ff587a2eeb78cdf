/**
 * Four replicas behind HAProxy, and behind nginx, are one server to clients: `npm run test:replicas`. Needs both programs. The
 * balancers run with the files of deploy/.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Publisher } from "../../src/index.ts";
import { balancers, missingPrograms, REPLICAS } from "./balancers.ts";
import {
  answersUnauthenticatedAlike,
  keepsSpellingsTogether,
  passesHeaders,
  passesParity,
  refusesControl,
} from "./edges.ts";
import { breaksAsFaultsSay } from "./faults.ts";
import { auditsOf, expectOneFleet } from "./fleet.ts";
import { killOne } from "./killed.ts";
import { endAll, freePorts } from "./processes.ts";
import { control, startOne, WORLD } from "./replicas.ts";
import { digestOf, expectAllStatuses, expectPartition, expectSame, play } from "./same-bytes.ts";

/** A run that hangs fails. */
setTimeout(() => {
  console.error("It wasn't over after ten minutes.");
  process.exit(1);
}, 600_000).unref();

const startedMs = performance.now();
function say(text: string): void {
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(5)} s  ${text}`);
}

async function main(folder: string): Promise<void> {
  const [alone = 0, ...ports] = await freePorts(1 + REPLICAS + balancers.length);
  const replicaPorts = ports.slice(0, REPLICAS);
  const servers = [alone, ...replicaPorts];
  const [, ...replicas] = await Promise.all(servers.map((port) => startOne(port)));
  const { publishers } = await control<{ publishers: Publisher[] }>(
    alone,
    "GET /_sim/publishers?limit=200",
  );
  say("one server and four replicas are ready");
  const expected = await play(publishers, alone, [alone]);
  say(`one server: ${expected.flat().length} requests, digest ${digestOf(expected)}`);
  say(`  ${JSON.stringify(expectAllStatuses(expected))}`);
  const audits = await auditsOf(alone);
  for (const [index, balancer] of balancers.entries()) {
    const port = ports[REPLICAS + index] ?? 0;
    await balancer.run({ port, replicaPorts, folder });
    const played = await play(publishers, port, replicaPorts);
    expectSame(expected, played);
    const counts = await expectPartition(publishers, replicaPorts);
    await expectOneFleet(audits, replicaPorts);
    say(
      `${balancer.name}: digest ${digestOf(played)}, publishers per replica: ${counts.join(", ")}`,
    );
    say("  adsim fleet: the audits add up to that of one server");
    const places = { port, replicaPorts, folder, replicas };
    const service = { port, replicaPorts, alone, publishers };
    await refusesControl(service);
    await keepsSpellingsTogether(service);
    await passesHeaders(service);
    await answersUnauthenticatedAlike(service);
    const alike = (await passesParity(service, "")) + (await passesParity(service, `/@${WORLD}`));
    await breaksAsFaultsSay(service);
    say(`  control requests refused; ${alike} unusual requests answered as by one server`);
    say(`  one killed: ${await killOne(balancer, publishers.slice(0, 80), places)}`);
  }
}

const missing = missingPrograms();
if (missing.length > 0) {
  console.warn(
    `The tests in test/replicas were skipped. This machine lacks ${missing.join(" and ")} (HAPROXY_PROGRAM and NGINX_PROGRAM name others).`,
  );
  if (process.env.ALL_TESTS === "1") process.exitCode = 1;
} else {
  const folder = await mkdtemp(join(tmpdir(), "adsim-replicas-"));
  try {
    await main(folder);
  } finally {
    endAll();
    await rm(folder, { recursive: true, force: true });
  }
}
