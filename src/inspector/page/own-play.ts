/** The play that this page started last. It goes on while the user is elsewhere on the page. */

import { useEffect, useState } from "preact/hooks";
import type { PlayResult } from "../../play/player/result.ts";
import type { Api } from "./api.ts";
import { announce } from "./parts.ts";

export interface OwnPlay {
  readonly name: string;
  readonly isRunning: boolean;
  /** Undefined if it runs or failed. */
  readonly result?: PlayResult;
  readonly error?: unknown;
}

const plays = new WeakMap<Api, OwnPlay>();
const listeners = new Set<() => void>();

export function useOwnPlay(api: Api): OwnPlay | undefined {
  const [, update] = useState(plays.get(api));
  useEffect(() => {
    const listener = (): void => update(plays.get(api));
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [api]);
  return plays.get(api);
}

export async function startPlay(api: Api, name: string): Promise<void> {
  note(api, { name, isRunning: true });
  try {
    const result = await api.send<PlayResult>("POST", "scenarios/play", { name });
    note(api, { name, isRunning: false, result });
    announce(`${name}: ${result.result}.`);
  } catch (error) {
    note(api, { name, isRunning: false, error });
  }
}

function note(api: Api, play: OwnPlay): void {
  plays.set(api, play);
  for (const listener of listeners) listener();
}
