/** Reads the base URLs of replicas. */

import { InputError } from "../../base/input.ts";
import { readTargetUrl, type TargetUrl } from "../../play/targets/target-url.ts";
import { wrongUsage } from "../output/exit.ts";

/** @throws CommandFailure for what isn't a URL, and for one that is given twice. */
export function readReplicaUrls(urls: readonly string[]): readonly TargetUrl[] {
  const replicas = urls.map(readReplicaUrl);
  const seen = new Set<string>();
  for (const { url } of replicas) {
    // Both name the same world.
    const world = url.replace(/\/@default$/, "");
    if (seen.has(world)) throw wrongUsage(`${url} is given twice. Give each replica once.`);
    seen.add(world);
  }
  return replicas;
}

function readReplicaUrl(url: string): TargetUrl {
  try {
    return readTargetUrl(url);
  } catch (error) {
    throw error instanceof InputError ? wrongUsage(`${url} ${error.expected}`) : error;
  }
}
