/** `adsim matrix` over the two example clients: a process for each run, of which there are many. */

import { join } from "node:path";
import { expect, test } from "vitest";
import type { AssumptionKey } from "../../src/spec/assumptions/catalogue.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runProcess } from "./run-adsim.ts";

const MAX_MS = 600_000;

interface Report {
  readonly verdict: string;
  readonly complete: boolean;
  readonly counts: { readonly rows: number; readonly failed: number };
  readonly reliances: readonly { readonly assume: Readonly<Record<string, string>> }[];
}

async function matrixOf(
  client: string,
  ...options: string[]
): Promise<{ code: number | null; report: Report }> {
  const folder = temporaryFolder();
  const script = join(import.meta.dirname, "../clients", client);
  const { code, stdout } = await runProcess(
    ["matrix", "--json", ...options, "--", process.execPath, script],
    {
      TMPDIR: folder,
      // Takes the types out of the client once instead of in every run.
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    },
  );
  return { code, report: JSON.parse(stdout) };
}

test(
  "a client that relies on the spec alone passes everywhere",
  async () => {
    const { code, report } = await matrixOf("robust.ts");
    expect(report).toMatchObject({ verdict: "green", complete: true, counts: { failed: 0 } });
    expect(report.counts.rows).toBe(35);
    expect(code).toBe(0);
  },
  MAX_MS,
);

const planted = [
  "errors.body",
  "limit.exceeded",
  "limit.retry-after",
  "payout.statuses",
  "ids.format",
  "response.extra-fields",
] as const satisfies readonly AssumptionKey[];

test(
  "each of the six mistakes of the other client is found, and nothing else is named",
  async () => {
    const { code, report } = await matrixOf("relying.ts", "--strength", "1");
    const named = report.reliances.flatMap(({ assume }) => Object.keys(assume));
    expect([...new Set(named)]).toEqual(planted);
    expect(report.reliances.every(({ assume }) => Object.keys(assume).length === 1)).toBe(true);
    expect(report).toMatchObject({ verdict: "relies", complete: true, flaky: [] });
    expect(code).toBe(1);
  },
  MAX_MS,
);
