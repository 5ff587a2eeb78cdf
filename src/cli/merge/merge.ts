/** `adsim merge REPORT…`: judges what all workers of a load report together, and compares it with the targets' audits. */

import { InputError } from "../../base/input.ts";
import { adsimLine } from "../../base/shell.ts";
import { concludeAgain } from "../../play/player/conclude.ts";
import { mergeShares, missingWorkers, type PlayedShare } from "../../play/player/merge-shares.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { isTokenGiven } from "../options/common-options.ts";
import { wrongUsage } from "../output/exit.ts";
import { checkReports } from "../output/reports.ts";
import type { PlayFlags } from "../play/play-options.ts";
import { tellResult } from "../play/tell-result.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { readShare } from "./read-share.ts";

export interface MergeFlags extends Pick<PlayFlags, "report" | "json"> {
  readonly target?: readonly string[];
  readonly controlToken?: string;
}

/** @returns 0 if everything held, 1 if something is broken or unknown. */
export async function merge(
  files: readonly string[],
  flags: MergeFlags,
  host: HostProcess,
): Promise<number> {
  const { report = [], target = [], controlToken } = flags;
  await checkReports(report, files);
  const shares: PlayedShare[] = [];
  for (const file of files) shares.push(await readShare(file));
  const words = ["merge", ...files, ...target.flatMap((url) => ["--target", url])];
  const reproduce = [...words, ...(isTokenGiven(flags, host) ? ["--control-token", "…"] : [])];
  const merged = mergedOf(shares, files, adsimLine(reproduce));
  if (target.length === 0) return tellResult(merged, flags, host);
  // Loaded on demand, with the HTTP client.
  const { auditStep } = await import("./audit-step.ts");
  const steps = [...merged.steps, await auditStep(merged, target, controlToken)];
  return tellResult(concludeAgain({ ...merged, steps }, missingWorkers(shares)), flags, host);
}

function mergedOf(
  shares: readonly PlayedShare[],
  files: readonly string[],
  reproduce: string,
): PlayResult {
  try {
    return mergeShares(shares, reproduce);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const file = files[Number(error.field)] ?? "";
    throw wrongUsage(`${file} can't be merged: it ${error.expected}`);
  }
}
