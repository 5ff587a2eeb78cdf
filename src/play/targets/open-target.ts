/** Opens what is at a URL: an adsim is controlled, any other service is called in real time. */

import { InputError } from "../../base/input.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import { openAdsimTarget } from "./adsim-target.ts";
import { askHealth, type Health } from "./health.ts";
import { createHttpClient } from "./http-client.ts";
import { openServiceTarget, type ServiceCredentials } from "./service-target.ts";
import type { Target, TrafficProgress } from "./target.ts";
import { readTargetUrl, type TargetUrl } from "./target-url.ts";

export interface TargetOptions {
  /** What the world of an adsim is to be. Only asked for where there is one. */
  readonly snapshot: () => Snapshot;
  /** The world's name where the URL names none. */
  readonly worldName: string;
  /** What an adsim asks for on control requests. */
  readonly controlToken?: string | undefined;
  /** How many times as fast as real time. @default for an adsim nobody waits, for another service 1 */
  readonly speed?: number | undefined;
  /** Publishers of the service. Given these, it is no adsim to us, whatever it is. */
  readonly credentials?: readonly ServiceCredentials[] | undefined;
  /** How many requests of traffic can be on their way to a service at once. @default 64 */
  readonly connections?: number | undefined;
  readonly onProgress?: ((progress: TrafficProgress) => void) | undefined;
}

/**
 * @throws InputError (as a rejection) for wrong options, and where a service is no adsim and no credentials are given; Error
 * that says what to do where nobody is there, or it refuses.
 */
export async function openTarget(url: string | URL, options: TargetOptions): Promise<Target> {
  const target = readTargetUrl(url);
  const { credentials = [] } = options;
  if (credentials.length > 0) return await openServiceTarget({ ...options, url, credentials });
  const found = await healthAt(target, options.controlToken);
  if (found.kind !== "other") {
    return await openAdsimTarget({ ...options, url, snapshot: options.snapshot() });
  }
  throw new InputError(
    "target",
    `${target.url} is no adsim (GET ${target.url}/_sim/health has status ${found.status}), so that nobody knows its publishers. Give one with --api-key KEY and --publisher ID`,
  );
}

async function healthAt({ origin, prefix }: TargetUrl, token: string | undefined): Promise<Health> {
  const client = await createHttpClient(origin, { connections: 1 });
  try {
    return await askHealth({ client, origin, prefix, token });
  } finally {
    await client.close();
  }
}
