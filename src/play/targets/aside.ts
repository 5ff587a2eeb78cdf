/** Worlds aside over HTTP: a fork of the world that is played in, under a name nobody has, until it is taken away. */

import { InputError } from "../../base/input.ts";
import type { ControlApi } from "./control-api.ts";

export interface AsideWorlds {
  /** Makes a world that goes on from the one played in, in the place of an earlier one. Gives its name. */
  fork(): Promise<string>;
  /** Takes the last one away. */
  remove(): Promise<void>;
}

const LONGEST_NAME = 64;
const MOST_TRIES = 100;

/** `api`: of the world that is played in, which has this name. */
export function createAsideWorlds(api: ControlApi, name: string): AsideWorlds {
  let made: string | undefined;

  async function remove(): Promise<void> {
    if (made === undefined) return;
    const path = `worlds/${encodeURIComponent(made)}`;
    made = undefined;
    await api.ask("DELETE", path);
  }

  return {
    async fork() {
      await remove();
      for (let number = 1; ; number += 1) {
        const ending = number === 1 ? ".aside" : `.aside-${number}`;
        const aside = `${name.slice(0, LONGEST_NAME - ending.length)}${ending}`;
        try {
          await api.ask("POST", "worlds", { name: aside });
          made = aside;
          return aside;
        } catch (error) {
          if (!isTaken(error) || number === MOST_TRIES) throw notMade(error);
        }
      }
    },
    remove,
  };
}

/** Nothing that the scenario says is at fault. */
function notMade(error: unknown): unknown {
  return error instanceof InputError
    ? new Error(`The target makes no world aside: ${error.message}`, { cause: error })
    : error;
}

/** It is somebody else's, or was left by a play that was killed. */
function isTaken(error: unknown): boolean {
  return (
    error instanceof InputError &&
    error.reason === "conflict" &&
    error.field === "name" &&
    error.expected.startsWith("is that of a world")
  );
}
